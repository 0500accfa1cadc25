//! Configuration: command line over environment over defaults. The only place that names an environment
//! variable of the service's own.

mod access;
mod api_key;
mod dev;
mod faults;
mod parse;
mod secret_key;

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use secrecy::SecretString;

pub use access::{Access, AccessSettings, ClaimNames, JwtAlgorithm, JwtConfig, KeySource, TlsFiles};
pub use api_key::{ApiKeyAction, ApiKeySettings, CreateKeySettings, ListKeysSettings, RevokeKeySettings};
pub use dev::{DevAction, DevSettings, MintTokenSettings};
pub use faults::ConfigFaults;
pub use secret_key::{FINGERPRINT_KEY_VARIABLE, Keys, SecretKey, SecretKeyError, TOKEN_KEY_VARIABLE};

use crate::domain::policy::Retention;
use parse::{parse_count, parse_duration, parse_retention, parse_selection};

/// Decides what an AI agent may still remember: forget, preview, restore and batch-forget over gRPC, on Postgres.
#[derive(Debug, Parser)]
#[command(name = "memory-lifecycle", version)]
pub struct Cli {
    /// What to log.
    #[command(flatten)]
    pub log: LogSettings,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve on your own Postgres.
    Serve(ServeSettings),
    /// Serve on a private Postgres, with nothing to configure.
    Dev(DevSettings),
    /// Bring the database's schema up to date and grant the runtime role its rights.
    Migrate(MigrateSettings),
    /// Make, list and revoke API keys, as the schema's owner.
    ApiKey(ApiKeySettings),
    /// Ask a running server whether it is ready; exits 0 when it is.
    Health(HealthSettings),
}

/// How to log.
#[derive(Debug, Clone, Args)]
pub struct LogSettings {
    /// What to log: a level, or levels by module, for example `info,memory_lifecycle=debug`.
    #[arg(long, env = "MEMORY_LIFECYCLE_LOG", default_value = "info", global = true)]
    pub log: String,
    /// How a line looks. Logs go to standard error.
    #[arg(long, env = "MEMORY_LIFECYCLE_LOG_FORMAT", value_enum, default_value = "text", global = true)]
    pub log_format: LogFormat,
}

/// How a log line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// What a server needs, whatever Postgres it is on.
#[derive(Debug, Clone, Args)]
pub struct ServerSettings {
    /// The address to listen on. Port 0 takes a free one and says which.
    #[arg(long, env = "MEMORY_LIFECYCLE_LISTEN", default_value = "127.0.0.1:50051")]
    pub listen: SocketAddr,
    /// How long an archived memory can be restored before it is erased: `never`, or a number with s, m, h or d,
    /// at least 1s.
    #[arg(long, env = "MEMORY_LIFECYCLE_RETENTION", default_value = "30d", value_parser = parse_retention)]
    pub retention: Retention,
    /// How many memories a set may have that one call forgets, from 1 to 100000: one transaction and one answer for all of them.
    #[arg(long, env = "MEMORY_LIFECYCLE_LARGEST_SELECTION", default_value = "10000", value_parser = parse_selection)]
    pub largest_selection: usize,
    /// How often to look for memories past their purge time. They count as erased from that time on, swept or not.
    #[arg(long, env = "MEMORY_LIFECYCLE_SWEEP_INTERVAL", default_value = "30s", value_parser = parse_duration)]
    pub sweep_interval: Duration,
    /// How often to ask whether Postgres is there, for the health service.
    #[arg(long, env = "MEMORY_LIFECYCLE_HEALTH_INTERVAL", default_value = "1s", value_parser = parse_duration)]
    pub health_interval: Duration,
    /// How many calls may be in flight; more are answered OVERLOADED at once.
    #[arg(long, env = "MEMORY_LIFECYCLE_MAX_IN_FLIGHT", default_value = "4096", value_parser = parse_count)]
    pub max_in_flight: usize,
    /// The deadline of a call that brings none.
    #[arg(long, env = "MEMORY_LIFECYCLE_DEFAULT_DEADLINE", default_value = "30s", value_parser = parse_duration)]
    pub default_deadline: Duration,
    /// The longest deadline a call can have.
    #[arg(long, env = "MEMORY_LIFECYCLE_MAX_DEADLINE", default_value = "5m", value_parser = parse_duration)]
    pub max_deadline: Duration,
    /// How many lanes commit in parallel; a tenant is always on the same one. More of them share their transactions with
    /// fewer. Not given: as many as the machine has cores, from 2 to 4.
    #[arg(long, env = "MEMORY_LIFECYCLE_LANES", value_parser = parse_count)]
    pub lanes: Option<usize>,
    /// How many connections reads may use. The lanes use one each; beside them are four for batches that wait, two for
    /// look-ups, two for API keys, and one for the health service.
    #[arg(long, env = "MEMORY_LIFECYCLE_READ_CONNECTIONS", default_value = "8", value_parser = parse_count)]
    pub read_connections: usize,
    /// An address that answers the health service alone, without TLS: for probes. Not given: none.
    #[arg(long, env = "MEMORY_LIFECYCLE_ADMIN_LISTEN")]
    pub admin_listen: Option<SocketAddr>,
    /// Whether to serve reflection, by which grpcurl and its like read the contract. Nothing else is told by it.
    #[arg(long, env = "MEMORY_LIFECYCLE_REFLECTION", default_value_t = true, action = clap::ArgAction::Set)]
    pub reflection: bool,
    /// How long to wait for calls in flight when stopping.
    #[arg(long, env = "MEMORY_LIFECYCLE_DRAIN_TIMEOUT", default_value = "20s", value_parser = parse_duration)]
    pub drain_timeout: Duration,
}

