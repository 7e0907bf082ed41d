"""Sensitive events stay below delta in every prefix, at the least error."""

from __future__ import annotations

import itertools
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import PrivacyWarning, SeqPrivError, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.exact import round_up
from pdseqpriv.parameters import share
from pdseqpriv.sequences.columns import Columns
from tests.sanitization import naive

# Small cases often lose everything.
pytestmark = [
    pytest.mark.filterwarnings("ignore:sanitize. every row was deleted:pdseqpriv.PrivacyWarning"),
    pytest.mark.filterwarnings("ignore:.*other columns can identify people"),
]

LETTERS = "abcdefgh"
DELTAS = [Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(1, 2), Fraction(1, 5), Fraction(2, 3)]


def frame_of(points, seq_id=0):
    """One row per occurrence."""
    rows = [
        (seq_id, event, time)
        for time, point in enumerate(points)
        for event, count in point.items()
        for _ in range(count)
    ]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"]).astype({"event": "str"})


def points_of(frame, size):
    """The counts of a table, pooled by time."""
    points = [{} for _ in range(size)]
    for event, time in zip(frame["event"], frame["time"], strict=True):
        points[time][event] = points[time].get(event, 0) + 1
    return points


def dice(seed):
    return random.Random(seed)  # noqa: S311 (cases, not secrets)


def small_case(rng):
    """A case that brute force can do: time points, sensitive events, delta, alphabet."""
    while True:
        n_sensitive = rng.choice([1, 2, 2, 3])
        alphabet = LETTERS[: max(n_sensitive, rng.choice([2, 3, 4, 5, 8]))]
        most = rng.choice([1, 2, 3, 4])
        density = rng.choice([0.5, 0.8])
        points = [
            {event: rng.randint(1, most) for event in alphabet if rng.random() < density}
            for _ in range(rng.choice([2, 3, 4, 5]))
        ]
        sensitive = rng.sample(alphabet, n_sensitive)
        ways = np.prod([point.get(event, 0) + 1 for point in points for event in sensitive])
        if ways <= 2000 and set(sensitive) <= {event for point in points for event in point}:
            return points, sensitive, rng.choice(DELTAS), set(alphabet)


def error_of(points, released, alphabet):
    return float(naive.error(points, points_of(released, len(points)), alphabet))


