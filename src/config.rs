//! Configuration: command line over environment over defaults. The only place that names an environment
//! variable of the service's own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use chrono::TimeDelta;
use clap::{Args, Parser, Subcommand, ValueEnum};
use secrecy::SecretString;

use crate::domain::policy::Retention;

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
    /// look-ups, and one for the health service.
    #[arg(long, env = "MEMORY_LIFECYCLE_READ_CONNECTIONS", default_value = "8", value_parser = parse_count)]
    pub read_connections: usize,
    /// How long to wait for calls in flight when stopping.
    #[arg(long, env = "MEMORY_LIFECYCLE_DRAIN_TIMEOUT", default_value = "20s", value_parser = parse_duration)]
    pub drain_timeout: Duration,
}

/// `serve`.
#[derive(Debug, Clone, Args)]
pub struct ServeSettings {
    /// Where Postgres is, as the runtime role: `postgres://user:password@host/database`.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: SecretString,
    /// Who is calling. Required. This release knows one way: the metadata x-tenant-id, x-agent-id and x-admin, which
    /// anyone who can connect can set to anything. Say so yourself, and let only a trusted proxy connect.
    /// The environment variable MEMORY_LIFECYCLE_TOKEN_KEY is required too: 64 hexadecimal digits that sign page tokens,
    /// the same on every replica, for example from `openssl rand -hex 32`. There is no flag for it.
    #[arg(long, env = "MEMORY_LIFECYCLE_IDENTITY", value_enum)]
    pub identity: Option<IdentitySource>,
    /// What any server needs.
    #[command(flatten)]
    pub server: ServerSettings,
}

/// Where a caller's identity comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IdentitySource {
    /// From metadata that the caller sets: no authentication at all.
    InsecureMetadata,
}

/// `dev`.
#[derive(Debug, Clone, Args)]
pub struct DevSettings {
    /// The folder of the private Postgres; made when it is not there, used again when it is. Not given:
    /// `~/.local/share/memory-lifecycle`, as root `/var/lib/memory-lifecycle`.
    #[arg(long, env = "MEMORY_LIFECYCLE_DATA_DIR", conflicts_with = "temporary")]
    pub data_dir: Option<PathBuf>,
    /// Use a fresh folder and remove it at the end. Refused when a folder is given as well, also by
    /// MEMORY_LIFECYCLE_DATA_DIR.
    #[arg(long)]
    pub temporary: bool,
    /// The folder with Postgres' programs, 15 or newer; searched for when not given.
    #[arg(long, env = "MEMORY_LIFECYCLE_POSTGRES_BIN")]
    pub postgres_bin: Option<PathBuf>,
    /// Where to download Postgres from when this machine has none. Not given: the releases of
    /// theseus-rs/postgresql-binaries on GitHub.
    #[arg(long, env = "MEMORY_LIFECYCLE_POSTGRES_DOWNLOAD_URL")]
    pub postgres_download_url: Option<String>,
    /// The user that Postgres runs as when started by root, since it refuses root. Not given: `postgres`, else `nobody`.
    #[arg(long, env = "MEMORY_LIFECYCLE_POSTGRES_USER")]
    pub postgres_user: Option<String>,
    /// What any server needs.
    #[command(flatten)]
    pub server: ServerSettings,
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
    /// The server to ask.
    #[arg(long, env = "MEMORY_LIFECYCLE_LISTEN", default_value = "127.0.0.1:50051")]
    pub address: SocketAddr,
}

/// A 32-byte key. Never shown.
#[derive(Clone)]
pub struct TokenKey(pub [u8; 32]);

impl std::fmt::Debug for TokenKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("TokenKey(…)")
    }
}

/// The variable with the token key.
pub const TOKEN_KEY_VARIABLE: &str = "MEMORY_LIFECYCLE_TOKEN_KEY";

/// Why there is no token key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenKeyError {
    /// Not set.
    #[error(
        "MEMORY_LIFECYCLE_TOKEN_KEY is not set: 64 hexadecimal digits, the same on every replica, for \
             example from `openssl rand -hex 32`"
    )]
    Missing,
    /// Set to something else.
    #[error("MEMORY_LIFECYCLE_TOKEN_KEY must be exactly 64 hexadecimal digits")]
    IllFormed,
}

impl TokenKey {
    /// Reads the key from the environment.
    pub fn from_environment() -> Result<Self, TokenKeyError> {
        let text = std::env::var(TOKEN_KEY_VARIABLE).map_err(|_| TokenKeyError::Missing)?;
        Self::parse(text.trim()).ok_or(TokenKeyError::IllFormed)
    }

    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut key = [0; 32];
        for (byte, pair) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(key))
    }

    /// The key as 64 hexadecimal digits.
    pub fn to_hex(&self) -> String {
        use std::fmt::Write;
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number with s, m, h or d, for example 30s or 12h".to_owned();
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| expected())?;
    let seconds = match text.strip_prefix(digits) {
        Some("s") => Some(number),
        Some("m") => number.checked_mul(60),
        Some("h") => number.checked_mul(60 * 60),
        Some("d") => number.checked_mul(24 * 60 * 60),
        _ => return Err(expected()),
    };
    match seconds {
        Some(seconds @ 1..) => Ok(Duration::from_secs(seconds)),
        Some(0) => Err("must be at least 1s".to_owned()),
        None => Err("is longer than can be counted".to_owned()),
    }
}

fn parse_retention(text: &str) -> Result<Retention, String> {
    if text == "never" {
        return Ok(Retention::Never);
    }
    let duration = parse_duration(text).map_err(|fault| format!("{fault}, or never"))?;
    TimeDelta::from_std(duration)
        .map(Retention::For)
        .map_err(|_| "is longer than can be counted; say never".to_owned())
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(count @ 1..=1_000_000) => Ok(count),
        _ => Err("expected a number from 1 to 1000000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn durations_have_a_unit_and_are_at_least_a_second() {
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("2d"), Ok(Duration::from_hours(48)));
        for text in [
            "",
            "s",
            "10",
            "0s",
            "-1s",
            "1.5h",
            "1w",
            "1 s",
            "99999999999999999999d",
            "18446744073709551615d",
        ] {
            assert!(parse_duration(text).is_err(), "{text:?}");
        }
        assert_eq!(parse_retention("never"), Ok(Retention::Never));
    }

    #[test]
    fn a_token_key_is_64_hexadecimal_digits() {
        let text = "0123456789abcdef".repeat(4);
        assert_eq!(TokenKey::parse(&text).map(|key| key.to_hex()), Some(text.clone()));
        assert!(TokenKey::parse(text.get(1..).unwrap()).is_none());
        assert!(TokenKey::parse(&"é".repeat(32)).is_none());
        assert_eq!(format!("{:?}", TokenKey([7; 32])), "TokenKey(…)");
    }
}
