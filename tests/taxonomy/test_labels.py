"""Labels: the order of a tree as numbers, compared with what the taxonomy says of each pair of names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdseqpriv import SeqPrivError, Taxonomy
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of
from pdseqpriv.sequences.variants import variants_of
from pdseqpriv.taxonomy.labels import NONE, find_labels, relabel
from tests.strategies import EVENTS, plain_rows, plain_table, taxonomies

SOME = EVENTS[:4]


def vocabularies():
    return st.lists(st.sampled_from(SOME), unique=True, min_size=1).map(lambda some: pd.Index(sorted(some)))


@given(taxonomies(SOME), vocabularies())
def test_labels_say_what_the_taxonomy_says(links, vocabulary):
    taxonomy = Taxonomy(links)
    labels, label_of = find_labels(vocabulary, taxonomy)
    assert list(labels.names[label_of]) == list(vocabulary)
    assert labels.names.is_unique
    above = {name for name in taxonomy.names if any(taxonomy.covers(name, one) for one in vocabulary)}
    assert set(labels.names) == above
    for a, name in enumerate(labels.names):
        covered = [b for b, other in enumerate(labels.names) if taxonomy.covers(name, other)]
        assert covered == list(range(a, labels.end[a]))
        assert labels.kept[a] == 1 - taxonomy.share(name)
        parent = taxonomy.parent_of(name)
        assert labels.above[a] == (NONE if parent is None else list(labels.names).index(parent))


def test_without_a_taxonomy_each_event_is_its_only_label():
    vocabulary = pd.Index([3, 5, 9])
    labels, label_of = find_labels(vocabulary, None)
    assert labels.names is vocabulary
    assert label_of.tolist() == [0, 1, 2]
    assert labels.end.tolist() == [1, 2, 3]
    assert labels.above.tolist() == [NONE] * 3
    assert labels.kept.tolist() == [1.0] * 3


def read(variants):
    """Return each variant as its elements, in names, with its count."""
    found = {}
    for i, count in enumerate(variants.counts):
        elements = []
        for symbol in variants.symbols[variants.offsets[i] : variants.offsets[i + 1]]:
            if symbol & 1:
                elements.append([])
            elements[-1].append(symbol >> 1)
        assert all(element == sorted(element) for element in elements)
        found[tuple(tuple(sorted(variants.vocabulary[code] for code in e)) for e in elements)] = count
    assert len(found) == variants.counts.size
    return found


@given(plain_rows(), st.none() | taxonomies(SOME))
def test_variants_in_labels_are_the_same_variants(rows, links):
    variants = variants_of(sequences_of(plain_table(rows), Columns()))
    labels, label_of = find_labels(variants.vocabulary, links and Taxonomy(links))
    written, place = relabel(variants, labels, label_of)
    assert read(written) == read(variants)
    assert np.array_equal(written.counts[place], variants.counts)
    assert (np.diff(written.offsets)[place] == np.diff(variants.offsets)).all()


@pytest.mark.parametrize(
    ("events", "links", "words"),
    [
        (["a", "b"], {"a": "A"}, "1 of the 2 events of the table is not in the taxonomy. Add what"),
        (["a", "b", "c"], {"a": "A"}, "2 of the 3 events of the table are not in the taxonomy"),
        (["a", "A"], {"a": "A", "A": "B"}, "1 event of the table is also a category"),
        ([1, 7], {1: 7, 2: 7, 7: 8}, "1 event of the table is also a category"),
    ],
)
def test_events_that_are_no_leaves(events, links, words):
    with pytest.raises(SeqPrivError, match=words):
        find_labels(pd.Index(events), Taxonomy(links))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pd.Series(["a", "b"], dtype=object), object),
        (pd.Series(["a", "b"], dtype="string"), pd.StringDtype()),
        (pd.Series([1, 2]), "str"),
        (pd.Series([1, 2]).astype("category"), pd.CategoricalDtype(["1", "2", "ALL", "X"])),
        (pd.Series(["b", "a"]).astype("category"), pd.CategoricalDtype(["ALL", "X", "a", "b"])),
    ],
)
def test_labels_are_written_in_the_type_of_the_events_if_it_can_hold_them(column, expected):
    frame = pd.DataFrame({"seq_id": [1, 1], "event": column, "time": [1, 2]})
    variants = variants_of(sequences_of(frame, Columns()))
    taxonomy = Taxonomy(dict.fromkeys(column, "X") | {"X": "ALL"})
    written, _ = relabel(variants, *find_labels(variants.vocabulary, taxonomy))
    assert written.event_dtype == expected
