"""All sensitive events together, measured against the original distribution.

Finding the least error is NP-hard, by exact cover: given 3q elements and triples of them, every element
in three triples, make each element a sensitive event and each triple a time point at which its three events
occur once. Before them come N > 45q rows of another event, and delta is 3 / (N + 9q): each event must lose
one of its three occurrences, and no more is asked whatever else goes. With Z the smoothed total of a time
point and C its concentration, m deletions there cost (1 + m (C - 3 / Z)) / (Z - m)^2 each, which from 13
events on is least for m = 3. So the least error is q times that of a full triple exactly if some triples
cover every element once.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.event_orders import (
    all_orders,
    count_orders,
    move_one,
    shuffle,
    some_orders,
)
from pdseqpriv.sanitization.kernels.exact_search import search
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
from pdseqpriv.sanitization.kernels.timeline import (
    BY_EVENT,
    DONE,
    EVENT,
    FIRST,
    OCCURRENCES,
    POINT,
    Solution,
    Timeline,
    complete,
    goes_on,
    settle,
    total_error,
)

HOPELESS = 1.2  # improving rarely gains as much
SWEEPS = 16  # on real tables the fourth changes nothing any more
# How often each kind of search may look at entries and points: so many times the limit, at least VISITS.
VISITS = 1 << 19
ORDERS, CLIMB, EXCHANGE, START = 16, 128, 8, 8
BEGINNINGS = 3


@compiled
def improve(timeline: Timeline, solution: Solution) -> float:
    """Choose the deletions of one event at a time again while this lowers the error; return the error."""
    chain = new_chain(timeline)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    no_floor = np.zeros(0, np.int64)
    error = total_error(timeline, solution.deleted)
    for _ in range(SWEEPS):
        gain = 0.0
        for e in range(timeline.event_offsets.size - 1):
            if not goes_on(timeline):
                return error
            fill_original(timeline, solution, e, no_floor, chain)
            cheapest_chain(chain, timeline.event_offsets[e + 1] - timeline.event_offsets[e], chosen)
            gained = error_saved(timeline, solution, e, chain, chosen)
            if gained > 0.0:
                put(timeline, solution, e, chosen, no_floor.size == 0)
                gain += gained
        if gain <= 1e-6 * error:
            break
    return total_error(timeline, solution.deleted)


@compiled
def error_saved(timeline: Timeline, solution: Solution, e: int, chain: Chain, chosen: Array) -> float:
    """Return by how much the error falls if event e loses what is chosen; 0 if that is next to nothing."""
    gain, scale = 0.0, 0.0
    for r in range(timeline.event_offsets[e + 1] - timeline.event_offsets[e]):
        before = solution.deleted[timeline.entries[timeline.event_offsets[e] + r, BY_EVENT]]
        if before != chosen[r]:
            old = chain_error(chain, r, before)
            gain += old - chain_error(chain, r, chosen[r])
            scale += old
    return gain if gain > 1e-12 * scale else 0.0


@compiled
def repair(timeline: Timeline, solution: Solution, order: Array) -> None:
    """Choose again, where it costs least, for events of which too little is deleted, until none is frequent.

    This may make other events frequent; it is their turn later.
    """
    chain = new_chain(timeline)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    floor = np.zeros(timeline.share.size, np.int64)
    while settle(timeline, solution) > 0:
        for e in order:
            if not goes_on(timeline):
                return
            if is_short(timeline, solution, e, floor):
                fill_original(timeline, solution, e, floor, chain)
                cheapest_chain(chain, timeline.event_offsets[e + 1] - timeline.event_offsets[e], chosen)
                put(timeline, solution, e, chosen, floor.size == 0)


@compiled
def keep_better(timeline: Timeline, trial: Solution, best: Array, error: float) -> float:
    """Improve a trial and keep it if it costs less; return the error of the trial."""
    settle(timeline, trial)
    found = improve(timeline, trial)
    if found < error * (1.0 - 1e-12):
        best[:] = trial.deleted
    return found


@compiled
def end_after(timeline: Timeline, visits: int) -> int:
    """Return the last step at which a try may begin, given how many entries and points all may visit."""
    events = timeline.event_offsets.size - 1
    steps = visits // (timeline.share.size + timeline.smooth.shape[0])
    return int(timeline.pulse[DONE] + steps - 4 * events)


@compiled
def exchange(timeline: Timeline, best: Array, trial: Solution, error: float, end: int) -> float:
    """Delete one occurrence more, or one instead of another event's, where it pays.

    The event is spared its next later one. What is then missing is completed, and deletions are
    chosen again for all events, before the two ways are compared.
    """
    place = np.empty(timeline.share.size, np.int64)
    for position in range(timeline.share.size):
        place[timeline.entries[position, BY_EVENT]] = position
    better = True
    while better:
        better = False
        for i in range(timeline.share.size):
            t = timeline.entries[i, POINT]
            for j in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
                if best[i] == timeline.entries[i, OCCURRENCES] or (best[j] == 0 and i != j):
                    continue
                if timeline.pulse[DONE] >= end or not goes_on(timeline):
                    return error
                trial.deleted[:] = best
                trial.deleted[i] += 1
                trial.deleted[j] -= i != j
                for later in range(place[i] + 1, timeline.event_offsets[timeline.entries[i, EVENT] + 1]):
                    if trial.deleted[timeline.entries[later, BY_EVENT]] > 0:
                        trial.deleted[timeline.entries[later, BY_EVENT]] -= 1
                        break
                complete(timeline, trial.deleted)
                if total_error(timeline, trial.deleted) > HOPELESS * error:
                    continue
                found = keep_better(timeline, trial, best, error)
                if found < error * (1.0 - 1e-12):
                    error, better = found, True
    return error


@compiled
def start_over(timeline: Timeline, best: Array, trial: Solution, error: float, end: int) -> float:
    """Undo the deletions of some events, random but always the same ones, and choose again."""
    order = np.arange(timeline.event_offsets.size - 1)
    number = int(np.int64(1))
    while timeline.pulse[DONE] < end and goes_on(timeline):
        number = shuffle(order, number)
        trial.deleted[:] = best
        for e in order[: 2 + number % max(1, order.size // 2)]:
            for r in range(timeline.event_offsets[e], timeline.event_offsets[e + 1]):
                trial.deleted[timeline.entries[r, BY_EVENT]] = 0
        repair(timeline, trial, order)
        error = min(error, keep_better(timeline, trial, best, error))
    return error


@compiled
def climb(timeline: Timeline, best: Array, trial: Solution, error: float, order: Array, end: int) -> float:
    """Change the order of the paper's iteration a little, again and again, and keep the better one.

    Where this ends, it starts over from another order, until some starts in a row gain nothing.
    """
    number, level, idle, vain = int(np.int64(1)), np.inf, 0, 0
    changed = order.copy()
    while vain < BEGINNINGS and timeline.pulse[DONE] < end and goes_on(timeline):
        trial.deleted[:] = 0
        iterate_essa(timeline, trial, changed)
        found = keep_better(timeline, trial, best, error)
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
def solve_joint(timeline: Timeline, trial: Solution, limit: int) -> None:
    """Delete from all events together, in the same way whatever order they were named in.

    First come joint starts, then the exact search. Where that would exceed the limit, there are more
    starts, among them the paper's iteration: in all orders of up to four events, and of more events in all
    orders if the limit allows it, else in some, the best of which is changed step by step.
    """
    best = np.zeros(timeline.share.size, np.int64)
    if complete(timeline, best) == 0:
        return
    events = timeline.event_offsets.size - 1
    repair(timeline, trial, np.arange(events))
    if events == 1:
        return
    error = total_error(timeline, best)
    error = min(error, keep_better(timeline, trial, best, error))
    if search(timeline, best, error, limit):
        trial.deleted[:] = best
        return
    visits = max(limit, VISITS)
    end = end_after(timeline, ORDERS * visits)
    if timeline.pulse[DONE] < end:
        trial.deleted[:] = 0
        complete(timeline, trial.deleted)
        error = min(error, keep_better(timeline, trial, best, error))
    work = events * timeline.share.size
    n_orders = count_orders(events, max(24, 16 * limit // work))
    some = max(1, min(64, 4 * limit // work))
    orders = all_orders(events, n_orders) if n_orders > 0 else some_orders(timeline, some)
    first, least, closest = 0, np.inf, np.inf
    for way in range(orders.shape[0]):
        trial.deleted[:] = 0
        iterate_essa(timeline, trial, orders[way])
        found = total_error(timeline, trial.deleted)
        closest = min(closest, found)
        # On large tables, improving a worse result takes long and has hardly ever paid off.
        if found < error or timeline.pulse[DONE] < end:
            found = keep_better(timeline, trial, best, error)
            error = min(error, found)
        if found < least:
            first, least = way, found
        if way > 0 and timeline.pulse[DONE] < end:
            trial.deleted[:] = 0
            repair(timeline, trial, orders[way])
            error = min(error, keep_better(timeline, trial, best, error))
    if n_orders == 0 and closest < HOPELESS * error:
        error = climb(timeline, best, trial, error, orders[first], end_after(timeline, CLIMB * visits))
    error = exchange(timeline, best, trial, error, end_after(timeline, EXCHANGE * visits))
    start_over(timeline, best, trial, error, end_after(timeline, START * visits))
    trial.deleted[:] = best
