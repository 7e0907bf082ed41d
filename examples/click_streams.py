"""Share click streams with one of the sites that people visit, without letting it recognise anyone.

The click streams of five people (after figure 1 of Sherkat, Li and Mamoulis 2013). Google knows when each of
them visited Google, so it could tell who is who, and where else they went.
"""

from __future__ import annotations

import pandas as pd

import pdseqpriv

STREAMS = {
    "Sue": [("Google", 1), ("Bing", 3), ("Amazon", 6), ("Google", 10), ("Amazon", 12)],
    "Tom": [("Google", 1), ("eBay", 7), ("Google", 11), ("Facebook", 13)],
    "Ann": [("Google", 1), ("Google", 3), ("eBay", 8), ("Google", 11), ("Myspace", 13)],
    "Bob": [("Facebook", 1), ("Google", 4), ("Google", 6), ("Myspace", 8), ("Bing", 10), ("Amazon", 13)],
    "Eve": [("Seenit", 2), ("Google", 5), ("Bing", 7), ("eBay", 11)],
}
SITES = {
    "Internet/Computer": {"Social Networks": ["Facebook", "Myspace"], "Search Engines": ["Google", "Bing"]},
    "Shopping": {"Auctions": ["eBay", "Seenit"], "Stores": ["Amazon", "Walmart"]},
}


def main() -> None:
    rows = [(who, site, minute) for who, visits in STREAMS.items() for site, minute in visits]
    df = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    sites = pdseqpriv.Taxonomy(SITES)

    print(
        "For Google alone, which knows only when people visited Google: at least two of them look the same,"
    )
    print("and no other site within a minute can be guessed with more than 2 in 3 certainty:\n")
    show(df.seqpriv.generalize(sites, k=2, diversity=(1, 1.5), monitored=["Google"], method="baseline"))

    print("\nIf Google and Bing may share what they know, visits to both get intervals and categories:\n")
    show(df.seqpriv.generalize(sites, k=2, monitored=["Google", "Bing"], method="baseline"))

    print("\nIf all sites may share what they know, all visits get intervals and categories:\n")
    show(df.seqpriv.generalize(sites, k=2, method="baseline"))


def show(released: pd.DataFrame) -> None:
    """Print a line per sequence."""
    ends = released["time_to"].astype(str)
    released["interval"] = (
        released["time_from"].astype(str).str.cat(ends.mask(is_point(released), ""), sep="-")
    )
    for (group, number), visits in released.groupby(["group", "seq_id"]):
        told = ", ".join(f"{row.event} [{row.interval.rstrip('-')}]" for row in visits.itertuples())
        print(f"group {group}, sequence {number}: {told}")


def is_point(released: pd.DataFrame) -> pd.Series:
    return released["time_from"] == released["time_to"]


if __name__ == "__main__":
    main()
