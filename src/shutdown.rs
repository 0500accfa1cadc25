//! When to stop: SIGTERM, or Ctrl-C at a terminal.

use tokio::signal::unix::{SignalKind, signal};

/// Waits until the process is asked to stop.
pub async fn requested() -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
