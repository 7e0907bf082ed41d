"""``sanitize`` on small problems, beside the best of all ways to delete, and beside ESSA in many orders."""

from __future__ import annotations

import random
import warnings
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.cases import Case, Shown
from pdseqpriv.errors import PrivacyWarning
from tests.sanitization import naive

LETTERS = "abcdefgh"
DELTAS = [Fraction(1, 10), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1)]
STRICT: list[Fraction | float] = [0.1, Fraction(1, 3), 1.0, 1e-9]
MOST_WAYS = 2_000  # that brute force tries
ENOUGH = 1 + 1e-9  # errors are sums of floats in another order
FEW, MANY, ORDERS = 200, 40, 24

OPTIMAL, WORST = "share with the least error", "largest error beside the least"
SAME = "answers that change with the order of the events"
BEATEN, BY = "with an order in which ESSA is better", "at most by a factor of"
REACHED = "with an event at delta or above in some prefix"


class Problem(NamedTuple):
    """Counts per time point, what is sensitive, the threshold, and all events."""

    points: naive.Points
    sensitive: list[str]
    delta: Fraction | float
    alphabet: set[str]


def small(seed: int) -> Problem:
    """Draw a problem that brute force can do."""
    dice = random.Random(seed)  # noqa: S311 (cases, not secrets)
    while True:
        alphabet = LETTERS[: dice.randint(2, len(LETTERS))]
        sensitive = dice.sample(alphabet, dice.randint(1, min(3, len(alphabet))))
        density, most = dice.uniform(0.4, 0.9), dice.randint(1, 4)
        points = [
            {event: dice.randint(1, most) for event in alphabet if dice.random() < density}
            for _ in range(dice.randint(2, 6))
        ]
        ways = np.prod([point.get(event, 0) + 1 for point in points for event in sensitive])
        if ways <= MOST_WAYS and set(sensitive) <= {event for point in points for event in point}:
            return Problem(points, sensitive, dice.choice(DELTAS), set(alphabet))


def large(seed: int) -> Problem:
    """Draw a problem with 5 to 12 sensitive events at 10 to 30 time points."""
    dice = random.Random(seed)  # noqa: S311 (cases, not secrets)
    alphabet = [f"e{i:02}" for i in range(dice.randint(13, 30))]
    points = [
        {event: dice.randint(1, 5) for event in alphabet if dice.random() < dice.uniform(0.2, 0.6)}
        for _ in range(dice.randint(10, 30))
    ]
    sensitive = [event for event in alphabet if any(event in point for point in points)]
    chosen = dice.sample(sensitive, dice.randint(5, 12))
    return Problem(points, chosen, Fraction(1, dice.choice([10, 20])), set(alphabet))


def released(problem: Problem, order: list[str], method: str) -> naive.Points:
    """Sanitize a table of the points, and count again."""
    rows = [
        (event, time)
        for time, point in enumerate(problem.points)
        for event, count in point.items()
        for _ in range(count)
    ]
    frame = pd.DataFrame(rows, columns=["event", "time"]).astype({"event": "str"}).assign(seq_id=0)
    asked = {"events": order, "scope": "table", "method": method, "alphabet": problem.alphabet}
    left: naive.Points = [{} for _ in problem.points]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # in some problems everything must go
        kept = frame.seqpriv.sanitize(problem.delta, **asked).groupby(["time", "event"]).size()
    for (time, event), count in kept.items():
        left[time][event] = int(count)
    return left


def error(problem: Problem, left: naive.Points) -> float:
    """Return the sanitization error."""
    return float(naive.error(problem.points, left, problem.alphabet))


def beside_brute_force(seeds: range) -> dict[str, Any]:
    """Hold joint against the best of all ways to delete."""
    ratios, reached = [], 0
    for seed in seeds:
        problem = small(seed)
        delta = Fraction(problem.delta)
        left = released(problem, problem.sensitive, "joint")
        least = float(naive.brute_force(problem.points, problem.sensitive, delta, problem.alphabet)[0])
        ratios.append(error(problem, left) / least if least else 1 + error(problem, left))
        reached += not naive.is_below(left, problem.sensitive, delta)
    worst = max(ratios)
    return {
        OPTIMAL: sum(ratio <= ENOUGH for ratio in ratios) / len(ratios),
        WORST: worst if worst > ENOUGH else 1.0,
        REACHED: reached,
        "problems": len(ratios),
    }


def beside_essa(problems: list[Problem]) -> dict[str, Any]:
    """Hold joint against ESSA in all orders of the events, or in some where there are many."""
    beaten, by, changed = 0, 1.0, 0
    for problem in problems:
        joint = released(problem, problem.sensitive, "joint")
        orders = orders_of(problem.sensitive)
        essa = min(error(problem, released(problem, order, "essa")) for order in orders)
        changed += released(problem, orders[-1], "joint") != joint
        if error(problem, joint) > essa * ENOUGH:
            beaten, by = beaten + 1, max(by, error(problem, joint) / essa)
    return {BEATEN: beaten, BY: by, SAME: changed, "problems": len(problems)}


def orders_of(events: list[str]) -> list[list[str]]:
    """Return every order of few events, and some random ones of many."""
    if len(events) <= 4:  # noqa: PLR2004 (24 orders)
        return [list(order) for order in permutations(events)]
    dice = random.Random(0)  # noqa: S311 (cases, not secrets)
    return [events, *(dice.sample(events, len(events)) for _ in range(ORDERS - 1))]


def below_delta(seeds: range) -> dict[str, Any]:
    """Count what reaches one of the awkward thresholds, with fractions."""
    reached = 0
    for seed in seeds:
        for delta in STRICT:
            problem = small(seed)._replace(delta=delta)
            exact = Fraction(str(delta)) if isinstance(delta, float) else delta
            left = released(problem, problem.sensitive, "joint")
            reached += not naive.is_below(left, problem.sensitive, exact)
    return {REACHED: reached, "problems": len(seeds) * len(STRICT)}


def nothing_else(_: object, facts: dict[str, Any]) -> dict[str, Any]:
    """Return what was found as it is."""
    return facts


def essa_case(name: str, problems: range, draw: Any) -> Case:  # noqa: ANN401 (one of the two above)
    """Make a case beside ESSA."""
    return Case(
        name,
        lambda: [draw(seed) for seed in problems],
        beside_essa,
        (
            Shown(BEATEN, "exactly", 0, beside=(BY, "problems")),
            Shown(SAME, "exactly", 0, beside=("problems",)),
        ),
        repeats=1,
        warm_up=lambda: [draw(0)],
        facts=nothing_else,
    )


CASES = [
    Case(
        "sanitize beside brute force, 1 to 3 events",
        lambda: range(FEW),
        beside_brute_force,
        (Shown(OPTIMAL, "at least", 0.99, beside=("problems",)), Shown(WORST, "at most", 1.05)),
        repeats=1,
        warm_up=lambda: range(1),
        facts=nothing_else,
    ),
    essa_case("sanitize beside ESSA in every order, 1 to 3 events", range(FEW, 2 * FEW), small),
    essa_case(f"sanitize beside ESSA in {ORDERS} orders, 5 to 12 events", range(MANY), large),
    Case(
        "sanitize, delta 0.1, 1/3, 1.0 and 1e-9",
        lambda: range(FEW),
        below_delta,
        (Shown(REACHED, "exactly", 0, beside=("problems",)),),
        repeats=1,
        warm_up=lambda: range(1),
        facts=nothing_else,
    ),
]
