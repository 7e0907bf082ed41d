"""How identifiable the people in a table are."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.kernels.linking import NOBODY, first_events, hide_among
from pdseqpriv.audit.known_events import SECONDS, Attack, People, people_of
from pdseqpriv.audit.pairs import RELEASED, read_both, warn_if_swapped
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, read
from pdseqpriv.errors import refusal, speaking_of, wrong_parameter
from pdseqpriv.parameters import seed_number, shown, whole_number, yes_or_no
from pdseqpriv.progress import progress
from pdseqpriv.sequences.record import record_of
from pdseqpriv.sequences.sequences import Sequences

# Up to so many (sequence, pattern) pairs are enumerated; beyond, people are drawn at random.
_CHEAP = 30_000_000
_DRAWN = 1_000
_ENOUGH = 10  # candidates, where nobody says
_WIDEST = 2**53  # of a resolution for numeric times
_Z = 1.959964  # two-sided 95 %


@on_tables("risk")
def risk(
    table: Table,
    known: int | Sequence[int] = 3,
    *,
    with_time: bool = False,
    in_order: bool = True,
    resolution: str | float | None = None,
    k: int | None = None,
    original: Table | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Measure how well someone who knows a few events of a person can find that person.

    The linking attack (Monreale et al. 2014, definition 2): the attacker knows that a person is in the table
    and knows ``known`` of the person's events, or all of them if there are fewer. Everybody whose sequence
    contains these events is a candidate, and the attacker picks one at random.

    Parameters
    ----------
    known : int or several
        How many events the attacker knows. Several numbers give one row each.
    with_time : bool
        The attacker also knows when the events happened.
    in_order : bool
        The attacker knows in which order they happened; ignored when times are known.
    resolution : "second", "minute", "hour", "day", or a number, optional
        How precisely times are known: one of the words for datetimes, a width for numeric times; exactly by
        default. Only together with ``with_time=True``.
    k : int, optional
        How many candidates are considered enough. ``below_k_share`` depends on it and, with ``original``,
        so does every chance: candidates are counted in the original where it has ``k`` of them and the
        release has fewer, else in the release. With ``original`` the default is the ``k`` of the last
        k_anonymize in the record of the release; without either it is 10.
    original : DataFrame, optional
        For a release: what the attacker knows comes from this table, and candidates are counted as in the
        proof of the paper's theorem 1.
    sample : int, optional
        Measure only so many people, drawn at random over all lengths. By default everybody, as long as that
        is quick, and 1,000 people otherwise.
    seed : int
        For drawing people.

    Returns
    -------
    pandas.DataFrame
        One row per number of known events:

        - ``known``, ``attack``, ``people``: what was measured;
        - ``unique_share``: people whom some such knowledge singles out, with ``unique_low`` and
          ``unique_high``, a 95 % interval (the same number when exact);
        - ``below_k_share``: people whom some such knowledge leaves with fewer than ``k`` candidates;
        - ``worst_probability``: the highest chance of being found, over all people and knowledge;
        - ``mean_worst_probability``: each person's highest chance, averaged over people;
        - ``mean_probability``: averaged over what may be known, then over people;
        - ``method``: "exact" or "sampled". Where sampled, ``worst_probability`` is that of the people drawn.

    Notes
    -----
    **Guarantee**: exact where it says so. What may be known are the distinct patterns of so many events in
    the person's sequence, each counted once.

    **Not protected**: nothing is changed. The numbers are for the owner of the data. An attacker may know
    other things than events.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2, 3, 3], "event": list("ababba"), "time": [1, 2, 1, 2, 1, 2]})
    >>> df.seqpriv.risk(known=[1, 2])[["known", "unique_share", "mean_probability", "method"]]
       known  unique_share  mean_probability method
    0      1      0.000000          0.333333  exact
    1      2      0.333333          0.666667  exact
    """
    numbers = _several(known)
    with_time, in_order = yes_or_no("with_time", with_time), yes_or_no("in_order", in_order)
    enough = whole_number("k", _recorded_k(table, original) if k is None else k, least=2)
    seed_number(seed)
    if sample is not None:
        whole_number("sample", sample, least=1)
    tables = [read(table)] if original is None else list(read_both(original, table))
    if original is not None:
        warn_if_swapped(original, table)
        _check_pair(*tables, with_time=with_time)
    attack: Attack = "with times" if with_time else "in order" if in_order else "any order"
    people = people_of(tables, attack, _width(resolution, tables[0], with_time=with_time))
    longest = max(1, int(people.lengths.max(initial=0)))  # nobody can know more
    rows = [_row(people, min(number, longest), enough, sample, seed) for number in numbers]
    return pd.DataFrame([{"known": m, "attack": attack, **row} for m, row in zip(numbers, rows, strict=True)])


