"""People with several sequences, by brute force: who can be found, counted person by person."""

from __future__ import annotations

from tests.audit.naive_risk import knowledge, row_of
from tests.sequences.naive import contains


def people_who_have(pattern, people):
    """Return the people one of whose sequences contains a pattern; ``people`` are lists of sequences."""
    return {who for who, own in people.items() if any(contains(one, pattern) for one in own)}


def chance(pattern, original, released, k):
    """Return the probability of finding one of the people who have the pattern, as in theorem 1."""
    in_original = len(people_who_have(pattern, original))
    in_release = len(people_who_have(pattern, released))
    if in_release == 0:
        return 0
    return 1 / (in_release if in_original < k or in_release >= k else in_original)


def risk(original, released, known, k):
    """Return the numbers of one row of the risk table; both are {person: [sequence, ...]}."""
    worst, averages = [], []
    for own in original.values():
        patterns = set().union(*(knowledge(sequence, known) for sequence in own))
        chances = [chance(pattern, original, released, k) for pattern in patterns]
        worst.append(max(chances))
        averages.append(sum(chances) / len(chances))
    return row_of(worst, averages, k)


def linkage(outcomes, owner_of, k):
    """Sum up attacks on sequences, each with the records taken, by the people whose they are.

    ``outcomes`` are {sequence: (records taken, learned, mistaken)}; ``owner_of`` says whose a sequence or
    record is: ("original", id) or ("record", id).
    """
    by_person = {}
    for sequence, (taken, learned, mistaken) in outcomes.items():
        who = owner_of["original", sequence]
        own = sum(owner_of.get(("record", record)) == who for record in taken)
        chance_here = own / len(taken) if taken else 0
        by_person.setdefault(who, []).append((chance_here, learned, mistaken))
    worst = [max(one[0] for one in some) for some in by_person.values()]
    means = [[sum(one[i] for one in some) / len(some) for some in by_person.values()] for i in range(3)]
    people = len(by_person)
    return {
        "people": people,
        "attacked": people,
        "unique_share": sum(one == 1 for one in worst) / people,
        "below_k_share": sum(one * k > 1 + 1e-12 for one in worst) / people,
        "worst_probability": max(worst),
        "mean_probability": sum(means[0]) / people,
        "events_learned": sum(means[1]) / people,
        "events_mistaken": sum(means[2]) / people,
    }


def describe(sequences, owner_of):
    """Return what describe says of people; sequences are {id: elements}."""
    owned = [sum(owner_of[one] == who for one in sequences) for who in set(owner_of.values())]
    alone = sum(
        all(owner_of[other] == owner_of[one] for other in sequences if sequences[other] == sequences[one])
        for one in sequences
    )
    return {
        "people": len(owned),
        "per_person_min": min(owned),
        "per_person_max": max(owned),
        "unique_sequence_share": alone / len(sequences),
    }
