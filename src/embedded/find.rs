//! Finds the newest Postgres that serves.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{
    EmbeddedError,
    user::Account,
    version::{OLDEST_MAJOR, ServerVersion},
};

/// Folders with one subfolder a version: the parent, how the subfolder's name begins, what follows it.
const VERSIONED: &[(&str, &str, &str)] = &[
    ("/usr/lib/postgresql", "", "bin"),                      // Debian, Ubuntu
    ("/usr", "pgsql-", "bin"),                               // PostgreSQL's own RPMs
    ("/usr/libexec", "postgresql", ""),                      // Alpine
    ("/opt/homebrew/opt", "postgresql", "bin"),              // Homebrew on Apple silicon
    ("/usr/local/opt", "postgresql", "bin"),                 // Homebrew on Intel
    ("/home/linuxbrew/.linuxbrew/opt", "postgresql", "bin"), // Homebrew on Linux
    ("/opt/local/lib", "postgresql", "bin"),                 // MacPorts
    ("/Applications/Postgres.app/Contents/Versions", "", "bin"), // Postgres.app
];

/// Folders that hold one version: built from source; Fedora.
const FIXED: &[&str] = &["/usr/local/pgsql/bin", "/usr/bin"];

/// A Postgres that serves.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The folder of its programs.
    pub(super) bin: PathBuf,
    /// Its version.
    pub(super) version: ServerVersion,
}

/// The binaries in `dir` or its `bin`, or what is wrong with them.
pub(super) async fn given(dir: &Path, account: &Account) -> Result<Found, EmbeddedError> {
    let below = dir.join("bin");
    let bin = if dir.join("postgres").exists() { dir } else { &below };
    let refuse = |reason| EmbeddedError::Binaries { dir: dir.to_owned(), reason };
    // Postgres starts in another folder than ours.
    let bin = bin.canonicalize().map_err(|_| refuse("it holds no postgres".to_owned()))?;
    probe(&bin, account).await.map_err(refuse)
}

/// The newest one that serves, of `major` when that is given and there is one; else what was looked at.
pub(super) async fn newest(
    dirs: Vec<PathBuf>,
    major: Option<u32>,
    account: &Account,
) -> Result<Found, String> {
    let mut found = Vec::new();
    let mut refused = Vec::new();
    for bin in dirs {
        match probe(&bin, account).await {
            Ok(one) => found.push(one),
            Err(reason) => refused.push(format!("{}: {reason}", bin.display())),
        }
    }
    let wanted = found.iter().filter(|one| Some(one.version.major) == major).max_by_key(|one| one.version);
    wanted.or_else(|| found.iter().max_by_key(|one| one.version)).cloned().ok_or_else(|| {
        let all = "looked at pg_config, PATH and the usual folders";
        if refused.is_empty() { all.to_owned() } else { format!("{all}; {}", refused.join("; ")) }
    })
}

/// The folders of this machine that hold a `postgres`, each once.
pub(super) async fn on_this_machine(account: &Account) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    let mut pg_config = tokio::process::Command::from(account.command("pg_config"));
    if let Ok(output) = pg_config.arg("--bindir").output().await {
        dirs.push(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    }
    dirs.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    dirs.extend(FIXED.iter().map(PathBuf::from));
    for (parent, prefix, below) in VERSIONED {
        dirs.extend(subfolders(Path::new(parent), prefix).map(|dir| dir.join(below)));
    }
    with_postgres(dirs)
}

/// The folders of downloaded versions below `dir`.
pub(super) fn downloaded(dir: &Path) -> Vec<PathBuf> {
    with_postgres(subfolders(dir, "").map(|version| version.join("bin")).collect())
}

/// Those that hold a `postgres`, links resolved, each once.
fn with_postgres(dirs: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for dir in dirs {
        // A link in PATH stands for the folder it points to: initdb and Postgres' own files are there.
        let real =
            dir.join("postgres").canonicalize().ok().and_then(|file| file.parent().map(Path::to_owned));
        if let Some(real) = real
            && !kept.contains(&real)
        {
            kept.push(real);
        }
    }
    kept
}

fn subfolders(parent: &Path, prefix: &str) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    entries.filter(move |e| e.file_name().as_encoded_bytes().starts_with(prefix.as_bytes())).map(|e| e.path())
}

/// The version of the `postgres` in a folder, or why it does not serve.
async fn probe(bin: &Path, account: &Account) -> Result<Found, String> {
    if !bin.join("initdb").exists() {
        return Err("it holds no initdb".to_owned());
    }
    let mut command = tokio::process::Command::from(account.command(bin.join("postgres")));
    let output = command.arg(OsStr::new("--version")).output().await;
    let output = output.map_err(|e| format!("its postgres cannot be run by user {}: {e}", account.name()))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let version = ServerVersion::parse(&printed).ok_or_else(|| {
        format!(
            "its postgres does not tell its version; it says: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )
    })?;
    if version.major < OLDEST_MAJOR {
        return Err(format!("it is Postgres {version}, which is too old"));
    }
    Ok(Found { bin: bin.to_owned(), version })
}
