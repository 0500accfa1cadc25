//! Keys of a test's own, their holders, and a clock that stands still.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::HeaderMap;
use memory_lifecycle::auth::api_key::{ApiKey, ApiKeys};
use memory_lifecycle::auth::certificate::Peer;
use memory_lifecycle::auth::{AuthFault, Authenticator, Methods};
use memory_lifecycle::clock::{Clock, Source};
use memory_lifecycle::config::Access;
use memory_lifecycle::domain::capability::{Capabilities, Capability};
use memory_lifecycle::domain::ids::TenantId;
use memory_lifecycle::domain::principal::{Principal, caller_agent, caller_principal};
use memory_lifecycle::proto::v1::audit_log_client::AuditLogClient;
use memory_lifecycle::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use memory_lifecycle::proto::v1::memory_store_client::MemoryStoreClient;
use memory_lifecycle::proto::v1::{GetMemoryRequest, Memory, RememberRequest};
use memory_lifecycle::storage::api_keys::{NewKey, insert_api_key};
use memory_lifecycle::storage::{Store, StoreOptions};
use secrecy::ExposeSecret;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::harness::canaries::{self, Kind};
use crate::harness::{Database, Server, settings};

/// Longer than anything here takes.
pub const LIMIT: Duration = Duration::from_mins(1);

/// A server that takes API keys and nothing else.
pub async fn server(database: &Database) -> Server {
    Server::start_accepting(database, settings(), keys_for(Duration::from_secs(1))).await
}

pub fn keys_for(remembered: Duration) -> Access {
    Access { api_keys: Some(remembered), ..Access::default() }
}

/// A holder of everything but `memory:admin`, in tenant `acme`.
pub fn alice() -> Principal {
    principal("acme", "alice", "auth0|alice", Capabilities::ALL.without(Capability::MemoryAdmin))
}

pub fn principal(tenant: &str, agent: &str, id: &str, capabilities: Capabilities) -> Principal {
    Principal {
        tenant: TenantId::parse(tenant).unwrap(),
        agent: caller_agent(agent).unwrap(),
        id: caller_principal(id).unwrap(),
        capabilities,
    }
}

/// A key as its holder has it.
#[derive(Debug, Clone)]
pub struct Key {
    pub id: String,
    pub text: String,
}

impl Key {
    /// The part that nobody but its holder may know.
    pub fn secret(&self) -> &str {
        self.text.split('_').nth(2).unwrap()
    }

    /// The key that `api-key create` printed, and nothing else with it.
    pub fn printed(out: &str) -> Self {
        let text = out.trim_end().to_owned();
        assert_eq!(out, format!("{text}\n"), "the key alone");
        let id = ApiKey::parse(&text).expect("a key is printed").id().as_str().to_owned();
        let key = Self { id, text };
        canaries::look_for(key.secret(), Kind::Secret, "an API key's secret");
        key
    }

    /// A key that is well-formed and nowhere.
    pub fn made_up() -> Self {
        let (key, text) = ApiKey::generate(&Clock::system());
        Self { id: key.id().as_str().to_owned(), text: text.expose_secret().to_owned() }
    }
}

/// Makes a key that does not expire.
pub async fn make(database: &Database, principal: &Principal) -> Key {
    make_for(database, principal, None).await
}

pub async fn make_for(database: &Database, principal: &Principal, lifetime: Option<Duration>) -> Key {
    let (key, text) = ApiKey::generate(&Clock::system());
    let (key_id, secret_hash) = (key.id().as_str(), key.hash());
    let new = NewKey { key_id, principal, secret_hash, description: None, lifetime };
    insert_api_key(&mut database.owner().await, &new).await.unwrap();
    let key = Key { id: key_id.to_owned(), text: text.expose_secret().to_owned() };
    canaries::look_for(key.secret(), Kind::Secret, "an API key's secret");
    key
}