def close(first, second):
    return first == pytest.approx(second, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("seed", range(100))
def test_joint_is_the_optimum_on_small_cases(seed):
    points, sensitive, delta, alphabet = small_case(dice(seed))
    least, _ = naive.brute_force(points, sensitive, delta, alphabet)
    for scope in ("table", "sequence"):
        released = frame_of(points).seqpriv.sanitize(delta, events=sensitive, scope=scope, alphabet=alphabet)
        assert naive.is_below(points_of(released, len(points)), sensitive, delta)
        assert close(error_of(points, released, alphabet), float(least))


@pytest.mark.parametrize("seed", range(100, 160))
def test_essa_is_the_papers_iteration_and_joint_is_never_worse_in_any_order(seed):
    points, sensitive, delta, alphabet = small_case(dice(seed))
    frame = frame_of(points)
    joint = frame.seqpriv.sanitize(delta, events=sensitive, scope="table", alphabet=alphabet)
    for order in itertools.permutations(sensitive):
        essa = frame.seqpriv.sanitize(delta, events=order, scope="table", method="essa", alphabet=alphabet)
        papers = naive.error(points, naive.essa(points, list(order), delta, alphabet), alphabet)
        assert close(error_of(points, essa, alphabet), float(papers))
        assert error_of(points, joint, alphabet) <= float(papers) * (1 + 1e-12)
        again = frame.seqpriv.sanitize(delta, events=order, scope="table", alphabet=alphabet)
        pd.testing.assert_frame_equal(again, joint)


@pytest.mark.parametrize("seed", range(40))
def test_one_event_is_what_the_papers_programme_gives(seed):
    rng = dice(seed)
    points = [
        {event: rng.randint(0, 9) for event in "abcd"[: rng.randint(1, 4)]} for _ in range(rng.randint(1, 12))
    ]
    points[0]["a"] = 1 + points[0].get("a", 0)
    delta, alphabet = rng.choice(DELTAS), set("abcd")
    papers = naive.error(points, naive.odesa(points, "a", delta, alphabet), alphabet)
    for method in ("joint", "essa"):
        released = frame_of(points).seqpriv.sanitize(
            delta, events=["a"], scope="table", method=method, alphabet=alphabet
        )
        assert close(error_of(points, released, alphabet), float(papers))


def test_theorem_4_1_does_not_hold():
    """Deleting one b later is enough; the paper's iteration deletes a b earlier, and then a c as well."""
    points = [{"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 2}, {"a": 2, "c": 2}]
    best = [{"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 1}, {"a": 2, "c": 2}]
    for order in (["b", "c"], ["c", "b"]):
        essa = frame_of(points).seqpriv.sanitize(0.5, events=order, scope="table", method="essa")
        joint = frame_of(points).seqpriv.sanitize(0.5, events=order, scope="table")
        assert points_of(joint, 3) == best
        assert error_of(points, essa, set("abc")) > 1.5 * error_of(points, joint, set("abc"))


def many_events(seed):
    """A case that is too large for an exact search: many sensitive events at few time points."""
    rng = dice(seed)
    alphabet = [f"e{i:02}" for i in range(rng.choice([13, 16, 30]))]
    points = [{event: rng.randint(1, 5) for event in alphabet if rng.random() < 0.4} for _ in range(30)]
    return points, alphabet[:12], rng.choice([Fraction(1, 10), Fraction(1, 20)]), alphabet


@pytest.mark.parametrize("seed", range(8))
def test_joint_is_not_worse_than_essa_with_many_events(seed):
    points, sensitive, delta, alphabet = many_events(seed)
    frame = frame_of(points)
    joint = frame.seqpriv.sanitize(delta, events=sensitive, scope="table", alphabet=alphabet)
    assert verify.is_sanitized(joint, delta, events=sensitive, scope="table", may_be_absent=True)
    rng, least = dice(seed), error_of(points, joint, alphabet)
    for number in range(10):
        order = rng.sample(sensitive, len(sensitive))
        essa = frame.seqpriv.sanitize(delta, events=order, scope="table", method="essa", alphabet=alphabet)
        assert least <= error_of(points, essa, alphabet) * (1 + 1e-12)
        if number < 3:  # it takes as long as many of the others
            again = frame.seqpriv.sanitize(delta, events=order, scope="table", alphabet=alphabet)
            pd.testing.assert_frame_equal(again, joint)


def test_orders_that_are_tried_are_orders():
    from pdseqpriv.sanitization.kernels import event_orders as orders

    keys = np.array([3, 1, 2, 1, 3])
    order = np.zeros(5, np.int64)
    orders.sort_by(keys, order)
    assert order.tolist() == [1, 3, 2, 0, 4]
    number, seen = 1, set()
    for _ in range(200):
        number = orders.move_one(order, number)
        assert sorted(order) == [0, 1, 2, 3, 4]
        seen.add(tuple(order))
    assert len(seen) > 60  # of 120
    assert {tuple(order) for order in orders.all_orders(4, 24)} == set(itertools.permutations(range(4)))


def test_counts_of_huge_tables_are_not_cut():
    from pdseqpriv.sanitization import pooled

    assert [pooled._narrow(rows) for rows in (2**31 - 1, 2**31)] == [np.int32, np.int64]


@pytest.mark.parametrize(
    "delta", [0.1, 1 / 3, Fraction(1, 3), 1.0, 1, 1e-9, Decimal("0.25"), np.float32(0.3), np.float64(0.5)]
)
@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_strictly_below_delta(delta, scope):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "seq_id": rng.integers(0, 6, 900),
            "event": rng.choice(list("abcdefghij"), 900, p=[0.19] + [0.09] * 9),
            "time": rng.integers(0, 40, 900),
        }
    )
    released = frame.seqpriv.sanitize(delta, events=["a", "b"], scope=scope)
    exact = Fraction(str(delta)) if isinstance(delta, float | np.floating) else Fraction(delta)
    owners = [released] if scope == "table" else [own for _, own in released.groupby("seq_id")]
    for own in owners:
        for event in ("a", "b"):
            count = length = 0
            for _, now in own.groupby("time"):
                length += len(now)
                count += int((now["event"] == event).sum())
                assert Fraction(count, length) < exact
    # Not more than needed either: with one tenth some of the sensitive rows are left.
    assert (released["event"].isin(["a", "b"]).sum() > 0) == (exact > Fraction(1, 100))


def test_a_float_means_the_decimal_it_is_written_as():
    frame = frame_of([{"a": 1, "b": 9}])
    # One of ten is one tenth, so it must go; the float 0.1 is in fact a little above one tenth.
    assert "a" not in set(frame.seqpriv.sanitize(0.1, events=["a"])["event"])
    assert "a" in set(frame.seqpriv.sanitize(Fraction(0.1), events=["a"])["event"])


@given(st.fractions(min_value="1/1000000", max_value=1), st.integers(1, 60))
def test_round_up_decides_the_same(threshold, largest):
    rounded = round_up(threshold, largest)
    assert rounded.denominator <= max(largest, 1) or rounded == threshold
    for length in range(1, largest + 1):
        for count in range(length + 1):
            assert (Fraction(count, length) < threshold) == (Fraction(count, length) < rounded)


@pytest.mark.parametrize("seed", range(60))
def test_camouflage_keeps_sensitive_events_in_company(seed):
    rng = dice(seed)
    points, sensitive, delta, alphabet = small_case(rng)
    k = rng.choice([2, 2, 3])
    frame = frame_of(points)
    for scope in ("table", "sequence"):
        released = frame.seqpriv.sanitize(delta, events=sensitive, scope=scope, camouflage=k)
        left = points_of(released, len(points))
        assert naive.is_below(left, sensitive, delta)
        assert naive.is_camouflaged(left, sensitive, delta, k)
        assert verify.is_sanitized(released, delta, events=sensitive, scope=scope, camouflage=k)
    assert alphabet


def test_camouflage_deletes_no_more_than_it_needs():
    points = [{"a": 5, "b": 2, "c": 2, "d": 1}]
    released = frame_of(points).seqpriv.sanitize(Fraction(1, 2), events=["a"], camouflage=3)
    assert points_of(released, 1) == [{"a": 2, "b": 2, "c": 2, "d": 1}]


@pytest.mark.parametrize("seed", range(80))
def test_the_check_agrees_with_brute_force(seed):
    rng = dice(seed)
    points, sensitive, delta, _ = small_case(rng)
    frame = frame_of(points)
    k = rng.choice([2, 3])
    for scope in ("table", "sequence"):
        assert bool(verify.is_sanitized(frame, delta, events=sensitive, scope=scope)) == naive.is_below(
            points, sensitive, delta
        )
        both = naive.is_below(points, sensitive, delta) and naive.is_camouflaged(points, sensitive, delta, k)
        verdict = verify.is_sanitized(frame, delta, events=sensitive, scope=scope, camouflage=k)
        assert bool(verdict) == both


def test_the_check_says_where_it_fails_without_naming_events():
    frame = frame_of([{"secret": 1}, {"b": 1}, {"secret": 1}])
    verdict = verify.is_sanitized(frame, 0.5, events=["b", "secret"])
    assert (verdict.checked, verdict.violations) == (3, 3)
    assert "secret" not in repr(verdict) + verdict.details.to_csv()
    assert verdict.details.to_dict("list") == {
        "place": [0, 1],
        "prefixes": [1, 2],
        "largest_share": [0.5, 1.0],
    }


def test_the_last_rows_go():
    frame = pd.DataFrame(
        {
            "seq_id": [5, 1, 3, 2, 4, 9],
            "event": ["a", "b", "a", "a", "b", "b"],
            "time": [1, 1, 1, 1, 1, 1],
            "note": ["first a", "b", "second a", "third a", "b", "b"],
        }
    )
    released = frame.seqpriv.sanitize(Fraction(1, 3), events=["a"], scope="table")
    assert released["note"].tolist() == ["first a", "b", "b", "b"]
    own = frame.assign(seq_id=1).seqpriv.sanitize(Fraction(1, 3), events=["a"])
    assert own["note"].tolist() == ["first a", "b", "b", "b"]


def test_other_rows_stay_as_they_were():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "user": rng.choice(["x", "y"], 60),
            "url": pd.Categorical(rng.choice(list("abc"), 60)),
            "ts": pd.Timestamp("2024-03-01", tz="Europe/Rome") + pd.to_timedelta(rng.integers(0, 9, 60), "h"),
            "extra": rng.random(60),
        },
        index=pd.Index([f"row {i}" for i in range(60)], name="label"),
    )
    before = frame.copy(deep=True)
    released = frame.seqpriv.using(seq_id="user", event="url", time="ts").sanitize(0.4, events=["a"])
    pd.testing.assert_frame_equal(frame, before)
    kept = frame.loc[released.index]
    pd.testing.assert_frame_equal(released, kept.assign(url=kept["url"].cat.remove_unused_categories()))
    assert set(frame.index) - set(released.index) <= set(frame.index[frame["url"] == "a"])
    assert list(released.attrs) == ["pdseqpriv"]
    step = released.attrs["pdseqpriv"]["applied"][0]
    assert set(step) == {"operation", "parameters", "library"}


def test_a_prefix_that_starts_with_a_sensitive_event():
    frame = frame_of([{"a": 1}, {"b": 5}, {"a": 1}])
    assert frame.seqpriv.sanitize(1.0, events=["a"])["time"].tolist() == [1] * 5 + [2]


def test_events_that_are_all_there_is():
    frame = frame_of([{"a": 2}, {"a": 1}])
    released = frame.seqpriv.sanitize(0.5, events=["a"])
    assert released.empty
    assert released.dtypes.equals(frame.dtypes)
    assert verify.is_sanitized(released, 0.5, events=["a"])


@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_an_empty_table_and_one_of_nulls(scope):
    frame = frame_of([{"a": 2}])
    with pytest.warns(PrivacyWarning, match="1 of 1 event does not occur"):
        assert frame.iloc[:0].seqpriv.sanitize(0.5, events=["a"], scope=scope).empty
    nulls = frame.assign(event=pd.Series([None, None], dtype="str"))
    with pytest.warns(PrivacyWarning):
        assert len(nulls.seqpriv.sanitize(0.5, events=["a"], scope=scope)) == 2


@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_marked_rows_count_for_nothing(scope):
    frame = frame_of([{"a": 1, "b": 3}])
    marked = pd.concat([frame, frame.assign(event=None)], ignore_index=True).astype({"event": "str"})
    released = marked.seqpriv.sanitize(0.2, events=["a"], scope=scope)
    assert released["event"].isna().sum() == 4
    assert released["event"].dropna().tolist() == ["b"] * 3


def test_ties_in_row_order_are_prefixes_of_their_own():
    frame = pd.DataFrame({"seq_id": 1, "event": list("abb"), "time": 7})
    assert len(frame.seqpriv.sanitize(0.5, events=["a"])) == 3
    assert frame.seqpriv.using(ties="order").sanitize(0.5, events=["a"])["event"].tolist() == ["b", "b"]


@pytest.mark.parametrize("scope", ["person", "table"])
def test_rows_of_a_time_stay_together_where_they_are_pooled(scope):
    frame = pd.DataFrame({"seq_id": 1, "event": list("abb"), "time": 7, "owner": "x"})
    bound = frame.seqpriv.using(ties="order", person="owner")
    assert len(bound.sanitize(0.5, events=["a"], scope=scope)) == 3
    assert verify.is_sanitized(bound, 0.5, events=["a"], scope=scope)
    assert not verify.is_sanitized(bound, 0.3, events=["a"], scope=scope)


def test_unknown_events_are_shown_as_they_were_written():
    frame = frame_of([{"a": 1, "b": 1}])
    with pytest.warns(PrivacyWarning, match="2 of 3 events do not occur") as caught:
        released = frame.seqpriv.sanitize(0.9, events=["a", "ghost", 7])
    assert len(released) == 2
    assert "'ghost', 7" in str(caught[0].message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 0}, "delta must be a number above 0 and at most 1, got 0"),
        ({"delta": 1.01}, "delta must be a number above 0 and at most 1, got 1.01"),
        ({"delta": -0.5}, "got -0.5"),
        ({"delta": float("nan")}, "got nan"),
        ({"delta": float("inf")}, "got inf"),
        ({"delta": True}, "got bool"),
        ({"delta": "0.1"}, "got str"),
        ({"delta": None}, "got NoneType"),
        ({"delta": 0.1j}, "got complex"),
        ({"delta": np.complex128(0.1)}, "delta must be a number above 0"),
        ({"events": []}, "events must be a list of at least one event"),
        ({"events": "a"}, "events must be a list of events, got str. Put a single event into a list"),
        ({"events": 3}, "events must be a list of events, got int"),
        ({"events": ["a", None]}, "without nulls, got 1 null among 2"),
        ({"events": [["a"]]}, "events must be a list of events, got a list with a list"),
        ({"scope": "world"}, 'scope must be one of "sequence", "person", "table"'),
        ({"scope": ["table"]}, 'scope must be one of "sequence", "person", "table"'),
        ({"method": None}, 'method must be "joint" or "essa"'),
        ({"alphabet": "abc"}, "alphabet must be a list of events"),
        ({"camouflage": 1}, "camouflage must be an int of at least 2, got 1"),
        ({"camouflage": 2.5}, "camouflage must be an int of at least 2, got float"),
    ],
)
def test_wrong_parameters(arguments, message):
    frame = frame_of([{"a": 1, "b": 1}])
    with pytest.raises(SeqPrivError, match=r"^sanitize: ") as caught:
        frame.seqpriv.sanitize(**{"delta": 0.5, "events": ["a"], **arguments})
    assert message in str(caught.value)


