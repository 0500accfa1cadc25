//! Reading what is suppressed.

use serde::{Deserialize, Serialize};

use super::page::{Page, PageRequest};
use super::{Failure, Ops};
use crate::domain::Timestamp;
use crate::domain::ids::{OperationId, SubjectId, SuppressionId};
use crate::domain::line::Reason;
use crate::domain::principal::Principal;
pub use crate::storage::suppressions::ReasonedSuppression;
use crate::storage::suppressions::{self, SuppressionPage};

/// Suppressions to be read.
#[derive(Debug, Clone)]
pub struct SuppressionsQuery {
    /// Of this subject; none: of any.
    pub subject: Option<SubjectId>,
    /// Which page.
    pub page: PageRequest,
}

/// Where a page of suppressions ended: the last one's time in microseconds, and its name.
#[derive(Serialize, Deserialize)]
struct Position(i64, SuppressionId);

impl Ops {
    /// A page of the suppressions that concern the caller's own memories or came of its own calls, newest first; all of
    /// the tenant's for an administrator.
    pub async fn list_suppressions(
        &self,
        principal: &Principal,
        query: SuppressionsQuery,
    ) -> Result<Page<ReasonedSuppression>, Failure> {
        let after = self
            .pager
            .position(principal, &query.page)?
            .and_then(|Position(micros, id)| Some((Timestamp::from_timestamp_micros(micros)?, id)));
        let page = SuppressionPage { subject: query.subject.as_ref(), after, limit: query.page.size };
        let mut connection = self.store.read_connection().await?;
        let listed = suppressions::list(&mut connection, principal, &page).await?;
        Ok(self.pager.page_of_surplus(principal, &query.page, listed, |(last, _)| {
            Position(last.create_time.timestamp_micros(), last.id)
        }))
    }

    /// Why an operation was called.
    pub(super) async fn reason_of(
        &self,
        principal: &Principal,
        operation: OperationId,
    ) -> Result<Option<Reason>, Failure> {
        let mut connection = self.store.read_connection().await?;
        Ok(suppressions::operation_reason(&mut connection, &principal.tenant, operation).await?)
    }
}
