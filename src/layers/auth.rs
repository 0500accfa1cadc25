//! Says who calls: puts a `Principal` into the extensions of every request of the contract, or refuses it.

use std::convert::Infallible;

use super::around::{Around, Reply, Request, Response, refuse};
use super::context::operation_of;
use crate::auth::certificate::Peer;
use crate::auth::{AuthFault, Authenticator};
use crate::domain::refusal::Refusal;
use crate::rpc::status;

/// Lets nobody pass who is not known.
#[derive(Debug, Clone)]
pub(super) struct Auth(pub(super) Authenticator);

impl Around for Auth {
    fn around<Rest>(&self, mut request: Request, next: impl FnOnce(Request) -> Rest + Send + 'static) -> Reply
    where
        Rest: Future<Output = Result<Response, Infallible>> + Send + 'static,
    {
        let authenticator = self.0.clone();
        Box::pin(async move {
            let peer = request.extensions().get().unwrap_or(&Peer::UNKNOWN);
            match authenticator.principal(request.headers(), peer).await {
                Ok(principal) => {
                    request.extensions_mut().insert(principal);
                    next(request).await
                }
                Err(fault) => {
                    let operation = operation_of(&request);
                    Ok(refuse(match fault {
                        AuthFault::Unauthenticated(cause) => status::unauthenticated(&cause, operation),
                        AuthFault::Metadata(faults) => {
                            status::of_refusal(&Refusal::InvalidFields(faults), operation)
                        }
                        AuthFault::Unavailable => status::credentials_unavailable(operation),
                        AuthFault::Overloaded => status::overloaded(operation),
                    }))
                }
            }
        })
    }
}