class _Drawn(NamedTuple):
    """How often each distinct sequence was drawn, and whether that is everybody."""

    times: NDArray[np.int64]
    is_everybody: bool


def _row(people: People, known: int, k: int, sample: int | None, seed: int) -> dict[str, object]:
    drawn = _draw(people, known, sample, seed)
    worst, chances, patterns = _attacked(people, known, k, drawn.times > 0)
    weights = drawn.times[drawn.times > 0]
    total = int(weights.sum())
    if not total:
        return _empty_row()
    highest = np.where(worst == NOBODY, 0.0, 1 / worst)
    unique = float((weights * (worst == 1)).sum() / total)
    low, high = (unique, unique) if drawn.is_everybody else _interval(unique, total)
    return {
        "people": int(people.counts[~people.is_release].sum()),
        "unique_share": unique,
        "unique_low": low,
        "unique_high": high,
        "below_k_share": float((weights * (worst < k)).sum() / total),
        "worst_probability": float(highest.max()),
        "mean_worst_probability": float((weights * highest).sum() / total),
        "mean_probability": float((weights * chances / patterns).sum() / total),
        "method": "exact" if drawn.is_everybody else "sampled",
    }


def _empty_row() -> dict[str, object]:
    shares = ["unique_share", "unique_low", "unique_high", "below_k_share"]
    chances = ["worst_probability", "mean_worst_probability", "mean_probability"]
    return {"people": 0, **dict.fromkeys(shares + chances, float("nan")), "method": "exact"}


