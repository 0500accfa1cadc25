//! Gives tonic's own errors the details that the contract promises, and the codec's the name of the operation.

use super::around::{Around, Reply, Request, Response, refuse};
use super::context::operation_of;
use crate::domain::operation::Method;
use crate::rpc::status::{self, MAX_IMPORT_BYTES, MAX_REQUEST_BYTES};
use std::convert::Infallible;

/// Completes every error.
#[derive(Debug, Clone)]
pub(super) struct Faults;

impl Around for Faults {
    fn around<Rest>(&self, request: Request, next: impl FnOnce(Request) -> Rest + Send + 'static) -> Reply
    where
        Rest: Future<Output = Result<Response, Infallible>> + Send + 'static,
    {
        let operation = operation_of(&request);
        let is_import = request.uri().path().strip_prefix('/') == Some(Method::ImportMemories.name());
        let limit = if is_import { MAX_IMPORT_BYTES } else { MAX_REQUEST_BYTES };
        let rest = next(request);
        Box::pin(async move {
            let response = rest.await?;
            Ok(status::completed(response.headers(), limit, operation).map_or(response, refuse))
        })
    }
}
