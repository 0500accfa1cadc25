//! Makes a call from JSON to JSON.

use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr;
use std::sync::LazyLock;

use prost_reflect::prost::Message;
use prost_reflect::prost_types::FileDescriptorSet;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde_json::Value;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::{MetadataKey, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use super::{Certificates, Command};
use crate::process::program::channel;

/// The contract, and the details that errors have.
static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let mut pool = DescriptorPool::decode(memory_lifecycle::proto::FILE_DESCRIPTOR_SET).unwrap();
    let mut details = FileDescriptorSet::decode(tonic_types::pb::FILE_DESCRIPTOR_SET).unwrap();
    // Another name for what the contract has.
    details.file.retain(|file| file.name() != "status.proto");
    pool.add_file_descriptor_set(details).unwrap();
    pool
});

/// Calls a server as the command says, but for the address, and answers the response as JSON.
pub async fn call(server: SocketAddr, command: &Command) -> Result<Value, Status> {
    call_in(Path::new("."), server, command).await
}

/// Does the same in a folder, where the files are that the command names.
pub async fn call_in(folder: &Path, server: SocketAddr, command: &Command) -> Result<Value, Status> {
    let (service, method) = command.method.split_once('/').unwrap();
    let service = POOL.get_service_by_name(service).unwrap_or_else(|| panic!("no service {service}"));
    let found = service.methods().find(|one| one.name() == method);
    let method = found.unwrap_or_else(|| panic!("no method {}", command.method));
    let mut json = serde_json::Deserializer::from_str(&command.data);
    let message = DynamicMessage::deserialize(method.input(), &mut json).expect("a request of the contract");
    json.end().unwrap();
    let mut request = Request::new(message);
    for (name, value) in &command.headers {
        let name = MetadataKey::from_bytes(name.as_bytes()).unwrap();
        request.metadata_mut().insert(name, MetadataValue::try_from(value).unwrap());
    }
    let path = http::uri::PathAndQuery::from_str(&format!("/{}", command.method)).unwrap();
    let mut client = tonic::client::Grpc::new(connection(folder, server, &command.certificates));
    client.ready().await.unwrap();
    let response = client.unary(request, path, Dynamic(method.output())).await?;
    Ok(serde_json::to_value(response.into_inner()).unwrap())
}

/// A connection, over TLS when there are certificates.
fn connection(folder: &Path, server: SocketAddr, files: &Certificates) -> Channel {
    let Some(authority) = &files.authority else { return channel(server) };
    let read = |file: &Path| std::fs::read(folder.join(file)).unwrap();
    let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(authority)));
    if let (Some(certificate), Some(key)) = (&files.certificate, &files.key) {
        tls = tls.identity(Identity::from_pem(read(certificate), read(key)));
    }
    let endpoint = Endpoint::from_shared(format!("https://{server}")).unwrap();
    endpoint.tls_config(tls).unwrap().connect_lazy()
}

/// An error's google.rpc.Status as JSON.
pub fn error(status: &Status) -> Value {
    let descriptor = POOL.get_message_by_name("google.rpc.Status").unwrap();
    let message = DynamicMessage::decode(descriptor, status.details()).unwrap();
    serde_json::to_value(message).unwrap()
}

/// A codec for messages known by their descriptor only; it holds the response's.
#[derive(Debug, Clone)]
struct Dynamic(MessageDescriptor);

impl Codec for Dynamic {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        self.clone()
    }

    fn decoder(&mut self) -> Self {
        self.clone()
    }
}

impl Encoder for Dynamic {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, item: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

impl Decoder for Dynamic {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let message = DynamicMessage::decode(self.0.clone(), buffer);
        message.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
