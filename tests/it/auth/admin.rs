//! What is answered without credentials: health, on an address of its own too, and reflection unless it is off.

use memory_lifecycle::config::{Access, ServerSettings};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

use super::tls::is_serving;
use crate::harness::server::SERVICE;
use crate::harness::{Caller, Database, Server, issuer, reason, settings};
use crate::process::program::{Program, channel};
use crate::process::started::{serve_command, serve_command_on, url};

fn strict() -> Access {
    Access { jwt: Some(issuer::config()), ..Access::default() }
}

/// The services that reflection lists, or the code it is refused with.
async fn listed(channel: Channel) -> Result<Vec<String>, Code> {
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let request = Request::new(tokio_stream::once(request));
    let answer = ServerReflectionClient::new(channel).server_reflection_info(request).await;
    let mut answers = answer.map_err(|status| status.code())?.into_inner();
    let answer = answers.message().await.unwrap().unwrap().message_response.unwrap();
    let tonic_reflection::pb::v1::server_reflection_response::MessageResponse::ListServicesResponse(services) =
        answer
    else {
        panic!("{answer:?}")
    };
    Ok(services.service.into_iter().map(|service| service.name).collect())
}

#[tokio::test]
async fn health_answers_without_a_credential_and_the_contract_does_not() {
    let server = Server::start_accepting(&Database::migrated().await, settings(), strict()).await;
    assert_eq!(server.health(SERVICE).await, ServingStatus::Serving);
    let caller = Caller::new(server.channel.clone(), "default", "default");
    assert_eq!(reason(&caller.get("first").await.unwrap_err()), "UNAUTHENTICATED");
    server.stop().await;
}

#[tokio::test]
async fn reflection_is_a_switch() {
    let database = Database::migrated().await;
    let server = Server::start_accepting(&database, settings(), strict()).await;
    let services = listed(server.channel.clone()).await.unwrap();
    assert!(services.iter().any(|name| name == SERVICE), "{services:?}");
    server.stop().await;
    let off = ServerSettings { reflection: false, ..settings() };
    let server = Server::start_accepting(&database, off, strict()).await;
    assert_eq!(listed(server.channel.clone()).await, Err(Code::Unimplemented));
    assert_eq!(server.health(SERVICE).await, ServingStatus::Serving);
    server.stop().await;
}

#[tokio::test]
async fn the_admin_address_answers_health_and_nothing_else() {
    let database = Database::migrated().await;
    let mut command = serve_command(&url("memory_lifecycle_app", database.name()).await);
    command.args(["--admin-listen", "127.0.0.1:0"]);
    let mut program = Program::start(command);
    let line = program.logged("answering health checks").await;
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address: std::net::SocketAddr = line["address"].as_str().unwrap().parse().unwrap();
    program.logged("ready: Postgres is there").await;
    let admin = Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
    assert!(is_serving(admin.clone()).await);
    let status = issuer::caller(admin.clone(), "default", "default").get("first").await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert_eq!(listed(admin).await, Err(Code::Unimplemented));

    let mut asked = crate::process::program::command(&["health"]);
    asked
        .env("MEMORY_LIFECYCLE_ADMIN_LISTEN", address.to_string())
        .env("MEMORY_LIFECYCLE_LISTEN", "127.0.0.1:1");
    let asked = Program::start(asked).ended().await;
    assert_eq!(asked.code(), Some(0), "{asked:?}");
    assert_eq!(program.terminate().await.code(), Some(0));
    assert!(!is_serving(channel(address)).await, "nobody listens there any more");
}

#[tokio::test]
async fn an_admin_address_in_use_is_refused() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = serve_command("postgres://app@localhost/db");
    command.args(["--admin-listen", &address]);
    let ended = Program::start(command).ended().await;
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    assert!(ended.err.contains(&format!("cannot listen on {address} for health checks")), "{}", ended.err);
}

#[tokio::test]
async fn files_of_tls_and_identities_that_cannot_be_used_are_all_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(path("empty.pem"), "").unwrap();
    std::fs::write(
        path("identities.toml"),
        "[[identity]]\nuri = \"a:b\"\ntenant = \"\"\nagent = \"a\"\ncapabilities = []\n",
    )
    .unwrap();
    let mut command = serve_command("postgres://app@localhost/db");
    command.args(["--tls-certificate", &path("empty.pem"), "--tls-key", &path("empty.pem")]);
    command.args(["--tls-client-ca", &path("empty.pem"), "--mtls-identities", &path("identities.toml")]);
    let ended = Program::start(command).ended().await;
    assert_eq!((ended.code(), ended.out.as_str()), (Some(1), ""), "{ended:?}");
    for wanted in [
        "the configuration has 4 faults:",
        "[[identity]] number 1: tenant must not be empty",
        "empty.pem holds no certificate in PEM",
        "empty.pem holds no private key in PEM",
    ] {
        assert!(ended.err.contains(wanted), "{wanted}: {}", ended.err);
    }
}

#[tokio::test]
async fn without_tls_only_this_machine_is_listened_to_unless_it_is_said() {
    let everywhere = || serve_command_on("0.0.0.0:0", "postgres://app@127.0.0.1:1/db");
    let ended = Program::start(everywhere()).ended().await;
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    assert!(
        ended.err.contains("--allow-plaintext") && ended.err.contains("--tls-certificate"),
        "{}",
        ended.err
    );
    let mut command = everywhere();
    command.arg("--allow-plaintext");
    let mut program = Program::start(command);
    program.logged("\"listening\"").await;
    assert_eq!(program.terminate().await.code(), Some(0));
}
