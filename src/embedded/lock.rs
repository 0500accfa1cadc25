//! One owner a data folder, and what a crashed owner left behind.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{Seek, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    time::Duration,
};

use rustix::{io::Errno, process::Pid};

use super::{EmbeddedError, error::During, layout::Layout, settings::SOCKET_FILE};

/// How long a Postgres whose owner died may take to end.
const LEFTOVER_LIMIT: Duration = Duration::from_secs(30);

/// How often to look whether it has ended.
const LEFTOVER_INTERVAL: Duration = Duration::from_millis(50);

/// Takes the data folder for this process. The system gives the lock back when the process ends, however it ends.
pub(super) fn take(layout: &Layout) -> Result<File, EmbeddedError> {
    let path = layout.root.join("owner.lock");
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .during("open", &path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let owner = text.lines().next().filter(|line| !line.is_empty()).unwrap_or("unknown").to_owned();
            return Err(EmbeddedError::InUse { dir: layout.root.clone(), owner });
        }
        Err(TryLockError::Error(source)) => return Err(source).during("lock", &path),
    }
    file.set_len(0).during("write", &path)?;
    file.rewind().during("write", &path)?;
    writeln!(file, "{}", std::process::id()).during("write", &path)?;
    Ok(file)
}

/// Waits for a Postgres that a dead owner left to its supervisor, then clears what a crash left. Call it with the lock.
pub(super) async fn clear_leftovers(layout: &Layout) -> Result<(), EmbeddedError> {
    let pid_file = layout.pgdata.join("postmaster.pid");
    let waited = tokio::time::timeout(LEFTOVER_LIMIT, async {
        while running(&pid_file, &layout.pgdata).is_some() {
            tokio::time::sleep(LEFTOVER_INTERVAL).await;
        }
    });
    if waited.await.is_err()
        && let Some(pid) = running(&pid_file, &layout.pgdata)
    {
        let seconds = LEFTOVER_LIMIT.as_secs();
        return Err(EmbeddedError::StillRunning { dir: layout.root.clone(), pid: pid.as_raw_pid(), seconds });
    }
    // Nobody runs here. Postgres would refuse these files if their process id was given to another process since.
    let lock_of_socket = format!("{SOCKET_FILE}.lock");
    for file in [pid_file, layout.socket.join(SOCKET_FILE), layout.socket.join(lock_of_socket)] {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).during("remove", &file);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The Postgres that runs in a cluster's folder.
fn running(pid_file: &Path, pgdata: &Path) -> Option<Pid> {
    let text = fs::read_to_string(pid_file).ok()?;
    let pid = Pid::from_raw(text.lines().next()?.trim().parse().ok().filter(|pid| *pid > 0)?)?;
    if matches!(rustix::process::test_kill_process(pid), Err(Errno::SRCH)) {
        return None;
    }
    // Where the system tells it (Linux): Postgres works in its data folder, so any other process only got its number.
    if Path::new("/proc/self/cwd").exists() {
        let folder = fs::read_link(format!("/proc/{}/cwd", pid.as_raw_pid())).ok()?;
        return (folder == pgdata).then_some(pid);
    }
    Some(pid)
}
