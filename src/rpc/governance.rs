//! The service `Governance`.

use tonic::{Request, Response, Status};

use super::calls::Calls;
use super::convert;
use crate::proto::v1::governance_server::Governance;
use crate::proto::v1::{
    LiftSuppressionRequest, LiftSuppressionResponse, ListSuppressionsRequest, ListSuppressionsResponse,
};

/// Serves the service.
#[derive(Debug)]
pub(super) struct GovernanceService(pub(super) Calls);

#[tonic::async_trait]
impl Governance for GovernanceService {
    async fn list_suppressions(
        &self,
        request: Request<ListSuppressionsRequest>,
    ) -> Result<Response<ListSuppressionsResponse>, Status> {
        let (caller, message) = self.0.enter(request)?;
        let query = caller.settle(convert::suppressions_query(message))?;
        let page = caller.settle(self.0.ops.list_suppressions(&caller.principal, query).await)?;
        Ok(Response::new(convert::suppressions_response(&page)))
    }

    async fn lift_suppression(
        &self,
        request: Request<LiftSuppressionRequest>,
    ) -> Result<Response<LiftSuppressionResponse>, Status> {
        self.0.change(request, convert::lift, convert::lift_response).await
    }
}
