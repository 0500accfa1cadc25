//! TRANSPORT: what turns the contract's messages into commands and answers into messages. A file a service;
//! `convert` reads and writes the messages, `status` alone makes a Status.

mod audit;
mod calls;
pub mod codec;
mod convert;
mod fault;
mod governance;
mod lifecycle;
pub(crate) mod status;
mod store;

use tonic::codec::CompressionEncoding::Gzip;
use tonic::service::Routes;
use tonic_reflection::server::{Builder, Error};
use tonic_types::pb;

use crate::clock::Clock;
use crate::ops::Ops;
use crate::proto::FILE_DESCRIPTOR_SET;
use crate::proto::v1::audit_log_server::AuditLogServer;
use crate::proto::v1::governance_server::GovernanceServer;
use crate::proto::v1::memory_lifecycle_server::MemoryLifecycleServer;
use crate::proto::v1::memory_store_server::MemoryStoreServer;
use audit::AuditService;
use calls::Calls;
use governance::GovernanceService;
use lifecycle::LifecycleService;
use status::{MAX_IMPORT_BYTES, MAX_REQUEST_BYTES};
use store::StoreService;

/// The most bytes an answer may have: above what a forget of the largest set that can be configured answers.
const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;

/// The four services of the contract and, if wanted, reflection in both its versions. They work only behind `layers::stack`, which
/// says who calls.
pub fn services(ops: Ops, clock: Clock, with_reflection: bool) -> Result<Routes, Error> {
    let calls = Calls { ops, clock };
    // tonic knows one limit a service. The store's is that of an import; the codec holds its other requests to theirs.
    let lifecycle = MemoryLifecycleServer::new(LifecycleService(calls.clone()))
        .max_decoding_message_size(MAX_REQUEST_BYTES)
        .max_encoding_message_size(MAX_RESPONSE_BYTES)
        .accept_compressed(Gzip)
        .send_compressed(Gzip);
    let store = MemoryStoreServer::new(StoreService(calls.clone()))
        .max_decoding_message_size(MAX_IMPORT_BYTES)
        .max_encoding_message_size(MAX_RESPONSE_BYTES)
        .accept_compressed(Gzip)
        .send_compressed(Gzip);
    let governance = GovernanceServer::new(GovernanceService(calls.clone()))
        .max_decoding_message_size(MAX_REQUEST_BYTES)
        .max_encoding_message_size(MAX_RESPONSE_BYTES)
        .accept_compressed(Gzip)
        .send_compressed(Gzip);
    let audit = AuditLogServer::new(AuditService(calls))
        .max_decoding_message_size(MAX_REQUEST_BYTES)
        .max_encoding_message_size(MAX_RESPONSE_BYTES)
        .accept_compressed(Gzip)
        .send_compressed(Gzip);
    let contract = Routes::new(lifecycle).add_service(store).add_service(governance).add_service(audit);
    if !with_reflection {
        return Ok(contract);
    }
    Ok(contract.add_service(reflection().build_v1()?).add_service(reflection().build_v1alpha()?))
}

/// Serves the contract with its comments and limits; with it health and the errors' details, so that grpcurl can
/// call the one and read the other.
fn reflection() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(pb::FILE_DESCRIPTOR_SET)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reflection_reads_the_contract_in_both_versions() {
        assert!(reflection().build_v1().is_ok() && reflection().build_v1alpha().is_ok());
    }
}
