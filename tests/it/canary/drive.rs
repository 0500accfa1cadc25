//! Calls, with all that errors say of them kept.

use std::fmt::Write as _;

use tonic::metadata::{KeyAndValueRef, MetadataMap};
use tonic::transport::Channel;
use tonic::{Response, Status};
use tonic_types::StatusExt;

use crate::calls::wire;

/// Metadata that says who calls.
pub type Credentials = Vec<(&'static str, String)>;

pub fn bearer(token: &str) -> Credentials {
    vec![("authorization", format!("Bearer {token}"))]
}

/// Speaks to one server.
pub struct Driver {
    channel: Channel,
    /// Who calls, unless it is said.
    pub who: Credentials,
    /// All that answers said beside their messages, and errors in full.
    pub answered: String,
    /// The reasons of the errors, each once.
    pub reasons: Vec<String>,
    /// How many calls were made.
    pub calls: usize,
}

impl Driver {
    pub fn new(channel: Channel, who: Credentials) -> Self {
        Self { channel, who, answered: String::new(), reasons: Vec::new(), calls: 0 }
    }

    /// Calls as whoever calls here, and answers the message.
    pub async fn call(
        &mut self,
        path: &'static str,
        message: &impl prost::Message,
    ) -> Result<Vec<u8>, Status> {
        let who = self.who.clone();
        self.send(&who, path, message.encode_to_vec()).await
    }

    /// A call that must be answered.
    pub async fn done(&mut self, path: &'static str, message: &impl prost::Message) -> Vec<u8> {
        self.call(path, message).await.unwrap_or_else(|status| panic!("{path}: {status:?}"))
    }

    /// A call that must be refused.
    pub async fn refused(&mut self, path: &'static str, message: &impl prost::Message) {
        self.call(path, message).await.map(drop).expect_err(path);
    }

    /// Sends these bytes with this metadata.
    pub async fn send(
        &mut self,
        credentials: &Credentials,
        path: &'static str,
        message: Vec<u8>,
    ) -> Result<Vec<u8>, Status> {
        let mut metadata = MetadataMap::new();
        for (key, value) in credentials {
            metadata.append(*key, value.parse().unwrap());
        }
        self.calls += 1;
        let answer = wire::call(&self.channel, metadata, path, message).await;
        match &answer {
            Ok(response) => self.note(response.metadata()),
            Err(status) => {
                self.note(status.metadata());
                let details = String::from_utf8_lossy(status.details());
                writeln!(self.answered, "{} {details} {status:?}", status.message()).unwrap();
                let reason = status.get_details_error_info().map(|info| info.reason);
                let reason = reason.unwrap_or_else(|| format!("{:?}", status.code()));
                if !self.reasons.contains(&reason) {
                    self.reasons.push(reason);
                }
            }
        }
        answer.map(Response::into_inner)
    }

    fn note(&mut self, metadata: &MetadataMap) {
        for entry in metadata.iter() {
            match entry {
                KeyAndValueRef::Ascii(key, value) => writeln!(self.answered, "{key}: {value:?}").unwrap(),
                KeyAndValueRef::Binary(key, value) => {
                    let bytes = value.to_bytes().unwrap_or_default();
                    writeln!(self.answered, "{key}: {}", String::from_utf8_lossy(&bytes)).unwrap();
                }
            }
        }
    }
}
