//! Servers of the program: `dev` on a Postgres of its own, `serve` on a test's database.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::process::Command;

use super::program::{Program, channel, command};
use crate::harness::database::cluster;
use crate::harness::{Caller, issuer};

/// A token key, of no worth.
pub const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// `dev`, listening.
pub struct Dev {
    pub program: Program,
    pub address: SocketAddr,
    pub folder: PathBuf,
    /// What it printed.
    pub welcome: String,
}

impl Dev {
    /// `dev` in a folder, or in a temporary one, on a free port.
    pub async fn start(folder: Option<&Path>) -> Self {
        Self::of(dev_command(folder, "127.0.0.1:0")).await
    }

    /// `dev` by this command.
    pub async fn of(command: Command) -> Self {
        let mut program = Program::start(command);
        let welcome = program.printed("Stop with Ctrl-C").await;
        let after = |before: &str| welcome.split_once(before).unwrap().1;
        let address = after("listening on ").split(',').next().unwrap().parse().unwrap();
        let folder = after(" in ").lines().next().unwrap().into();
        Self { program, address, folder, welcome }
    }

    /// The process id of its Postgres.
    pub fn postgres(&self) -> u32 {
        let text = std::fs::read_to_string(self.folder.join("postgres/postmaster.pid")).unwrap();
        text.lines().next().unwrap().parse().unwrap()
    }
}

pub fn dev_command(folder: Option<&Path>, listen: &str) -> Command {
    let mut command = command(&["dev", "--listen", listen]);
    match folder {
        Some(folder) => command.arg("--data-dir").arg(folder),
        None => command.arg("--temporary"),
    };
    command
}

/// The address of a database in the run's Postgres, for a role.
pub async fn url(role: &str, database: &str) -> String {
    let cluster = cluster().await;
    let socket = cluster.socket_dir().display();
    format!("postgres://{role}@localhost:{}/{database}?host={socket}", cluster.port())
}

/// `serve`, with all it needs, on a free port; its log in JSON.
pub fn serve_command(url: &str) -> Command {
    serve_command_on("127.0.0.1:0", url)
}

/// The same on an address.
pub fn serve_command_on(listen: &str, url: &str) -> Command {
    let mut command = command(&["serve", "--listen", listen, "--log-format", "json"]);
    command.args(issuer::flags());
    command
        .env("DATABASE_URL", url)
        .env("MEMORY_LIFECYCLE_TOKEN_KEY", KEY)
        .env("MEMORY_LIFECYCLE_FINGERPRINT_KEY", KEY);
    command
}

/// The caller "default" of tenant "default" at an address of `serve`.
pub fn served_caller(address: SocketAddr) -> Caller {
    issuer::caller(channel(address), "default", "default")
}

/// `serve`, listening, with its address; ready or not.
pub async fn serve(url: &str) -> (Program, SocketAddr) {
    listening(serve_command(url)).await
}

/// A server of this command, listening, with its address; ready or not.
pub async fn listening(command: Command) -> (Program, SocketAddr) {
    let mut program = Program::start(command);
    let line: Value = serde_json::from_str(&program.logged("\"listening\"").await).unwrap();
    let address = line["address"].as_str().unwrap().parse().unwrap();
    (program, address)
}