def test_wrong_parameters_of_the_check():
    frame = frame_of([{"a": 1}])
    for wrong in (
        {"delta": 2},
        {"scope": "all"},
        {"camouflage": 1},
        {"camouflage": "2"},
        {"events": []},
        {"events": "a"},
    ):
        with pytest.raises(SeqPrivError, match=r"^is_sanitized: "):
            verify.is_sanitized(frame, **{"delta": 0.5, "events": ["a"], **wrong})


def test_a_wider_alphabet_changes_only_the_smoothing():
    points = [{"a": 3, "b": 1}, {"a": 1, "b": 4}, {"a": 4, "b": 6}]
    for alphabet in ({"a", "b"}, set(LETTERS)):
        least, _ = naive.brute_force(points, ["a"], Fraction(1, 3), alphabet)
        released = frame_of(points).seqpriv.sanitize(Fraction(1, 3), events=["a"], alphabet=list(alphabet))
        assert close(error_of(points, released, alphabet), float(least))


def in_parts(frame):
    return BoundTable(frame, Columns(), Local(partitions=3))


@pytest.mark.parametrize("method", ["joint", "essa"])
@pytest.mark.parametrize("scope", ["sequence", "table"])
@pytest.mark.parametrize("seed", range(4))
def test_partitions_delete_the_same_rows(seed, scope, method):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "seq_id": rng.integers(0, 12, 300),
            "event": rng.choice(list("abcdef"), 300),
            "time": rng.integers(0, 20, 300),
            "row": np.arange(300),
        }
    )
    asked = {"events": ["a", "f"], "scope": scope, "method": method}
    whole = frame.seqpriv.sanitize(0.15, **asked)
    parts = pdseqpriv.sanitize(in_parts(frame), 0.15, **asked)
    assert len(whole) < len(frame)
    pd.testing.assert_frame_equal(parts, whole)


