"""Targets that hold for any input, which no measurement can show, and the tests that show them."""

from __future__ import annotations

TESTED = [
    (
        "a kill in the middle of a write leaves the old file",
        "files/test_files.py::test_kill_at_any_moment_leaves_a_whole_file",
    ),
    ("hide: optimal is brute force", "hiding/test_hide.py::test_optimal_takes_the_fewest_marks"),
    (
        "hide: greedy is the paper's rule, position by position",
        "hiding/test_hide.py::test_greedy_is_the_papers_rule",
    ),
    (
        "hide: is_hidden on every combination of options, other rows untouched",
        "hiding/test_guarantees.py::test_hidden_and_untouched",
    ),
    (
        "k_anonymize: is_k_anonymous on every release, at every level",
        "k_anonymity/test_k_anonymize.py::test_the_release_of_any_table",
    ),
    (
        "k_anonymize: definition 3 by enumerating all subsequences",
        "k_anonymity/test_k_anonymize.py::test_definition_3_and_the_stronger_levels_by_enumeration",
    ),
    (
        "k_anonymize: the same for any row order, ids and partitions",
        "k_anonymity/test_k_anonymize.py::test_neither_row_order_nor_ids_nor_partitions_matter",
    ),
    (
        "k_anonymize: nothing of the input in the written file",
        "k_anonymity/test_k_anonymize.py::test_nothing_of_the_input_is_in_the_file",
    ),
    (
        "generalize: examples 5.2 and 5.6",
        "generalization/test_grouping.py::test_examples_5_2_and_5_6_as_printed",
    ),
    ("generalize: example 6.2", "generalization/test_grouping.py::test_example_6_2_the_distance_of_events"),
    (
        "generalize: example 7.2 and table III",
        "generalization/test_grouping.py::test_example_7_2_and_table_3",
    ),
    (
        "generalize: example 2.5",
        "generalization/test_generalize.py::test_figure_2a_is_as_diverse_as_the_paper_says_and_no_more",
    ),
    (
        "generalize: indexed gives the groups of baseline",
        "generalization/test_grouping.py::test_indexed_gives_the_groups_of_baseline",
    ),
    (
        "generalize: no lower bound is above the loss",
        "generalization/test_grouping.py::test_no_bound_is_above_the_loss",
    ),
    (
        "generalize: (g, l)-diversity for every window",
        "generalization/test_grouping.py::test_windows_that_begin_at_an_event_are_enough",
    ),
    (
        "generalize: is_generalized on every release, coverage both ways",
        "generalization/test_guarantees.py::test_releases_hide_everyone",
    ),
    (
        "sanitize: the optimum for one event is that of the paper's programme",
        "sanitization/test_sanitize.py::test_one_event_is_what_the_papers_programme_gives",
    ),
    (
        "sanitize: is_sanitized on every release",
        "sanitization/test_guarantees.py::test_sanitized_tables_are_sanitized",
    ),
    ("sanitize: strictly below delta, exactly", "sanitization/test_sanitize.py::test_strictly_below_delta"),
    (
        "mine: the supports of brute force over people",
        "mining/test_people.py::test_support_is_the_number_of_people",
    ),
    ("hide: few enough people, by brute force", "hiding/test_people.py::test_few_enough_people_are_left"),
    ("sanitize: no person, by brute force", "sanitization/test_people.py::test_no_person_shows_too_much"),
    ("mine: the patterns of brute force", "mining/test_mine.py::test_patterns_are_those_of_brute_force"),
    (
        "release_patterns: no channel for any pair",
        "pattern_release/test_release_patterns.py::test_supports_are_those_of_brute_force_and_no_pair_tells",
    ),
    (
        "release_patterns: the release is the mined table of a database",
        "pattern_release/test_release_patterns.py::test_a_release_is_the_mined_table_of_a_database",
    ),
    (
        "risk: whom attackers find who link is what brute force finds",
        "audit/test_linkage.py::test_attacks_are_what_brute_force_finds",
    ),
    (
        "risk: theorem 1, never above 1/k",
        "audit/test_risk.py::test_risk_of_a_release_is_that_of_the_theorem",
    ),
    (
        "risk: people with several sequences are found as brute force finds them",
        "audit/test_people.py::test_candidates_are_people",
    ),
    ("find: the matches of brute force", "audit/test_find.py::test_the_matches_are_those_of_brute_force"),
    (
        "changes: what brute force finds, however tables are aligned",
        "audit/test_changes.py::test_in_order_it_is_what_brute_force_finds",
    ),
    ("compare: measures by hand", "audit/test_compare.py::test_general_measures_by_hand"),
    (
        "Pipeline: whatever steps follow each other, every promise holds by brute force, or nothing is given",
        "pipeline/test_promises.py::test_every_promise_holds_in_the_end_or_nothing_is_given",
    ),
    (
        "pdseqpriv run: killed at any moment, the old files or the new ones",
        "command_line/test_bad_use.py::test_killed_at_any_moment_it_leaves_the_old_files_or_the_new_ones",
    ),
    (
        "pdseqpriv run: the same recipe, input and seed give the same bytes",
        "command_line/test_commands.py::test_a_second_run_gives_the_same_bytes",
    ),
    (
        "verify: releases that were tampered with are refused",
        "test_tampering.py::test_generalized_and_tampered_with",
    ),
]
