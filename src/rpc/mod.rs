//! TRANSPORT: what turns the contract's messages into commands and answers into messages.

pub mod codec;
