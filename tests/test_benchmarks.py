"""The algorithms that the library is held against give the same answers; nothing here is timed."""

from __future__ import annotations

import doctest
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from benchmarks import checks, growth, report
from benchmarks.cases import Case, CutOffError, Measured, SkippedError, Target
from benchmarks.checks import all_checks, check_growth, check_time
from benchmarks.data import plain
from benchmarks.growth import exponent
from benchmarks.measure import in_plain_words, measure, measure_one
from benchmarks.papers.bf_p2ka import bf_p2ka
from benchmarks.papers.odesa import odesa
from benchmarks.papers.pics import pics
from benchmarks.papers.pretsa import pretsa
from benchmarks.papers.sequence_hiding import hide_sequences
from benchmarks.races import Runner, race
from benchmarks.run import chosen, groups
from benchmarks.starts import Start
from tests.naive.release_patterns import release


@pytest.fixture(scope="module")
def visits():
    return plain(pdseqpriv.datasets.make_clickstream(400, n_pages=8, seed=1))


def table_of(sequences):
    rows = [(i, event, t) for i, events in enumerate(sequences) for t, event in enumerate(events)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


def bag(frame):
    return sorted(map(tuple, frame.sort_values(["seq_id", "time"]).groupby("seq_id")["event"].agg(list)))


@pytest.mark.parametrize("k", [2, 5, 40])
def test_bf_p2ka_gives_our_prefix_tree(visits, k):
    ours = visits.seqpriv.k_anonymize(k, method="prefix_tree")
    assert len(ours) < len(visits)
    assert bag(bf_p2ka(visits, k)) == bag(ours)


@pytest.mark.parametrize("max_support", [0, 7, 60])
def test_hiding_by_recounting_marks_the_same_rows(visits, max_support):
    pages = visits["event"].value_counts().index
    patterns = [" -> ".join(pages[:3]), f"{pages[1]} -> {pages[1]}"]
    marked = visits.seqpriv.hide(patterns, max_support=max_support, marking="greedy", selection="shared")
    rows = np.flatnonzero(marked["event"].isna())
    assert rows.size > 0
    assert hide_sequences(visits, patterns, max_support).tolist() == rows.tolist()


def test_hiding_marks_what_the_paper_marks():
    # Example 2: the third position is in all four matches.
    frame = table_of(["aabccbae"])
    assert hide_sequences(frame, ["a -> b -> c"], 0).tolist() == [2]


@pytest.mark.parametrize(("k", "alpha"), [(3, 0.99), (5, 0.9), (10, 0.5)])
def test_pics_by_all_pairs_gives_our_supports(visits, k, alpha):
    mined = visits.seqpriv.mine(20)
    theirs = pics(mined, k, alpha).set_index("pattern")["support"].to_dict()
    ours = pdseqpriv.release_patterns(mined, k=k, alpha=alpha).set_index("pattern")["support"].to_dict()
    assert theirs == ours
    supports = {
        tuple((event,) for event in p): n for p, n in zip(mined["pattern"], mined["support"], strict=True)
    }
    by_hand, added = release(supports, k, alpha)
    assert added
    assert theirs == {tuple(event for (event,) in p): n for p, n in by_hand.items()}


def error_of(before, after, alphabet):
    """Add up the squared differences of smoothed event distributions over the time points."""
    total = 0.0
    for old, new in zip(before, after, strict=True):
        for event in alphabet:
            shares = [(c.get(event, 0) + 0.5) / (sum(c.values()) + 0.5 * len(alphabet)) for c in (old, new)]
            total += (shares[0] - shares[1]) ** 2
    return total


def counts_of(frame, times):
    return [frame["event"][frame["time"] == time].value_counts().to_dict() for time in times]


@pytest.mark.parametrize("seed", range(5))
def test_odesa_gives_the_error_of_ours(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"event": rng.choice(list("aabcd"), 120), "time": np.sort(rng.integers(0, 20, 120))})
    frame["seq_id"] = np.arange(120)
    times, alphabet = sorted(frame["time"].unique()), sorted(frame["event"].unique())
    before = counts_of(frame, times)
    released = frame.seqpriv.sanitize(0.25, events=["a"], scope="table")
    assert len(released) < len(frame)
    least = odesa(
        np.array([counts.get("a", 0) for counts in before]),
        np.array([sum(counts.values()) for counts in before]),
        np.array([sum(n * (n + 1) for n in counts.values()) for counts in before]),
        len(alphabet),
        1,
        4,
    )
    assert math.isclose(least, error_of(before, counts_of(released, times), alphabet), rel_tol=1e-9)


