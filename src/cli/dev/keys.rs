//! Keys that `dev` makes for itself and keeps in its data folder.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::auth::jwt::mint::{Issuer, MintError};
use crate::clock::Clock;
use crate::config::{Keys, SecretKey};

/// Why a key could not be kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeyError {
    #[error("cannot read or write the key file {path}: {source}")]
    File { path: String, source: std::io::Error },
    #[error("the key file {0} does not hold 64 hexadecimal digits: delete it, and a new one is made")]
    IllFormed(String),
    #[error(
        "{0} is the folder of no `dev` that ever ran: start it once, or say which folder it is with --data-dir"
    )]
    None(String),
    #[error("no tokens can be signed: {0}")]
    Mint(#[from] MintError),
}

/// The keys of the server: the folder's own, made the first time.
pub(super) fn keys(data_dir: &Path, clock: &Clock) -> Result<Keys, KeyError> {
    Ok(Keys {
        tokens: kept_or_made(&data_dir.join("token.key"), clock)?,
        fingerprints: kept_or_made(&data_dir.join("fingerprint.key"), clock)?,
    })
}

/// The issuer whose tokens the folder's `dev` accepts, made the first time.
pub(super) fn issuer(data_dir: &Path, clock: &Clock) -> Result<Issuer, KeyError> {
    let path = signing_key(data_dir);
    let SecretKey(seed) = kept_or_made(&path, clock)?;
    Ok(Issuer::from_seed(&seed)?)
}

/// The same, where a `dev` has been before.
pub(super) fn kept_issuer(data_dir: &Path) -> Result<Issuer, KeyError> {
    let SecretKey(seed) = kept(&signing_key(data_dir))?.ok_or_else(|| KeyError::None(shown(data_dir)))?;
    Ok(Issuer::from_seed(&seed)?)
}

fn signing_key(data_dir: &Path) -> PathBuf {
    data_dir.join("token-signing.key")
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn kept_or_made(path: &Path, clock: &Clock) -> Result<SecretKey, KeyError> {
    match kept(path)? {
        Some(key) => Ok(key),
        None => make(path, clock),
    }
}

fn kept(path: &Path) -> Result<Option<SecretKey>, KeyError> {
    match std::fs::read_to_string(path) {
        Ok(text) => SecretKey::parse(text.trim()).map(Some).ok_or_else(|| KeyError::IllFormed(shown(path))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(KeyError::File { path: shown(path), source }),
    }
}

fn make(path: &Path, clock: &Clock) -> Result<SecretKey, KeyError> {
    let failed = |source| KeyError::File { path: shown(path), source };
    let key = SecretKey(clock.random_bytes());
    // Whole under another name first: a crash half way leaves no broken key behind.
    let making = path.with_extension("key.new");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&making)
        .map_err(failed)?;
    writeln!(file, "{}", key.to_hex()).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    std::fs::rename(&making, path).map_err(failed)?;
    Ok(key)
}
