"""Nothing that was removed is found in a release: not in its file, attrs, categories, index or errors."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import pdseqpriv

pytestmark = pytest.mark.usefixtures("uncompressed")

SECRET = "clinic-for-secrets"  # noqa: S105 (a word, not a password)


def visits(kind):
    """A table in which only the removed rows hold the secret words."""
    events = pd.Series(["home", SECRET, "shop", "home", SECRET, "shop"])
    owners = pd.Series(["ann", "ann", "ann", "bob", f"{SECRET}-bob", "bob"])
    frame = pd.DataFrame(
        {
            "seq_id": owners,
            "event": events,
            "time": [1, 2, 3, 4, 5, 6],
            "note": [f"about {event}" for event in events],
        }
    )
    if kind == "category":
        frame = frame.astype({"seq_id": "category", "event": "category", "note": "category"})
    if kind == "dictionary":
        dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
        frame = frame.astype({"event": dictionary, "note": dictionary})
    frame.attrs["source"] = SECRET
    return frame


INDEXES = {
    "range": lambda frame: frame.index,
    "multi": lambda frame: pd.MultiIndex.from_arrays([frame["note"].astype(str), range(len(frame))]),
    "category": lambda frame: pd.CategoricalIndex(frame["note"].astype(str)),
}


@pytest.mark.parametrize("kind", ["text", "category", "dictionary"])
@pytest.mark.parametrize("index", list(INDEXES))
@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_sanitize_leaves_no_trace(kind, index, scope, tmp_path):
    frame = visits(kind)
    frame.index = INDEXES[index](frame)
    released = frame.seqpriv.sanitize(0.01, events=[SECRET], scope=scope)
    assert len(released) == 4
    texts = [released.to_csv(), repr(released.attrs), repr(released.dtypes.to_dict())]
    for name in released.columns:
        if isinstance(released[name].dtype, pd.CategoricalDtype):
            texts.append(repr(list(released[name].cat.categories)))
        if isinstance(released[name].dtype, pd.ArrowDtype):
            texts.append(repr(pa.chunked_array(released[name].array.__arrow_array__()).chunks))
    if index == "multi":
        texts.append(repr([list(level) for level in released.index.levels]))
    if index == "category":
        texts.append(repr(list(released.index.categories)))
    assert not [text for text in texts if SECRET in text]
    pdseqpriv.write_parquet(released, tmp_path / "released.parquet")
    assert SECRET.encode() not in (tmp_path / "released.parquet").read_bytes()


def test_sanitize_leaves_no_gaps_in_a_numbered_index():
    frame = visits("text")
    assert list(frame.seqpriv.sanitize(0.01, events=[SECRET]).index) == [0, 1, 2, 3]
    shuffled = frame.sample(frac=1, random_state=0)
    assert list(shuffled.seqpriv.sanitize(0.01, events=[SECRET]).index) == [0, 1, 2, 3]


def test_sanitize_tells_no_event_in_errors_and_warnings():
    frame = visits("text")
    with pytest.raises(pdseqpriv.SeqPrivError) as caught:
        frame.seqpriv.sanitize(0.1, events=SECRET)
    assert SECRET not in str(caught.value)
    with pytest.raises(pdseqpriv.SeqPrivError) as caught:
        frame.seqpriv.sanitize(0.1, events=[SECRET, None])
    assert SECRET not in str(caught.value)
    with pytest.warns(pdseqpriv.PrivacyWarning) as warned:
        frame.seqpriv.sanitize(0.1, events=["unheard-of"])
    assert "unheard-of" not in str(warned[0].message)


# Times that no other number in a file looks like.
FIRST, SECOND, LAST = 1_234_567_000_011, 1_234_569_000_011, 1_234_571_000_011


def crowd(kind):
    """Four people whose names, sites and times between the first and the last of them are to disappear."""
    frame = pd.DataFrame(
        {
            "seq_id": [f"{SECRET}-{i}" for i in range(4) for _ in range(3)],
            "event": [f"{SECRET}-{i % 6}" for i in range(12)],
            "time": [start + 1001 * i for i in range(4) for start in (FIRST, SECOND, LAST)],
            "note": SECRET,
        }
    )
    frame["event"] = frame["event"].where(frame["time"] < LAST, "shop")
    if kind == "category":
        frame = frame.astype({"seq_id": "category", "event": "category", "note": "category"})
    if kind == "dictionary":
        dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
        frame = frame.astype({"event": dictionary, "seq_id": dictionary})
    frame.attrs["source"] = SECRET
    return frame


def seen_in(table):
    """Give all that pandas shows of a table, behind the values as well."""
    texts = [table.to_csv(), repr(table.attrs), repr(table.dtypes.to_dict()), repr(table.index)]
    for name in table.columns:
        if isinstance(table[name].dtype, pd.CategoricalDtype):
            texts.append(repr(list(table[name].cat.categories)))
        if isinstance(table[name].dtype, pd.ArrowDtype):
            texts.append(repr(pa.chunked_array(table[name].array.__arrow_array__()).chunks))
    return texts


@pytest.mark.parametrize("kind", ["text", "category", "dictionary"])
@pytest.mark.parametrize("index", list(INDEXES))
def test_generalize_leaves_no_trace(kind, index, tmp_path):
    frame = crowd(kind)
    frame.index = INDEXES[index](frame)
    taxonomy = {f"{SECRET}-{i}": "a site" for i in range(6)}
    monitored = [one for one in frame["event"].unique() if one != "shop"]
    with pytest.warns(pdseqpriv.PrivacyWarning) as warned:
        released = frame.seqpriv.generalize(
            taxonomy, k=4, monitored=monitored, diversity=(10**9, 1), seed=8_675_309
        )
    texts = [*seen_in(released), *(str(one.message) for one in warned)]
    assert not [text for text in texts if SECRET in text or "8675309" in text]
    pdseqpriv.write_parquet(released, tmp_path / "released.parquet")
    data = (tmp_path / "released.parquet").read_bytes()
    assert SECRET.encode() not in data
    inside = [start + 1001 * i for start in (FIRST, SECOND) for i in (1, 2)]
    assert not [time for time in inside if time.to_bytes(8, "little") in data]
    assert all(time.to_bytes(8, "little") in data for time in (FIRST, FIRST + 3003, SECOND, LAST + 1001))


def test_generalize_tells_no_event_in_errors():
    frame = crowd("text")[["seq_id", "event", "time"]]
    with pytest.raises(pdseqpriv.SeqPrivError) as caught:
        frame.seqpriv.generalize({SECRET: "x"}, k=2)
    assert SECRET not in str(caught.value)
    with pytest.raises(pdseqpriv.InfeasibleError) as caught:
        frame.seqpriv.generalize(monitored=[f"{SECRET}-0", f"{SECRET}-3"], diversity=(10**12, 4))
    assert SECRET not in str(caught.value)