def test_pretsa_merges_as_by_hand():
    # With k = 8, in tree order: the 7 that pay after "receive, update" go to the first of two at distance
    # one, the case with two updates follows them, and the 5 that reject after "update, receive" pay.
    pay = ["create", "receive", "update", "check", "pay"]
    reject = ["create", "receive", "update", "check", "reject"]
    other_pay = ["create", "update", "receive", "check", "pay"]
    other_reject = ["create", "update", "receive", "check", "reject"]
    twice = ["create", "receive", "update", "update", "check", "pay"]
    log = table_of([other_pay] * 10 + [other_reject] * 5 + [pay] * 7 + [reject] * 5 + [twice])
    assert bag(pretsa(log, 8)) == sorted([tuple(reject)] * 13 + [tuple(other_pay)] * 15)


@pytest.mark.parametrize("k", [3, 20])
def test_every_beginning_of_a_pretsa_release_is_shared(visits, k):
    released = bag(pretsa(visits, k))
    assert len(released) == visits["seq_id"].nunique()
    assert released != bag(visits)
    beginnings = pd.Series([case[:n] for case in released for n in range(1, len(case) + 1)]).value_counts()
    assert beginnings.min() >= k


def test_pretsa_drops_what_nothing_is_like():
    assert len(pretsa(table_of(["ab", "ab", "cd"]), 5)) == 0


def test_cases_name_each_other_and_themselves_once():
    cases = [case for group in groups().values() for case in group]
    names = [case.name for case in cases]
    assert len(set(names)) == len(names)
    wanted = {name for case in cases if case.target for name in case.target.of}
    assert wanted | {case.beside for case in cases if case.beside} <= set(names)
    assert {case.name for case in chosen(["hide as the paper"])} == {
        "hide as the paper does, 1,000 allowed, msnbc"
    }


def test_exponents_are_fitted_on_what_came_to_an_end():
    assert math.isclose(exponent([1, 10, 100], [2, 200, 20_000]), 2)
    assert math.isclose(exponent([1, 10, 100], [2, 20, math.nan]), 1)
    assert math.isnan(exponent([1, 10], [2, math.nan]))


