"""Tables from short texts, and back."""

from __future__ import annotations

import random
import warnings

import pandas as pd

import pdseqpriv
from pdseqpriv.errors import PrivacyWarning
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS

METHODS = ["subsequence", "prefix_tree"]
GUARANTEES = ["contained", "mutual", "identical"]


def table_of(texts):
    rows = [(i, event, time) for i, text in enumerate(texts) for time, event in enumerate(text)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"]).astype({"event": "str"})


def texts_of(released):
    return released.groupby("seq_id")["event"].agg("".join).tolist()


def anonymize(table, k, **options):
    """Anonymize and let warnings pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return pdseqpriv.k_anonymize(table, k, **options)


def people_of(rows):
    """Return, for each id, its tuple of elements without marks and repeats."""
    people = {}
    for owner, elements in naive_table.sequences(rows).items():
        people[owner] = tuple(tuple(sorted(set(element))) for element in naive_table.unmarked(elements))
    return people


def elements_of(frame, names=EVENTS):
    """Return, for each id of a frame, its tuple of elements, events as numbers."""
    rows = zip(frame["seq_id"], frame["event"], frame["time"], strict=True)
    return people_of([(owner, names.index(event), time) for owner, event, time in rows])


def random_texts(seed, n, length, letters="abcd"):
    """Return texts that are variations of a few, so that some are shared and some are not."""
    chance = random.Random(seed)  # noqa: S311 (nothing secret)
    models = ["".join(chance.choices(letters, k=length)) for _ in range(3)]
    texts = []
    for _ in range(n):
        text = list(chance.choice(models)[: chance.randint(length // 2, length)])
        for _ in range(chance.randint(0, 3)):
            text[chance.randrange(len(text))] = chance.choice(letters)
        texts.append("".join(text))
    return texts


def wide_people(rows, taxonomy):
    """Return, for each id, its elements, with all categories beside the events."""
    return {
        owner: [
            sorted({label for event in element for label in all_above(EVENTS[event], taxonomy)})
            for element in elements
        ]
        for owner, elements in people_of(rows).items()
    }


def shown_elements(released, taxonomy=None):
    """Return, for each released id, its elements; with a taxonomy, all categories are beside the events."""
    rows = zip(released["seq_id"], released["event"], released["time"], strict=True)
    elements = naive_table.sequences(list(rows)).items()
    if taxonomy is None:
        return dict(elements)
    return {
        owner: [
            sorted({label for event in element for label in all_above(event, taxonomy)}) for element in one
        ]
        for owner, one in elements
    }


def all_above(event, taxonomy):
    labels = [event]
    while taxonomy.parent_of(labels[-1]) is not None:
        labels.append(taxonomy.parent_of(labels[-1]))
    return labels
