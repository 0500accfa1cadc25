//! What became of a call.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::{Page, PageRequest};
use super::{Failure, Ops};
use crate::domain::Timestamp;
use crate::domain::ids::{OperationId, RequestId};
use crate::domain::operation::{Method, Operation};
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
use crate::storage::pool::DbConnection;
use crate::storage::read_operations::{self, OperationPage};
use crate::storage::tx::Unit;
use crate::storage::{Store, StoreError, heads};

/// How an operation is named in a look-up.
#[derive(Debug, Clone, Copy)]
pub enum OperationName {
    /// By its own id.
    Operation(OperationId),
    /// By the caller's own name for it.
    Request(RequestId),
}

/// A list of the caller's operations to be read.
#[derive(Debug, Clone)]
pub struct OperationsQuery {
    /// Only of this method.
    pub method: Option<Method>,
    /// Committed at this time or later.
    pub start_time: Option<Timestamp>,
    /// Committed before this time.
    pub end_time: Option<Timestamp>,
    /// Which page.
    pub page: PageRequest,
}

/// How long a look-up under the head may take; longer than it may wait for the head.
const LOOK_UP: Duration = Duration::from_secs(15);

/// Where a page of operations ended: the last one's commit time in microseconds, and its id.
#[derive(Serialize, Deserialize)]
struct Position(i64, Uuid);

impl Ops {
    /// One operation in reach, with its results.
    ///
    /// "Not found" means not committed so far: it is said only after the tenant's head was held, so that no
    /// transaction of the tenant was under way at that moment.
    pub async fn get_operation(
        &self,
        principal: &Principal,
        name: OperationName,
    ) -> Result<Operation, Failure> {
        {
            let mut connection = self.store.read_connection().await?;
            if let Some(operation) = find(&mut connection, principal, name).await? {
                return Ok(operation);
            }
        }
        // Given up only before it has a place; from then on it goes to its end, whoever still waits for it.
        let place = Arc::clone(&self.look_ups).acquire_owned().await.map_err(|_| Failure::Internal)?;
        let (store, principal) = (self.store.clone(), principal.clone());
        let looked_up = tokio::spawn(async move {
            let operation = find_under_head(&store, &principal, name).await;
            drop(place);
            operation
        });
        let operation = looked_up.await.map_err(|_| Failure::Internal)??;
        operation.ok_or(Failure::Refused(Refusal::OperationNotFound))
    }

    /// A page of the caller's operations, newest first, without results.
    pub async fn list_operations(
        &self,
        principal: &Principal,
        query: OperationsQuery,
    ) -> Result<Page<Operation>, Failure> {
        let after = self
            .pager
            .position(principal, &query.page)?
            .and_then(|Position(micros, id)| Some((Timestamp::from_timestamp_micros(micros)?, id)));
        let page = OperationPage {
            method: query.method,
            start_time: query.start_time,
            end_time: query.end_time,
            after,
            limit: query.page.size + 1,
        };
        let mut connection = self.store.read_connection().await?;
        let operations = read_operations::list_operations(&mut connection, principal, &page).await?;
        Ok(self.pager.page_of_surplus(principal, &query.page, operations, |last| {
            Position(last.commit_time.timestamp_micros(), last.operation_id.0)
        }))
    }
}

/// Looks while nothing of the tenant's can be under way. A unit of work: to be run where nobody cancels it.
async fn find_under_head(
    store: &Store,
    principal: &Principal,
    name: OperationName,
) -> Result<Option<Operation>, Failure> {
    let mut connection = store.lane_connection().await?;
    let looked_up = tokio::time::timeout(LOOK_UP, async {
        let mut unit = Unit::begin(&mut connection).await?;
        heads::wait_as_fence(unit.connection()).await?;
        match heads::lock_head_waiting(unit.connection(), &[&principal.tenant]).await {
            Err(StoreError::LockTimeout) => return Err(Failure::Busy),
            held => held?,
        };
        let operation = find(unit.connection(), principal, name).await?;
        unit.rollback().await?;
        Ok(operation)
    });
    let Ok(looked_up) = looked_up.await else {
        // It went silent: of no more use to anybody.
        connection.close_on_drop();
        return Err(Failure::StoreUnavailable);
    };
    looked_up
}

async fn find(
    connection: &mut DbConnection,
    principal: &Principal,
    name: OperationName,
) -> Result<Option<Operation>, Failure> {
    let id = match name {
        OperationName::Operation(id) => Some(id),
        OperationName::Request(request) => {
            read_operations::find_request(connection, &principal.tenant, &principal.id, request).await?
        }
    };
    let Some(id) = id else { return Ok(None) };
    let operation = read_operations::get_operation(connection, principal, id).await?;
    // Said by the statement already; nothing goes out that the rules themselves do not let out.
    Ok(operation.filter(|operation| principal.is_admin() || operation.principal == principal.id))
}