def test_the_last_rows_of_the_whole_table_go_whichever_partition_has_them():
    # Ids alternate, so every partition has early and late rows.
    frame = pd.DataFrame({"seq_id": [0, 1, 2] * 4, "event": ["a"] * 6 + ["b"] * 6, "time": 1})
    frame["row"] = np.arange(12)
    released = pdseqpriv.sanitize(in_parts(frame), Fraction(1, 3), events=["a"], scope="table")
    assert released["row"].tolist() == [0, 1, 6, 7, 8, 9, 10, 11]


class Stopped:
    """A bar whose watcher presses Ctrl-C at the first look."""

    def update(self, _):
        raise KeyboardInterrupt


def test_ctrl_c_stops_a_pooled_table(monkeypatch):
    import contextlib
    import threading

    from pdseqpriv import progress

    points, sensitive, delta, alphabet = many_events(0)
    frame = pd.concat([frame_of(points).assign(time=lambda df, n=n: df["time"] + 30 * n) for n in range(20)])
    monkeypatch.setattr(progress, "progress", lambda _total, _doing: contextlib.nullcontext(Stopped()))
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        frame.seqpriv.sanitize(delta, events=sensitive, scope="table", alphabet=alphabet)
    assert threading.active_count() == threads  # nothing goes on behind the caller's back


