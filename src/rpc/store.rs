//! The service `MemoryStore`.

use tonic::{Request, Response, Status};

use super::calls::Calls;
use super::convert;
use crate::proto::v1::memory_store_server::MemoryStore;
use crate::proto::v1::{
    GetMemoryRequest, GetMemoryResponse, ImportMemoriesRequest, ImportMemoriesResponse, ListMemoriesRequest,
    ListMemoriesResponse, RecallMemoriesRequest, RecallMemoriesResponse, RememberRequest, RememberResponse,
    UpdateMemoryRequest, UpdateMemoryResponse,
};

/// Serves the service.
#[derive(Debug)]
pub(super) struct StoreService(pub(super) Calls);

#[tonic::async_trait]
impl MemoryStore for StoreService {
    async fn remember(
        &self,
        request: Request<RememberRequest>,
    ) -> Result<Response<RememberResponse>, Status> {
        self.0.change(request, convert::remember, convert::remember_response).await
    }

    async fn import_memories(
        &self,
        request: Request<ImportMemoriesRequest>,
    ) -> Result<Response<ImportMemoriesResponse>, Status> {
        self.0.change(request, convert::import, convert::import_response).await
    }

    async fn get_memory(
        &self,
        request: Request<GetMemoryRequest>,
    ) -> Result<Response<GetMemoryResponse>, Status> {
        let (caller, message) = self.0.enter(request)?;
        let id = caller.settle(convert::memory_id(&message))?;
        let stored = caller.settle(self.0.ops.get_memory(&caller.principal, &id).await)?;
        Ok(Response::new(convert::memory_response(&stored)))
    }

    async fn list_memories(
        &self,
        request: Request<ListMemoriesRequest>,
    ) -> Result<Response<ListMemoriesResponse>, Status> {
        let (caller, message) = self.0.enter(request)?;
        let query = caller.settle(convert::list_query(message))?;
        let page = caller.settle(self.0.ops.list_memories(&caller.principal, query).await)?;
        Ok(Response::new(convert::list_response(&page)))
    }

    async fn recall_memories(
        &self,
        request: Request<RecallMemoriesRequest>,
    ) -> Result<Response<RecallMemoriesResponse>, Status> {
        let (caller, message) = self.0.enter(request)?;
        let query = caller.settle(convert::recall_query(message))?;
        let page = caller.settle(self.0.ops.recall(&caller.principal, query).await)?;
        Ok(Response::new(convert::recall_response(&page)))
    }

    async fn update_memory(
        &self,
        request: Request<UpdateMemoryRequest>,
    ) -> Result<Response<UpdateMemoryResponse>, Status> {
        self.0.change(request, convert::update, convert::update_response).await
    }
}
