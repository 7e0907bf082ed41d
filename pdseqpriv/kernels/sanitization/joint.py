"""All sensitive events together, measured against the original distribution."""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled
from pdseqpriv.kernels.sanitization.event import (
    Chain,
    chain_error,
    cheapest_chain,
    fill_original,
    is_short,
    iterate_essa,
    new_chain,
    put,
)
from pdseqpriv.kernels.sanitization.exact import search
from pdseqpriv.kernels.sanitization.problem import (
    BY_EVENT,
    EVENT,
    FIRST,
    OCCURRENCES,
    POINT,
    Problem,
    State,
    complete,
    new_state,
    settle,
    total_error,
)

HOPELESS = 1.2  # placing events anew rarely gains as much
SWEEPS = 16  # on real tables the fourth changes nothing any more


@compiled
def place_short(problem: Problem, state: State, e: int, floor: Array, chain: Chain, chosen: Array) -> None:
    """If too little of event e is deleted, delete it anew where it costs least.

    It may push others over; they are placed anew in their turn.
    """
    if is_short(problem, state, e, floor):
        fill_original(problem, state, e, False, floor, chain)
        size = problem.event_offsets[e + 1] - problem.event_offsets[e]
        cheapest_chain(chain, size, chosen)
        put(problem, state, e, chosen, False)


@compiled
def place_bounded(problem: Problem, state: State, e: int, floor: Array, chain: Chain, chosen: Array) -> float:
    """Delete event e anew if this costs less and leaves all others below; by how much."""
    first = problem.event_offsets[e]
    fill_original(problem, state, e, True, floor, chain)
    size = problem.event_offsets[e + 1] - first
    cheapest_chain(chain, size, chosen)
    gain, scale = 0.0, 0.0
    for r in range(size):
        before = state.deleted[problem.entries[first + r, BY_EVENT]]
        if before != chosen[r]:
            old = chain_error(chain, r, before)
            gain += old - chain_error(chain, r, chosen[r])
            scale += old
    if gain <= 1e-12 * scale:
        return 0.0
    put(problem, state, e, chosen, True)
    return gain


@compiled
def improve(problem: Problem, state: State) -> float:
    """Place one event after the other anew while this lowers the error; the error."""
    chain = new_chain(problem)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    floor = np.zeros(problem.share.size, np.int64)
    error = total_error(problem, state.deleted)
    for _ in range(SWEEPS):
        gain = 0.0
        for e in range(problem.event_offsets.size - 1):
            gain += place_bounded(problem, state, e, floor, chain, chosen)
        if gain <= 1e-6 * error:
            break
    return total_error(problem, state.deleted)


@compiled
def repair(problem: Problem, state: State, order: Array) -> None:
    """Start from nothing; place events that are short, until none is frequent."""
    chain = new_chain(problem)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    floor = np.zeros(problem.share.size, np.int64)
    state.deleted[:] = 0
    while settle(problem, state) > 0:
        for e in order:
            place_short(problem, state, e, floor, chain, chosen)


@compiled
def all_orders(events: int) -> Array:
    """Every order of a few events."""
    ways = 1
    for e in range(2, events + 1):
        ways *= e
    orders = np.empty((ways, events), np.int64)
    for way in range(ways):
        left, rest = np.arange(events), way
        for place in range(events):
            pick = rest % (events - place)
            rest //= events - place
            orders[way, place] = left[pick]
            for later in range(pick, events - place - 1):
                left[later] = left[later + 1]
    return orders


@compiled
def some_orders(events: int, ways: int) -> Array:
    """The ascending and the descending order, then shuffled ones, always the same."""
    orders = np.empty((ways, events), np.int64)
    number = np.int64(1)
    for way in range(ways):
        for place in range(events):
            orders[way, place] = events - 1 - place if way == 1 else place
        for place in range(events - 1 if way > 1 else 0):
            number = number * 48271 % 2147483647
            pick = place + number % (events - place)
            orders[way, place], orders[way, pick] = orders[way, pick], orders[way, place]
    return orders


@compiled
def keep_better(problem: Problem, trial: State, best: Array, error: float) -> float:
    """Improve a trial and take it over when it costs less; the error of the better."""
    settle(problem, trial)
    found = improve(problem, trial)
    if found < error * (1.0 - 1e-12):
        best[:] = trial.deleted
        return found
    return error


@compiled
def exchange(problem: Problem, best: Array, trial: State, error: float, visits: int) -> float:
    """Delete one occurrence more, or one instead of another event's, where it pays.

    The event is spared its next later one; what then is short is completed, and all
    events are placed anew, before the two ways are compared.
    """
    place = np.empty(problem.share.size, np.int64)
    for position in range(problem.share.size):
        place[problem.entries[position, BY_EVENT]] = position
    better = True
    while better:
        better = False
        for i in range(problem.share.size):
            t = problem.entries[i, POINT]
            for j in range(problem.points[t, FIRST], problem.points[t + 1, FIRST]):
                if best[i] == problem.entries[i, OCCURRENCES] or (best[j] == 0 and i != j):
                    continue
                if visits < 0:
                    return error
                trial.deleted[:] = best
                trial.deleted[i] += 1
                trial.deleted[j] -= i != j
                for later in range(place[i] + 1, problem.event_offsets[problem.entries[i, EVENT] + 1]):
                    if trial.deleted[problem.entries[later, BY_EVENT]] > 0:
                        trial.deleted[problem.entries[later, BY_EVENT]] -= 1
                        break
                complete(problem, trial.deleted)
                visits -= problem.share.size
                if total_error(problem, trial.deleted) > HOPELESS * error:
                    continue
                visits -= problem.share.size * problem.event_offsets.size
                found = keep_better(problem, trial, best, error)
                better |= found < error
                error = found
    return error


@compiled
def solve_joint(problem: Problem, best: Array, limit: int) -> None:
    """Delete from all events together; the same whatever order they were named in.

    Joint starts first, then the exact search; where that would go over the limit, more
    starts, among them the paper's iteration in all orders of up to four events.
    """
    if complete(problem, best) == 0:
        return
    events = problem.event_offsets.size - 1
    trial = new_state(problem)
    repair(problem, trial, np.arange(events))
    if events == 1:
        best[:] = trial.deleted
        return
    error = keep_better(problem, trial, best, total_error(problem, best))
    if search(problem, best, error, limit):
        return
    ways = 4 * limit // (events * problem.share.size)
    if ways > 0:
        trial.deleted[:] = 0
        complete(problem, trial.deleted)
        error = keep_better(problem, trial, best, error)
    orders = all_orders(events) if events <= 4 else some_orders(events, max(1, min(64, ways)))
    for way in range(orders.shape[0]):
        trial.deleted[:] = 0
        iterate_essa(problem, trial, orders[way])
        # On large tables improving what is worse takes long and has hardly ever paid.
        if ways > 0 or total_error(problem, trial.deleted) < error:
            error = keep_better(problem, trial, best, error)
        if way > 0:
            repair(problem, trial, orders[way])
            error = keep_better(problem, trial, best, error)
    exchange(problem, best, trial, error, 4 * limit)
