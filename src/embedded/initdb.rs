//! Makes a new cluster.

use std::{fs, os::unix::fs::DirBuilderExt};

use super::{
    ClusterOptions, Durability, EmbeddedError,
    cluster::SUPERUSER,
    error::During,
    find::Found,
    layout::{self, Layout},
    user::Account,
};

/// Makes the cluster unless it is there, in a folder that gets its name when it is complete: a crash leaves no half of
/// one. What is there must be of the same major version.
pub(super) async fn ensure(
    layout: &Layout,
    found: &Found,
    account: &Account,
    options: &ClusterOptions,
) -> Result<(), EmbeddedError> {
    if let Some(data) = layout::made_by(&layout.pgdata) {
        if data == found.version.major.to_string() {
            return Ok(());
        }
        let (dir, bin) = (layout.root.clone(), found.bin.clone());
        return Err(EmbeddedError::VersionMismatch { dir, data, bin, found: found.version });
    }
    let dir = layout.root.join("postgres.new");
    if dir.exists() {
        fs::remove_dir_all(&dir).during("remove", &dir)?;
    }
    fs::DirBuilder::new().mode(0o700).create(&dir).during("create", &dir)?;
    account.own(&dir)?;
    let program = found.bin.join("initdb");
    let mut command = tokio::process::Command::from(account.command(&program));
    command.kill_on_drop(true).arg("-D").arg(&dir);
    command.args(["--encoding=UTF8", "--locale=C", "--auth=trust", "--data-checksums", "--no-instructions"]);
    command.arg(format!("--username={SUPERUSER}"));
    if options.durability == Durability::FastAndLoose {
        command.arg("--no-sync");
    }
    let output = command.output().await;
    let output = output.map_err(|source| EmbeddedError::Program { program, user: account.name(), source })?;
    if !output.status.success() {
        let mut text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        // A container may run as a number without a name.
        if text.contains("could not look up effective user ID") {
            text.push_str("; give that user an entry in /etc/passwd, or start as a user that has one");
        }
        return Err(EmbeddedError::InitDb { dir: layout.root.clone(), output: text });
    }
    fs::rename(&dir, &layout.pgdata).during("rename", &dir)
}
