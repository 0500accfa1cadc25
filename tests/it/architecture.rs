//! The rules of the layout that no compiler knows, checked by reading the source files.
//!
//! Each rule is a function from files to violations, so that it is tested twice: on this tree, which must be clean, and
//! beside the rule on a made-up offender, which must be reported.

mod imports;
mod paths;
mod places;
mod shape;
mod source;
mod sql;
mod tenants;
mod tokens;

use source::Violation;

/// Fails with every violation at once, each as `file:line: what it is, and the rule`.
#[track_caller]
fn assert_clean(violations: &[Violation]) {
    let report: Vec<_> = violations.iter().map(ToString::to_string).collect();
    assert!(
        report.is_empty(),
        "{} violation(s) of the layout's rules:\n  {}",
        report.len(),
        report.join("\n  ")
    );
}

#[test]
fn the_tree_is_read_at_all() {
    let files = source::tree();
    for expected in ["src/lib.rs", "src/main.rs", "build.rs", "tests/it/main.rs"] {
        assert!(
            files.iter().any(|file| file.path == expected),
            "{expected} was not found: is the walk broken?"
        );
    }
}

#[test]
fn no_file_is_too_long() {
    assert_clean(&shape::too_long(&source::tree()));
}

#[test]
fn tests_wait_for_events_not_for_time() {
    assert_clean(&shape::sleeping_tests(&source::tree()));
}

#[test]
fn imports_only_point_right() {
    assert_clean(&imports::wrong_way(&source::tree()));
}

#[test]
fn every_module_has_a_row_in_the_import_table() {
    assert_clean(&imports::unknown_modules(&source::tree()));
}

#[test]
fn a_status_is_made_in_one_place() {
    assert_clean(&places::stray_statuses(&source::tree()));
}

#[test]
fn environment_variables_are_named_in_config_only() {
    assert_clean(&places::stray_environment(&source::tree()));
}

#[test]
fn spans_and_metrics_are_named_in_telemetry_only() {
    assert_clean(&places::stray_telemetry(&source::tree()));
}

#[test]
fn statements_keep_their_form() {
    assert_clean(&sql::malformed(&source::tree()));
}

#[test]
fn statements_stay_in_their_tenant() {
    assert_clean(&tenants::unbound(&source::tree()));
}

#[test]
fn heads_are_locked_by_a_statement_that_reads_nothing_else() {
    assert_clean(&sql::heads_read_with_more(&source::tree()));
}