@pytest.mark.parametrize("module", [checks, growth])
def test_examples_in_benchmarks(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def nothing(_=None):
    return None


@pytest.fixture
def cases():
    runners = Runner("ours", nothing), Runner("as printed", nothing)
    target = Target(1 / 3, ("slow", "quick", "absent"))
    return [
        Case("unit", nothing, nothing),
        Case("slow", nothing, nothing),
        Case("quick", nothing, nothing, reported=float),
        Case("fast", nothing, nothing, target, memory_target=10),
        *race(*runners, sizes=(1, 10), counted="rows", prepare=nothing, most=0.01),
    ]


@pytest.fixture
def measured():
    return {
        "unit": Measured(1, 1, 1, 5, runs=3),
        "slow": Measured(20, trouble="> 20 s, cut off"),
        "quick": Measured(5, 5, 5, 5, alone=3.0, runs=3),
        "fast": Measured(1.0, 1.0, 1.5, 11, runs=3),
        "as printed, 1 rows": Measured(1, 1, 1, 1, runs=3),
        "ours, 1 rows": Measured(0.1, 0.1, 0.1, 1, runs=3, stand_in=True),
        "as printed, 10 rows": Measured(100, 100, 100, 1, runs=1),
        "ours, 10 rows": Measured(1, 1, 1, 1, runs=3),
    }


def test_targets_say_whether_they_hold(cases, measured):
    found = all_checks(cases, measured, [Start("mine", 9.0, 0.6)], 0.04)
    assert [(check.what, check.verdict) for check in found] == [
        ("fast", "yes"),  # a third of what the quick one reports without its start
        ("fast", "NO"),  # 11 MB
        ("ours, 10 rows", "yes"),
        ("import pdseqpriv", "yes"),
        ("mine, first call, warm cache", "NO"),
    ]
    assert "3.00 s, quick" in found[0].measured


def test_what_failed_does_not_hold(cases, measured):
    measured["fast"] = Measured(trouble="failed: it broke")
    check = check_time(cases[3], measured)
    assert (check.measured, check.verdict) == ("failed: it broke", "not measured")
    # Where one of the others is missing, nobody knows whether it would have been the best.
    found = {**measured, "fast": Measured(0.5), "slow": Measured(trouble="skipped: no Java")}
    assert check_time(cases[3], found).verdict == "not measured"
    assert check_time(cases[3], {**found, "fast": Measured(5.0)}).verdict == "NO"
    curve = "k_anonymize, 17 pages"
    sizes = [Case(f"{n}", nothing, nothing, curve=curve, size=n) for n in (1, 10, 100)]
    found = {"1": Measured(1), "10": Measured(10), "100": Measured(trouble="did not end in 240 s")}
    assert [check.verdict for check in check_growth(sizes, found)] == ["NO"]
    assert [check.verdict for check in check_growth(sizes, {**found, "100": Measured(100)})] == ["yes"]


def test_the_page_tells_all(cases, measured, tmp_path):
    results = report.Results({"Things": cases}, measured, [Start("mine", 9.0, 0.4)], 0.04, 12, 0.1)
    page = report.page(results)
    for told in (
        "| slow | > 20 s, cut off |",
        "ours, 1 rows (generated stand-in)",
        "| as printed, 10 rows | 100.0 s | ours | 1.00 s | 100 |",
        "| ours | 1, 10 | 0.10 s, 1.00 s | 0.10 s, 1.00 s | 1.00 | 1.00 |",
        "| mine | 9.00 s | 0.40 s |",
    ):
        assert told in page
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{report.BEGIN}\nan old line\n{report.END}\nafter\n", encoding="utf-8")
    report.write_readme(readme, results)
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "an old line" not in text
    assert "| as printed, 10 rows | 100.0 s |" in text


def test_the_readme_has_a_place_for_results():
    text = (Path(report.__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert text.count(report.BEGIN) == text.count(report.END) == 1


def test_measuring_gives_times_memory_and_facts():
    case = Case(
        "sum", lambda: [1, 2], sum, facts=lambda prepared, answer: {"n": len(prepared), "sum": answer}
    )
    found = measure(case, 3)
    assert found.runs == 3
    assert found.seconds >= 0
    assert found.megabytes >= 0
    assert found.facts == {"n": 2, "sum": 3}


@pytest.mark.parametrize(
    ("error", "told"), [(CutOffError(), "> 20 s, cut off"), (SkippedError("no Java"), "skipped: no Java")]
)
def test_what_did_not_run_says_why(error, told):
    def broken(_):
        raise error

    assert f'"trouble": "{told}"' in measure_one(Case("other", nothing, broken, is_foreign=True), 1)


def test_runs_that_came_to_an_end_count():
    left = [1, 2]

    def slower(_):
        if not left:
            raise CutOffError
        return left.pop()

    found = measure(Case("other", nothing, slower, is_foreign=True, reported=float), 3)
    assert (found.runs, found.alone) == (2, 1.0)


def test_errors_are_told_without_paths():
    assert in_plain_words("Traceback\nOSError: no /home/me/x.csv here\n", 1) == "OSError: no ... here"
    assert in_plain_words("", -9) == "ended by SIGKILL"
