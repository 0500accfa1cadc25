//! The service `AuditLog`.

use tonic::{Request, Response, Status};

use super::calls::Calls;
use super::convert;
use crate::proto::v1::audit_log_server::AuditLog;
use crate::proto::v1::{ListAuditRecordsRequest, ListAuditRecordsResponse};

/// Serves the service.
#[derive(Debug)]
pub(super) struct AuditService(pub(super) Calls);

#[tonic::async_trait]
impl AuditLog for AuditService {
    async fn list_audit_records(
        &self,
        request: Request<ListAuditRecordsRequest>,
    ) -> Result<Response<ListAuditRecordsResponse>, Status> {
        let (caller, message) = self.0.enter(request)?;
        let query = caller.settle(convert::audit_query(message))?;
        let page = caller.settle(self.0.ops.list_audit_records(&caller.principal, query).await)?;
        Ok(Response::new(convert::audit_response(page)))
    }
}
