//! Plays grpcurl: reads the command lines of a text with the shell that people paste them into, and makes the calls
//! they stand for, by the contract's descriptors alone and without the generated types.

mod call;
mod shell;

use std::path::PathBuf;

pub use call::{call, call_in, error};
pub use shell::{Shell, commands, run};

/// One call of grpcurl.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// The request as JSON.
    pub data: String,
    /// Metadata: name and value.
    pub headers: Vec<(String, String)>,
    /// What TLS is spoken with; without any of them the connection is plain.
    pub certificates: Certificates,
    /// The server.
    pub address: String,
    /// `package.Service/Method`.
    pub method: String,
}

/// Files that a call names for TLS, as they stand in the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Certificates {
    /// Whom the server's certificate must be from.
    pub authority: Option<PathBuf>,
    /// The caller's own certificate.
    pub certificate: Option<PathBuf>,
    /// And its key.
    pub key: Option<PathBuf>,
}
