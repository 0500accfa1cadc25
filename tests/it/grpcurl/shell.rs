//! What a shell makes of command lines with grpcurl in them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;

use super::{Certificates, Command};

/// A program that notes what it was called with: the number of arguments, then each, all ended by a zero byte.
const STAND_IN: &str = "#!/bin/sh\nprintf '%s\\0' \"$#\" \"$@\" >>\"$NOTES\"\n";

/// The program itself.
const PROGRAM: &str = concat!("#!/bin/sh\nexec '", env!("CARGO_BIN_EXE_memory-lifecycle"), "' \"$@\"\n");

/// The calls in the lines that begin with grpcurl, in those that make its token, and in those that continue one.
pub fn commands(text: &str) -> Vec<Command> {
    let mut script = String::new();
    let mut continues = false;
    for line in text.lines() {
        let begins = ["grpcurl ", "TOKEN="].iter().any(|word| line.trim_start().starts_with(word));
        if continues || begins {
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
    Shell::new().run(script)
}

/// A folder to run scripts in, with a grpcurl that only notes its calls. What one script sets or defines, the next still
/// has.
pub struct Shell {
    dir: TempDir,
    environment: Vec<(String, String)>,
}

impl Shell {
    pub fn new() -> Self {
        let shell = Self { dir: tempfile::tempdir().unwrap(), environment: Vec::new() };
        std::fs::create_dir(shell.dir.path().join("bin")).unwrap();
        std::fs::write(shell.dir.path().join("state"), "").unwrap();
        shell.install("grpcurl", STAND_IN);
        shell.install("memory-lifecycle", PROGRAM);
        shell
    }

    /// Puts a script where commands are looked for.
    pub fn install(&self, name: &str, script: &str) {
        let path = self.dir.path().join("bin").join(name);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Sets a variable for the scripts.
    pub fn set(&mut self, name: &str, value: &str) {
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    /// Where scripts run.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// Runs a script to its end; it must succeed and complain of nothing. Answers the calls that it makes.
    pub fn run(&self, script: &str) -> Vec<Command> {
        let noted = self.dir.path().join("notes");
        std::fs::write(&noted, "").unwrap();
        let path = format!("{}/bin:{}", self.dir.path().display(), std::env::var("PATH").unwrap());
        let whole = format!("set -eua\n. ./state\n{script}\n{{ export -p; declare -f; }} >state");
        let output = std::process::Command::new("bash")
            .args(["-c", &whole])
            .current_dir(self.dir.path())
            .env("PATH", path)
            .env("NOTES", &noted)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{said}");
        calls(&std::fs::read_to_string(noted).unwrap())
    }
}

fn calls(noted: &str) -> Vec<Command> {
    let mut words = noted.split_terminator('\0');
    let mut commands = Vec::new();
    while let Some(count) = words.next() {
        commands.push(read(words.by_ref().take(count.parse().unwrap())));
    }
    commands
}

fn read<'a>(mut words: impl Iterator<Item = &'a str>) -> Command {
    let (mut data, mut headers, mut rest) = (String::from("{}"), Vec::new(), Vec::new());
    let mut certificates = Certificates::default();
    while let Some(word) = words.next() {
        match word {
            "-plaintext" => {}
            "-d" => words.next().unwrap().clone_into(&mut data),
            "-H" => {
                let (name, value) = words.next().unwrap().split_once(": ").unwrap();
                headers.push((name.to_owned(), value.to_owned()));
            }
            "-cacert" => certificates.authority = words.next().map(Into::into),
            "-cert" => certificates.certificate = words.next().map(Into::into),
            "-key" => certificates.key = words.next().map(Into::into),
            _ if word.starts_with('-') => panic!("an option nobody plays: {word}"),
            _ => rest.push(word.to_owned()),
        }
    }
    let [address, method] = rest.try_into().expect("an address and a method");
    Command { data, headers, certificates, address, method }
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
