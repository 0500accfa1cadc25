//! Where an issuer's keys are read from.

use std::time::Duration;

use tokio::io::AsyncReadExt;

use super::keys::{KeySetFault, Keys};
use crate::config::KeySource;

/// The most bytes of a key set.
const MOST_BYTES: usize = 1024 * 1024;
/// How long an address may take for its whole answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why keys could not be read. Names where they should be, and nothing of what was there instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// A file cannot be read.
    #[error("the keys' file {path} cannot be read: {cause}")]
    File {
        /// Which.
        path: String,
        /// What the operating system says.
        cause: String,
    },
    /// An address does not answer, or not with 200.
    #[error("the keys' address {url} {cause}")]
    Address {
        /// Which.
        url: String,
        /// What happened.
        cause: String,
    },
    /// There is more than a key set can have.
    #[error("{place} holds more than {MOST_BYTES} bytes, which no key set has")]
    TooLarge {
        /// Where.
        place: String,
    },
    /// What is there cannot be used.
    #[error("{place} {fault}")]
    KeySet {
        /// Where.
        place: String,
        /// Why not.
        fault: KeySetFault,
    },
    /// The HTTP client cannot be made.
    #[error("no HTTP client can be made: {0}")]
    Client(String),
}

/// Reads keys.
#[derive(Debug, Clone)]
pub(super) struct Source {
    keys: KeySource,
    client: Option<reqwest::Client>,
}

impl Source {
    pub(super) fn new(keys: KeySource) -> Result<Self, KeysError> {
        let client = match &keys {
            KeySource::Url(_) => Some(client()?),
            KeySource::File(_) | KeySource::Inline(_) => None,
        };
        Ok(Self { keys, client })
    }

    /// Whether it is on this machine: then it is there at the start, or never.
    pub(super) fn is_local(&self) -> bool {
        !matches!(self.keys, KeySource::Url(_))
    }

    /// The text that is there now.
    pub(super) async fn read(&self) -> Result<String, KeysError> {
        match (&self.keys, &self.client) {
            (KeySource::Inline(text), _) => Ok(text.clone()),
            (KeySource::File(path), _) => {
                let failed = |cause: std::io::Error| KeysError::File {
                    path: path.display().to_string(),
                    cause: cause.to_string(),
                };
                let file = tokio::fs::File::open(path).await.map_err(failed)?;
                let mut text = Vec::new();
                // Whatever length it is said to have, no more than this is ever kept.
                file.take(MOST_BYTES as u64 + 1).read_to_end(&mut text).await.map_err(failed)?;
                self.text(text)
            }
            (KeySource::Url(url), Some(client)) => self.fetch(client, url).await,
            (KeySource::Url(_), None) => Err(KeysError::Client("there is none".to_owned())),
        }
    }

    /// The keys in a text that was read here.
    pub(super) fn parse(&self, text: &str) -> Result<Keys, KeysError> {
        Keys::parse(text).map_err(|fault| KeysError::KeySet { place: self.place(), fault })
    }

    fn place(&self) -> String {
        match &self.keys {
            KeySource::Inline(_) => "the configured key set".to_owned(),
            KeySource::File(path) => format!("the keys' file {}", path.display()),
            KeySource::Url(url) => format!("the keys' address {url}"),
        }
    }

    async fn fetch(&self, client: &reqwest::Client, url: &str) -> Result<String, KeysError> {
        let failed = |cause: String| KeysError::Address { url: url.to_owned(), cause };
        let mut response = client.get(url).send().await.map_err(|error| failed(told(&error)))?;
        if response.status() != reqwest::StatusCode::OK {
            return Err(failed(format!(
                "answered with {}, where 200 was wanted",
                response.status().as_u16()
            )));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(told(&error)))? {
            body.extend_from_slice(&chunk);
            // Whatever length was announced, no more than this and a chunk is ever kept.
            if body.len() > MOST_BYTES {
                break;
            }
        }
        self.text(body)
    }

    fn text(&self, bytes: Vec<u8>) -> Result<String, KeysError> {
        if bytes.len() > MOST_BYTES {
            return Err(KeysError::TooLarge { place: self.place() });
        }
        String::from_utf8(bytes)
            .map_err(|_| KeysError::KeySet { place: self.place(), fault: KeySetFault::Form })
    }
}

fn client() -> Result<reqwest::Client, KeysError> {
    // Without a provider of its own, the HTTP client takes the process's; whoever installed one before is right too.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder()
        // The issuer's address is the one that was configured and no other.
        .redirect(reqwest::redirect::Policy::none())
        .timeout(PATIENCE)
        .no_proxy()
        .build()
        .map_err(|error| KeysError::Client(told(&error)))
}

/// What went wrong, without the address, which stands beside it.
fn told(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        "did not answer in time".to_owned()
    } else if error.is_connect() {
        "cannot be reached".to_owned()
    } else {
        "broke off its answer".to_owned()
    }
}
