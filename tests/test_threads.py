"""Work on several cores: the same answers as on one, and one core where others have parts of their own."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import partial

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import Taxonomy, verify
from pdseqpriv.audit import interval_linkage, linkage
from pdseqpriv.engines.part_tasks import Task
from pdseqpriv.generalization import intervals
from pdseqpriv.generalization.grouping import hybrid
from pdseqpriv.mining import search
from pdseqpriv.pattern_release import verify_pairs
from pdseqpriv.progress import DONE, progress
from pdseqpriv.sanitization import per_sequence
from pdseqpriv.threads import number_of_threads, on_all_cores, one_by_one

pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")

random = np.random.default_rng(11)
ROWS = {"seq_id": np.repeat(np.arange(300), 9), "event": random.choice(list("abcde"), 2_700)}
# Times repeat, so that there are elements with several events.
TABLE = pd.DataFrame({**ROWS, "time": np.tile(np.arange(9) // 2, 300) + 100 * (ROWS["seq_id"] % 7)})
PEOPLE = TABLE.assign(who=TABLE["seq_id"] // 3)
LETTERS = Taxonomy({"vowel": ["a", "e"], "consonant": ["b", "c", "d"]})


def released(frame, **options):
    return frame.seqpriv.generalize(k=4, with_key=True, seed=3, **options)


def sanitized(frame, **options):
    return frame.seqpriv.sanitize(0.3, events=["a", "b", "c"], **options)


def linked(frame, **person):
    shown, key = frame.seqpriv.k_anonymize(3, with_key=True, seed=3, **person)
    original = frame.seqpriv.using(**person)
    return pdseqpriv.risk(shown, original=original, key=key, attack="linkage", knows=["whole", 0.5, 2])


def linked_by_intervals(frame, sample=None, **person):
    shown, key = released(frame, taxonomy=LETTERS, intervals="by_category", **person)
    original = frame.seqpriv.using(**person)
    asked = {"attack": "linkage", "knows": ["whole", 0.5, 2], "k": 4, "sample": sample}
    return pdseqpriv.risk(shown, original=original, key=key, taxonomy=LETTERS, **asked)


def unsafe_pairs(frame):
    found = verify.are_patterns_safe(frame.seqpriv.mine(min_support=20), k=20, reveal=True)
    return str(found), found.details


# What is done, the module that divides the work, and how: the name and the size of its pieces.
WORK = {
    "sanitize": (partial(sanitized, TABLE), per_sequence, "_CHUNK", 100),
    "sanitize with camouflage": (partial(sanitized, TABLE, camouflage=2), per_sequence, "_CHUNK", 100),
    "sanitize people": (
        partial(sanitized, PEOPLE, scope="person", person="who"),
        per_sequence,
        "_CHUNK",
        100,
    ),
    "losses of neighbours": (partial(released, TABLE, method="hybrid"), hybrid, "CHUNK", 20),
    "intervals": (partial(released, TABLE, method="hilbert"), intervals, "CHUNK", 100),
    "intervals by category": (
        partial(released, TABLE, taxonomy=LETTERS, intervals="by_category"),
        intervals,
        "CHUNK",
        100,
    ),
    "intervals of people": (partial(released, PEOPLE, person="who"), intervals, "CHUNK", 100),
    "linking": (partial(linked, TABLE), linkage, "_CHUNK", 10_000),
    "linking people": (partial(linked, PEOPLE, person="who"), linkage, "_CHUNK", 10_000),
    "linking by intervals": (partial(linked_by_intervals, TABLE), interval_linkage, "_CHUNK", 5_000),
    "linking people by intervals": (
        partial(linked_by_intervals, PEOPLE, sample=40, person="who"),
        interval_linkage,
        "_CHUNK",
        5_000,
    ),
    "pairs of patterns": (partial(unsafe_pairs, TABLE), verify_pairs, "CHUNK", 30),
}


def arrays_in(*things):
    """Return all arrays that some objects hold."""
    found = []
    for thing in things:
        if isinstance(thing, np.ndarray):
            found.append(thing)
        elif isinstance(thing, tuple | list):
            found.extend(arrays_in(*thing))
        elif isinstance(thing, partial):
            found.extend(arrays_in(thing.func, *thing.args))
        elif is_dataclass(thing):
            found.extend(arrays_in(*(getattr(thing, field.name) for field in fields(thing))))
        elif getattr(thing, "__closure__", None):
            found.extend(arrays_in(*(cell.cell_contents for cell in thing.__closure__)))
    return found


class Watched:
    """Does one piece after the other, and notes which places of shared arrays each of them changes."""

    def __init__(self):
        self.most_pieces = 0
        self.changed_twice = 0
        self.seen = 0

    def __call__(self, work, pieces, bar):
        arrays = [array for array in arrays_in(work, *pieces) if array.flags.writeable]
        changes = [np.zeros(array.shape, np.int64) for array in arrays]

        def one(piece, pulse):
            before = [array.copy() for array in arrays]
            answer = work(piece, pulse)
            for i, was in enumerate(before):
                is_number = (arrays[i] == arrays[i]) | (was == was)  # noqa: PLR0124 (NaN differs from itself)
                changes[i] += is_number & (arrays[i] != was)
            return answer

        answers = [one(piece, np.zeros(2, np.int64)) for piece in pieces]
        self.most_pieces = max(self.most_pieces, len(pieces))
        self.changed_twice += sum(int((often > 1).sum()) for often in changes)
        self.seen += len(arrays)
        bar.update(0)
        return answers


@pytest.mark.parametrize("name", WORK)
def test_the_number_of_threads_changes_nothing(monkeypatch, name):
    work, module, size, small = WORK[name]
    monkeypatch.setattr(pdseqpriv.options, "threads", 1)
    answers, pieces = [work()], []
    monkeypatch.setattr(module, size, small)
    monkeypatch.setattr(
        module, "on_all_cores", lambda *given: pieces.append(len(given[1])) or on_all_cores(*given)
    )
    for threads in (1, 2, 5):
        monkeypatch.setattr(pdseqpriv.options, "threads", threads)
        answers.append(work())
    assert max(pieces) > 5
    for answer in answers[1:]:
        for one, other in zip(both(answer), both(answers[0]), strict=True):
            if isinstance(one, pd.DataFrame):
                pd.testing.assert_frame_equal(one, other)
            else:
                assert one == other


def both(answer):
    return answer if isinstance(answer, tuple) else (answer,)


@pytest.mark.parametrize("name", WORK)
def test_pieces_write_nowhere_in_common(monkeypatch, name):
    work, module, size, small = WORK[name]
    monkeypatch.setattr(module, size, small)
    watched = Watched()
    monkeypatch.setattr(module, "on_all_cores", watched)
    work()
    assert watched.most_pieces > 5
    assert watched.seen > 0
    assert watched.changed_twice == 0


def test_a_place_that_two_pieces_change_is_noticed():
    shared, watched = np.zeros(3), Watched()

    def add(piece, pulse):
        shared[0] += piece
        pulse[DONE] += 1

    with progress(2, "adding") as bar:
        watched(add, [1, 2], bar)
    assert watched.changed_twice == 1


def test_parts_are_worked_on_by_one_thread_each(monkeypatch):
    monkeypatch.setattr(pdseqpriv.options, "threads", 3)
    assert number_of_threads() == 3
    assert Task("mine").does(number_of_threads) == 1
    with progress(2, "counting") as bar:
        assert list(one_by_one(lambda _: number_of_threads(), [0, 1], bar)) == [1, 1]
    assert number_of_threads() == 3


def test_mining_a_part_takes_one_thread(monkeypatch):
    pools, pool = [], search.ThreadPoolExecutor
    monkeypatch.setattr(search, "ThreadPoolExecutor", lambda threads: pools.append(threads) or pool(threads))
    monkeypatch.setattr(pdseqpriv.options, "threads", 3)
    alone = TABLE.seqpriv.mine(min_support=100)
    part = Task("mine").does(lambda: TABLE.seqpriv.mine(min_support=100))
    assert pools == [3, 1]
    pd.testing.assert_frame_equal(part, alone)
