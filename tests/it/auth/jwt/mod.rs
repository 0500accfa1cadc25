//! JSON Web Tokens, on a real server over a socket: which are accepted, and that every other changes nothing.

mod accepted;
mod address;
mod bearer;
mod claims;
mod file;
mod forge;
mod gone;
mod header;
mod key_server;
mod mutated;
mod refused;
mod stage;
mod verifier;
