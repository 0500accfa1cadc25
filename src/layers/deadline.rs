//! Answers for a call whose time ran out, and drops its handler.
//!
//! A change that had reached its lane is carried out all the same: the handler only waits for it.
//!
//! tonic reads `grpc-timeout` too, on its own and outside all layers, and then answers `CANCELLED` in place of
//! `DEADLINE_EXCEEDED`, without details. It cannot be told not to. But when its time is over it asks the layers once more before
//! it answers, and their answer wins; so the time here ends a little before the caller's, and this layer is first.

use std::convert::Infallible;
use std::time::Duration;

use http::HeaderMap;

use super::around::{Around, Reply, Request, Response, at_once, refuse};
use super::context::operation_of;
use crate::domain::refusal::{FieldViolation, Refusal};
use crate::rpc::status;

const GRPC_TIMEOUT: &str = "grpc-timeout";
/// The most of a caller's time that is kept for the answer.
const FOR_THE_ANSWER: Duration = Duration::from_millis(5);

/// How long a call may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// When the caller does not say.
    pub default: Duration,
    /// At most, whatever the caller says.
    pub max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { default: Duration::from_secs(30), max: Duration::from_mins(5) }
    }
}

/// Ends every call in time.
#[derive(Debug, Clone)]
pub(super) struct Deadline(Limits);

impl Deadline {
    pub(super) fn new(limits: Limits) -> Self {
        Self(limits)
    }

    /// How long the call may take.
    fn time_for(&self, headers: &HeaderMap) -> Result<Duration, Refusal> {
        let time = match timeout(headers)? {
            // A tenth of a short time, so that a call is never left without.
            Some(time) => time.saturating_sub(FOR_THE_ANSWER.min(time / 10)),
            None => self.0.default,
        };
        Ok(time.min(self.0.max))
    }
}

impl Around for Deadline {
    fn around<Rest>(&self, request: Request, next: impl FnOnce(Request) -> Rest + Send + 'static) -> Reply
    where
        Rest: Future<Output = Result<Response, Infallible>> + Send + 'static,
    {
        let operation = operation_of(&request);
        let time = match self.time_for(request.headers()) {
            Ok(time) => time,
            Err(refusal) => {
                let response = refuse(status::of_refusal(&refusal, operation));
                return at_once(response);
            }
        };
        // Set before anything is awaited: the time runs from the moment the call came in.
        let call = tokio::time::timeout(time, next(request));
        Box::pin(
            async move { call.await.unwrap_or_else(|_| Ok(refuse(status::deadline_exceeded(operation)))) },
        )
    }
}

/// Reads `grpc-timeout`: one to eight digits and a unit.
fn timeout(headers: &HeaderMap) -> Result<Option<Duration>, Refusal> {
    let mut sent = headers.get_all(GRPC_TIMEOUT).iter();
    let (first, second) = (sent.next(), sent.next());
    let Some(first) = first else { return Ok(None) };
    let text = first.to_str().ok().filter(|_| second.is_none());
    text.and_then(duration).map(Some).ok_or_else(|| {
        let fault = "must be sent once, as one to eight digits and a unit of H, M, S, m, u, n";
        Refusal::InvalidFields(vec![FieldViolation::new(GRPC_TIMEOUT, fault)])
    })
}

fn duration(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back()?;
    let digits = text.strip_suffix(unit)?;
    let well_formed = (1..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = digits.parse().ok().filter(|_| well_formed)?;
    match unit {
        'H' => Some(Duration::from_secs(number * 60 * 60)),
        'M' => Some(Duration::from_secs(number * 60)),
        'S' => Some(Duration::from_secs(number)),
        'm' => Some(Duration::from_millis(number)),
        'u' => Some(Duration::from_micros(number)),
        'n' => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(timeout: &str) -> Result<Duration, Refusal> {
        let mut headers = HeaderMap::new();
        headers.insert(GRPC_TIMEOUT, timeout.parse().unwrap());
        Deadline::new(Limits::default()).time_for(&headers)
    }

    #[test]
    fn every_unit_is_read() {
        for (text, wanted) in [
            ("1H", Duration::from_hours(1)),
            ("2M", Duration::from_mins(2)),
            ("99999999S", Duration::from_secs(99_999_999)),
            ("20m", Duration::from_millis(20)),
            ("20u", Duration::from_micros(20)),
            ("20n", Duration::from_nanos(20)),
        ] {
            assert_eq!(duration(text), Some(wanted), "{text}");
        }
    }

    #[test]
    fn the_time_ends_a_little_before_the_callers_and_within_the_limits() {
        assert_eq!(time("2S"), Ok(Duration::from_millis(1995)));
        assert_eq!(time("20m"), Ok(Duration::from_millis(18)));
        assert_eq!(time("0S"), Ok(Duration::ZERO));
        assert_eq!(time("99999999H"), Ok(Duration::from_mins(5)));
        let unset = Deadline::new(Limits::default()).time_for(&HeaderMap::new());
        assert_eq!(unset, Ok(Duration::from_secs(30)));
    }

    #[test]
    fn what_is_no_timeout_is_a_fault_that_names_it() {
        for text in ["", "S", "1", "1s", "-1S", "+1S", "1.5S", " 1S", "123456789S", "1 S"] {
            let Err(Refusal::InvalidFields(violations)) = time(text) else { panic!("{text:?} was taken") };
            assert_eq!(violations[0].field, "grpc-timeout");
        }
        let mut headers = HeaderMap::new();
        headers.append(GRPC_TIMEOUT, "1S".parse().unwrap());
        headers.append(GRPC_TIMEOUT, "2S".parse().unwrap());
        assert!(timeout(&headers).is_err(), "which of two is meant, nobody knows");
    }
}
