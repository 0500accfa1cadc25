//! Keys that `dev` makes for itself and keeps in its data folder.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::clock::Clock;
use crate::config::TokenKey;

/// Why a key could not be kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeyError {
    #[error("cannot read or write the key file {path}: {source}")]
    File { path: String, source: std::io::Error },
    #[error("the key file {0} does not hold 64 hexadecimal digits: delete it, and a new one is made")]
    IllFormed(String),
}

/// The key that signs page tokens: the folder's own, made the first time.
pub(super) fn token_key(data_dir: &Path, clock: &Clock) -> Result<TokenKey, KeyError> {
    let path = data_dir.join("token.key");
    let shown = path.display().to_string();
    let failed = |source| KeyError::File { path: shown.clone(), source };
    match OpenOptions::new().read(true).open(&path) {
        Ok(mut file) => {
            let mut text = String::new();
            file.read_to_string(&mut text).map_err(failed)?;
            TokenKey::parse(text.trim()).ok_or(KeyError::IllFormed(shown))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = TokenKey(clock.random_bytes());
            // Whole under another name first: a crash half way leaves no broken key behind.
            let making = data_dir.join("token.key.new");
            let mut file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&making)
                .map_err(failed)?;
            writeln!(file, "{}", key.to_hex()).map_err(failed)?;
            file.sync_all().map_err(failed)?;
            std::fs::rename(&making, &path).map_err(failed)?;
            Ok(key)
        }
        Err(error) => Err(failed(error)),
    }
}
