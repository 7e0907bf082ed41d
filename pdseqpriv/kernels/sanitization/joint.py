"""All sensitive events together, measured against the original distribution.

Finding the least error is NP-hard, by exact cover: given 3q elements and triples of them, every element
in three triples, make each element a sensitive event and each triple a time point at which its three events
occur once. Before them stand N > 45q rows of another event, and delta is 3 / (N + 9q): each event must lose
one of its three occurrences, and no more is asked whatever else goes. With Z the smoothed total of a time
point and C its concentration, m deletions there cost (1 + m (C - 3 / Z)) / (Z - m)^2 each, which from 13
events on is least for m = 3. So the least error is q times that of a full triple exactly if some triples
cover every element once.
"""

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
    REACHED,
    Problem,
    State,
    complete,
    goes_on,
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
            if not goes_on(problem):
                return error
            gain += place_bounded(problem, state, e, floor, chain, chosen)
        if gain <= 1e-6 * error:
            break
    return total_error(problem, state.deleted)


@compiled
def repair(problem: Problem, state: State, order: Array) -> None:
    """Place events that are short, until none is frequent."""
    chain = new_chain(problem)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    floor = np.zeros(problem.share.size, np.int64)
    while settle(problem, state) > 0:
        for e in order:
            if not goes_on(problem):
                return
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
def shuffle(order: Array, number: int) -> int:
    """Shuffle, the same way for the same number; the next number."""
    for place in range(order.size - 1):
        number = number * 48271 % 2147483647
        pick = place + number % (order.size - place)
        order[place], order[pick] = order[pick], order[place]
    return number


@compiled
def some_orders(problem: Problem, ways: int) -> Array:
    """By number, by how often events occur, by how much each must lose, by when; backwards; and shuffled."""
    events = problem.event_offsets.size - 1
    least = np.zeros(problem.share.size, np.int64)
    complete(problem, least)
    keys = np.zeros((4, events), np.int64)
    keys[3] = problem.smooth.shape[0]
    for i in range(problem.share.size):
        e = problem.entries[i, EVENT]
        keys[0, e] = e
        keys[1, e] = problem.entries[i, REACHED]
        keys[2, e] += least[i]
        if least[i] > 0:
            keys[3, e] = min(keys[3, e], problem.entries[i, POINT])
    orders = np.empty((max(8, ways), events), np.int64)
    for way in range(4):
        orders[way] = np.argsort(keys[way], kind="mergesort")
        orders[4 + way] = orders[way, ::-1]
    number = 1
    for way in range(8, ways):
        orders[way] = orders[way - 1]
        number = shuffle(orders[way], number)
    return orders[:ways]


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
                if visits < 0 or not goes_on(problem):
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
def start_over(problem: Problem, best: Array, trial: State, error: float, tries: int) -> float:
    """Give some events, chosen at random but always the same, back what they lost, and place them anew."""
    order = np.arange(problem.event_offsets.size - 1)
    number = 1
    for _ in range(tries):
        number = shuffle(order, number)
        trial.deleted[:] = best
        for e in order[: 2 + number % max(1, order.size // 2)]:
            for r in range(problem.event_offsets[e], problem.event_offsets[e + 1]):
                trial.deleted[problem.entries[r, BY_EVENT]] = 0
        repair(problem, trial, order)
        error = keep_better(problem, trial, best, error)
    return error


@compiled
def count_orders(events: int, most: int) -> int:
    """How many orders so many events have; 0 when more than `most`."""
    ways = 1
    for e in range(2, events + 1):
        ways *= e
        if ways > most:
            return 0
    return ways


@compiled
def solve_joint(problem: Problem, best: Array, limit: int) -> None:
    """Delete from all events together; the same whatever order they were named in.

    Joint starts first, then the exact search; where that would go over the limit, more
    starts, among them the paper's iteration: in all orders of up to four events, and of
    more events in all orders where the limit allows it, else in some.
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
    work = events * problem.share.size
    ways = min(64, 4 * limit // work)
    if ways > 0:
        trial.deleted[:] = 0
        complete(problem, trial.deleted)
        error = keep_better(problem, trial, best, error)
    n_orders = count_orders(events, max(24, 16 * limit // work))
    orders = all_orders(events) if n_orders > 0 else some_orders(problem, max(1, ways))
    for way in range(orders.shape[0]):
        trial.deleted[:] = 0
        iterate_essa(problem, trial, orders[way])
        # On large tables improving what is worse takes long and has hardly ever paid.
        if way < ways or total_error(problem, trial.deleted) < error:
            error = keep_better(problem, trial, best, error)
        if 0 < way < max(24, ways):
            trial.deleted[:] = 0
            repair(problem, trial, orders[way])
            error = keep_better(problem, trial, best, error)
    error = exchange(problem, best, trial, error, 4 * limit)
    again = start_over(problem, best, trial, error, 2 * ways)
    if again < error:
        exchange(problem, best, trial, again, 4 * limit)