@pytest.mark.parametrize("is_joint", [True, False])
def test_a_kernel_that_is_told_to_stop_stops(is_joint):
    from pdseqpriv.sanitization.kernels.build_timeline import Requirement
    from pdseqpriv.sanitization.kernels.choose_deletions import choose_deletions

    counts = np.array([(t, code, 2) for t in range(30) for code in range(8)], np.int32)
    requirement = Requirement(np.array([0, 1, 2, 3, 4, 5, -1, -1]), 8, 1, 10, 0)
    steps = []
    for stop in (0, 1):
        pulse = np.array([0, stop])
        choose_deletions(counts, requirement, is_joint, 1 << 17, pulse)
        steps.append(int(pulse[0]))
    assert steps[0] > 12
    assert steps[1] < steps[0] / 10


def test_a_pooled_table_tells_how_far_it_is(monkeypatch):
    import contextlib

    from pdseqpriv import progress

    told = []

    class Bar:
        def update(self, n):
            told.append(n)

    monkeypatch.setattr(progress, "progress", lambda _total, _doing: contextlib.nullcontext(Bar()))
    frame_of([{"a": 3, "b": 3, "c": 1}] * 3).seqpriv.sanitize(0.4, events=["a", "b"], scope="table")
    assert sum(told) > 0


