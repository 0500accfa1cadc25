//! Who Postgres runs as. It refuses to run as root, so root runs it as another user.

use std::{
    ffi::OsStr,
    os::unix::{fs::MetadataExt, process::CommandExt},
    path::Path,
    process::{Command, Stdio},
};

use super::{EmbeddedError, error::During};

/// Another user to run Postgres as.
#[derive(Debug, Clone)]
struct Other {
    name: String,
    uid: u32,
    gid: u32,
}

/// Who Postgres runs as: ourselves, or as root another user.
#[derive(Debug, Clone)]
pub(super) struct Account(Option<Other>);

impl Account {
    /// Ourselves, unless we are root: then `wanted`, or else `postgres`, or else `nobody`.
    pub(super) fn choose(wanted: Option<&str>) -> Result<Self, EmbeddedError> {
        if !is_root() {
            return Ok(Self(None));
        }
        let names = wanted.map_or_else(|| vec!["postgres", "nobody"], |name| vec![name]);
        let found = names.iter().find_map(|name| {
            let (uid, gid) = (id("-u", name)?, id("-g", name)?);
            (uid != 0).then(|| Other { name: (*name).to_owned(), uid, gid })
        });
        found
            .map(|other| Self(Some(other)))
            .ok_or_else(|| EmbeddedError::NoUser { wanted: names.join(" or ") })
    }

    /// Its name, for messages.
    pub(super) fn name(&self) -> String {
        self.0.as_ref().map_or_else(|| format!("{}", rustix::process::geteuid().as_raw()), |o| o.name.clone())
    }

    /// Whether it is somebody else than ourselves.
    pub(super) fn is_other(&self) -> bool {
        self.0.is_some()
    }

    /// A command that runs as this user, out of the reach of the terminal's signals and with nothing of our
    /// environment but the search paths: `PG…` variables and the caller's locale are not Postgres' business.
    pub(super) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("LC_ALL", "C").env("TZ", "UTC").current_dir("/").process_group(0);
        command.stdin(Stdio::null());
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Some(other) = &self.0 {
            // The standard library drops root's supplementary groups along with it.
            command.uid(other.uid).gid(other.gid);
        }
        command
    }

    /// Makes the user the owner of a file or folder.
    pub(super) fn own(&self, path: &Path) -> Result<(), EmbeddedError> {
        match &self.0 {
            Some(other) => std::os::unix::fs::chown(path, Some(other.uid), Some(other.gid))
                .during("change the owner of", path),
            None => Ok(()),
        }
    }

    /// Refuses a folder that the user cannot reach, naming the first one on the way that it may not enter.
    pub(super) fn must_reach(&self, wanted: &Path) -> Result<(), EmbeddedError> {
        let Some(other) = &self.0 else { return Ok(()) };
        let mut folders: Vec<&Path> = wanted.ancestors().collect();
        folders.reverse();
        for folder in folders {
            let meta = folder.metadata().during("look at", folder)?;
            let needed = if meta.uid() == other.uid {
                0o100
            } else if meta.gid() == other.gid {
                0o010
            } else {
                0o001
            };
            if meta.mode() & needed == 0 {
                let (folder, wanted) = (folder.to_owned(), wanted.to_owned());
                return Err(EmbeddedError::Unreachable { user: other.name.clone(), folder, wanted });
            }
        }
        Ok(())
    }
}

/// Whether this process is root's.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Asks the system's own `id`, which knows users of every kind, not only those of `/etc/passwd`.
fn id(what: &str, name: &str) -> Option<u32> {
    let output = Command::new("id").args([what, "--", name]).stderr(Stdio::null()).output().ok()?;
    if !output.status.success() {
        return None;
    }
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
