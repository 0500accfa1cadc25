//! Plays grpcurl: reads the command lines of a text with the shell that people paste them into, and makes the calls
//! they stand for, by the contract's descriptors alone and without the generated types.

mod call;
mod shell;

pub use call::{call, error};
pub use shell::{commands, run};

/// One call of grpcurl.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// The request as JSON.
    pub data: String,
    /// Metadata: name and value.
    pub headers: Vec<(String, String)>,
    /// The server.
    pub address: String,
    /// `package.Service/Method`.
    pub method: String,
}
