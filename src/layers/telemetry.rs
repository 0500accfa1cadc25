//! Notes how each call ended: one line a call, without anything of what was asked or answered.

use std::convert::Infallible;
use std::time::Duration;

use tonic::Code;

use super::around::{Around, Reply, Request, Response};
use super::methods;
use crate::clock::Clock;
use crate::rpc::status;

/// Notes the end of every call.
#[derive(Debug, Clone)]
pub(super) struct Telemetry {
    clock: Clock,
}

impl Telemetry {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock }
    }
}

impl Around for Telemetry {
    fn around<Rest>(&self, request: Request, next: impl FnOnce(Request) -> Rest + Send + 'static) -> Reply
    where
        Rest: Future<Output = Result<Response, Infallible>> + Send + 'static,
    {
        let ending = Ending {
            method: methods::name_at(request.uri().path()),
            start: self.clock.monotonic(),
            clock: self.clock.clone(),
            // What stands when the caller goes away: then nobody comes back here.
            outcome: (Code::Cancelled, None),
        };
        let rest = next(request);
        Box::pin(async move {
            let response = rest.await?;
            ending.with(status::outcome(response.headers()));
            Ok(response)
        })
    }
}

/// A call under way; dropped when it ends, in whatever way.
struct Ending {
    method: &'static str,
    start: Duration,
    clock: Clock,
    outcome: (Code, Option<String>),
}

impl Ending {
    fn with(mut self, outcome: (Code, Option<String>)) {
        self.outcome = outcome;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let (code, reason) = &self.outcome;
        let duration_ms = self.clock.monotonic().saturating_sub(self.start).as_secs_f64() * 1000.0;
        tracing::info!(method = self.method, ?code, reason = reason.as_deref(), duration_ms, "call ended");
    }
}
