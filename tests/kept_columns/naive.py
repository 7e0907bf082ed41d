"""What is shown in kept columns, by brute force: divide one cell after the other, from the definition."""

from __future__ import annotations


def path_to(node, parents):
    """Return the way down from the root, which is node 0, to a node."""
    way = [node]
    while way[0] != 0:
        way.insert(0, parents[way[0]])
    return way


def shown(values, trees, k):
    """Return what is shown of each person, a node in each tree.

    ``values`` has the own node of each person in each tree, ``trees`` the parents of nodes. Everybody counts.
    """
    answer = {}
    waiting = [(sorted(values), (0,) * len(trees))]
    while waiting:
        people, label = waiting.pop()
        best = max(
            (divided((people, label), tree, values, trees, k) for tree in range(len(trees))),
            key=lambda parts: sum(len(part) for part, _ in parts),  # the first of the best
        )
        waiting += best
        gone = {person for part, _ in best for person in part}
        rest = [person for person in people if person not in gone]
        if best and rest:
            waiting.append((rest, label))
        elif not best:
            answer |= dict.fromkeys(people, label)
    return answer


def divided(cell, tree, values, trees, k):
    """Return the parts that a cell can be divided into by one tree, each with its label."""
    (people, label), parts, rest = cell, {}, 0
    for person in people:
        way = path_to(values[person][tree], trees[tree])
        depth = len(path_to(label[tree], trees[tree]))
        if len(way) > depth:
            parts.setdefault(way[depth], []).append(person)
        else:
            rest += 1
    large = sorted((len(part), node) for node, part in parts.items() if len(part) >= k)
    rest += sum(len(part) for part in parts.values() if len(part) < k)
    if 0 < rest < k:
        large = large[1:]
    return [(parts[node], (*label[:tree], node, *label[tree + 1 :])) for _, node in large]


def tells_truth(told, own, links):
    """Return whether what is told of a column is null, the own value, or a category above it."""
    while told is not None and own is not None and own != told and own in links:
        own = links[own]
    return told is None or told == own
