"""Whose sequence it is: people who have several."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
import pytest
from hypothesis import given, settings
from pandera.typing import DataFrame

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable, read
from pdseqpriv.engines.local import LocalRun
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.schemas import KeyTable, SequenceTable
from pdseqpriv.sequences.columns import Columns
from tests.strategies import tables, with_people

PERSONAL = Columns(person="person")
PersonalTable = SequenceTable.using(person="person")


def visits(**changes):
    frame = pd.DataFrame(
        {
            "seq_id": [1, 1, 2, 3],
            "event": ["a", "b", "a", "b"],
            "time": [1, 2, 1, 1],
            "person": ["ann", "ann", "bo", "ann"],
        }
    )
    return frame.assign(**changes)


@given(frame=with_people(tables()))
@settings(deadline=None)
def test_every_sequence_knows_its_person(frame):
    sequences = read(BoundTable(frame, PERSONAL))
    said = dict(zip(frame["seq_id"], frame["person"], strict=True))
    found = {
        sequences.ids[number]: sequences.person_ids[person] for number, person in enumerate(sequences.people)
    }
    assert found == said
    assert sequences.n_people == len(set(said.values())) == len(sequences.person_ids)


@pytest.mark.parametrize("partitions", [1, 2, 3, 7])
@given(frame=with_people(tables()))
@settings(deadline=None, max_examples=30)
def test_parts_hold_whole_people_and_no_part_shows_who_they_are(frame, partitions):
    run = LocalRun(frame, PERSONAL, partitions)
    people = [set(sequences.person_ids) for _, sequences in run._parts]
    assert sum(map(len, people)) == frame["person"].nunique()
    assert all("person" not in part.columns for part, _ in run._parts)
    assert "person" not in run.other_columns


def test_taken_sequences_keep_their_people():
    taken = read(BoundTable(visits(), PERSONAL)).take(np.array([2, 1]))
    assert taken.people.tolist() == [0, 1]


def test_without_a_person_each_sequence_is_one():
    sequences = read(visits())
    assert sequences.people is None
    assert sequences.n_people == sequences.n_sequences == 3


@pytest.mark.parametrize(
    ("changes", "person", "words"),
    [
        ({"person": ["ann", None, "bo", None]}, "person", "2 rows have no person"),
        ({"person": ["ann", "bo", "bo", "ann"]}, "person", "1 sequence belongs to several people"),
        ({"person": [1.5, 1.5, 2.5, 1.5]}, "person", "'person' must be all text or all whole numbers"),
        ({}, "customer", "no column 'customer' for person"),
        ({}, "event", "person must be a column of its own"),
        ({}, [1], "person must be the name of a column"),
    ],
)
@pytest.mark.parametrize("table", [lambda frame: frame, pa.Table.from_pandas])
def test_bad_people_are_refused_without_naming_them(table, changes, person, words):
    with pytest.raises(SeqPrivError) as caught:
        pdseqpriv.using(table(visits(**changes)), person=person).mine(1)
    assert words in str(caught.value)
    assert "ann" not in str(caught.value)


def test_sequences_of_several_people_are_counted():
    shuffled = pd.DataFrame(
        {
            "seq_id": [2, 1, 3, 2, 1, 3, 1],
            "event": list("abababa"),
            "time": range(7),
            "person": [7, 7, 7, 8, 9, 7, 7],
        }
    )
    with pytest.raises(SeqPrivError, match="2 sequences belong to several people"):
        shuffled.seqpriv.using(person="person").describe()


def test_the_accessor_shows_the_person():
    assert "person='person'" in repr(visits().seqpriv.using(person="person"))
    assert "person" not in repr(visits().seqpriv)


def test_the_models_know_people():
    model = SequenceTable.using(person="customer", seq_id="visit")
    assert list(model.to_schema().columns) == ["visit", "event", "time", "customer"]
    good = visits().rename(columns={"person": "customer", "seq_id": "visit"})
    model.validate(good)
    for bad in (good.assign(customer=["ann", "bo", "bo", "ann"]), good.assign(customer=None)):
        with pytest.raises(pandera.errors.SchemaError):
            model.validate(bad)
    key = pd.DataFrame({"seq_id": [1], "customer": ["ann"], "released_id": pd.array([0], "Int64")})
    KeyTable.using(person="customer").validate(key)
    with pytest.raises(pandera.errors.SchemaErrors):
        KeyTable.validate(key)
    KeyTable.using(person="customer").validate(key.assign(group=pd.array([3], "Int64")))


def test_check_types_knows_people():
    @pandera.check_types
    def size(table: DataFrame[PersonalTable]) -> int:
        return len(table)

    assert size(visits()) == 4
    with pytest.raises(pandera.errors.SchemaError):
        size(visits(person=["ann", "bo", "bo", "ann"]))
