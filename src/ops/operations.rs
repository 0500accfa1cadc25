//! What became of a call.

use super::page::PageRequest;
use crate::domain::Timestamp;
use crate::domain::ids::{OperationId, RequestId};
use crate::domain::operation::Method;

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

impl super::Ops {
    /// One operation, with its results.
    pub async fn get_operation(&self, _principal: &crate::domain::principal::Principal, _name: OperationName) -> Result<crate::domain::operation::Operation, super::Failure> {
        Err(super::Failure::Internal)
    }

    /// A page of the caller's operations, newest first, without results.
    pub async fn list_operations(&self, _principal: &crate::domain::principal::Principal, _query: OperationsQuery) -> Result<super::Page<crate::domain::operation::Operation>, super::Failure> {
        Err(super::Failure::Internal)
    }
}
