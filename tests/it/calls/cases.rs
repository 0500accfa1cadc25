//! Faults met in other systems that forget, each with the test that keeps it out here.
//!
//! Rows that need what does not exist yet (edges, holds) are not in it.

mod choosing;
mod forgetting;
mod keeping;
mod traces;

/// The number of each fault, what went wrong, and the test that would find it here.
const CASES: [(u32, &str, &str); 52] = [
    (
        1,
        "one user's memories were deleted with the whole collection",
        "calls::cases::forgetting::forgetting_all_of_one_tenant_leaves_the_other_untouched",
    ),
    (
        2,
        "an empty filter meant everything",
        "calls::bad_input::selectors::present_but_empty_is_a_fault_and_never_unset",
    ),
    (3, "an empty id was a real filter", "calls::bad_input::ids::an_id_or_name_in_a_filter_is_named"),
    (
        4,
        "a bare id reached another tenant's memory",
        "calls::reach::a_memory_out_of_reach_is_answered_like_an_unknown_one",
    ),
    (
        5,
        "restore and history did not check the owner",
        "calls::reach::the_audit_log_and_the_operations_of_others_are_answered_like_unknown_ones",
    ),
    (
        8,
        "a memory in another graph was not found",
        "calls::cases::forgetting::the_graph_named_with_an_id_must_be_the_memorys",
    ),
    (
        9,
        "the purge timer seemed dead and the id was lost",
        "calls::expiry::the_sweeper_erases_without_any_call",
    ),
    (
        11,
        "a wildcard as an id hit other memories",
        "calls::cases::forgetting::a_wildcard_as_an_id_is_only_itself",
    ),
    (
        14,
        "a missing id was resolved to the nearest",
        "calls::cases::forgetting::no_part_or_variant_of_an_id_is_taken_for_it",
    ),
    (
        19,
        "success although nothing matched",
        "calls::cases::forgetting::an_unknown_id_is_never_a_success_nor_a_fault_of_the_server",
    ),
    (
        21,
        "success, and still there",
        "calls::cases::keeping::what_was_forgotten_is_gone_from_every_read_of_another_connection",
    ),
    (
        22,
        "an unknown id crashed the server",
        "calls::cases::forgetting::an_unknown_id_is_never_a_success_nor_a_fault_of_the_server",
    ),
    (
        23,
        "an id of another form was an outage",
        "calls::cases::forgetting::an_unknown_id_is_never_a_success_nor_a_fault_of_the_server",
    ),
    (
        25,
        "prefixes promised and rejected",
        "calls::cases::forgetting::no_part_or_variant_of_an_id_is_taken_for_it",
    ),
    (
        26,
        "an id that is read could not be forgotten",
        "calls::cases::forgetting::every_id_that_a_read_shows_can_be_forgotten",
    ),
    (
        27,
        "ids that do not exist were counted as deleted",
        "calls::cases::forgetting::the_counters_sum_to_what_was_asked",
    ),
    (
        29,
        "forgetting again was an error",
        "calls::forget::forgetting_softly_again_changes_nothing_and_says_when_it_was",
    ),
    (
        30,
        "a retry could not tell deleted from never there",
        "calls::request_id::a_repeated_forget_is_answered_as_the_first",
    ),
    (
        31,
        "existence showed in the answer",
        "calls::reach::a_memory_out_of_reach_is_answered_like_an_unknown_one",
    ),
    (
        33,
        "gone here, there in search",
        "calls::cases::keeping::what_was_forgotten_is_gone_from_every_read_of_another_connection",
    ),
    (
        41,
        "content stayed behind in some table",
        "calls::cases::traces::nothing_of_a_hard_forgotten_memory_is_left_in_any_table",
    ),
    (
        42,
        "content stayed on disk after deletion",
        "calls::cases::traces::nothing_of_a_hard_forgotten_memory_is_left_in_any_table",
    ),
    (
        53,
        "saving archived content anew violated a constraint",
        "calls::cases::keeping::the_same_content_can_be_saved_again_and_again",
    ),
    (58, "the purge time moved with every look", "calls::expiry::a_purge_time_moves_only_with_a_new_forget"),
    (
        61,
        "a restore overwrote a row that took the id",
        "calls::cases::keeping::a_restore_and_a_save_of_the_same_id_never_overwrite_each_other",
    ),
    (
        63,
        "simultaneous restores leaked internal errors",
        "calls::cases::keeping::twenty_restores_at_once_bring_it_back_once",
    ),
    (64, "no way back from an accident", "calls::cases::forgetting::a_forget_without_a_mode_can_be_undone"),
    (
        69,
        "saving the same twice deleted the old one",
        "calls::cases::keeping::the_same_content_can_be_saved_again_and_again",
    ),
    (
        73,
        "the preview counted none",
        "calls::cases::forgetting::a_preview_counts_what_the_forget_then_forgets",
    ),
    (
        77,
        "a half success made the retry impossible",
        "calls::cases::forgetting::the_same_hundred_ids_can_be_sent_again_after_a_half_success",
    ),
    (
        81,
        "an erased id could not be created again",
        "calls::forget::a_hard_forget_erases_active_and_archived_memories_and_frees_the_id",
    ),
    (
        83,
        "after a timeout nobody knew",
        "calls::cases::keeping::after_a_timeout_the_same_request_tells_what_became_of_it",
    ),
    (87, "history without times", "calls::audit::the_log_is_a_chain_without_gaps_and_times_never_go_back"),
    (
        90,
        "the audit failed and the forget stood",
        "calls::cases::traces::a_change_whose_record_cannot_be_written_does_not_happen",
    ),
    (
        92,
        "a transition did not move time and version",
        "calls::cases::keeping::every_transition_moves_version_and_time",
    ),
    (
        94,
        "deletions were only in logs that rotate",
        "calls::cases::traces::the_audit_log_answers_by_id_long_after",
    ),
    (78, "deadlocks from lists in another order", "calls::cases::keeping::lists_in_any_order_never_deadlock"),
    (
        20,
        "an index lagged behind the answer",
        "calls::cases::keeping::what_was_forgotten_is_gone_from_every_read_of_another_connection",
    ),
    (
        10,
        "one shared word was enough to be deleted",
        "calls::cases::choosing::all_words_are_asked_for_and_not_one_of_them",
    ),
    (
        15,
        "the first hit was deleted without a preview",
        "calls::sets::without_a_token_nothing_is_forgotten_unless_there_is_nothing_to_forget",
    ),
    (17, "what was only near was deleted at once", "calls::target::several_are_named_and_nothing_is_touched"),
    (
        34,
        "ghosts pushed out what was there",
        "calls::cases::choosing::a_forgotten_memory_takes_no_place_from_one_that_is_there",
    ),
    (
        35,
        "all was clean and recall still answered",
        "calls::verify::what_is_forgotten_is_not_recalled_and_what_says_the_same_is_counted",
    ),
    (55, "a restore went past what a user had asked for", "calls::suppression::a_restore_needs_to_lift_it"),
    (
        66,
        "what was deleted was learnt again",
        "calls::suppression::nobody_recalls_it_any_more_and_nobody_saves_it",
    ),
    (67, "a correction barred the fact for ever", "calls::suppression::a_correction_bars_nothing"),
    (70, "the dry run gave only a number", "calls::sets::a_set_is_shown_and_just_that_is_forgotten"),
    (72, "the dry run was of another command", "calls::target::several_are_named_and_nothing_is_touched"),
    (
        73,
        "the preview counted none of 1600",
        "calls::cases::choosing::sixteen_hundred_are_counted_as_sixteen_hundred",
    ),
    (
        74,
        "the set changed between listing and deleting",
        "calls::sets::what_changed_since_the_preview_is_found_out",
    ),
    (
        75,
        "only the first hundred were deleted",
        "selection::large::two_hundred_and_fifty_among_a_thousand_are_forgotten_by_one_call",
    ),
    (80, "a huge delete timed out", "calls::sets::a_set_that_is_too_large_is_refused_with_both_numbers"),
];

/// Every test that is named exists: its module and its function.
#[test]
fn every_case_has_its_test() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for (number, fault, test) in CASES {
        let mut path: Vec<&str> = test.split("::").collect();
        let function = path.pop().unwrap();
        let file = folder.join(path.join("/")).with_extension("rs");
        let text =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{number} {file:?}: {error}"));
        assert!(text.contains(&format!("fn {function}(")), "{number}, {fault}: {test}");
    }
}
