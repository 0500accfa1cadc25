//! Refuses at once what is more than the server takes: a call that would wait here only makes others wait.

use std::convert::Infallible;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::around::{Around, Reply, Request, Response, at_once, refuse};
use super::context::{changes_something, new_operation_id, send_id};
use crate::clock::Clock;
use crate::rpc::status;

/// Lets so many calls in at once and no more.
#[derive(Debug, Clone)]
pub(super) struct Shed {
    places: Arc<Semaphore>,
    clock: Clock,
}

impl Shed {
    pub(super) fn new(max_in_flight: usize, clock: Clock) -> Self {
        Self { places: Arc::new(Semaphore::new(max_in_flight.min(Semaphore::MAX_PERMITS))), clock }
    }
}

impl Around for Shed {
    fn around<Rest>(&self, request: Request, next: impl FnOnce(Request) -> Rest + Send + 'static) -> Reply
    where
        Rest: Future<Output = Result<Response, Infallible>> + Send + 'static,
    {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            // The call has no name yet, and its error needs one.
            let operation = changes_something(&request).then(|| new_operation_id(&self.clock));
            let mut response = refuse(status::overloaded(operation));
            send_id(&mut response, operation);
            return at_once(response);
        };
        let rest = next(request);
        Box::pin(async move {
            let response = rest.await?;
            drop(place);
            Ok(response)
        })
    }
}