def test_a_chunk_boundary_changes_nothing(monkeypatch):
    from pdseqpriv.sanitization import per_sequence

    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "seq_id": rng.integers(0, 40, 400),
            "event": rng.choice(list("abc"), 400),
            "time": rng.integers(0, 9, 400),
        }
    )
    whole = frame.seqpriv.sanitize(0.3, events=["a", "b"])
    monkeypatch.setattr(per_sequence, "_CHUNK", 7)
    pd.testing.assert_frame_equal(frame.seqpriv.sanitize(0.3, events=["a", "b"]), whole)


@pytest.mark.parametrize("seed", range(40))
def test_measures_are_the_papers(seed):
    rng = dice(seed)
    points, sensitive, delta, _ = small_case(rng)
    frame = frame_of(points)
    alphabet = set(frame["event"])
    for scope in ("table", "sequence"):
        released = frame.seqpriv.sanitize(delta, events=sensitive, scope=scope)
        compared = pdseqpriv.compare(frame, released, delta=delta, events=sensitive, scope=scope)
        values = compared.set_index("measure")["value"]
        left = points_of(released, len(points))
        assert close(values["sanitization_error"], float(naive.error(points, left, alphabet)))
        assert close(values["deleted_share"], 1 - len(released) / len(frame))
        others = alphabet - set(sensitive)
        share = len(naive.ghosts(points, left, delta) & others) / len(others) if others else float("nan")
        assert values["ghost_events"] == pytest.approx(share, nan_ok=True)


