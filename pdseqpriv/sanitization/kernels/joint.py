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

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.exact import search
from pdseqpriv.sanitization.kernels.one_event import (
    Chain,
    chain_error,
    cheapest_chain,
    fill_original,
    is_short,
    iterate_essa,
    new_chain,
    put,
)
from pdseqpriv.sanitization.kernels.orders import all_orders, count_orders, move_one, shuffle, some_orders
from pdseqpriv.sanitization.kernels.problem import (
    BY_EVENT,
    DONE,
    EVENT,
    FIRST,
    OCCURRENCES,
    POINT,
    Problem,
    State,
    complete,
    goes_on,
    settle,
    total_error,
)

HOPELESS = 1.2  # placing events anew rarely gains as much
SWEEPS = 16  # on real tables the fourth changes nothing any more
# How many times the limit, or so many visits, each kind of search may look at entries and points.
VISITS = 1 << 19
ORDERS, CLIMB, EXCHANGE, START = 16, 128, 8, 8
BEGINNINGS = 3


@compiled
def improve(problem: Problem, state: State) -> float:
    """Place one event after the other anew while this lowers the error; the error."""
    chain = new_chain(problem)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    no_floor = np.zeros(0, np.int64)
    error = total_error(problem, state.deleted)
    for _ in range(SWEEPS):
        gain = 0.0
        for e in range(problem.event_offsets.size - 1):
            if not goes_on(problem):
                return error
            fill_original(problem, state, e, no_floor, chain)
            cheapest_chain(chain, problem.event_offsets[e + 1] - problem.event_offsets[e], chosen)
            gained = gain_of(problem, state, e, chain, chosen)
            if gained > 0.0:
                put(problem, state, e, chosen, no_floor.size == 0)
                gain += gained
        if gain <= 1e-6 * error:
            break
    return total_error(problem, state.deleted)


@compiled
def gain_of(problem: Problem, state: State, e: int, chain: Chain, chosen: Array) -> float:
    """By how much the error falls when event e loses what is chosen; 0 when it is next to nothing."""
    gain, scale = 0.0, 0.0
    for r in range(problem.event_offsets[e + 1] - problem.event_offsets[e]):
        before = state.deleted[problem.entries[problem.event_offsets[e] + r, BY_EVENT]]
        if before != chosen[r]:
            old = chain_error(chain, r, before)
            gain += old - chain_error(chain, r, chosen[r])
            scale += old
    return gain if gain > 1e-12 * scale else 0.0


@compiled
def repair(problem: Problem, state: State, order: Array) -> None:
    """Delete events that are short anew, where it costs least, until none is frequent.

    This may push others over; they are placed anew in their turn.
    """
    chain = new_chain(problem)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    floor = np.zeros(problem.share.size, np.int64)
    while settle(problem, state) > 0:
        for e in order:
            if not goes_on(problem):
                return
            if is_short(problem, state, e, floor):
                fill_original(problem, state, e, floor, chain)
                cheapest_chain(chain, problem.event_offsets[e + 1] - problem.event_offsets[e], chosen)
                put(problem, state, e, chosen, floor.size == 0)


@compiled
def keep_better(problem: Problem, trial: State, best: Array, error: float) -> float:
    """Improve a trial and take it over when it costs less; the error of the trial."""
    settle(problem, trial)
    found = improve(problem, trial)
    if found < error * (1.0 - 1e-12):
        best[:] = trial.deleted
    return found


@compiled
def end_after(problem: Problem, visits: int) -> int:
    """Up to which step (an event placed) tries may begin that together look at so many entries and points."""
    events = problem.event_offsets.size - 1
    steps = visits // (problem.share.size + problem.smooth.shape[0])
    return int(problem.pulse[DONE] + steps - 4 * events)


@compiled
def exchange(problem: Problem, best: Array, trial: State, error: float, end: int) -> float:
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
                if problem.pulse[DONE] >= end or not goes_on(problem):
                    return error
                trial.deleted[:] = best
                trial.deleted[i] += 1
                trial.deleted[j] -= i != j
                for later in range(place[i] + 1, problem.event_offsets[problem.entries[i, EVENT] + 1]):
                    if trial.deleted[problem.entries[later, BY_EVENT]] > 0:
                        trial.deleted[problem.entries[later, BY_EVENT]] -= 1
                        break
                complete(problem, trial.deleted)
                if total_error(problem, trial.deleted) > HOPELESS * error:
                    continue
                found = keep_better(problem, trial, best, error)
                if found < error * (1.0 - 1e-12):
                    error, better = found, True
    return error


