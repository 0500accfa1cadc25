//! The codec of the generated servers: prost, with an answer for requests that cannot be decoded.
//!
//! tonic's own codec calls such a request INTERNAL, a fault of the server. It is the caller's, so here it is
//! `INVALID_ARGUMENT` with `INVALID_FIELD`, like any other fault of a field. Clients are generated with tonic's codec
//! (see `build.rs`): a response that cannot be decoded stays INTERNAL to them.
//!
//! No operation id is known here; `layers::faults` adds it on the way out.

use std::any::TypeId;
use std::marker::PhantomData;

use prost::bytes::Buf;
use prost::{DecodeError, Message};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic_prost::ProstEncoder;

use super::status::{self, MAX_IMPORT_BYTES, MAX_REQUEST_BYTES};
use crate::proto::v1::ImportMemoriesRequest;

/// Encodes responses as prost does and decodes requests with [`RequestDecoder`].
#[derive(Debug)]
pub struct ContractCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for ContractCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for ContractCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = RequestDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::default()
    }

    fn decoder(&mut self) -> Self::Decoder {
        RequestDecoder(PhantomData)
    }
}

/// Decodes a request, or says which field cannot be.
#[derive(Debug)]
pub struct RequestDecoder<U>(PhantomData<U>);

impl<U: Message + Default + 'static> Decoder for RequestDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        let limit = limit::<U>();
        if buf.remaining() > limit {
            return Err(status::too_large(limit));
        }
        U::decode(buf).map(Some).map_err(|error| undecodable(&error))
    }
}

/// The most bytes a request of this type may have. tonic limits a service as a whole.
fn limit<U: 'static>() -> usize {
    if TypeId::of::<U>() == TypeId::of::<ImportMemoriesRequest>() {
        MAX_IMPORT_BYTES
    } else {
        MAX_REQUEST_BYTES
    }
}

fn undecodable(error: &DecodeError) -> Status {
    let text = error.to_string();
    status::undecodable(field_path(&text), fault(&text))
}

/// What is wrong, in words of our own: nothing of the request's bytes comes into the answer.
fn fault(text: &str) -> &'static str {
    if text.ends_with("data is not UTF-8 encoded") {
        "is not valid UTF-8"
    } else if text.ends_with("recursion limit reached") {
        "is nested too deeply"
    } else {
        "is not well-formed protobuf"
    }
}

/// The path of the field in the request, `selector.filter.graph_id`, when prost says which it is.
///
/// prost keeps the path to itself and only prints it, innermost first: `…: Filter.graph_id: Selector.filter:
/// ForgetRequest.selector: invalid string value: …`. The inside of a Struct or Timestamp is not named: to callers the
/// field that holds it is the one at fault.
fn field_path(text: &str) -> Option<String> {
    let mut path: Vec<&str> = text
        .split(": ")
        .skip(1)
        .map_while(message_and_field)
        .filter(|(message, _)| !WELL_KNOWN.contains(message))
        .map(|(_, field)| field)
        .collect();
    path.reverse();
    (!path.is_empty()).then(|| path.join("."))
}

/// Messages of `google.protobuf` that requests hold.
const WELL_KNOWN: [&str; 4] = ["Struct", "Value", "ListValue", "Timestamp"];

/// Splits "Message.field"; `None` for anything else, such as the words of the cause.
fn message_and_field(part: &str) -> Option<(&str, &str)> {
    let (message, field) = part.split_once('.')?;
    // A field named like a keyword of Rust is printed as Rust writes it.
    let field = field.strip_prefix("r#").unwrap_or(field);
    (is_name(message) && is_name(field)).then_some((message, field))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use tonic::{Code, Status};
    use tonic_types::StatusExt;

    use super::undecodable;
    use crate::proto::v1::{BatchForgetRequest, ForgetRequest, RememberRequest};

    fn answer<M: Message + Default + std::fmt::Debug>(bytes: &[u8]) -> Status {
        undecodable(&M::decode(bytes).expect_err("the bytes are meant to be faulty"))
    }

    fn fault(status: &Status) -> Vec<(String, String)> {
        assert_eq!(status.code(), Code::InvalidArgument);
        let info = status.get_details_error_info().expect("every error has an ErrorInfo");
        assert_eq!((info.reason.as_str(), info.domain.as_str()), ("INVALID_FIELD", "memorylifecycle.v1"));
        let violations = status.get_details_bad_request().map(|request| request.field_violations);
        violations.unwrap_or_default().into_iter().map(|v| (v.field, v.description)).collect()
    }

    fn one(field: &str, description: &str) -> Vec<(String, String)> {
        vec![(field.to_owned(), description.to_owned())]
    }

    #[test]
    fn a_text_that_is_not_utf8_is_named_by_its_path_and_not_quoted() {
        // selector.filter.graph_id = "canary\xff"
        let inner = b"\x12\x07canary\xff";
        let filter = [&[0x52, 9][..], inner].concat();
        let request = [&[0x0a, 11][..], &filter].concat();
        let status = answer::<ForgetRequest>(&request);
        assert_eq!(fault(&status), one("selector.filter.graph_id", "is not valid UTF-8"));
        assert!(!format!("{status:?}").contains("canary"));
    }

    #[test]
    fn a_list_names_the_list() {
        assert_eq!(
            fault(&answer::<BatchForgetRequest>(b"\x0a\x01\xff")),
            one("memory_ids", "is not valid UTF-8")
        );
    }

    #[test]
    fn metadata_nested_too_deeply_is_named_as_metadata() {
        // Lists within lists: each Value holds a ListValue (6) that holds a Value (1).
        let mut value = Vec::new();
        for _ in 0..200 {
            value = nest(0x0a, &value);
            value = nest(0x32, &value);
        }
        let fields = nest(0x0a, &nest(0x12, &value));
        let request = nest(0x32, &fields);
        assert_eq!(fault(&answer::<RememberRequest>(&request)), one("metadata", "is nested too deeply"));
    }

    #[test]
    fn a_broken_message_names_no_field() {
        assert_eq!(fault(&answer::<ForgetRequest>(b"\x00")), vec![]);
    }

    /// A field of the given key with `inner` as its bytes.
    fn nest(key: u8, inner: &[u8]) -> Vec<u8> {
        let mut out = vec![key];
        prost::encode_length_delimiter(inner.len(), &mut out).expect("a Vec grows");
        out.extend_from_slice(inner);
        out
    }
}
