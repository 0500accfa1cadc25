//! `dev` and its subcommand.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::ServerSettings;
use super::api_key::parse_capability;
use super::parse::parse_duration;
use crate::domain::capability::Capability;
use crate::domain::ids::{AgentId, PrincipalId, TenantId};
use crate::domain::principal::{caller_agent, caller_principal};

/// `dev`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DevSettings {
    /// What to do in place of serving.
    #[command(subcommand)]
    pub action: Option<DevAction>,
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

/// What there is to do beside a server of `dev`.
#[derive(Debug, Clone, Subcommand)]
pub enum DevAction {
    /// Print a token that the `dev` of the same folder accepts, whether it runs or not.
    MintToken(MintTokenSettings),
}

/// `dev mint-token`.
#[derive(Debug, Clone, Args)]
pub struct MintTokenSettings {
    /// The folder of the `dev` that is to accept it. Not given: `~/.local/share/memory-lifecycle`, as root
    /// `/var/lib/memory-lifecycle`.
    #[arg(long, env = "MEMORY_LIFECYCLE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// The tenant that it names.
    #[arg(long, default_value = "default", value_parser = TenantId::parse)]
    pub tenant: TenantId,
    /// The agent that it names.
    #[arg(long, default_value = "default", value_parser = caller_agent)]
    pub agent: AgentId,
    /// The principal that it names. Not given: the agent.
    #[arg(long, value_parser = caller_principal)]
    pub principal: Option<PrincipalId>,
    /// A capability that it carries; repeat it, or put commas between several. Not given: all but `memory:admin`.
    #[arg(long = "capability", value_parser = parse_capability, value_delimiter = ',')]
    pub capabilities: Vec<Capability>,
    /// How long it is valid.
    #[arg(long, default_value = "1h", value_parser = parse_duration)]
    pub lifetime: Duration,
}
