//! Calls as bytes: messages that no generated client would send, and answers as they came.

use http::uri::PathAndQuery;
use prost::Message;
use prost::bytes::{Buf, BufMut};
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataMap;
use tonic::transport::Channel;
use tonic::{Request, Response, Status};

use crate::harness::caller::Identity;

pub(crate) const FORGET: &str = "/memorylifecycle.v1.MemoryLifecycle/Forget";
pub(crate) const PREVIEW: &str = "/memorylifecycle.v1.MemoryLifecycle/Preview";
pub(crate) const RESTORE: &str = "/memorylifecycle.v1.MemoryLifecycle/Restore";
pub(crate) const BATCH_FORGET: &str = "/memorylifecycle.v1.MemoryLifecycle/BatchForget";
pub(crate) const GET_OPERATION: &str = "/memorylifecycle.v1.MemoryLifecycle/GetOperation";
pub(crate) const LIST_OPERATIONS: &str = "/memorylifecycle.v1.MemoryLifecycle/ListOperations";
pub(crate) const REMEMBER: &str = "/memorylifecycle.v1.MemoryStore/Remember";
pub(crate) const IMPORT: &str = "/memorylifecycle.v1.MemoryStore/ImportMemories";
pub(crate) const GET_MEMORY: &str = "/memorylifecycle.v1.MemoryStore/GetMemory";
pub(crate) const LIST_MEMORIES: &str = "/memorylifecycle.v1.MemoryStore/ListMemories";
pub(crate) const RECALL: &str = "/memorylifecycle.v1.MemoryStore/RecallMemories";
pub(crate) const UPDATE: &str = "/memorylifecycle.v1.MemoryStore/UpdateMemory";
pub(crate) const LIST_SUPPRESSIONS: &str = "/memorylifecycle.v1.Governance/ListSuppressions";
pub(crate) const LIFT: &str = "/memorylifecycle.v1.Governance/LiftSuppression";
pub(crate) const LIST_AUDIT: &str = "/memorylifecycle.v1.AuditLog/ListAuditRecords";

/// The methods that change something.
pub(crate) const CHANGES: [&str; 7] = [FORGET, RESTORE, BATCH_FORGET, REMEMBER, IMPORT, UPDATE, LIFT];
/// All methods.
pub(crate) const METHODS: [&str; 15] = [
    FORGET,
    RESTORE,
    BATCH_FORGET,
    REMEMBER,
    IMPORT,
    UPDATE,
    LIFT,
    LIST_SUPPRESSIONS,
    PREVIEW,
    GET_OPERATION,
    LIST_OPERATIONS,
    GET_MEMORY,
    LIST_MEMORIES,
    RECALL,
    LIST_AUDIT,
];

/// Bytes out, bytes in.
#[derive(Debug, Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining()).to_vec()))
    }
}

/// Calls a method with this metadata and these bytes as the message.
pub(crate) async fn call(
    channel: &Channel,
    metadata: MetadataMap,
    path: &'static str,
    message: Vec<u8>,
) -> Result<Response<Vec<u8>>, Status> {
    let mut client = tonic::client::Grpc::new(channel.clone()).max_decoding_message_size(16 << 20);
    client.ready().await.unwrap();
    let mut request = Request::new(message);
    *request.metadata_mut() = metadata;
    client.unary(request, PathAndQuery::from_static(path), Raw).await
}

/// The metadata of a caller.
pub(crate) fn metadata(identity: &Identity) -> MetadataMap {
    let mut metadata = MetadataMap::new();
    metadata.insert("x-tenant-id", identity.tenant.parse().unwrap());
    metadata.insert("x-agent-id", identity.agent.parse().unwrap());
    if identity.admin {
        metadata.insert("x-admin", "true".parse().unwrap());
    }
    metadata
}

/// A length-delimited field: what a string, bytes or message looks like on the wire.
pub(crate) fn field(number: u32, value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    prost::encoding::encode_key(number, prost::encoding::WireType::LengthDelimited, &mut bytes);
    prost::encode_length_delimiter(value.len(), &mut bytes).unwrap();
    bytes.extend_from_slice(value);
    bytes
}

/// Reads an answer.
pub(crate) fn read<M: Message + Default>(response: &Response<Vec<u8>>) -> M {
    M::decode(response.get_ref().as_slice()).unwrap()
}
