"""The algorithms that the library is held against give the same answers; nothing here is timed."""

from __future__ import annotations

import doctest
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from benchmarks import cases as cases_module
from benchmarks import checks, data, distortion, growth, mine, plots, report, run, small_cases, starts
from benchmarks.cases import Case, CutOffError, Measured, Memory, Shown, Target
from benchmarks.checks import all_checks, check_fact, check_growth, check_time, checks_of
from benchmarks.data import SkippedError, plain
from benchmarks.growth import exponent
from benchmarks.measure import in_plain_words, measure, measure_one
from benchmarks.papers.bf_p2ka import bf_p2ka
from benchmarks.papers.odesa import odesa
from benchmarks.papers.pics import pics
from benchmarks.papers.pretsa import pretsa
from benchmarks.papers.sequence_hiding import hide_sequences
from benchmarks.races import Runner, race
from benchmarks.rows import Results
from benchmarks.run import chosen, groups
from benchmarks.starts import Start
from benchmarks.tested import TESTED
from tests.pattern_release.naive import release

pytestmark = pytest.mark.filterwarnings(
    "ignore:(k_anonymize. dropped|.* supports? (exceed|is more|are more))"
)


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
    assert {name for case in cases for name in case.needs} <= set(names)
    assert {case.name for case in chosen(["read_xes, 200,000"])} == {
        "read_xes, 200,000 events",
        "bare iterparse, 200,000 events",  # what it is held against
    }


def test_exponents_are_fitted_on_what_came_to_an_end():
    assert math.isclose(exponent([1, 10, 100], [2, 200, 20_000]), 2)
    assert math.isclose(exponent([1, 10, 100], [2, 20, math.nan]), 1)
    assert math.isnan(exponent([1, 10], [2, math.nan]))


@pytest.mark.parametrize("module", [cases_module, checks, growth])
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
        Case("fast", nothing, nothing, (target, Memory(10))),
        *race(
            *runners,
            sizes=(1, 10),
            counted="rows",
            prepare=nothing,
            targets=lambda theirs: (Target(0.01, (theirs,)),),
        ),
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
        ("mine, first call, empty cache", "NO"),
    ]
    assert "3.00 s, quick" in found[0].measured


def test_what_failed_does_not_hold(cases, measured):
    measured["fast"] = Measured(trouble="failed: it broke")
    fast, target = cases[3], cases[3].targets[0]
    check = check_time(fast, target, measured)
    assert (check.measured, check.verdict) == ("failed: it broke", "not measured")
    # Where one of the others is missing, nobody knows whether it would have been the best.
    found = {**measured, "fast": Measured(0.5), "slow": Measured(trouble="skipped: no Java")}
    assert check_time(fast, target, found).verdict == "not measured"
    assert check_time(fast, target, {**found, "fast": Measured(5.0)}).verdict == "NO"
    curve = "k_anonymize, 17 pages"
    sizes = [Case(f"{n}", nothing, nothing, curve=curve, size=n) for n in (1, 10, 100)]
    found = {"1": Measured(1), "10": Measured(10), "100": Measured(trouble="did not end in 600 s")}
    assert [check.verdict for check in check_growth(sizes, found)] == ["NO"]
    assert [check.verdict for check in check_growth(sizes, {**found, "100": Measured(100)})] == ["yes"]


@pytest.mark.parametrize(
    ("target", "said", "measured", "verdict"),
    [
        (Shown("F", "at least", 0.78), "F: at least 0.78", "0.7801", "yes"),
        (Shown("F", "at least", 0.79), "F: at least 0.79", "0.7801", "NO"),
        (Shown("marks", "at most", 103), "marks: at most 103", "103", "yes"),
        (Shown("marks", "below", 103), "marks: below 103", "103", "NO"),
        (Shown("marks", "exactly", 103, beside=("F",)), "marks: exactly 103", "103 (F 0.7801)", "yes"),
        (Shown("word", "exactly", "yes"), "word: exactly yes", "no", "NO"),
        (Shown("marks", "at most", 1.1, ("o",)), "marks: at most 1.1 x that of o", "103 (there 90)", "NO"),
        (Shown("F", "at most", 1, ("o",), 0.05), "F: at most that of o + 0.05", "0.7801 (there 0.74)", "yes"),
        (Shown("word", "exactly", of=("o",)), "word: exactly that of o", "no (there no)", "yes"),
    ],
)
def test_facts_are_held_against_their_targets(target, said, measured, verdict):
    found = {
        "case": Measured(1, facts={"F": 0.78012, "marks": 103, "word": "no"}),
        "o": Measured(1, facts={"F": 0.74, "marks": 90, "word": "no"}),
    }
    check = check_fact(Case("case", nothing, nothing), target, found)
    assert (check.target, check.measured, check.verdict) == (said, measured, verdict)


