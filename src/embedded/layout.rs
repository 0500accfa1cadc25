//! The cluster's files and folders.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use super::{
    DataDir, EmbeddedError,
    error::During,
    settings::SOCKET_FILE,
    user::{self, Account},
};

/// The longest path of a socket that every system takes (macOS: 104 bytes with the final zero).
const LONGEST_SOCKET_PATH: usize = 100;

/// The cluster's files and folders.
#[derive(Debug)]
pub(super) struct Layout {
    /// The data folder.
    pub(super) root: PathBuf,
    /// Postgres' own folder in it.
    pub(super) pgdata: PathBuf,
    /// Postgres' log.
    pub(super) log: PathBuf,
    /// The folder of the socket.
    pub(super) socket: PathBuf,
    /// What goes away with the cluster: a temporary data folder, a socket folder outside of the data folder.
    pub(super) temporary: [Option<PathBuf>; 2],
}

/// The data folder of `dev` unless another is named: `$XDG_DATA_HOME/memory-lifecycle`, or
/// `~/.local/share/memory-lifecycle`; as root `/var/lib/memory-lifecycle`, which Postgres' user can reach.
pub fn default_data_dir() -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if user::is_root() {
        None
    } else {
        absolute("XDG_DATA_HOME").or_else(|| std::env::home_dir().map(|home| home.join(".local/share")))
    };
    base.unwrap_or_else(|| PathBuf::from("/var/lib")).join("memory-lifecycle")
}

/// Where downloaded versions are kept unless another folder is named: `memory-lifecycle-postgres`, beside the default
/// data folder and not in it, since what is in that one is private.
pub(super) fn default_download_dir() -> PathBuf {
    default_data_dir().with_file_name("memory-lifecycle-postgres")
}

/// The major version that made the cluster in a data folder, as Postgres wrote it down; none when there is no cluster.
pub(super) fn made_by(pgdata: &Path) -> Option<String> {
    fs::read_to_string(pgdata.join("PG_VERSION")).ok().map(|text| text.trim().to_owned())
}

/// Postgres' own folder in a data folder.
pub(super) fn pgdata(root: &Path) -> PathBuf {
    root.join("postgres")
}

impl Layout {
    /// Makes what is missing of the data folder, private to its owner. As root, Postgres' user may pass through it, and
    /// owns all of it when it is temporary.
    pub(super) fn prepare(data_dir: &DataDir, account: &Account) -> Result<Self, EmbeddedError> {
        let (root, removed) = match data_dir {
            DataDir::Kept(dir) => {
                let mode = if account.is_other() { 0o711 } else { 0o700 };
                fs::DirBuilder::new().recursive(true).mode(mode).create(dir).during("create", dir)?;
                (dir.canonicalize().during("look at", dir)?, None)
            }
            DataDir::Temporary => {
                let dir = short_lived(&temporary_base(account), account)?;
                (dir.clone(), Some(dir))
            }
        };
        account.must_reach(&root)?;
        let inside = root.join("socket");
        let fits = |dir: &Path| {
            dir.to_str().is_some() && dir.join(SOCKET_FILE).as_os_str().len() <= LONGEST_SOCKET_PATH
        };
        let (socket, outside) = if fits(&inside) {
            if !inside.is_dir() {
                fs::DirBuilder::new().mode(0o700).create(&inside).during("create", &inside)?;
            }
            account.own(&inside)?;
            (inside, None)
        } else {
            let dir = short_lived(&short_base(account), account)?;
            tracing::info!(data_dir = %root.display(), socket_dir = %dir.display(),
                "the data folder's path is too long for a socket, so the socket is elsewhere");
            (dir.clone(), Some(dir))
        };
        let (pgdata, log) = (pgdata(&root), root.join("postgres.log"));
        Ok(Self { pgdata, log, socket, temporary: [removed, outside], root })
    }

    /// Starts a new log, owned by Postgres' user, and keeps the one before.
    pub(super) fn new_log(&self, account: &Account) -> Result<(), EmbeddedError> {
        if self.log.exists() {
            let old = self.root.join("postgres.log.old");
            fs::rename(&self.log, &old).during("rename", &self.log)?;
        }
        OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&self.log)
            .during("create", &self.log)?;
        account.own(&self.log)
    }

    /// The last lines of the log.
    pub(super) fn log_tail(&self) -> String {
        let text =
            fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines.get(lines.len().saturating_sub(15)..).unwrap_or_default().join("\n")
    }
}

/// A new folder of Postgres' user that nobody else can enter.
fn short_lived(base: &Path, account: &Account) -> Result<PathBuf, EmbeddedError> {
    let private = fs::Permissions::from_mode(0o700);
    let dir = tempfile::Builder::new().prefix("memory-lifecycle-").permissions(private).tempdir_in(base);
    let dir = dir.during("create a folder in", base)?;
    account.own(dir.path())?;
    Ok(dir.keep())
}

/// The system's temporary folder; as root `/tmp` unless everybody may write to that folder, because Postgres' user is
/// who removes what is made there.
fn temporary_base(account: &Account) -> PathBuf {
    let base = std::env::temp_dir();
    let shared = base.metadata().is_ok_and(|meta| meta.mode() & 0o003 == 0o003);
    let base = if account.is_other() && !shared { PathBuf::from("/tmp") } else { base };
    base.canonicalize().unwrap_or(base)
}

/// A folder with a short path: the user's runtime folder, else `/tmp`.
fn short_base(account: &Account) -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let usable = |dir: &PathBuf| !account.is_other() && dir.is_dir() && dir.as_os_str().len() < 50;
    runtime.filter(usable).unwrap_or_else(|| PathBuf::from("/tmp"))
}