/// `serve`.
#[derive(Debug, Clone, Args)]
pub struct ServeSettings {
    /// Where Postgres is, as the runtime role: `postgres://user:password@host/database`. Required, and with it two
    /// environment variables that have no flag, each 64 hexadecimal digits and the same on every replica, for example from
    /// `openssl rand -hex 32`: MEMORY_LIFECYCLE_TOKEN_KEY signs page and confirmation tokens;
    /// MEMORY_LIFECYCLE_FINGERPRINT_KEY tells suppressed contents, and must never change.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<SecretString>,
    /// Who may call, and over what.
    #[command(flatten)]
    pub access: AccessSettings,
    /// What any server needs.
    #[command(flatten)]
    pub server: ServerSettings,
}

/// What `serve` works with when nothing is missing.
#[derive(Debug)]
pub struct Serve {
    /// Where Postgres is.
    pub database_url: SecretString,
    /// The keys.
    pub keys: Keys,
    /// Who may call, and over what.
    pub access: Access,
    /// What any server needs.
    pub server: ServerSettings,
}

impl ServeSettings {
    /// Reads what only the environment may say, and checks that everything is there; answers every fault.
    pub fn complete(self) -> Result<Serve, ConfigFaults> {
        let Self { database_url, access, server } = self;
        let mut faults = ConfigFaults::default();
        let database_url = faults.required(database_url, || {
            "DATABASE_URL (or --database-url) is not set: where Postgres is, as the runtime role, of the form \
             postgres://user:password@host:5432/database"
                .to_owned()
        });
        let tokens = faults.take(SecretKey::from_environment(TOKEN_KEY_VARIABLE));
        let fingerprints = faults.take(SecretKey::from_environment(FINGERPRINT_KEY_VARIABLE));
        let access = access.complete(server.listen, &mut faults);
        let complete = match (database_url, tokens, fingerprints) {
            (Some(database_url), Some(tokens), Some(fingerprints)) => {
                Some(Serve { database_url, keys: Keys { tokens, fingerprints }, access, server })
            }
            _ => None,
        };
        faults.settle(complete)
    }
}

/// `migrate`.
#[derive(Debug, Clone, Args)]
pub struct MigrateSettings {
    /// Where Postgres is, as the schema's owner; a direct connection, not through a pooler.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: SecretString,
    /// The role that `serve` connects as; it is granted what the service needs and no more.
    #[arg(long, env = "MEMORY_LIFECYCLE_RUNTIME_ROLE", default_value = "memory_lifecycle_app")]
    pub runtime_role: String,
}

/// `health`.
#[derive(Debug, Clone, Args)]
pub struct HealthSettings {
    /// The server's address for health checks alone, if it has one: asked in place of --address.
    #[arg(long, env = "MEMORY_LIFECYCLE_ADMIN_LISTEN")]
    pub admin_address: Option<SocketAddr>,
    /// The server to ask.
    #[arg(long, env = "MEMORY_LIFECYCLE_LISTEN", default_value = "127.0.0.1:50051")]
    pub address: SocketAddr,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