@pytest.mark.parametrize(
    ("mine", "other", "measured"),
    [
        (Measured(trouble="skipped: no Java"), Measured(1, facts={"F": 1}), "skipped: no Java"),
        (Measured(1, facts={"F": 1}), Measured(trouble="failed: it broke"), "failed: it broke"),
        (Measured(1, facts={"F": 1}), Measured(1), "nothing to hold it against"),
        (Measured(1, facts={"F": 1}, stand_in=True), Measured(1, facts={"F": 1}), "the real table is absent"),
    ],
)
def test_facts_that_are_not_there_do_not_hold(mine, other, measured):
    case = Case("case", nothing, nothing, (Shown("F", "exactly", of=("other",)),))
    (check,) = checks_of(case, {"case": mine, "other": other})
    assert (check.measured, check.verdict) == (measured, "not measured")
    assert check.what == ("case (generated stand-in)" if mine.stand_in else "case")


def test_facts_of_targets_are_told_by_their_cases():
    cases = {case.name: case for group in groups().values() for case in group}
    for case in cases.values():
        for target in case.targets:
            if isinstance(target, Shown):
                assert case.facts, case.name
                assert all(cases[name].facts for name in target.of), case.name
        assert all(target.of == () or target.of[0] != case.name for target in case.targets)


def test_a_real_table_that_is_absent_is_said_so(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "DATA", tmp_path)
    monkeypatch.setattr(data, "stand_ins", set())
    with pytest.raises(SkippedError, match="the real table nowhere is absent"):
        data.needed("nowhere")
    assert data.stand_ins == set()
    assert data.real("nowhere") is None
    assert data.stand_ins == {"nowhere"}


def test_tests_that_are_named_exist():
    for _, place in TESTED:
        file, name = place.split("::")
        assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8"), place


def test_what_spmf_found_is_held_against_ours(tmp_path):
    frame = table_of(["ab", "ab", "ac"])
    mined = frame.seqpriv.mine(2)
    text = mine.Text(tmp_path / "in.txt", 0.6, 2, mined, {"a": 1, "b": 2, "c": 3})
    out = mine.answer_of("PrefixSpan", text)
    out.write_text("1 -1 #SUP: 3\n2 -1 #SUP: 2\n1 -1 2 -1 #SUP: 2\n")
    assert mine.differences(text, 0.0) == {mine.DIFFER: 0, "patterns": 3}
    out.write_text("1 -1 #SUP: 3\n2 -1 #SUP: 1\n1 -1 3 -1 #SUP: 2\n")
    assert mine.differences(text, 0.0)[mine.DIFFER] == 4
    assert mine.as_spmf((("b", "a"), "c"), text.codes) == "1 2 -1 3 -1"


def test_problems_for_brute_force_are_small_and_answers_are_held_against_it(monkeypatch):
    found = small_cases.beside_brute_force(range(3))
    assert (found[small_cases.OPTIMAL], found[small_cases.WORST]) == (1, 1)
    assert found[small_cases.REACHED] == small_cases.below_delta(range(2))[small_cases.REACHED] == 0
    monkeypatch.setattr(small_cases, "released", lambda problem, *_: [{} for _ in problem.points])
    found = small_cases.beside_brute_force(range(3))
    assert found[small_cases.OPTIMAL] < 1
    assert found[small_cases.WORST] > 1
    problems = [small_cases.small(seed) for seed in range(3)]
    monkeypatch.setattr(small_cases, "error", lambda *asked: asked[-1])
    answers = {"joint": 2.0, "essa": 1.0}
    monkeypatch.setattr(small_cases, "released", lambda *asked: answers[asked[-1]])
    found = small_cases.beside_essa(problems)
    assert (found[small_cases.BEATEN], found[small_cases.BY], found[small_cases.SAME]) == (3, 2, 0)


