"""A short tour of the library on generated data: ``make demo`` runs it."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import pandas as pd

import pdseqpriv


def main() -> None:
    df = make_visits()
    describe(df)
    risk(df)
    k_anonymize(df)
    generalize(df)
    hide()
    release_patterns()
    sanitize(df)
    write_and_read(df)


def make_visits() -> pd.DataFrame:
    say("Generated 20,000 visits to a news site. One row is one click:")
    df = pdseqpriv.datasets.make_clickstream(20_000, seed=1)
    print(df.head(4).to_string(index=False))
    return df


def describe(df: pd.DataFrame) -> None:
    say("df.seqpriv.describe() shows how exposed such a table is:")
    facts = df.seqpriv.describe()
    print(f"{facts['sequences']:,} visits, {facts['events']:,} clicks on {facts['distinct_events']} pages.")
    unique = facts["unique_sequence_share"]
    print(f"{unique:.0%} of the visits are unique: whoever knows the clicks knows the visitor.")


def risk(df: pd.DataFrame) -> None:
    say("df.seqpriv.risk(known=[1, 2, 3]) measures how many visitors a few known clicks give away:")
    for row in df.seqpriv.risk(known=[1, 2, 3]).itertuples():
        clicks = "1 click" if row.known == 1 else f"{row.known} clicks"
        print(f"Knowing {clicks} can single out {row.unique_share:.1%} of the visitors.")


def k_anonymize(df: pd.DataFrame) -> None:
    say("df.seqpriv.k_anonymize(10) releases only sequences that at least 10 visitors share:")
    released = df.seqpriv.k_anonymize(10)
    values = pdseqpriv.compare(df, released, min_support=0.02).set_index("measure")["value"]
    print(f"{values['events_kept']:.0%} of the clicks are left and none are invented. Ids are new, and times")
    print("are replaced by positions.")
    print(f"Of the patterns found in 2 % of the visits, {values['pattern_recall']:.0%} are still in 2 %.")
    print(f"Checked independently: {pdseqpriv.verify.is_k_anonymous(df, released, 10)}.")
    say('k_anonymize(10, guarantee="identical") releases records in groups of at least 10 equal ones:')
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        equal = df.seqpriv.k_anonymize(10, guarantee="identical")
    print(*(one.message for one in told))
    print(
        f"{len(equal) / len(df):.0%} of the clicks are left. Whoever knows all or some of a visitor's clicks"
    )
    print("finds at least 10 records that fit equally well. In the first release, a single one may fit best.")
    pages = {page: page.split("/")[0] for page in df["event"].unique()}
    wide = df.seqpriv.k_anonymize(10, guarantee="identical", taxonomy=pages)
    print(f"With the site's sections as a taxonomy, {len(wide) / len(df):.0%} are left, many as sections.")
    asked = {"guarantee": "identical", "taxonomy": pages}
    print(f"Checked independently: {pdseqpriv.verify.is_k_anonymous(df, wide, 10, **asked)}.")


def generalize(df: pd.DataFrame) -> None:
    say(
        "df.seqpriv.generalize(k=5, monitored=...) is for sharing with a partner who saw some of the clicks, "
        "here those on sport:"
    )
    pages = df["event"].unique()
    sections = pdseqpriv.Taxonomy({page: page.split("/")[0] for page in pages})
    sport = [page for page in pages if sections.covers("sport", page)]
    released, key = df.seqpriv.generalize(sections, k=5, monitored=sport, with_key=True)
    shown = released[released["event"].isin(["sport", *sport])]
    print(shown.head(3).to_string(index=False))
    groups = shown.groupby("group")["seq_id"].nunique()
    half = (shown["time_to"] - shown["time_from"]).median().total_seconds() / 60
    print(
        f"{groups.sum():,} visitors with such clicks are in {groups.size:,} groups of {groups.min()} or more."
    )
    print(f"Half of the intervals are shorter than {half:.0f} minutes. Other clicks are unchanged.")
    print("verify.is_generalized() checks it with the key, which stays with the owner:")
    print(pdseqpriv.verify.is_generalized(df, released, key, k=5, monitored=sport, taxonomy=sections))


def hide() -> None:
    say("df.seqpriv.hide() hides sensitive patterns, here in 1,000 trips through a city:")
    trips = pdseqpriv.datasets.make_trajectories(1_000, seed=1)
    patterns = ["x5y4 -> x6y4", pdseqpriv.Pattern.regex("x5y5 (x5y6 | x6y5)+ x6y6", gaps=True)]
    before = pdseqpriv.verify.is_hidden(trips, patterns).details["support"]
    print(f"{before[0]} trips go from x5y4 to x6y4, {before[1]} from x5y5 via x5y6 or x6y5 to x6y6.")
    released = trips.seqpriv.hide(patterns, max_support=10)
    marks = released["event"].isna().sum()
    print(f"{marks} of {len(trips):,} events are marked so that at most 10 trips show each. The check says:")
    print(pdseqpriv.verify.is_hidden(released, patterns, max_support=10))
    first = trips.seqpriv.find(patterns).groupby("pattern")["seq_id"].first()
    print(f"find() shows the owner where they are: first in the trips {first[1]} and {first[2]}.")
    kinds = pdseqpriv.changes(trips, released, by="kind").set_index("kind")
    print(f"changes() shows what became of every trip: {kinds.loc['marked', 'sequences']} have marks.")


def release_patterns() -> None:
    say("df.seqpriv.release_patterns() publishes what often follows what, here in 2,000 hospital cases:")
    cases = pdseqpriv.datasets.make_event_log(2_000, seed=1)
    patterns = cases.seqpriv.mine(0.2)
    channels = pdseqpriv.inference_channels(patterns, k=10, alpha=0.95)
    print(
        f"{len(patterns)} patterns are in at least 20 % of the cases. But {len(channels)} pairs of supports"
    )
    print("reveal something about fewer than 10 patients, or about a patient with 95 % certainty.")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        released = cases.seqpriv.release_patterns(0.2, k=10, alpha=0.95)
    print(*(one.message for one in told))
    values = pdseqpriv.compare(patterns, released).set_index("measure")["value"]
    print(f"Raising supports by {values['average_distortion']:.0%} on average prevents that. The check says:")
    print(pdseqpriv.verify.are_patterns_safe(released, k=10, alpha=0.95))


def sanitize(df: pd.DataFrame) -> None:
    say("df.seqpriv.sanitize(0.4, events=...) keeps pages from dominating a visit at any point in time:")
    pages = ["sport/0", "weather/0"]
    released = df.seqpriv.sanitize(0.4, events=pages)
    all_left = len(released) / len(df)
    left = released["event"].isin(pages).sum() / df["event"].isin(pages).sum()
    print(f"Deleted {1 - all_left:.1%} of all clicks, {1 - left:.0%} of those on the two pages.")
    print(f"Checked independently: {pdseqpriv.verify.is_sanitized(released, 0.4, events=pages)}.")


def write_and_read(df: pd.DataFrame) -> None:
    say("Parquet files are written all or nothing, and checked when they are read:")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.parquet"
        pdseqpriv.write_parquet(df, path)
        again = pdseqpriv.read_parquet(path)
        print(f"Wrote {path.stat().st_size / 1e6:.1f} MB and read back {len(again):,} rows.")
        print(f"All rows are the same: {'yes' if again.equals(df) else 'no'}.")


def say(text: str) -> None:
    print(f"\n{text}")


if __name__ == "__main__":
    main()
