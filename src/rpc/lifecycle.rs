//! The service `MemoryLifecycle`.

use tonic::{Request, Response, Status};

use super::calls::Calls;
use super::convert::{self, Previewed};
use crate::proto::v1::memory_lifecycle_server::MemoryLifecycle;
use crate::proto::v1::{
    BatchForgetRequest, BatchForgetResponse, ForgetRequest, ForgetResponse, GetOperationRequest,
    GetOperationResponse, ListOperationsRequest, ListOperationsResponse, PreviewRequest, PreviewResponse,
    RestoreRequest, RestoreResponse,
};

/// Serves the service.
#[derive(Debug)]
pub(super) struct LifecycleService(pub(super) Calls);

#[tonic::async_trait]
impl MemoryLifecycle for LifecycleService {
    async fn forget(&self, request: Request<ForgetRequest>) -> Result<Response<ForgetResponse>, Status> {
        self.0.forget(request, convert::forget, convert::forget_response).await
    }

    async fn preview(&self, request: Request<PreviewRequest>) -> Result<Response<PreviewResponse>, Status> {
        let (caller, message) = self.0.enter(request)?;
        let query = caller.settle(convert::preview_query(message))?;
        let preview = match query {
            Previewed::Ids(query) => self.0.ops.preview(&caller.principal, query).await,
            Previewed::Set(query) => self.0.ops.preview_set(&caller.principal, query).await,
        };
        let preview = caller.settle(preview)?;
        Ok(Response::new(convert::preview_response(preview)))
    }

    async fn restore(&self, request: Request<RestoreRequest>) -> Result<Response<RestoreResponse>, Status> {
        self.0.change(request, convert::restore, convert::restore_response).await
    }

    async fn batch_forget(
        &self,
        request: Request<BatchForgetRequest>,
    ) -> Result<Response<BatchForgetResponse>, Status> {
        self.0.forget(request, convert::batch_forget, convert::batch_forget_response).await
    }

    async fn get_operation(
        &self,
        request: Request<GetOperationRequest>,
    ) -> Result<Response<GetOperationResponse>, Status> {
        let (caller, message) = self.0.enter(request)?;
        let name = caller.settle(convert::operation_name(&message))?;
        let operation = caller.settle(self.0.ops.get_operation(&caller.principal, name).await)?;
        Ok(Response::new(convert::operation_response(&operation)))
    }

    async fn list_operations(
        &self,
        request: Request<ListOperationsRequest>,
    ) -> Result<Response<ListOperationsResponse>, Status> {
        let (caller, message) = self.0.enter(request)?;
        let page = match caller.settle(convert::operations_query(message))? {
            Some(query) => Some(caller.settle(self.0.ops.list_operations(&caller.principal, query).await)?),
            None => None,
        };
        Ok(Response::new(convert::operations_response(page)))
    }
}
