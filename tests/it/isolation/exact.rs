//! A call, and its answer to the last byte: headers, message and trailers as they came.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::HeaderMap;
use http_body::{Body, Frame};
use prost::Message;
use prost::bytes::Bytes;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tower::{Service, ServiceExt};

use super::methods::Call;
use crate::harness::caller::Identity;

/// An answer as it came.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Exact {
    pub(super) headers: BTreeMap<String, Vec<u8>>,
    pub(super) data: Vec<u8>,
    pub(super) trailers: BTreeMap<String, Vec<u8>>,
}

impl std::fmt::Debug for Exact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        for (name, value) in self.headers.iter().chain(&self.trailers) {
            write!(f, "{name}: {}; ", text(value))?;
        }
        write!(f, "{}", text(&self.data))
    }
}

/// A body of one frame.
struct Once(Option<Bytes>);

impl Body for Once {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// Makes a call with the caller's metadata.
pub(super) async fn call(channel: &Channel, identity: &Identity, call: &Call) -> Exact {
    let mut framed = vec![0];
    framed.extend_from_slice(&u32::try_from(call.message.len()).unwrap().to_be_bytes());
    framed.extend_from_slice(&call.message);
    let mut request = http::Request::post(call.path)
        .header("te", "trailers")
        .header("content-type", "application/grpc")
        .header("x-tenant-id", &identity.tenant)
        .header("x-agent-id", &identity.agent)
        .header("x-admin", identity.admin.to_string());
    if let Some(capabilities) = &identity.capabilities {
        request = request.header("x-capabilities", capabilities);
    }
    let request = request.body(tonic::body::Body::new(Once(Some(framed.into())))).unwrap();
    let response = channel.clone().ready().await.unwrap().call(request).await.unwrap();
    let (parts, mut body) = response.into_parts();
    let (mut data, mut trailers) = (Vec::new(), HeaderMap::new());
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        match frame.unwrap().into_data() {
            Ok(bytes) => data.extend_from_slice(&bytes),
            Err(other) => trailers = other.into_trailers().unwrap(),
        }
    }
    Exact { headers: sorted(&parts.headers), data, trailers: sorted(&trailers) }
}

/// The headers by name, those in base 64 as the bytes they stand for. The date is the moment's, not the answer's.
fn sorted(headers: &HeaderMap) -> BTreeMap<String, Vec<u8>> {
    let read = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        let value = value.as_bytes();
        let is_binary = name.as_str().ends_with("-bin");
        let value = if is_binary { STANDARD_NO_PAD.decode(value).unwrap() } else { value.to_vec() };
        (name.to_string(), value)
    };
    headers.iter().filter(|(name, _)| *name != "date").map(read).collect()
}

impl Exact {
    /// The same with stars for what is the call's own: the operation's id, and the id that was asked for.
    pub(super) fn without(&self, id: &str) -> Self {
        let operation = self.headers.get("x-operation-id").cloned();
        let own: Vec<Vec<u8>> = operation.into_iter().chain([id.as_bytes().to_vec()]).collect();
        let starred = |bytes: &Vec<u8>| own.iter().fold(bytes.clone(), |bytes, own| starred(bytes, own));
        let all = |headers: &BTreeMap<String, Vec<u8>>| {
            headers.iter().map(|(name, value)| (name.clone(), starred(value))).collect()
        };
        Self { headers: all(&self.headers), data: starred(&self.data), trailers: all(&self.trailers) }
    }

    /// The message, or the error.
    pub(super) fn result(&self) -> Result<&[u8], Status> {
        let mut all = HeaderMap::new();
        for (name, value) in self.headers.iter().chain(&self.trailers) {
            let value = if name.ends_with("-bin") {
                STANDARD_NO_PAD.encode(value).into_bytes()
            } else {
                value.clone()
            };
            let name: http::HeaderName = name.parse().unwrap();
            all.insert(name, http::HeaderValue::from_bytes(&value).unwrap());
        }
        let status = Status::from_header_map(&all).expect("every answer has a status");
        if status.code() == Code::Ok { Ok(&self.data[5..]) } else { Err(status) }
    }

    /// The message; fails on an error.
    pub(super) fn read<M: Message + Default>(&self) -> M {
        M::decode(self.result().unwrap()).unwrap()
    }

    /// The reason of the error; none when it is an answer.
    pub(super) fn reason(&self) -> Option<String> {
        self.result().err().map(|status| crate::harness::reason(&status))
    }
}

fn starred(mut bytes: Vec<u8>, part: &[u8]) -> Vec<u8> {
    while let Some(at) = bytes.windows(part.len()).position(|window| window == part) {
        bytes[at..at + part.len()].fill(b'*');
    }
    bytes
}
