"""Publish a day of check-ins so that nobody can be found from where and when they were seen.

Anybody may have seen anybody anywhere, so all places are monitored: times become intervals and places become
categories. The larger the groups, the less detail is left; the weights say whether to keep places or times.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import pdseqpriv

# How many places of a kind there are, and when people go there.
KINDS = {
    "Transport": (10, 8.0),
    "Work": (40, 9.5),
    "Food": (25, 13.0),
    "Outdoors": (8, 17.5),
    "Bars": (15, 21.0),
}


def main() -> None:
    places = pdseqpriv.Taxonomy({kind: [f"{kind} {i}" for i in range(n)] for kind, (n, _) in KINDS.items()})
    df = make_check_ins(1_000)
    print(
        f"{df['seq_id'].nunique()} people, {len(df):,} check-ins at {df['event'].nunique()} places in a day."
    )
    alone = df.seqpriv.risk(known=1, with_time=True)["unique_share"].iloc[0]
    print(f"A single check-in (place and minute) singles out {alone:.0%} of the people. After generalize:\n")
    rows = [measure(df, places, k, weight) for k in (2, 5, 10) for weight in (0.1, 1, 10)]
    print(pd.DataFrame(rows).to_string(index=False))


def make_check_ins(people: int) -> pd.DataFrame:
    """Generate check-ins: most people follow the rhythm of a day, but skip parts of it."""
    chance = np.random.default_rng(1)
    parts = []
    for kind, (n, hour) in KINDS.items():
        who = np.flatnonzero(chance.random(people) < 0.6)  # noqa: PLR2004 (six in ten)
        # A few places of each kind are popular.
        place = (n * chance.random(who.size) ** 3).astype(int)
        minute = (60 * chance.normal(hour, 0.5, who.size)).astype(int)
        parts.append(pd.DataFrame({"seq_id": who, "event": [f"{kind} {i}" for i in place], "time": minute}))
    return pd.concat(parts, ignore_index=True)


def measure(df: pd.DataFrame, places: pdseqpriv.Taxonomy, k: int, event_weight: float) -> dict[str, object]:
    released, key = df.seqpriv.generalize(places, k=k, event_weight=event_weight, with_key=True)
    pdseqpriv.verify.is_generalized(df, released, key, k=k, taxonomy=places).raise_if_violated()
    left = pdseqpriv.compare(df, released, key=key, taxonomy=places).set_index("measure")["value"]
    minutes = released["time_to"] - released["time_from"]
    is_kind, is_place = released["event"].isin(list(KINDS)), released["event"].isin(places.leaves)
    return {
        "k": k,
        "event_weight": event_weight,
        "groups": released["group"].nunique(),
        "intervals each": f"{len(released) / released['seq_id'].nunique():.1f}",
        "minutes": f"{minutes.mean():.0f}",
        "exact place": f"{is_place.mean():.0%}",
        "kind of place": f"{is_kind.mean():.0%}",
        "time lost": f"{left['time_loss']:.0%}",
        "event lost": f"{left['event_loss']:.0%}",
    }


if __name__ == "__main__":
    main()
