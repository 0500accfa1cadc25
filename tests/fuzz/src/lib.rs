//! What the targets share: the real layers and services over a database that is never there, and what every answer must be.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::Full;
use memory_lifecycle::auth::api_key::ApiKeys;
use memory_lifecycle::auth::jwt::JwtVerifier;
use memory_lifecycle::auth::jwt::mint::Issuer;
use memory_lifecycle::auth::{Authenticator, Methods};
use memory_lifecycle::clock::Clock;
use memory_lifecycle::config::{ClaimNames, JwtAlgorithm, JwtConfig, KeySource};
use memory_lifecycle::domain::policy::{Policy, Retention};
use memory_lifecycle::domain::suppression::Fingerprinter;
use memory_lifecycle::lane::{LaneOptions, Lanes};
use memory_lifecycle::layers;
use memory_lifecycle::layers::deadline::Limits;
use memory_lifecycle::ops::Ops;
use memory_lifecycle::rpc;
use memory_lifecycle::storage::{Store, StoreOptions};
use sqlx::postgres::PgConnectOptions;
use tokio::runtime::{Builder, Runtime};
use tonic::body::Body;
use tonic::{Code, Status};
use tonic_types::StatusExt;
use tower::util::BoxCloneService;
use tower::{Layer, ServiceExt};

/// The methods of the contract, by their paths.
pub const METHODS: [&str; 15] = [
    "/memorylifecycle.v1.MemoryLifecycle/Forget",
    "/memorylifecycle.v1.MemoryLifecycle/Preview",
    "/memorylifecycle.v1.MemoryLifecycle/Restore",
    "/memorylifecycle.v1.MemoryLifecycle/BatchForget",
    "/memorylifecycle.v1.MemoryLifecycle/GetOperation",
    "/memorylifecycle.v1.MemoryLifecycle/ListOperations",
    "/memorylifecycle.v1.MemoryStore/Remember",
    "/memorylifecycle.v1.MemoryStore/ImportMemories",
    "/memorylifecycle.v1.MemoryStore/GetMemory",
    "/memorylifecycle.v1.MemoryStore/ListMemories",
    "/memorylifecycle.v1.MemoryStore/UpdateMemory",
    "/memorylifecycle.v1.AuditLog/ListAuditRecords",
    "/memorylifecycle.v1.MemoryStore/RecallMemories",
    "/memorylifecycle.v1.Governance/ListSuppressions",
    "/memorylifecycle.v1.Governance/LiftSuppression",
];

/// A word that stands in the corpus and must come back in no answer.
pub const CANARY: &str = "canary-4f1d";

/// In the year 2100.
const NEVER: u64 = 4_102_444_800;
const ISSUER: &str = "https://issuer.example";
const AUDIENCE: &str = "memory-lifecycle";

type Service = BoxCloneService<Request<Body>, Response<Body>, std::convert::Infallible>;

/// The server without its sockets and its database.
pub struct Server {
    runtime: Runtime,
    service: Service,
    authenticator: Arc<Authenticator>,
}

impl Server {
    /// Takes tokens of its own issuer, API keys that it cannot look up, and, if wanted, metadata.
    pub fn new(metadata: bool) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let inside = runtime.enter();
        let clock = Clock::system();
        let connect = PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(1);
        let store = Store::new(&connect, StoreOptions { lane_connections: 1, read_connections: 1 });
        let policy = Policy {
            retention: Retention::Never,
            largest_selection: 10_000,
            fingerprinter: Fingerprinter::new([8; 32]),
        };
        let lanes = Lanes::start(&store, policy, &clock, LaneOptions { lanes: 1, ..LaneOptions::default() });
        let ops = Ops::new(store.clone(), lanes, policy, &[7; 32], clock.clone());
        let jwt = runtime.block_on(JwtVerifier::start(tokens(), clock.clone())).expect("keys");
        let api_keys = ApiKeys::new(store, clock.clone(), Duration::from_secs(1));
        let methods = Methods { jwt: Some(jwt), api_keys: Some(api_keys), certificates: None, metadata };
        let authenticator = Authenticator::new(methods);
        let options = layers::Options {
            max_in_flight: 8,
            deadline: Limits::default(),
            authenticator: authenticator.clone(),
        };
        let routes = rpc::services(ops, clock.clone(), true).expect("services");
        let service = BoxCloneService::new(layers::stack(options, &clock).layer(routes.prepare()));
        drop(inside);
        Self { runtime, service, authenticator: Arc::new(authenticator) }
    }

    /// Whether a caller with these headers would be let in.
    pub fn lets_in(&self, headers: &HeaderMap) -> bool {
        let peer = memory_lifecycle::auth::certificate::Peer::UNKNOWN;
        self.runtime.block_on(self.authenticator.principal(headers, &peer)).is_ok()
    }

    /// Calls a method with a message; the answer must be one that the contract knows.
    pub fn call(&self, path: &'static str, headers: HeaderMap, message: &[u8]) -> Status {
        let mut framed = Vec::with_capacity(message.len() + 5);
        framed.push(0);
        framed.extend_from_slice(&u32::try_from(message.len()).expect("a short message").to_be_bytes());
        framed.extend_from_slice(message);
        let mut request = Request::post(path).body(Body::new(Full::new(framed.into()))).expect("a request");
        *request.headers_mut() = headers;
        request.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
        let response = self.runtime.block_on(self.service.clone().oneshot(request)).expect("an answer");
        let Some(status) = Status::from_header_map(response.headers()) else {
            // A list of operations of a method that does not exist is empty, which it takes no database to know.
            assert!(
                path.ends_with("/ListOperations"),
                "without a database a call is answered with an error: {path}"
            );
            return Status::ok("");
        };
        assert_well_told(&status);
        status
    }
}

/// What must hold of every error.
fn assert_well_told(status: &Status) {
    let code = status.code();
    assert!(!matches!(code, Code::Internal | Code::Unknown | Code::Ok), "{status:?}");
    let info = status.get_details_error_info().expect("every error has an ErrorInfo");
    assert_eq!(info.domain, "memorylifecycle.v1");
    assert!(status.details().len() < 4096, "the details are short");
    let details = String::from_utf8_lossy(status.details()).into_owned();
    assert!(!status.message().contains(CANARY) && !details.contains(CANARY), "it is not quoted: {status:?}");
}

fn issuer() -> Issuer {
    Issuer::from_seed(&[42; 32]).expect("a seed")
}

fn tokens() -> JwtConfig {
    JwtConfig {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        algorithms: JwtAlgorithm::ALL.to_vec(),
        keys: KeySource::Inline(issuer().jwks()),
        claims: ClaimNames::default(),
        leeway: Duration::from_secs(1),
    }
}

/// The one token that is accepted; it stands in the corpus.
pub fn valid_token() -> String {
    let claims = serde_json::json!({
        "iss": ISSUER, "aud": AUDIENCE, "exp": NEVER, "sub": "alice", "tenant_id": "acme", "agent_id": "bot",
        "scope": "memory:read",
    });
    issuer().mint(&claims).expect("a token")
}
