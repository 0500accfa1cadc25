//! What a shell makes of command lines with grpcurl in them.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use super::Command;

/// A grpcurl that notes what it was called with: the number of arguments, then each, all ended by a zero byte.
const STAND_IN: &str = "#!/bin/sh\nprintf '%s\\0' \"$#\" \"$@\" >>\"$GRPCURL_CALLS\"\n";

/// The calls in the lines that begin with grpcurl, and in those that continue one.
pub fn commands(text: &str) -> Vec<Command> {
    let mut script = String::new();
    let mut continues = false;
    for line in text.lines() {
        if continues || line.trim_start().starts_with("grpcurl ") {
            // What becomes of the answer is not the call's concern.
            script.push_str(line.split(" | ").next().unwrap());
            script.push('\n');
            continues = line.ends_with('\\');
        }
    }
    run(&script)
}

/// The calls that a script makes.
pub fn run(script: &str) -> Vec<Command> {
    let dir = tempfile::tempdir().unwrap();
    let (stand_in, calls) = (dir.path().join("grpcurl"), dir.path().join("calls"));
    std::fs::write(&stand_in, STAND_IN).unwrap();
    std::fs::set_permissions(&stand_in, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(&calls, "").unwrap();
    let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap());
    let output = std::process::Command::new("/bin/sh")
        .args(["-eu", "-c", script])
        .env("PATH", path)
        .env("GRPCURL_CALLS", &calls)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{script}\n{said}");
    let noted = std::fs::read_to_string(&calls).unwrap();
    let mut words = noted.split_terminator('\0');
    let mut commands = Vec::new();
    while let Some(count) = words.next() {
        commands.push(read(words.by_ref().take(count.parse().unwrap())));
    }
    commands
}

fn read<'a>(mut words: impl Iterator<Item = &'a str>) -> Command {
    let (mut data, mut headers, mut rest) = (String::from("{}"), Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        match word {
            "-plaintext" => {}
            "-d" => words.next().unwrap().clone_into(&mut data),
            "-H" => {
                let (name, value) = words.next().unwrap().split_once(": ").unwrap();
                headers.push((name.to_owned(), value.to_owned()));
            }
            _ if word.starts_with('-') => panic!("an option nobody plays: {word}"),
            _ => rest.push(word.to_owned()),
        }
    }
    let [address, method] = rest.try_into().expect("an address and a method");
    Command { data, headers, address, method }
}

#[test]
fn a_shell_reads_what_people_paste() {
    let text = "Try:\n\n  grpcurl -plaintext -H 'x-agent-id: a' -d '{\"a\": \"it'\\''s\"}' \\\n    host:1 p.S/M\nand\n  grpcurl host:2 p.S/N\n";
    let found = commands(text);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].data, "{\"a\": \"it's\"}");
    assert_eq!(found[0].headers, [("x-agent-id".to_owned(), "a".to_owned())]);
    assert_eq!((found[0].address.as_str(), found[0].method.as_str()), ("host:1", "p.S/M"));
    assert_eq!((found[1].data.as_str(), found[1].method.as_str()), ("{}", "p.S/N"));
}
