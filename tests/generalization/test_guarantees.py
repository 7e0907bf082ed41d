"""What ``generalize`` promises holds on whatever hypothesis finds: groups, strong coverage, every window."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from pdseqpriv import InfeasibleError, Taxonomy, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.sequences.columns import Columns
from tests.generalization.cases import exact, frame_of, generalized, plain_sequences, problems_of
from tests.generalization.naive_check import diversity_problems
from tests.strategies import EVENTS, NUMBER_EVENTS, tables, taxonomies

METHODS = ["baseline", "indexed", "hybrid", "hilbert", "partition", "auto"]
LEAVES = sorted({*EVENTS, *map(str, NUMBER_EVENTS)})


DIVERSITY = st.tuples(st.integers(0, 4), st.sampled_from([1, Fraction(3, 2), 1.7, 2]))
PRIVACY = (
    st.tuples(st.integers(2, 3), st.none())
    | st.tuples(st.none(), DIVERSITY)
    | st.tuples(st.integers(2, 3), DIVERSITY)
)
HOW = st.fixed_dictionaries(
    {
        "method": st.sampled_from(METHODS),
        "time_weight": st.sampled_from([1, 0, 2.5]),
        "event_weight": st.sampled_from([1, 0.5]),
        "seed": st.integers(0, 3),
        "intervals": st.sampled_from(["apart", "by_category"]),
    }
)


def window(steps, column):
    """Return g as a user would for these times."""
    if column.dtype.kind != "M":
        return steps / 4 if column.dtype.kind == "f" else steps
    text = str(column.dtype)
    unit = next(unit for unit in ("ns", "us", "ms", "s") if f"[{unit}" in text)
    return pd.Timedelta(steps, unit)


@given(tables(n_ids=7, max_rows=30), PRIVACY, HOW, st.integers(0, 3), st.none() | taxonomies(LEAVES))
def test_releases_hide_everyone(frame, privacy, how, n_monitored, links):
    k, steps = privacy
    events = [str(one) for one in sorted(frame["event"].dropna().unique().tolist())]
    assume(events)
    monitored = frame["event"].dropna().unique().tolist()[:n_monitored] or None
    known = set(events) if monitored is None else {str(one) for one in monitored}
    sensitive = set(events) - known
    assume(steps is None or sensitive)
    diversity = None if steps is None else (window(steps[0], frame["time"]), steps[1])
    before = frame.copy(deep=True)
    wanted = {"k": k or 1, "diversity": exact_diversity(steps, frame), "sensitive": sensitive}
    try:
        released, key = generalized(
            frame, links, k=k, diversity=diversity, monitored=monitored, with_key=True, **how
        )
    except InfeasibleError:
        event("infeasible")
        assert is_infeasible(frame, known, **wanted)
        return
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == before.attrs
    root = Taxonomy.flat(events).root if links is None else "TOP"
    told = {"monitored": known, "links": links, "root": root, "intervals": how["intervals"]}
    assert not problems_of(frame, released, key, **told, **wanted)
    asked = {"k": k, "diversity": diversity, "monitored": monitored, "taxonomy": links}
    assert verify.is_generalized(frame, released, key, intervals=how["intervals"], **asked)
    assert is_all_there(frame, released, key, known, **wanted)
    event(f"{released['group'].nunique()} groups")


def exact_diversity(steps, frame):
    if steps is None:
        return None
    g, certainty = steps
    unit = Fraction(1, 4) if frame["time"].dtype.kind == "f" else 1
    return g * unit, Fraction(str(certainty)) if isinstance(certainty, float) else Fraction(certainty)


def is_infeasible(frame, known, *, k, diversity, sensitive):
    """By lemma 2.8 nothing is more diverse than everyone together."""
    people = [rows for rows in plain_sequences(frame).values() if any(e in known for e, _ in rows)]
    return len(people) < k or (
        diversity is not None and bool(diversity_problems(people, sensitive, *diversity))
    )


def is_all_there(frame, released, key, known, *, k, diversity, sensitive):
    """Everyone with a monitored event is released; the others if they can be a group; nobody else."""
    sequences = plain_sequences(frame)
    others = {one for one, rows in sequences.items() if rows and not any(e in known for e, _ in rows)}
    rows = [sequences[one] for one in others]
    fits = len(others) >= k and (diversity is None or not diversity_problems(rows, sensitive, *diversity))
    expected = {one for one, rows in sequences.items() if rows and (one not in others or fits)}
    kept = key.dropna()
    assert sorted(key["seq_id"].tolist()) == sorted(sequences)
    assert sorted(kept["released_id"]) == list(range(len(expected))) == sorted(released["seq_id"].unique())
    return set(kept["seq_id"].tolist()) == expected


@given(
    tables(n_ids=7, max_rows=30, min_rows=8),
    st.sampled_from(METHODS),
    st.sampled_from([{"k": 2}, {"k": 3, "intervals": "by_category"}, {"diversity": (2, 1.5)}]),
    st.integers(0, 2),
    st.randoms(),
)
def test_neither_row_order_nor_ids_nor_partitions_matter(frame, method, asked, n_monitored, chance):
    monitored = frame["event"].dropna().unique().tolist()[:n_monitored] or None
    assume(frame["event"].notna().any())
    if "diversity" in asked:
        assume(monitored is not None and frame["event"].nunique() > len(monitored))
        asked = {"diversity": (window(2, frame["time"]), 1.5)}
    asked = {**asked, "monitored": monitored, "method": method}
    whole, key = outcome(frame, asked)
    order = list(range(len(frame)))
    chance.shuffle(order)
    shuffled, shuffled_key = outcome(frame.iloc[order], asked)
    ids = {one: f"id {place}" for place, one in enumerate(reversed(list(frame["seq_id"].unique())))}
    renamed, _ = outcome(frame.assign(seq_id=frame["seq_id"].map(ids).astype("str")), asked)
    parted, parted_key = outcome(BoundTable(frame, Columns(), Local(partitions=3)), asked)
    for other in (shuffled, renamed, parted):
        assert same(other, whole)
    assert same(shuffled_key, key)
    assert same(parted_key, key)


def outcome(table, asked):
    """Return release and key, or the text of the refusal."""
    try:
        return generalized(table, with_key=True, **asked)
    except InfeasibleError as error:
        return str(error), None


def same(one, other):
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
        assert one.attrs == other.attrs
        return True
    return one == other


@given(tables(n_ids=6, max_rows=24, min_rows=10, marked=False), st.sampled_from(["baseline", "partition"]))
def test_releases_are_tables_of_their_kind(tmp_path_factory, frame, method):
    from pdseqpriv import read_parquet, write_parquet

    released = outcome(frame, {"k": 2, "method": method, "monitored": frame["event"].unique().tolist()[:1]})[
        0
    ]
    assume(isinstance(released, pd.DataFrame))
    path = tmp_path_factory.mktemp("releases") / "r.parquet"
    write_parquet(released, path)
    again = read_parquet(path)
    assert again.attrs == released.attrs
    for name in released.columns:
        assert again[name].astype(object).tolist() == released[name].astype(object).tolist()
    both = zip(exact(released["time_from"]), exact(released["time_to"]), strict=True)
    assert all(first <= last for first, last in both)


def test_the_check_sees_what_is_wrong():
    df = frame_of({"x": [("a", 1), ("s", 5)], "y": [("a", 3), ("s", 6)], "z": [("b", 3), ("t", 9)]})
    asked = {"monitored": {"a", "b"}, "root": "ALL"}
    released, key = df.seqpriv.generalize(k=3, monitored=["a", "b"], with_key=True)
    assert not problems_of(df, released, key, k=3, **asked)
    assert problems_of(df, released, key, k=4, **asked) == ["a group is too small"]
    wide = {"diversity": (1, Fraction(3, 2)), "sensitive": {"s", "t"}}
    assert not problems_of(df, released, key, **wide, **asked)
    tight = {"diversity": (1, 2), "sensitive": {"s", "t"}}
    assert "a sensitive event is too certain" in problems_of(df, released, key, **tight, **asked)
    short = {"diversity": (Fraction(1, 2), 2), "sensitive": {"s", "t"}}
    assert not problems_of(df, released, key, **short, **asked)
    interval = released["event"] == "ALL"
    for changed, said in [
        (
            released.assign(time_to=released["time_to"].where(~interval, 2)),
            "a monitored row of a member is not",
        ),
        (
            released.assign(event=released["event"].where(~interval, "a")),
            "an interval covers nothing of a member",
        ),
        (released.assign(time_to=released["time_to"] + released["seq_id"]), "members of a group differ"),
        (released[interval], "rows that are not monitored have changed"),
    ]:
        assert any(one.startswith(said) for one in problems_of(df, changed, key, k=3, **asked))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("k", "diversity"), [(2, None), (7, None), (None, (3, 2)), (4, (5, Fraction(7, 2)))], ids=str
)
@pytest.mark.parametrize("time_weight", [1, 0.2])
def test_larger_crowds(method, k, diversity, time_weight):
    chance = np.random.default_rng(7)
    links = {**{f"m{i}": f"M{i % 3}" for i in range(9)}, "M0": "TOP", "M1": "TOP", "M2": "TOP"}
    n = 900
    rows = {"seq_id": chance.integers(0, 150, n), "time": chance.integers(0, 80, n)}
    events = [*(f"m{i}" for i in range(9)), *(f"s{i}" for i in range(8))]
    df = pd.DataFrame({**rows, "event": chance.choice(events, n)})
    released, key = generalized(
        df, links, k=k, diversity=diversity, monitored=events[:9], method=method,
        time_weight=time_weight, with_key=True,
    )  # fmt: skip
    asked = {"monitored": set(events[:9]), "links": links, "root": "TOP", "sensitive": set(events[9:])}
    assert not problems_of(df, released, key, k=k or 1, diversity=diversity, **asked)
    assert released["group"].nunique() > 5
