//! When to stop: SIGTERM, or Ctrl-C at a terminal.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for being asked to stop. Made at the very beginning, since until then such a signal ends the process on the
/// spot; one that comes before it is waited for is not lost.
#[derive(Debug)]
pub struct StopRequests {
    terminate: Signal,
    interrupt: Signal,
}

impl StopRequests {
    /// Listens from now on.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits until the process is asked to stop.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