@compiled
def start_over(problem: Problem, best: Array, trial: State, error: float, end: int) -> float:
    """Give some events, chosen at random but always the same, back what they lost, and place them anew."""
    order = np.arange(problem.event_offsets.size - 1)
    number = int(np.int64(1))
    while problem.pulse[DONE] < end and goes_on(problem):
        number = shuffle(order, number)
        trial.deleted[:] = best
        for e in order[: 2 + number % max(1, order.size // 2)]:
            for r in range(problem.event_offsets[e], problem.event_offsets[e + 1]):
                trial.deleted[problem.entries[r, BY_EVENT]] = 0
        repair(problem, trial, order)
        error = min(error, keep_better(problem, trial, best, error))
    return error


@compiled
def climb(problem: Problem, best: Array, trial: State, error: float, order: Array, end: int) -> float:
    """Change the order of the paper's iteration a little, again and again, and stay with the better.

    Where this ends, it begins anew in another order, until some beginnings in a row gain nothing.
    """
    number, level, idle, vain = int(np.int64(1)), np.inf, 0, 0
    changed = order.copy()
    while vain < BEGINNINGS and problem.pulse[DONE] < end and goes_on(problem):
        trial.deleted[:] = 0
        iterate_essa(problem, trial, changed)
        found = keep_better(problem, trial, best, error)
        idle += 1
        if found < error * (1.0 - 1e-12):
            error, vain = found, 0
        if found <= level:
            idle = idle if found == level else 0
            level = found
            order[:] = changed
        changed[:] = order
        if idle < order.size * order.size:  # there are about three times as many changes
            number = move_one(changed, number)
        else:
            number = shuffle(changed, number)
            level, idle, vain = np.inf, 0, vain + 1
    return error


@compiled
def solve_joint(problem: Problem, trial: State, limit: int) -> None:
    """Delete from all events together; the same whatever order they were named in.

    Joint starts first, then the exact search; where that would go over the limit, more
    starts, among them the paper's iteration: in all orders of up to four events, and of
    more events in all orders where the limit allows it, else in some, the best of which
    is changed step by step.
    """
    best = np.zeros(problem.share.size, np.int64)
    if complete(problem, best) == 0:
        return
    events = problem.event_offsets.size - 1
    repair(problem, trial, np.arange(events))
    if events == 1:
        return
    error = total_error(problem, best)
    error = min(error, keep_better(problem, trial, best, error))
    if search(problem, best, error, limit):
        trial.deleted[:] = best
        return
    visits = max(limit, VISITS)
    end = end_after(problem, ORDERS * visits)
    if problem.pulse[DONE] < end:
        trial.deleted[:] = 0
        complete(problem, trial.deleted)
        error = min(error, keep_better(problem, trial, best, error))
    work = events * problem.share.size
    n_orders = count_orders(events, max(24, 16 * limit // work))
    some = max(1, min(64, 4 * limit // work))
    orders = all_orders(events, n_orders) if n_orders > 0 else some_orders(problem, some)
    first, least, closest = 0, np.inf, np.inf
    for way in range(orders.shape[0]):
        trial.deleted[:] = 0
        iterate_essa(problem, trial, orders[way])
        found = total_error(problem, trial.deleted)
        closest = min(closest, found)
        # On large tables improving what is worse takes long and has hardly ever paid.
        if found < error or problem.pulse[DONE] < end:
            found = keep_better(problem, trial, best, error)
            error = min(error, found)
        if found < least:
            first, least = way, found
        if way > 0 and problem.pulse[DONE] < end:
            trial.deleted[:] = 0
            repair(problem, trial, orders[way])
            error = min(error, keep_better(problem, trial, best, error))
    if n_orders == 0 and closest < HOPELESS * error:
        error = climb(problem, best, trial, error, orders[first], end_after(problem, CLIMB * visits))
    error = exchange(problem, best, trial, error, end_after(problem, EXCHANGE * visits))
    start_over(problem, best, trial, error, end_after(problem, START * visits))
    trial.deleted[:] = best
