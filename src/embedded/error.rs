//! What can go wrong with the private Postgres, each with what to do about it.

use std::path::{Path, PathBuf};

use super::version::{OLDEST_MAJOR, ServerVersion};

/// Why the private Postgres could not be started, used or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// A file or folder could not be read, made or changed.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program could not be run.
    #[error("cannot run {}: {source}; check that it exists and may be executed by user {user}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// The user it was to run as.
        user: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Running as root, and there is no other user to run Postgres as.
    #[error(
        "Postgres refuses to run as root, and this machine has no user {wanted} to run it as; \
         create one (useradd --system postgres), or start as an ordinary user"
    )]
    NoUser {
        /// The user names that were tried.
        wanted: String,
    },
    /// Running as root, and Postgres' user cannot reach a folder.
    #[error(
        "Postgres runs as user {user} here, because it refuses root, and {user} may not enter {}, so it cannot reach \
         {}; choose a data folder elsewhere (such as /var/lib/memory-lifecycle), or allow it (chmod o+x {})",
        folder.display(), wanted.display(), folder.display()
    )]
    Unreachable {
        /// The user that Postgres runs as.
        user: String,
        /// The folder that it may not enter.
        folder: PathBuf,
        /// The folder that it needs.
        wanted: PathBuf,
    },
    /// The folder of binaries that was asked for does not serve.
    #[error(
        "the Postgres binaries in {} cannot be used: {reason}; \
         name a folder that holds postgres and initdb of version {OLDEST_MAJOR} or newer", dir.display()
    )]
    Binaries {
        /// The folder.
        dir: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Neither the machine nor the download has a Postgres.
    #[error(
        "no Postgres {OLDEST_MAJOR} or newer was found ({looked}), and {download}; install one (Debian, Ubuntu: \
         apt-get install postgresql; Fedora: dnf install postgresql-server; Alpine: apk add postgresql; macOS: \
         brew install postgresql@17), or name the folder that holds its postgres and initdb (dev --postgres-bin)"
    )]
    NotFound {
        /// What was looked at, and what spoke against it.
        looked: String,
        /// Why there is no downloaded one either.
        download: String,
    },
    /// The data folder was made by another major version.
    #[error(
        "the data in {} was made by Postgres {data}, and the Postgres in {} is {found}; \
         use a Postgres {data}, or another data folder, or move this one away to start afresh",
        dir.display(), bin.display()
    )]
    VersionMismatch {
        /// The data folder.
        dir: PathBuf,
        /// The major version that made it.
        data: String,
        /// The folder of the binaries.
        bin: PathBuf,
        /// Their version.
        found: ServerVersion,
    },
    /// Another process of this program uses the data folder.
    #[error("the data folder {} is already in use by process {owner}; stop that one, or use another folder (dev --data-dir)", dir.display())]
    InUse {
        /// The data folder.
        dir: PathBuf,
        /// The process id of its user, or `unknown`.
        owner: String,
    },
    /// A Postgres without an owner runs in the data folder and does not end.
    #[error(
        "a Postgres (process {pid}) still runs in {} after {seconds} s of waiting; end it with kill -INT {pid}",
        dir.display()
    )]
    StillRunning {
        /// The data folder.
        dir: PathBuf,
        /// The process id of Postgres.
        pid: i32,
        /// How long it was waited for.
        seconds: u64,
    },
    /// `initdb` failed.
    #[error("initdb could not make a cluster in {}: {output}", dir.display())]
    InitDb {
        /// The data folder.
        dir: PathBuf,
        /// What it said.
        output: String,
    },
    /// Postgres ended, or was not ready in time.
    #[error("Postgres {what}; the end of its log {}:\n{tail}", log.display())]
    Start {
        /// What happened.
        what: String,
        /// Its log.
        log: PathBuf,
        /// The last lines of the log.
        tail: String,
    },
    /// Postgres did not end in time.
    #[error("Postgres (process {pid}) in {} did not stop within {seconds} s; look at its log there", dir.display())]
    Stop {
        /// The data folder.
        dir: PathBuf,
        /// The process id of Postgres, 0 when it never ran.
        pid: u32,
        /// How long it was waited for.
        seconds: u64,
    },
    /// A statement of the superuser failed.
    #[error("cannot {action} in the private Postgres: {source}")]
    Statement {
        /// What was tried, as a verb.
        action: String,
        /// What Postgres said.
        source: sqlx::Error,
    },
}

/// Adds what was tried, and where, to an error of the system.
pub(super) trait During<T> {
    /// `action` is a verb, such as "create".
    fn during(self, action: &'static str, path: &Path) -> Result<T, EmbeddedError>;
}

impl<T> During<T> for std::io::Result<T> {
    fn during(self, action: &'static str, path: &Path) -> Result<T, EmbeddedError> {
        self.map_err(|source| EmbeddedError::File { action, path: path.to_owned(), source })
    }
}
