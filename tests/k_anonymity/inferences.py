"""What follows for somebody who knows how releases are made, by trying all small tables.

The attacker has the release, knows that it comes from one of all tables of this size, each as likely as the
others, and knows a part of somebody's sequence. He counts, over the tables that give this release, which
sequences the person may have.

``python -m tests.k_anonymity.inferences`` prints the numbers of docs/threats.md.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter, defaultdict
from itertools import combinations_with_replacement, product

import pandas as pd

import pdseqpriv

LONGEST, K = 3, 2
SEQUENCES = ["".join(events) for n in range(1, LONGEST + 1) for events in product("ab", repeat=n)]


def contains(sequence, part):
    left = iter(sequence)
    return all(event in left for event in part)


def release_of(table, options):
    rows = [(number, event, time) for number, one in enumerate(table) for time, event in enumerate(one)]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    released = frame.seqpriv.k_anonymize(K, **options)
    return tuple(sorted(released.groupby("seq_id")["event"].agg("".join)))


def ways(table):
    """Count the tables that have these sequences, whoever has which."""
    return math.factorial(len(table)) // math.prod(math.factorial(n) for n in Counter(table).values())


def inferences(people, options):
    """Return the probability of each sequence that is not released, for each release and known part."""
    tables = defaultdict(list)
    for table in combinations_with_replacement(SEQUENCES, people):
        tables[release_of(table, options)].append(table)
    for released, possible in tables.items():
        for known in SEQUENCES:
            chances = Counter()
            for table in possible:
                for one in table:
                    chances[one] += ways(table) * contains(one, known)
            total = sum(chances.values())
            hidden = set(chances) - {*released, known}
            yield from (chances[one] / total for one in hidden if total)


def main():
    """Print how often more than one in two is inferred of 4 people, and how often it is certain."""
    warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
    for method, guarantee in product(["subsequence", "prefix_tree"], ["contained", "mutual", "identical"]):
        chances = list(inferences(4, {"method": method, "guarantee": guarantee}))
        above = sum(chance > 1 / K + 1e-12 for chance in chances)
        certain = sum(chance > 1 - 1e-12 for chance in chances)
        print(f"{method}, {guarantee}: {above}, certain {certain}")  # noqa: T201 (a script)


if __name__ == "__main__":
    main()
