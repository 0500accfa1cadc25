//! The settings that Postgres is started with.

use std::{ffi::OsString, path::Path};

use super::{ClusterOptions, Durability};

/// The port: it only names the socket's file, nothing listens on it.
pub(super) const PORT: u16 = 5432;

/// The name of the socket's file.
pub(super) const SOCKET_FILE: &str = ".s.PGSQL.5432";

/// What callers may change. The log must not repeat what rows hold: neither statements, nor parameters, nor the DETAIL
/// of an error, nor the text of an error that quotes a value (so only LOG, FATAL and PANIC are written).
const DEFAULTS: &[(&str, &str)] = &[
    ("log_error_verbosity", "terse"),
    ("log_statement", "none"),
    ("log_parameter_max_length", "0"),
    ("log_parameter_max_length_on_error", "0"),
    ("log_min_error_statement", "panic"),
    ("log_min_messages", "log"),
    ("log_min_duration_statement", "-1"),
    ("log_line_prefix", "%m [%p] "),
    ("timezone", "UTC"),
    ("log_timezone", "UTC"),
];

/// What makes tests fast.
const FAST_AND_LOOSE: &[(&str, &str)] = &[("fsync", "off"), ("full_page_writes", "off")];

/// What keeps the cluster private and its log where it is.
const FIXED: &[(&str, &str)] = &[
    ("listen_addresses", ""),
    ("unix_socket_permissions", "0700"),
    ("logging_collector", "off"),
    ("log_destination", "stderr"),
];

/// The arguments of `postgres`. The last of several equal settings wins.
pub(super) fn arguments(options: &ClusterOptions, pgdata: &Path, socket: &Path) -> Vec<OsString> {
    let loose = options.durability == Durability::FastAndLoose;
    let chosen = DEFAULTS.iter().chain(FAST_AND_LOOSE.iter().filter(|_| loose)).copied();
    let extra = options.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut arguments = vec![OsString::from("-D"), pgdata.into()];
    for (name, value) in chosen.chain(extra).chain(FIXED.iter().copied()) {
        arguments.extend([OsString::from("-c"), format!("{name}={value}").into()]);
    }
    // A list of folders, in which a comma or a space would mean something.
    let quoted = format!("unix_socket_directories=\"{}\"", socket.display().to_string().replace('"', "\"\""));
    arguments.extend([
        OsString::from("-c"),
        quoted.into(),
        OsString::from("-c"),
        format!("port={PORT}").into(),
    ]);
    arguments
}
