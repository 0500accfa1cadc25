//! The program as a process: started with arguments, read line by line, asked to stop or killed.

use std::net::SocketAddr;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};

use crate::harness::{Caller, canaries};

/// Longer than anything here takes.
pub const LIMIT: Duration = Duration::from_mins(2);

/// The program with arguments, and with nothing of the environment that would configure it.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memory-lifecycle"));
    for (name, _) in std::env::vars_os() {
        if name == "DATABASE_URL" || name.as_encoded_bytes().starts_with(b"MEMORY_LIFECYCLE_") {
            command.env_remove(name);
        }
    }
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// What a program that has ended left.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// The exit code; none when a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }
}

/// Runs the program to its end.
pub async fn run(arguments: &[&str]) -> Ended {
    Program::start(command(arguments)).ended().await
}

/// The program while it runs. It is killed when this is dropped.
pub struct Program {
    child: Child,
    out: Lines,
    err: Lines,
}

impl Program {
    pub fn start(mut command: Command) -> Self {
        // What is there to be printed is no leak.
        let makes_secrets = command.as_std().get_args().any(|word| word == "create" || word == "mint-token");
        let watched: fn(&str) =
            if makes_secrets { |_| {} } else { |line| canaries::printed(line, "a program") };
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = Lines::of(child.stdout.take().unwrap(), watched);
        let err = Lines::of(child.stderr.take().unwrap(), |line| canaries::logged(line, "a program"));
        Self { child, out, err }
    }

    pub fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Waits for a line on standard output that holds this, and returns all that was printed until then.
    pub async fn printed(&mut self, wanted: &str) -> String {
        let (out, err) = (&mut self.out, &self.err);
        out.holding(wanted).await.unwrap_or_else(|text| {
            panic!(
                "{wanted:?} was not printed; on standard output:\n{text}\nand on standard error:\n{}",
                err.text()
            )
        })
    }

    /// Waits for a line in the log that holds this, and returns it.
    pub async fn logged(&mut self, wanted: &str) -> String {
        let text = self.err.holding(wanted).await;
        let text = text.unwrap_or_else(|text| panic!("{wanted:?} was not logged:\n{text}"));
        text.lines().find(|line| line.contains(wanted)).unwrap().to_owned()
    }

    pub fn signal(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_raw(self.pid().try_into().unwrap()).unwrap(), signal)
            .unwrap();
    }

    /// Waits until the program has ended.
    pub async fn ended(mut self) -> Ended {
        let wait = tokio::time::timeout(LIMIT, self.child.wait());
        let status = wait.await.unwrap_or_else(|_| panic!("does not end:\n{}", self.err.text())).unwrap();
        // Standard error can outlive the program, in the hands of what it started; its lines until now are enough.
        let out = self.out.rest().await;
        Ended { status, out, err: self.err.rest().await }
    }

    /// Asks the program to stop, as a service manager would, and waits until it has.
    pub async fn terminate(self) -> Ended {
        self.signal(Signal::TERM);
        self.ended().await
    }

    /// Kills the program, so that it can do nothing any more.
    pub async fn kill(self) {
        self.signal(Signal::KILL);
        assert_eq!(self.ended().await.code(), None);
    }
}

/// The lines of a stream so far.
struct Lines {
    so_far: watch::Receiver<String>,
    reading: JoinHandle<()>,
}

impl Lines {
    /// Each line is shown to `watched` first.
    fn of(stream: impl AsyncRead + Unpin + Send + 'static, watched: fn(&str)) -> Self {
        let (sender, so_far) = watch::channel(String::new());
        let reading = tokio::spawn(async move {
            let mut lines = BufReader::new(stream).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                watched(&line);
                sender.send_modify(|text| {
                    text.push_str(&line);
                    text.push('\n');
                });
            }
        });
        Self { so_far, reading }
    }

    fn text(&self) -> String {
        self.so_far.borrow().clone()
    }

    /// Waits until a line holds this; answers all lines, in the error when the stream ended or time ran out.
    async fn holding(&mut self, wanted: &str) -> Result<String, String> {
        let found = self.so_far.wait_for(|text| text.contains(wanted));
        let found = tokio::time::timeout(LIMIT, found).await.is_ok_and(|found| found.is_ok());
        if found { Ok(self.text()) } else { Err(self.text()) }
    }

    async fn rest(self) -> String {
        tokio::time::timeout(LIMIT, self.reading).await.expect("the stream ends with the program").unwrap();
        self.so_far.borrow().clone()
    }
}

/// The caller "default" of tenant "default" at an address.
pub fn caller(address: SocketAddr) -> Caller {
    Caller::new(channel(address), "default", "default")
}

pub fn channel(address: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{address}")).unwrap().connect_lazy()
}
