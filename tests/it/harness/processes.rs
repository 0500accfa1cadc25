//! Other programs' processes, as `/proc` shows them.

use rustix::process::{Pid, Signal};

/// Sends a signal. A process that ended by itself in the meantime is as good as signalled.
pub fn signal(process: u32, signal: Signal) {
    let process = Pid::from_raw(process.try_into().unwrap()).unwrap();
    let _ = rustix::process::kill_process(process, signal);
}

/// The processes of this parent.
pub fn started_by(parent: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap();
    let all = all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    all.filter(|process| stat(*process).is_some_and(|(_, of)| of == parent)).collect()
}

/// Whether it is stopped: from then on it starts no others.
pub fn is_stopped(process: u32) -> bool {
    stat(process).is_some_and(|(state, _)| state == "T")
}

/// Ended, whether or not anybody has taken note of it.
pub fn has_ended(process: u32) -> bool {
    stat(process).is_none_or(|(state, _)| state == "Z" || state == "X")
}

/// A process' state and parent.
fn stat(process: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}
