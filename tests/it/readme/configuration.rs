//! The table of settings, compared with what the program takes.

use std::collections::BTreeMap;

use clap::CommandFactory;
use memory_lifecycle::config::{Cli, FINGERPRINT_KEY_VARIABLE, TOKEN_KEY_VARIABLE};

use super::README;
use super::text::{rows, section};

/// Flag, variable and default, each as in the table; with the subcommands that take it.
type Settings = BTreeMap<[String; 3], Vec<String>>;

const NONE: &str = "–";

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

/// Whether a flag is not one that all have.
fn is_own(flag: &str) -> bool {
    !["help", "version", "log", "log-format"].contains(&flag)
}

/// Every subcommand with its name, those of subcommands too (`api-key list`).
fn subcommands<'a>(of: &str, command: &'a clap::Command) -> Vec<(String, &'a clap::Command)> {
    let own = command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help");
    own.flat_map(|subcommand| {
        let name = format!("{of}{}", subcommand.get_name());
        let within = subcommands(&format!("{name} "), subcommand);
        // One that has subcommands does something itself only if it has arguments of its own.
        let is_itself =
            within.is_empty() || subcommand.get_arguments().any(|one| one.get_long().is_some_and(is_own));
        is_itself.then_some((name, subcommand)).into_iter().chain(within).collect::<Vec<_>>()
    })
    .collect()
}

/// What the program takes.
fn taken() -> Settings {
    let mut cli = Cli::command();
    cli.build();
    let mut settings = Settings::new();
    for (name, subcommand) in subcommands("", &cli) {
        for argument in subcommand.get_arguments() {
            let Some(flag) = argument.get_long().filter(|flag| !["help", "version"].contains(flag)) else {
                continue;
            };
            let variable = argument.get_env().map(|name| quoted(name.to_str().unwrap()));
            // A switch has no value, so no default either.
            let takes_value = argument.get_action().takes_values();
            let defaults = argument.get_default_values().first().filter(|_| takes_value);
            let default = defaults.map(|default| quoted(default.to_str().unwrap()));
            // The program requires it itself, so as to tell of everything that is missing at once.
            let required = argument.is_required_set() || flag == "database-url";
            let default = default.or_else(|| required.then(|| "required".to_owned()));
            let row = [
                quoted(&format!("--{flag}")),
                variable.unwrap_or_else(|| NONE.to_owned()),
                default.unwrap_or_else(|| NONE.to_owned()),
            ];
            settings.entry(row).or_default().push(name.clone());
        }
    }
    // No arguments, so that they are in no list of processes.
    for variable in [TOKEN_KEY_VARIABLE, FINGERPRINT_KEY_VARIABLE] {
        let key = [NONE.to_owned(), quoted(variable), "required".to_owned()];
        settings.insert(key, vec!["serve".to_owned()]);
    }
    settings
}

#[test]
fn the_table_is_the_program() {
    let every = "all";
    let mut cli = Cli::command();
    cli.build();
    let mut shown = Settings::new();
    for row in rows(section(README, "configuration")) {
        let [flag, variable, default, of, meaning] = row.as_slice() else { panic!("five columns: {row:?}") };
        assert!(meaning.len() > 10, "{flag} {variable} has a meaning");
        let of: Vec<_> = if *of == every {
            subcommands("", &cli).into_iter().map(|(name, _)| name).collect()
        } else {
            of.split(", ").map(|name| name.trim_matches('`').to_owned()).collect()
        };
        shown.entry([flag, variable, default].map(|cell| (*cell).to_owned())).or_default().extend(of);
    }
    let taken = taken();
    let only_in = |these: &Settings, those: &Settings| -> Vec<_> {
        let different = these.iter().filter(|(row, of)| those.get(*row) != Some(of));
        different.map(|(row, of)| format!("{row:?} of {of:?}")).collect()
    };
    assert_eq!(
        only_in(&shown, &taken),
        Vec::<String>::new(),
        "README.md shows what the program does not take"
    );
    assert_eq!(
        only_in(&taken, &shown),
        Vec::<String>::new(),
        "README.md does not show what the program takes"
    );
}
