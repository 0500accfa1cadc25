//! Reflection in both its versions, and health.

use prost::Message;
use prost_types::FileDescriptorProto;
use tokio_stream::StreamExt;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::{v1, v1alpha};

use super::published;
use super::stage::Stage;
use crate::harness::server::SERVICE;
use crate::harness::{Server, settings};

const SERVICES: [&str; 6] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "memorylifecycle.v1.AuditLog",
    "memorylifecycle.v1.MemoryLifecycle",
    "memorylifecycle.v1.MemoryStore",
];

/// Asks through one version of reflection: both have the same messages under other names.
macro_rules! ask {
    ($version:ident, $stage:expr, $kind:ident, $asked:expr) => {{
        let request = $version::ServerReflectionRequest {
            host: String::new(),
            message_request: Some($version::server_reflection_request::MessageRequest::$kind(
                $asked.to_owned(),
            )),
        };
        let mut client =
            $version::server_reflection_client::ServerReflectionClient::new($stage.server.channel.clone());
        let answers = client.server_reflection_info(tokio_stream::once(request)).await.unwrap();
        answers.into_inner().next().await.unwrap().unwrap().message_response.unwrap()
    }};
}

/// The services that reflection lists and the file that it returns for a symbol.
macro_rules! reflected {
    ($version:ident, $stage:expr) => {{
        use $version::server_reflection_response::MessageResponse;
        let MessageResponse::ListServicesResponse(list) = ask!($version, $stage, ListServices, "") else {
            panic!("a list was asked for")
        };
        let mut services: Vec<String> = list.service.into_iter().map(|service| service.name).collect();
        services.sort();
        let MessageResponse::FileDescriptorResponse(file) =
            ask!($version, $stage, FileContainingSymbol, SERVICE)
        else {
            panic!("a file was asked for")
        };
        (services, file.file_descriptor_proto)
    }};
}

#[tokio::test]
async fn both_versions_of_reflection_show_the_contract() {
    let stage = Stage::new().await;
    let (services, files) = reflected!(v1, stage);
    let (services_of_alpha, files_of_alpha) = reflected!(v1alpha, stage);
    assert_eq!(files_of_alpha, files);
    for services in [services, services_of_alpha] {
        for service in SERVICES.into_iter().filter(|service| service.starts_with("memorylifecycle")) {
            assert!(services.iter().any(|listed| listed == service), "{service} in {services:?}");
        }
    }
    let file = files
        .iter()
        .map(|bytes| FileDescriptorProto::decode(bytes.as_slice()).unwrap())
        .find(|file| file.name() == "memorylifecycle/v1/lifecycle_service.proto")
        .unwrap();
    let methods: Vec<_> =
        file.service[0].method.iter().map(prost_types::MethodDescriptorProto::name).collect();
    assert_eq!(methods, ["Forget", "Preview", "Restore", "BatchForget", "GetOperation", "ListOperations"]);
}

#[tokio::test]
async fn every_method_is_commented_and_marked_if_it_only_reads() {
    let mut methods = 0;
    for file in published::files().iter().filter(|file| file.package() == "memorylifecycle.v1") {
        let locations = &file.source_code_info.as_ref().unwrap().location;
        for (service_at, service) in (0..).zip(&file.service) {
            for (method_at, method) in (0..).zip(&service.method) {
                methods += 1;
                let location =
                    locations.iter().find(|location| location.path == [6, service_at, 2, method_at]).unwrap();
                let comment = location.leading_comments();
                assert!(comment.contains("Errors beside those of any call"), "{}: {comment}", method.name());
                let reads =
                    ["Get", "List", "Preview", "Recall"].iter().any(|verb| method.name().starts_with(verb));
                let marked =
                    method.options.as_ref().is_some_and(|options| options.idempotency_level() as i32 == 1);
                assert_eq!(marked, reads, "{}", method.name());
            }
        }
    }
    assert_eq!(methods, super::wire::METHODS.len());
}

/// Comments, and the options of `buf.validate`, which the generated types do not know.
#[tokio::test]
async fn what_is_served_has_comments_and_limits() {
    let stage = Stage::new().await;
    let (_, files) = reflected!(v1, stage);
    let holds = |text: &str| {
        files.iter().any(|file| file.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    assert!(holds("Decides what an agent may still remember."), "comments are served");
    assert!(holds("this.memory_ids) == 0"), "limits are served");
}

#[tokio::test]
async fn health_tells_the_process_from_the_services() {
    let folder = tempfile::tempdir().unwrap();
    let connect = sqlx::postgres::PgConnectOptions::new_without_pgpass().socket(folder.path());
    let server = Server::start_unready(connect, settings()).await;
    server.until_health("", ServingStatus::Serving).await;
    for service in SERVICES.into_iter().filter(|service| service.starts_with("memorylifecycle")) {
        assert_eq!(server.health(service).await, ServingStatus::NotServing, "{service}");
    }
    let stage = Stage::new().await;
    for service in SERVICES.into_iter().filter(|service| service.starts_with("memorylifecycle")).chain([""]) {
        assert_eq!(stage.server.health(service).await, ServingStatus::Serving, "{service:?}");
    }
    let request = HealthCheckRequest { service: "unknown".to_owned() };
    let status = HealthClient::new(stage.server.channel.clone()).check(request).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::NotFound);
}
