"""Generalization by brute force, as the paper defines it, on plain lists and exact fractions.

A sequence is a list of (time, event); a taxonomy a dict from child to parent, in which the root is its own.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, pairwise, product


def ancestors(taxonomy, node):
    """List a node and all above it, from below."""
    found = [node]
    while taxonomy[node] != node:
        node = taxonomy[node]
        found.append(node)
    return found


def lowest_common_ancestor(taxonomy, nodes):
    common = set.intersection(*(set(ancestors(taxonomy, node)) for node in nodes))
    return max(common, key=lambda node: len(ancestors(taxonomy, node)))


def leaves(taxonomy):
    return [node for node in taxonomy if node not in {taxonomy[other] for other in taxonomy if other != node}]


def event_loss(taxonomy, node):
    """Equation for IL_e: 0 for an event, else the share of all events under the category."""
    events = leaves(taxonomy)
    if node in events:
        return Fraction(0)
    return Fraction(sum(node in ancestors(taxonomy, event) for event in events), len(events))


def distortion(taxonomy, rows, span, weights):
    """Equations 1 and 2 for one interval with the given rows."""
    time_weight, event_weight = map(Fraction, weights)
    times = [time for time, _ in rows]
    time_loss = Fraction(max(times) - min(times)) / span if span else Fraction(0)
    category = lowest_common_ancestor(taxonomy, [event for _, event in rows])
    loss = time_weight * time_loss + event_weight * event_loss(taxonomy, category)
    return loss / (time_weight + event_weight) if time_weight + event_weight else Fraction(0)


def interval_sets(group):
    """Yield every set of intervals that satisfies property 2.3, as lists of the times that each holds."""
    times = sorted({time for sequence in group for time, _ in sequence})
    for n_cuts in range(len(times)):
        for cuts in combinations(range(1, len(times)), n_cuts):
            bounds = [0, *cuts, len(times)]
            parts = [times[a:b] for a, b in pairwise(bounds)]
            if all(any(time in part for time, _ in sequence) for part in parts for sequence in group):
                yield parts


def least_loss(taxonomy, group, totals, span, weights):
    """CP (equations 3 and 4) and all sets of intervals that have it."""
    rows = list(chain.from_iterable(group))
    found = {}
    for parts in interval_sets(group):
        loss = Fraction(0)
        for part in parts:
            inside = [row for row in rows if row[0] in part]
            loss += len(inside) * distortion(taxonomy, inside, span, weights)
        found.setdefault(loss / sum(totals), []).append(parts)
    return min(found), found[min(found)]


def least_loss_of_long_group(taxonomy, group, span, weights):
    """The least sum of losses by the recursion over ends: Opt(i) is the least of Opt(r) + IL(r + 1, i)."""
    times = sorted({time for sequence in group for time, _ in sequence})
    at = {time: [[row for row in sequence if row[0] == time] for sequence in group] for time in times}
    least = [Fraction(0)]
    for end in range(len(times)):
        rows, missing, best = [], set(range(len(group))), None
        for start in range(end, -1, -1):
            rows += chain.from_iterable(at[times[start]])
            missing -= {member for member, here in enumerate(at[times[start]]) if here}
            if not missing and least[start] is not None:
                loss = least[start] + len(rows) * distortion(taxonomy, rows, span, weights)
                best = loss if best is None else min(best, loss)
        least.append(best)
    return least[-1]


def category_cuts(taxonomy, group):
    """Yield every set of categories of which no two hold the same event of a group.

    Each holds an event of every member, and every event of the group is below one of them.
    """
    events = {event for sequence in group for _, event in sequence}
    nodes = sorted({node for event in events for node in ancestors(taxonomy, event)})
    for size in range(1, len(events) + 1):
        for chosen in combinations(nodes, size):
            is_cut = all(sum(c in ancestors(taxonomy, event) for c in chosen) == 1 for event in events)
            if is_cut and all(below(taxonomy, c, [sequence]) for c in chosen for sequence in group):
                yield chosen


def below(taxonomy, category, group):
    """List the rows of a group that are below a category."""
    return [row for sequence in group for row in sequence if category in ancestors(taxonomy, row[1])]


def least_loss_by_category(taxonomy, group, totals, span, weights):
    """CP of the best of all cuts, and all its sets of intervals: sorted, as (first, last, category)."""
    found = {}
    for cut in category_cuts(taxonomy, group):
        parts = [[below(taxonomy, category, [sequence]) for sequence in group] for category in cut]
        losses = [least_loss(taxonomy, part, totals, span, weights) for part in parts]
        ways = product(*(best for _, best in losses))
        shown = [
            sorted(
                (min(times), max(times), lowest_common_ancestor(taxonomy, [e for t, e in rows if t in times]))
                for rows, sets in zip((list(chain(*part)) for part in parts), way, strict=True)
                for times in sets
            )
            for way in ways
        ]
        found.setdefault(sum(loss for loss, _ in losses), []).extend(shown)
    return min(found), found[min(found)]


def distance_bound(group, totals, span):
    """D_LB (lemma 5.1): every time is as far from its interval's other end as from the farthest member."""
    least = Fraction(0)
    for place, sequence in enumerate(group):
        others = group[:place] + group[place + 1 :]
        for time, _ in sequence:
            distances = [min(abs(time - there) for there, _ in other) for other in others]
            least += max(distances, default=0)
    return least / (span * sum(totals))


