//! Compiles the contract in `proto/` into the Rust types and services of `src/proto.rs`.
//!
//! protox is a compiler in Rust, so no `protoc` is needed. Three things are written to `OUT_DIR`:
//! messages and servers, clients, and the descriptor set that gRPC reflection serves.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost_types::FileDescriptorSet;
use tonic_prost_build::Builder;

const PROTO_DIR: &str = "proto";
const PACKAGE: &str = ".memorylifecycle.v1";
/// The codec of the servers: what cannot be decoded is the caller's fault, and the answer says so.
const SERVER_CODEC: &str = "crate::rpc::codec::ContractCodec";

fn main() -> Result<(), Box<dyn Error>> {
    // tonic-prost-build does not print this when it is handed descriptors.
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={PROTO_DIR}");

    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(PROTO_DIR);
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let mut compiler = protox::Compiler::new([root.as_path(), root.join("third_party").as_path()])?;
    compiler.include_imports(true).include_source_info(true).open_files(contract_files(&root)?)?;

    // Encoded by protox and not by prost, which would lose the custom options (buf.validate).
    fs::write(out.join("memorylifecycle.v1.binpb"), compiler.encode_file_descriptor_set())?;

    generate(&compiler.file_descriptor_set(), &out)
}

/// Every file of the contract itself, in a stable order; `third_party` comes in through imports.
fn contract_files(root: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("memorylifecycle/v1"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Two passes, because a builder knows one codec and the two sides need different ones: a request that cannot
/// be decoded is `INVALID_ARGUMENT`, a response that cannot be decoded is `INTERNAL`.
fn generate(descriptors: &FileDescriptorSet, out: &Path) -> Result<(), Box<dyn Error>> {
    let clients = out.join("clients");
    fs::create_dir_all(&clients)?;

    builder().build_client(false).codec_path(SERVER_CODEC).out_dir(out).compile_fds(descriptors.clone())?;
    builder()
        .build_server(false)
        // The messages are those of the first pass.
        .extern_path(PACKAGE, "crate::proto::v1")
        .out_dir(&clients)
        .compile_fds(descriptors.clone())?;
    Ok(())
}

/// What both passes share: no types of other packages are generated. tonic-types has those of `google.rpc`;
/// `buf.validate` only occurs in options, so the path given for it is never used.
fn builder() -> Builder {
    tonic_prost_build::configure()
        .extern_path(".google.rpc", "::tonic_types::pb")
        .extern_path(".buf.validate", "::buf_validate")
}
