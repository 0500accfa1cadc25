//! TOWER: what applies to every call of the contract alike. Around all of it, and around every other service, stands what marks
//! the credential as a secret. From the outside in:
//!
//! 1. [`shed`] refuses at once what is more than the server takes, before anything is spent on it.
//! 2. [`context`] names the call, finds the trace it belongs to, and sends the name with the answer.
//! 3. [`telemetry`] notes how each call ended; it stands around the deadline so as to see that end too.
//! 4. [`deadline`] answers for a call whose time ran out.
//! 5. [`auth`] says who calls.
//! 6. [`faults`] gives tonic's own errors the details that the contract promises.
//!
//! Calls of other services (health, reflection) pass through all of them untouched.

mod around;
mod auth;
pub mod context;
pub mod deadline;
mod faults;
mod methods;
pub mod shed;
mod telemetry;

#[cfg(test)]
mod tests;

use std::convert::Infallible;

use http::header::{AUTHORIZATION, Entry};
use tonic::body::Body;
use tonic::service::Routes;
use tower::layer::Layer;
use tower::{Service, ServiceBuilder};

use crate::auth::Authenticator;
use crate::clock::Clock;
use around::AroundLayer;
use auth::Auth;
use context::Context;
use deadline::{Deadline, Limits};
use faults::Faults;
use shed::Shed;
use telemetry::Telemetry;

/// What a deployment decides about the layers.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most calls served at once.
    pub max_in_flight: usize,
    /// How long a call may take.
    pub deadline: Limits,
    /// Finds out who calls.
    pub authenticator: Authenticator,
}

/// All layers in their order, for `tonic::transport::Server::layer`.
pub fn stack(
    options: Options,
    clock: &Clock,
) -> impl Layer<
    Routes,
    Service: Service<
        http::Request<Body>,
        Response = http::Response<Body>,
        Error = Infallible,
        Future: Send,
    > + Clone
                 + Send
                 + Sync
                 + 'static,
> + Clone
+ use<> {
    ServiceBuilder::new()
        .map_request(with_secrets_marked)
        .layer(AroundLayer(Shed::new(options.max_in_flight, clock.clone())))
        .layer(AroundLayer(Context::new(clock.clone())))
        .layer(AroundLayer(Telemetry::new(clock.clone())))
        .layer(AroundLayer(Deadline::new(options.deadline)))
        .layer(AroundLayer(Auth(options.authenticator)))
        .layer(AroundLayer(Faults))
        .into_inner()
}

/// The request, with its credential marked as a secret: whoever prints the headers from here on does not show it.
fn with_secrets_marked(mut request: http::Request<Body>) -> http::Request<Body> {
    if let Entry::Occupied(mut credentials) = request.headers_mut().entry(AUTHORIZATION) {
        credentials.iter_mut().for_each(|credential| credential.set_sensitive(true));
    }
    request
}