def buckets(group, start, span, n_buckets):
    """The fingerprint of a cluster (definition 5.3); the last bucket includes its end."""
    filled = [False] * n_buckets
    for time in (time for sequence in group for time, _ in sequence):
        filled[min(int(Fraction(time - start) * n_buckets / span), n_buckets - 1)] = True
    return filled


def fingerprint_bound(one, other, totals, n_buckets):
    """D_fp (lemma 5.5) from two fingerprints: empty buckets up to the nearest filled one of the other."""
    empty = 0
    for mine, theirs in ((one, other), (other, one)):
        places = [place for place, filled in enumerate(theirs) if filled]
        for place in (place for place, filled in enumerate(mine) if filled and not theirs[place]):
            empty += min(abs(place - there) for there in places) - 1
    return Fraction(empty, n_buckets * sum(totals))


def most_in_any_window(group, g):
    """The most sequences of a group that share an event in a window of length g, over all windows.

    Members are lists of (time, event) with whole times; windows begin at every half.
    """
    times = [time for sequence in group for time, _ in sequence]
    most = 0
    for twice in range(2 * (min(times, default=0) - int(g) - 2), 2 * max(times, default=0) + 3):
        start = Fraction(twice, 2)
        for event in {event for sequence in group for _, event in sequence}:
            having = [s for s in group if any(e == event and start <= t <= start + g for t, e in s)]
            most = max(most, len(having))
    return most


class Baseline:
    """Algorithm 1, every step by brute force.

    The random cluster of line 9 is the one at ``int(choice * clusters)`` of the list, from which clusters are
    taken by putting the last one into the gap; of equally near clusters the one with the lowest member wins.
    """

    def __init__(self, taxonomy, sequences, totals, span, weights, *, k, sensitive=(), g=0, certainty=None):
        self.arguments, self.losses = (taxonomy, span, weights), {}
        self.sequences, self.totals, self.sensitive = sequences, totals, sensitive
        self.k, self.g, self.certainty = k, g, certainty
        target = k if certainty is None else max(k, -(-certainty.numerator // certainty.denominator))
        self.target = min(target, len(sequences))

    def loss(self, cluster):
        if tuple(cluster) not in self.losses:
            taxonomy, span, weights = self.arguments
            members, totals = [self.sequences[i] for i in cluster], [self.totals[i] for i in cluster]
            self.losses[tuple(cluster)] = least_loss(taxonomy, members, totals, span, weights)[0]
        return self.losses[tuple(cluster)]

    def is_diverse(self, cluster, size):
        if self.certainty is None:
            return True
        return most_in_any_window([self.sensitive[i] for i in cluster], self.g) * self.certainty <= size

    def may_join(self, cluster):
        return self.is_diverse(cluster, max(len(cluster), self.target))

    def satisfies(self, cluster):
        return len(cluster) >= self.k and self.is_diverse(cluster, len(cluster))

    def nearest(self, cluster, others, *, verify):
        unions = [(other, sorted(cluster + other)) for other in others if other != cluster]
        allowed = [(self.loss(u), min(o), o) for o, u in unions if not verify or self.may_join(u)]
        return min(allowed)[2] if allowed else None

    def groups(self, choices):
        listed, done, step = [[i] for i in range(len(self.sequences))], [], 0
        while listed:
            cluster = listed[int(choices[step] * len(listed))]
            step += 1
            other = self.nearest(cluster, listed, verify=True)
            if other is None:
                done.append(cluster)
                take_out(listed, cluster)
                continue
            union = sorted(cluster + other)
            kept, gone = sorted([cluster, other])
            listed[listed.index(kept)] = union
            take_out(listed, gone)
            if len(union) >= self.target:
                done.append(union)
                take_out(listed, union)
        return sorted(self.mended(sorted(done)))

    def mended(self, clusters):
        for slot in range(len(self.sequences)):
            cluster = next((c for c in clusters if min(c) == slot), None)
            while cluster is not None and not self.satisfies(cluster):
                other = self.nearest(cluster, clusters, verify=False)
                clusters = [c for c in clusters if c not in (cluster, other)]
                cluster = sorted(cluster + other)
                clusters.append(cluster)
        return clusters


def take_out(listed, cluster):
    spot = listed.index(cluster)
    listed[spot] = listed[-1]
    listed.pop()


def event_distance(taxonomy, one, other):
    """Definition 6.3 by trying every set of categories that splits the events of both."""
    nodes = sorted({a for event in one + other for a in ancestors(taxonomy, event)}, key=str)
    best = None
    for size in range(1, len(nodes) + 1):
        for categories in combinations(nodes, size):
            under = [[sum(c in ancestors(taxonomy, e) for e in s) for c in categories] for s in (one, other)]
            covered = all(sum(c in ancestors(taxonomy, e) for c in categories) == 1 for e in one + other)
            if not covered or 0 in under[0] or 0 in under[1]:
                continue
            both = [(event_loss(taxonomy, c), a + b) for c, a, b in zip(categories, *under, strict=True)]
            cost = sum(loss * rows for loss, rows in both) / (len(one) + len(other))
            best = cost if best is None else min(best, cost)
    return best


def best_cuts(loss, n, least):
    """The least sum of size times loss over all ways to cut 0..n-1 into stretches of least to 2 least - 1."""
    best = {0: Fraction(0)}
    for end in range(1, n + 1):
        sizes = [size for size in range(least, 2 * least) if end - size in best]
        ways = [best[end - size] + size * loss(list(range(end - size, end))) for size in sizes]
        if ways:
            best[end] = min(ways)
    return best[n]