/// Does something to a key's row, as somebody with the owner's rights.
pub async fn alter(database: &Database, key: &Key, change: &str) {
    let statement = format!("UPDATE api_keys SET {change} WHERE key_id = '{}'", key.id);
    let done = sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut database.superuser().await).await;
    assert_eq!(done.unwrap().rows_affected(), 1);
}

/// Metadata that goes with every call.
#[derive(Debug, Clone)]
pub struct Sends(Vec<(&'static str, String)>);

impl Interceptor for Sends {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for (key, value) in &self.0 {
            request.metadata_mut().insert(*key, value.parse().unwrap());
        }
        Ok(request)
    }
}

/// Whoever holds a key, or a text that is none.
#[derive(Debug, Clone)]
pub struct Holder {
    pub lifecycle: MemoryLifecycleClient<InterceptedService<Channel, Sends>>,
    pub store: MemoryStoreClient<InterceptedService<Channel, Sends>>,
    pub audit: AuditLogClient<InterceptedService<Channel, Sends>>,
}

impl Holder {
    pub fn of(server: &Server, text: &str) -> Self {
        Self::with(server, text, &[])
    }

    /// Sends more beside the key.
    pub fn with(server: &Server, text: &str, more: &[(&'static str, &str)]) -> Self {
        let more = more.iter().map(|(key, value)| (*key, (*value).to_owned()));
        let sends = Sends(more.chain([("authorization", format!("Bearer {text}"))]).collect());
        let service = InterceptedService::new(server.channel.clone(), sends);
        Self {
            lifecycle: MemoryLifecycleClient::new(service.clone()),
            store: MemoryStoreClient::new(service.clone()),
            audit: AuditLogClient::new(service),
        }
    }

    pub async fn remember(&self, id: &str) -> Result<Memory, Status> {
        let request = RememberRequest {
            memory_id: id.to_owned(),
            content: "Likes oat milk".to_owned(),
            ..RememberRequest::default()
        };
        Ok(self.store.clone().remember(request).await?.into_inner().memory.unwrap())
    }

    pub async fn get(&self, id: &str) -> Result<Memory, Status> {
        let request = GetMemoryRequest { memory_id: id.to_owned() };
        Ok(self.store.clone().get_memory(request).await?.into_inner().memory.unwrap())
    }
}

/// A clock that a test moves.
#[derive(Default)]
pub struct Hands(Mutex<Duration>);

impl Hands {
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Source for Hands {
    fn unix_time(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// What checks keys, without a server around it, on a clock of its own.
pub struct Checked {
    pub hands: Arc<Hands>,
    pub store: Store,
    pub authenticator: Authenticator,
}

pub async fn checked(database: &Database, remembered: Duration) -> Checked {
    let hands = Arc::new(Hands(Mutex::new(Duration::from_hours(1))));
    let clock = Clock::from_source(Arc::clone(&hands) as Arc<dyn Source>);
    let options = StoreOptions { lane_connections: 1, read_connections: 1 };
    let store = Store::new(&database.app().await, options);
    store.set_usable(true);
    let api_keys = Some(ApiKeys::new(store.clone(), clock, remembered));
    let authenticator = Authenticator::new(Methods { api_keys, ..Methods::default() });
    Checked { hands, store, authenticator }
}

impl Checked {
    pub async fn ask(&self, text: &str) -> Result<Principal, AuthFault> {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {text}").parse().unwrap());
        self.authenticator.principal(&headers, &Peer::UNKNOWN).await
    }
}

/// Has Postgres log every statement of the runtime role on this database from then on, with its parameters.
pub async fn log_statements(database: &Database) {
    let of = format!("ALTER ROLE memory_lifecycle_app IN DATABASE {} SET", database.name());
    let settings =
        ["log_statement = 'all'", "log_error_verbosity = 'default'", "log_parameter_max_length = -1"];
    let statement = settings.map(|setting| format!("{of} {setting}")).join(";");
    let mut superuser = database.superuser().await;
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut superuser).await.unwrap();
}

/// How often keys were looked up since then.
pub async fn count_lookups(database: &Database) -> usize {
    database.logged("find_api_key").await.len()
}
