"""Generated tables that resemble real data: reproducible by seed, a million rows in about a second."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.errors import public, wrong_parameter
from pdseqpriv.parameters import seed_number, shown, whole_number
from pdseqpriv.sequences.ragged import Ints

_MONDAY = np.datetime64("2024-03-04T00:00:00", "s")
_HOUR, _DAY = 3600, 24 * 3600

# How busy each hour of the day is.
_AT_HOME = [2, 1, 1, 1, 1, 2, 4, 7, 9, 9, 9, 10, 11, 10, 9, 9, 10, 11, 13, 15, 16, 14, 9, 4]
_AT_WORK = [0, 0, 0, 0, 0, 0, 1, 4, 9, 12, 12, 10, 6, 9, 11, 11, 9, 5, 2, 1, 0, 0, 0, 0]

_SECTIONS = ["news", "sport", "weather", "travel", "money", "health", "tech", "local", "opinion", "video"]
_LEAVES_SECTION = 0.3
_TURNS = 0.25
_STAFF_PER_ACTIVITY = 5

# What follows each activity, and how often; "" ends the case.
_PROCESS: dict[str, dict[str, float]] = {
    "register": {"triage": 0.9, "cancel": 0.1},
    "triage": {"blood test": 0.5, "x-ray": 0.2, "consultation": 0.3},
    "blood test": {"consultation": 0.7, "blood test": 0.2, "admission": 0.1},
    "x-ray": {"consultation": 0.8, "surgery": 0.2},
    "consultation": {"blood test": 0.25, "prescription": 0.35, "admission": 0.15, "discharge": 0.25},
    "prescription": {"discharge": 0.8, "consultation": 0.2},
    "admission": {"surgery": 0.3, "blood test": 0.3, "intensive care": 0.1, "discharge": 0.3},
    "surgery": {"intensive care": 0.3, "admission": 0.7},
    "intensive care": {"admission": 0.9, "death": 0.1},
    "discharge": {"return visit": 0.15, "": 0.85},
    "return visit": {"consultation": 1.0},
    "cancel": {"": 1.0},
    "death": {"": 1.0},
}


@public
def make_clickstream(
    n_sequences: int = 10_000, *, n_pages: int = 200, mean_length: float = 8.0, seed: int = 0
) -> pd.DataFrame:
    """Generate visits to a news site.

    Few pages are popular, visitors tend to stay in a section, and evenings are busy.

    Parameters
    ----------
    n_sequences : int
        Number of visits.
    n_pages : int
        Number of pages of the site, spread over ten sections; see :func:`clickstream_taxonomy`.
    mean_length : float
        Clicks per visit, on average.
    seed : int
        The same seed gives the same table.

    Examples
    --------
    >>> import pdseqpriv
    >>> pdseqpriv.datasets.make_clickstream(1, mean_length=3, seed=4)
       seq_id     event                time
    ...
    """
    rng = _generator(seed, n_sequences=n_sequences, n_pages=n_pages)
    lengths = _lengths(rng, n_sequences, mean_length)
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    clicks = np.arange(first.size)
    # The section of a click is that of the last click that left a section, or of the first one.
    leaves = rng.random(clicks.size) < _LEAVES_SECTION
    last = np.maximum(np.maximum.accumulate(np.where(leaves, clicks, 0)), first)
    n_sections = min(len(_SECTIONS), n_pages)
    section = _skewed(rng, np.full(clicks.size, n_sections))[last]
    page = _skewed(rng, (n_pages - 1 - section) // n_sections + 1)
    gaps = np.ceil(rng.exponential(40.0, clicks.size)).astype(np.int64)
    return pd.DataFrame(
        {
            "seq_id": np.repeat(np.arange(n_sequences), lengths),
            "event": _text(page * n_sections + section, _pages(n_pages)),
            "time": _clock(rng, lengths, gaps, _AT_HOME, days=14),
        }
    )


@public
def clickstream_taxonomy(n_pages: int = 200) -> pd.DataFrame:
    """Return the pages and sections of :func:`make_clickstream`, in columns ``child`` and ``parent``.

    Examples
    --------
    >>> import pdseqpriv
    >>> pdseqpriv.datasets.clickstream_taxonomy(2)
        child parent
    0  news/0   news
    1 sport/0  sport
    2    news    ALL
    3   sport    ALL
    """
    _generator(0, n_pages=n_pages)
    pages = _pages(n_pages)
    return _taxonomy(pages, [page.partition("/")[0] for page in pages])


@public
def make_trajectories(
    n_sequences: int = 1_000, *, grid: int = 10, mean_length: float = 20.0, seed: int = 0
) -> pd.DataFrame:
    """Generate trips over a square grid of cells.

    A trip starts near the centre and tends to go straight on. Events are cells such as ``"x3y7"``,
    consecutive cells differ, and ``time`` counts seconds since the start of the trip.

    Parameters
    ----------
    n_sequences : int
        Number of trips.
    grid : int
        Cells per side; see :func:`trajectory_taxonomy`.
    mean_length : float
        Steps per trip, on average.
    seed : int
        The same seed gives the same table.

    Examples
    --------
    >>> import pdseqpriv
    >>> pdseqpriv.datasets.make_trajectories(1, mean_length=3, seed=1).columns.tolist()
    ['seq_id', 'event', 'time']
    """
    rng = _generator(seed, n_sequences=n_sequences, grid=grid)
    lengths = _lengths(rng, n_sequences, mean_length)
    owners = np.repeat(np.arange(n_sequences), lengths)
    x, y = _walk(rng, lengths, grid), _walk(rng, lengths, grid)
    moved = np.ones(owners.size, bool)
    moved[1:] = (owners[1:] != owners[:-1]) | (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    seconds = _running_total(rng.integers(20, 300, owners.size), lengths)
    cells = _text((x * grid + y)[moved], _cells(grid))
    return pd.DataFrame({"seq_id": owners[moved], "event": cells, "time": seconds[moved]})


def trajectory_taxonomy(grid: int = 10) -> pd.DataFrame:
    """Return the cells of :func:`make_trajectories` and their quarters, in columns ``child`` and ``parent``.

    Examples
    --------
    >>> import pdseqpriv
    >>> pdseqpriv.datasets.trajectory_taxonomy(10)["parent"].unique().tolist()
    ['south-west', 'north-west', 'south-east', 'north-east', 'ALL']
    """
    _generator(0, grid=grid)
    half = (grid + 1) // 2
    quarters = [
        f"{'north' if y >= half else 'south'}-{'east' if x >= half else 'west'}"
        for x in range(grid)
        for y in range(grid)
    ]
    return _taxonomy(_cells(grid), quarters)


@public
def make_event_log(n_sequences: int = 5_000, *, max_length: int = 40, seed: int = 0) -> pd.DataFrame:
    """Generate hospital cases: a process with loops and rare endings, in office hours, with a ``resource``.

    Parameters
    ----------
    n_sequences : int
        Number of cases.
    max_length : int
        Cases are cut off after this many events.
    seed : int
        The same seed gives the same table.

    Examples
    --------
    >>> import pdseqpriv
    >>> log = pdseqpriv.datasets.make_event_log(100, seed=1)
    >>> log["event"].iloc[0], log.columns.tolist()
    ('register', ['seq_id', 'event', 'time', 'resource'])
    """
    rng = _generator(seed, n_sequences=n_sequences, max_length=max_length)
    owners, activities = _cases(rng, n_sequences, max_length)
    lengths = np.bincount(owners, minlength=n_sequences)
    gaps = np.ceil(rng.lognormal(8.0, 1.2, owners.size)).astype(np.int64)
    staff = activities * _STAFF_PER_ACTIVITY + _skewed(rng, np.full(owners.size, _STAFF_PER_ACTIVITY))
    people = [f"staff {i:02d}" for i in range(len(_PROCESS) * _STAFF_PER_ACTIVITY)]
    return pd.DataFrame(
        {
            "seq_id": _text(owners, [f"case {i}" for i in range(n_sequences)]),
            "event": _text(activities, list(_PROCESS)),
            "time": _clock(rng, lengths, gaps, _AT_WORK, days=300),
            "resource": _text(staff, people),
        }
    )


def _generator(seed: int, **sizes: int) -> np.random.Generator:
    for name, size in sizes.items():
        whole_number(name, size, least=1)
    return np.random.default_rng(seed_number(seed))


def _lengths(rng: np.random.Generator, n_sequences: int, mean: float) -> Ints:
    """Draw lengths of at least 1: many short ones and a few long ones."""
    if not isinstance(mean, int | float) or not 1 <= mean < np.inf:
        raise wrong_parameter("mean_length", "a number of at least 1", shown(mean))
    return rng.geometric(1 / mean, n_sequences)


def _skewed(rng: np.random.Generator, sizes: Ints) -> Ints:
    """Draw a number below each size, small numbers far more often."""
    return np.minimum((sizes * rng.random(sizes.size) ** 3).astype(np.int64), sizes - 1)


def _walk(rng: np.random.Generator, lengths: Ints, grid: int) -> Ints:
    """Walk along one axis: keep going, sometimes turn round, bounce off the border."""
    turns = rng.random(int(lengths.sum())) < _TURNS
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    direction = rng.integers(-1, 2, turns.size)
    steps = direction[np.maximum(np.maximum.accumulate(np.where(turns, np.arange(turns.size), 0)), first)]
    home = np.clip(rng.normal(grid / 2, grid / 6, lengths.size), 0, grid - 1).astype(np.int64)
    there = np.repeat(home, lengths) + _running_total(steps, lengths)
    folded = np.mod(there, 2 * grid)
    return np.asarray(np.minimum(folded, 2 * grid - 1 - folded))


def _cases(rng: np.random.Generator, n_sequences: int, max_length: int) -> tuple[Ints, Ints]:
    """Move all cases forward one step at a time; return the rows case by case."""
    names = list(_PROCESS)
    chances = np.array([[follows.get(name, 0.0) for name in names] for follows in _PROCESS.values()])
    thresholds = np.cumsum(chances, axis=1)
    running, state = np.arange(n_sequences), np.zeros(n_sequences, np.int64)
    owners, states = [running], [state]
    for _ in range(max_length - 1):
        drawn = (rng.random((running.size, 1)) >= thresholds[state]).sum(axis=1)
        goes_on = drawn < len(names)
        running, state = running[goes_on], drawn[goes_on]
        owners.append(running)
        states.append(state)
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return owner[order], np.concatenate(states)[order]


def _clock(rng: np.random.Generator, lengths: Ints, gaps: Ints, busy: list[int], days: int) -> pd.Series:
    """Start each sequence at a busy hour of some day and add the gaps."""
    hours = rng.choice(24, lengths.size, p=np.array(busy) / sum(busy))
    starts = rng.integers(0, days, lengths.size) * _DAY + hours * _HOUR + rng.integers(0, _HOUR, lengths.size)
    seconds = np.repeat(starts, lengths) + _running_total(gaps, lengths)
    return pd.Series(_MONDAY + seconds.astype("timedelta64[s]"))


def _running_total(values: Ints, lengths: Ints) -> Ints:
    """Add up within each sequence, starting from 0 at its first row."""
    totals = np.cumsum(values)
    first = np.cumsum(lengths) - lengths
    return np.asarray(totals - np.repeat(totals[first], lengths))


def _pages(n_pages: int) -> list[str]:
    n_sections = min(len(_SECTIONS), n_pages)
    return [f"{_SECTIONS[i % n_sections]}/{i // n_sections}" for i in range(n_pages)]


def _cells(grid: int) -> list[str]:
    return [f"x{x}y{y}" for x in range(grid) for y in range(grid)]


def _text(codes: Ints, names: list[str]) -> pd.Series:
    return pd.Series(names, dtype="str").take(codes).reset_index(drop=True)


def _taxonomy(leaves: list[str], parents: list[str]) -> pd.DataFrame:
    inner = list(dict.fromkeys(parents))
    return pd.DataFrame({"child": leaves + inner, "parent": parents + ["ALL"] * len(inner)})
