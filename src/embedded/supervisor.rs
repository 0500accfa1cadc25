//! The shell that keeps Postgres from outliving its owner.

use std::{
    ffi::{OsStr, OsString},
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    time::Duration,
};

use tokio::sync::watch;

use super::{EmbeddedError, find::Found, layout::Layout, user::Account};

/// The script. It is constant: whatever varies is an argument.
const SCRIPT: &str = include_str!("supervise.sh");

/// How long the fast shutdown, and then the hard one, may take.
const STOP_LIMIT: Duration = Duration::from_mins(1);

/// How far Postgres has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// Not started.
    Idle,
    /// Running, with this process id.
    Running(u32),
    /// Ended, with this exit status; the supervisor is still there.
    Exited(String),
    /// Ended, and what was temporary is removed.
    Gone,
}

impl State {
    /// Whether Postgres has ended.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Exited(_) | Self::Gone)
    }
}

/// The running supervisor. Dropping it closes its standard input, which ends Postgres and removes what is temporary.
#[derive(Debug)]
pub(super) struct Supervisor {
    owner: Option<ChildStdin>,
    state: watch::Receiver<State>,
}

impl Supervisor {
    /// Starts the supervisor, which waits for [`Self::start_postgres`]. From here on, temporary folders are its to remove.
    pub(super) fn spawn(
        layout: &Layout,
        found: &Found,
        account: &Account,
        arguments: Vec<OsString>,
    ) -> Result<Self, EmbeddedError> {
        let mut command = account.command("/bin/sh");
        command.args(["-c", SCRIPT, "supervise-postgres"]);
        command.args(
            layout.temporary.iter().map(|dir| dir.as_deref().map_or(OsStr::new(""), |dir| dir.as_os_str())),
        );
        command.arg(&layout.log).arg(found.bin.join("postgres")).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let failed =
            |source| EmbeddedError::Program { program: "/bin/sh".into(), user: account.name(), source };
        let mut child = command.spawn().map_err(failed)?;
        let (owner, stdout) = (child.stdin.take(), child.stdout.take());
        let (sender, state) = watch::channel(State::Idle);
        // A thread and not a task: the cluster may outlive the runtime that started it, as it does in tests.
        let watching = std::thread::Builder::new().name("supervise-postgres".to_owned());
        watching.spawn(move || follow(child, stdout, &sender)).map_err(failed)?;
        Ok(Self { owner, state })
    }

    /// Lets it start Postgres, and waits for the process.
    pub(super) async fn start_postgres(&mut self) -> Option<u32> {
        let written = self.owner.as_mut().map(|pipe| pipe.write_all(b"start\n"));
        if !matches!(written, Some(Ok(()))) {
            return None;
        }
        match self.state.wait_for(|state| *state != State::Idle).await.as_deref() {
            Ok(State::Running(pid)) => Some(*pid),
            _ => None,
        }
    }

    /// A view of how far Postgres has got.
    pub(super) fn state(&self) -> watch::Receiver<State> {
        self.state.clone()
    }

    /// Ends Postgres, and waits until it is gone and what was temporary is removed; in the error, how many seconds.
    pub(super) async fn stop(mut self) -> Result<(), u64> {
        self.owner = None;
        let gone = self.state.wait_for(|state| *state == State::Gone);
        match tokio::time::timeout(STOP_LIMIT, gone).await {
            Ok(_) => Ok(()),
            Err(_) => Err(STOP_LIMIT.as_secs()),
        }
    }
}

/// Passes on what the supervisor tells.
fn follow(mut child: Child, stdout: Option<ChildStdout>, sender: &watch::Sender<State>) {
    for line in stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).map_while(Result::ok) {
        match line.split_once(' ') {
            Some(("pid", pid)) => {
                sender.send_replace(State::Running(pid.parse().unwrap_or(0)));
            }
            Some(("exit", status)) => {
                sender.send_replace(State::Exited(status.to_owned()));
            }
            _ => {}
        }
    }
    if let Err(error) = child.wait() {
        tracing::warn!(%error, "cannot wait for the supervisor of the private Postgres");
    }
    sender.send_replace(State::Gone);
}