def test_distortion_tells_the_largest_and_the_median():
    before = pd.DataFrame({"pattern": [("a",), ("b",)], "support": [10, 20], "length": [1, 1]})
    found = distortion.what_changed([before] * 3, [before, before, before.assign(support=[11, 20])])
    assert found[distortion.ADJUSTED] == 0.5
    assert math.isclose(found[distortion.DISTORTION], 0.05)
    assert found["tables without a change"] == 2
    assert found["median"] == "0.0000 and 0.00000"


@pytest.mark.parametrize("arguments", [["--quick"], ["hide"], ["--quick", "unit"], []])
def test_only_a_whole_run_writes_files(arguments, cases, measured, tmp_path, monkeypatch):
    speed = tmp_path / "docs" / "speed.md"
    speed.parent.mkdir()
    speed.write_text(f"{report.BEGIN}\nan old line\n{report.END}\n", encoding="utf-8")
    monkeypatch.setattr(report, "HERE", tmp_path / "benchmarks")
    report.HERE.mkdir()
    monkeypatch.setattr(run, "groups", lambda: {"Things": cases})
    monkeypatch.setattr(run, "in_a_fresh_process", lambda *asked: measured[asked[0].name])
    monkeypatch.setattr(run, "measure_starts", lambda **_: ([Start("mine", 9.0, 0.4)], 0.04))
    monkeypatch.setattr(plots, "draw", lambda folder, *_: (folder / "papers.svg").touch())
    run.main(arguments)
    written = {path.name for path in report.HERE.iterdir()}
    assert written == (set() if arguments else {"RESULTS.md", "papers.svg"})
    assert ("an old line" in speed.read_text(encoding="utf-8")) == bool(arguments)


def test_the_page_tells_all(cases, measured, tmp_path):
    results = Results({"Things": cases}, measured, [Start("mine", 9.0, 0.4)], 0.04, 12, [0.1, 2.5, 1.2])
    page = report.page(results)
    for told in (
        "4 of 6 hold, 2 do not and say NO.",
        f"| {TESTED[0][0]} | `tests/{TESTED[0][1]}` |",
        "| slow | > 20 s, cut off |",
        "ours, 1 rows (generated stand-in)",
        "| as printed, 10 rows | 100.0 s | ours | 1.00 s | 100 |",
        "| ours | 1, 10 | 0.10 s, 1.00 s | 0.10 s, 1.00 s | 1.00 | 1.00 |",
        "| mine | 9.00 s | 0.40 s |",
    ):
        assert told in page
    assert "Load when it began: 0.1, at most 2.5, at the end 1.2;" in " ".join(page.split())
    speed = tmp_path / "speed.md"
    speed.write_text(f"before\n{report.BEGIN}\nan old line\n{report.END}\nafter\n", encoding="utf-8")
    report.write_speed(speed, results)
    text = speed.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "an old line" not in text
    assert "| as printed, 10 rows | 100.0 s |" in text


def test_the_page_on_speed_has_a_place_for_results():
    text = (Path(report.__file__).parents[1] / "docs" / "speed.md").read_text(encoding="utf-8")
    assert text.count(report.BEGIN) == text.count(report.END) == 1


def test_measuring_gives_times_memory_and_facts():
    case = Case(
        "sum", lambda: [1, 2], sum, facts=lambda prepared, answer: {"n": len(prepared), "sum": answer}
    )
    found = measure(case, 3)
    assert found.runs == 12  # it is short
    assert measure(case, 1).runs == 1
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


@pytest.mark.parametrize("name", starts.names())
def test_first_calls_can_be_made(name):
    before, call, _ = starts.FIRST.format(f"#\n{starts.CALLS[name]}\n#").split("#")
    scope = {}
    exec(before, scope)  # noqa: S102 (our own text)
    exec(call, scope)  # noqa: S102


def test_errors_are_told_without_paths():
    assert in_plain_words("Traceback\nOSError: no /home/me/x.csv here\n", 1) == "OSError: no ... here"
    assert in_plain_words("", -9) == "ended by SIGKILL"