def _attacked(
    people: People, known: int, k: int, wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Give fewest candidates, sum of chances and number of patterns of the wanted sequences."""
    n = people.counts.size
    found = np.full(n, NOBODY), np.zeros(n), np.zeros(n, np.int64)
    arrays = people.codes, people.elements, people.offsets
    is_release = people.is_release if people.has_release else people.is_release[:0]
    data = (*arrays, people.counts, is_release, wanted)
    events, starts, members, ends = first_events(*arrays, people.n_codes)
    # One call per first event, so that progress shows and Ctrl-C is heard.
    with progress(len(events), f"knowing {known}") as bar:
        for event, start, stop in zip(events, starts[:-1], starts[1:], strict=True):
            group = slice(start, stop)
            hide_among(data, known, k, people.n_codes, event, members[group], ends[group], found)
            bar.update(1)
    _note_those_without_events(people, k, found)
    worst, chances, patterns = found
    return worst[wanted], chances[wanted], patterns[wanted]


def _note_those_without_events(
    people: People, k: int, found: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]
) -> None:
    """Of those who have no events nothing can be known: everybody is a candidate."""
    worst, chances, patterns = found
    empty = people.lengths == 0
    in_original = int(people.counts[~people.is_release].sum())
    in_release = int(people.counts[people.is_release].sum()) if people.has_release else in_original
    everybody = in_release if in_original < k or in_release >= k else in_original
    patterns[empty] = 1
    if in_release:
        worst[empty], chances[empty] = everybody, 1 / everybody


def _draw(people: People, known: int, sample: int | None, seed: int) -> _Drawn:
    """Decide whom to measure: everybody if that is quick, else one person from each stratum of lengths."""
    counts = np.where(people.is_release, 0, people.counts)
    total = int(counts.sum())
    size = sample if sample is not None else total if _work(people, known) <= _CHEAP else _DRAWN
    if size >= total:
        return _Drawn(counts, is_everybody=True)
    by_length = np.lexsort((np.arange(counts.size), people.lengths))
    bounds = np.linspace(0, total, size + 1)
    places = np.floor(bounds[:-1] + np.random.default_rng(seed).random(size) * np.diff(bounds)).astype(
        np.int64
    )
    owner = by_length[np.searchsorted(np.cumsum(counts[by_length]), places, side="right")]
    return _Drawn(np.bincount(owner, minlength=counts.size), is_everybody=False)


def _work(people: People, known: int) -> float:
    """Bound how many (sequence, pattern) pairs there are: by places, and by distinct events."""
    owners = np.repeat(np.arange(people.counts.size), people.lengths)
    pairs = np.unique(owners * people.n_codes + people.codes) // max(1, people.n_codes)
    distinct = np.bincount(pairs, minlength=people.counts.size)
    if (np.diff(people.elements) == 0).any():
        distinct = 2 * distinct  # each event may come later or join
    lengths = people.lengths
    by_length = np.array(
        [comb(n, min(n, known)) for n in range(int(lengths.max(initial=0)) + 1)], dtype=float
    )
    by_event = distinct.astype(float) ** known
    return float(np.minimum(by_length[lengths], by_event)[~people.is_release].sum())


def _interval(share: float, size: int) -> tuple[float, float]:
    """Give Wilson's interval; drawing by strata only makes it wider than needed."""
    middle = (share + _Z**2 / (2 * size)) / (1 + _Z**2 / size)
    reach = _Z / (1 + _Z**2 / size) * sqrt(share * (1 - share) / size + _Z**2 / (4 * size**2))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _recorded_k(table: Table, original: Table | None) -> int:
    """Give the k that a release was made with, if it says so."""
    if original is None:
        return _ENOUGH
    with speaking_of(RELEASED):
        steps = record_of(bind(table).frame)["applied"]
    told = [step["parameters"].get("k") for step in steps if step["operation"] == "k_anonymize"]
    return told[-1] if told and isinstance(told[-1], int) else _ENOUGH


def _several(known: int | Sequence[int]) -> list[int]:
    several = isinstance(known, list | tuple | range) or (isinstance(known, np.ndarray) and known.ndim == 1)
    numbers = list(known) if several else [known]  # type: ignore[arg-type]
    if not numbers:
        raise wrong_parameter("known", "an int of at least 1, or several", "none")
    return [whole_number("known", number, least=1) for number in numbers]


def _check_pair(original: Sequences, released: Sequences, *, with_time: bool) -> None:
    if with_time and original.time_unit != released.time_unit:
        raise refusal("original and release have different kinds of times, so times tell nothing.")
    if released.n_rows and not original.vocabulary.isin(released.vocabulary).any():
        raise refusal("no event of the release occurs in the original. Do the tables belong together?")
    if released.n_sequences > original.n_sequences:
        raise refusal("the release has more sequences than the original. Were they swapped?")


def _width(resolution: str | float | None, source: Sequences, *, with_time: bool) -> float | None:
    if resolution is None:
        return None
    if not with_time:
        raise wrong_parameter("resolution", "left out unless with_time=True", shown(resolution))
    if source.time_unit:
        if not isinstance(resolution, str) or resolution not in SECONDS:
            must = "one of 'second', 'minute', 'hour', 'day' for datetimes"
            raise wrong_parameter("resolution", must, shown(resolution))
        return SECONDS[resolution]
    is_number = isinstance(resolution, int | float) and not isinstance(resolution, bool)
    if not is_number or not 0 < resolution <= _WIDEST:  # type: ignore[operator]
        raise wrong_parameter("resolution", "a positive number for numeric times", shown(resolution))
    if source.times.dtype.kind == "i" and resolution != int(resolution):
        must = "a whole number where times are whole numbers"
        raise wrong_parameter("resolution", must, shown(resolution))
    return resolution  # type: ignore[return-value]