def test_measures_per_sequence_add_up():
    cases = [small_case(dice(seed))[0] for seed in range(6)]
    frame = pd.concat([frame_of(points, number) for number, points in enumerate(cases)], ignore_index=True)
    delta = Fraction(1, 4)
    released = frame.seqpriv.sanitize(delta, events=["a", "b"])
    left = [points_of(released[released["seq_id"] == n], len(points)) for n, points in enumerate(cases)]
    alphabet = set(frame["event"])
    error = sum(naive.error(before, after, alphabet) for before, after in zip(cases, left, strict=True))
    ghosts = [naive.ghosts(before, after, delta) for before, after in zip(cases, left, strict=True)]
    values = pdseqpriv.compare(frame, released, delta=delta, events=["a", "b"]).set_index("measure")["value"]
    assert close(values["sanitization_error"], float(error))
    assert values["ghost_events"] == pytest.approx(
        len(set.union(*ghosts) - {"a", "b"}) / len(alphabet - {"a", "b"})
    )


def test_measures_apply_only_where_rows_were_deleted():
    frame = frame_of([{"a": 1, "b": 1}])
    with pytest.warns(PrivacyWarning, match="no event of the release is one of the original"):
        compared = pdseqpriv.compare(frame, frame.assign(event="z"))
    assert "sanitization_error" not in set(compared["measure"])
    for other in (frame.assign(seq_id=9), pd.concat([frame, frame])):
        assert "sanitization_error" not in set(pdseqpriv.compare(frame, other)["measure"])


def test_threshold_is_read_as_written():
    assert share("p", 0.3) == Fraction(3, 10)
    assert share("p", np.float32(0.3)) == Fraction(3, 10)
    assert share("p", 1e-9) == Fraction(1, 10**9)


def test_checking_the_company_of_many_distinct_events_takes_little_memory():
    import tracemalloc

    size = 4000
    events = [f"event {number}" for number in range(size)]
    frame = pd.DataFrame({"seq_id": 1, "event": events, "time": range(size)})
    verify.is_sanitized(frame[:10], 0.9, events=["event 5"], camouflage=2)  # loads what is compiled
    tracemalloc.start()
    try:
        verdict = verify.is_sanitized(frame, 0.9, events=["event 5"], camouflage=2)
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    finally:
        tracemalloc.stop()
    assert verdict
    assert verdict.checked == size - 5


@pytest.mark.filterwarnings("ignore:is_sanitized. . of 2 events")
@pytest.mark.parametrize("seed", range(40))
def test_every_prefix_without_company_is_counted(seed):
    choose = np.random.default_rng(seed)
    rows = [
        (int(owner), "abcd"[event], time)
        for owner in range(2)
        for time in range(6)
        for event in choose.integers(0, 4, choose.integers(0, 4))
    ]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    checked = exposed = 0
    for _, own in frame.groupby("seq_id"):
        for time in sorted(set(own["time"])):
            counts = own.loc[own["time"] <= time, "event"].value_counts().to_dict()
            company = [
                count for event, count in counts.items() if event in "cd" and count < sum(counts.values())
            ]
            for event in set(counts) & {"a", "b"}:
                checked += 1
                exposed += sum(count >= counts[event] for count in company) < 1
    verdict = verify.is_sanitized(frame, 1.0, events=["a", "b"], camouflage=2)
    if verify.is_sanitized(frame, 1.0, events=["a", "b"]):  # else what fails is not the company
        assert (verdict.checked, verdict.violations) == (checked, exposed)
