//! Names the call, finds its trace, and sends the name with the answer.

use http::{HeaderMap, HeaderValue};
use std::convert::Infallible;

use super::around::{Around, Reply, Request, Response};
use crate::clock::Clock;
use crate::domain::ids::OperationId;
use crate::domain::operation::Method;

/// The initial metadata that carries the operation's id.
pub const OPERATION_ID: &str = "x-operation-id";
const TRACEPARENT: &str = "traceparent";

/// The names of a call. In the extensions of every request of the contract.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The operation that the call becomes if it changes something.
    pub operation_id: OperationId,
    /// The expiry that the call brings about if it meets memories past their purge time.
    pub expiry_operation_id: OperationId,
    /// The W3C trace that the call belongs to, 32 lowercase hexadecimal digits.
    pub trace_id: Option<String>,
    /// Whether the method is one that changes something: only then callers learn the operation's id.
    pub changes: bool,
}

impl CallContext {
    /// The operation to be named in errors: that of a call that changes something.
    pub fn operation(&self) -> Option<OperationId> {
        self.changes.then_some(self.operation_id)
    }
}

/// The operation that the request's errors must name.
pub(super) fn operation_of(request: &Request) -> Option<OperationId> {
    request.extensions().get::<CallContext>().and_then(CallContext::operation)
}

/// Whether the request's method is one that changes something.
pub(super) fn changes_something(request: &Request) -> bool {
    request.uri().path().strip_prefix('/').and_then(Method::from_name).is_some()
}

/// A new name for an operation.
pub(super) fn new_operation_id(clock: &Clock) -> OperationId {
    OperationId(clock.uuid_v7())
}

/// Sends the operation's id ahead of the answer, unless the handler sent one: that of the operation it replayed.
pub(super) fn send_id(response: &mut Response, operation: Option<OperationId>) {
    let id = operation.and_then(|operation| HeaderValue::try_from(operation.to_string()).ok());
    if let Some(id) = id {
        response.headers_mut().entry(OPERATION_ID).or_insert(id);
    }
}

/// Gives every call its context.
#[derive(Debug, Clone)]
pub(super) struct Context {
    clock: Clock,
}

impl Context {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock }
    }
}

impl Around for Context {
    fn around<Rest>(&self, mut request: Request, next: impl FnOnce(Request) -> Rest + Send + 'static) -> Reply
    where
        Rest: Future<Output = Result<Response, Infallible>> + Send + 'static,
    {
        let context = CallContext {
            operation_id: new_operation_id(&self.clock),
            expiry_operation_id: new_operation_id(&self.clock),
            trace_id: trace_id(request.headers()),
            changes: changes_something(&request),
        };
        let operation = context.operation();
        request.extensions_mut().insert(context);
        let rest = next(request);
        Box::pin(async move {
            let mut response = rest.await?;
            send_id(&mut response, operation);
            Ok(response)
        })
    }
}

/// The trace of a valid `traceparent`. An invalid one is as good as none: tracing must not break a call.
fn trace_id(headers: &HeaderMap) -> Option<String> {
    let mut sent = headers.get_all(TRACEPARENT).iter();
    let (Some(traceparent), None) = (sent.next(), sent.next()) else { return None };
    let mut parts = traceparent.to_str().ok()?.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    // Version 00 has just these parts; a later one may have more behind them. Version ff does not exist.
    let version_fits = is_hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
    let valid = version_fits && is_id(trace, 32) && is_id(parent, 16) && is_hex(flags, 2);
    valid.then(|| trace.to_owned())
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_id(text: &str, length: usize) -> bool {
    is_hex(text, length) && text.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(traceparent: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in traceparent {
            headers.append(TRACEPARENT, value.parse().unwrap());
        }
        trace_id(&headers)
    }

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_valid_traceparent_names_its_trace() {
        assert_eq!(read(&[VALID]).as_deref(), Some(TRACE));
        assert_eq!(read(&[&VALID.replacen("00", "01", 1)]).as_deref(), Some(TRACE));
        assert_eq!(read(&[&format!("{}-more", VALID.replacen("00", "01", 1))]).as_deref(), Some(TRACE));
    }

    #[test]
    fn an_invalid_traceparent_names_none() {
        let invalid = [
            String::new(),
            "00".to_owned(),
            VALID.to_uppercase(),
            VALID.replacen("00", "ff", 1),
            format!("{VALID}-more"),
            VALID.replace(TRACE, &"0".repeat(32)),
            VALID.replace("00f067aa0ba902b7", "0000000000000000"),
            VALID.replace(TRACE, "4bf9"),
            VALID.replace('4', "g"),
        ];
        for traceparent in &invalid {
            assert_eq!(read(&[traceparent]), None, "{traceparent:?}");
        }
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[VALID, VALID]), None, "two are none");
    }
}
