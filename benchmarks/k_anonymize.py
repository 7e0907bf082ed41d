"""Both methods and the check on the sequences of the paper, and beside BF-P2kA as printed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Memory, Shown, Target, in_units
from benchmarks.data import DATA, first_sequences, msnbc, msnbc_5_to_25, needed, shuffled, visits
from benchmarks.papers.bf_p2ka import bf_p2ka
from benchmarks.races import Runner, race
from benchmarks.threads import on_one_thread

FEW = 2_000
SUPPORT = 0.015  # from which on a pattern counts as frequent
F, LOST, INVENTED = "F-measure", "share of sequences lost", "events that their person never had"
COST = (in_units(8), Memory(2000))
TREE = {"method": "prefix_tree"}
EQUAL = {"guarantee": "identical"}
PLAIN, IDENTICAL = "k_anonymize(10), msnbc 5 to 25", "k_anonymize(10, guarantee='identical')"
KEPT, AS_THEY_WERE = "events kept", "events kept as they were"
ONE_THREAD = "k_anonymize(10), 300,000 visits, one thread"
WithTaxonomy = tuple[pd.DataFrame, pdseqpriv.Taxonomy]


def people() -> pd.DataFrame:
    """Return the sequences of 5 to 25 events, shuffled."""
    return shuffled(msnbc_5_to_25())


def numbered_people() -> pd.DataFrame:
    """Return them with pages in the order of their first use: ties between paths follow it."""
    order = {page: place for place, page in enumerate(msnbc()["event"].unique())}
    frame = msnbc_5_to_25()
    return frame.assign(event=frame["event"].map(order).astype("int64"))


def people_in_pairs() -> pd.DataFrame:
    """Return them with people made by pairing visitors at random."""
    frame = people()
    number, ids = pd.factorize(frame["seq_id"], sort=True)
    return frame.assign(person=np.random.default_rng(0).permutation(len(ids))[number] // 2)


def few(frame: pd.DataFrame) -> pd.DataFrame:
    """Return some of them, for a first call."""
    return first_sequences(frame, FEW)


def with_release() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return them with a release that is to be checked."""
    return released_with(people())


def released_with(original: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table with a release of it."""
    return original, original.seqpriv.k_anonymize(10)


def anonymize(k: int, options: dict[str, Any], frame: pd.DataFrame) -> pd.DataFrame:
    """Run from frame to frame."""
    return frame.seqpriv.k_anonymize(k, **options)


def count_people(k: int, options: dict[str, Any], frame: pd.DataFrame) -> pd.DataFrame:
    """Run from frame to frame, and count people instead of sequences."""
    return frame.seqpriv.using(person="person").k_anonymize(k, **options)


def what_is_left(original: pd.DataFrame, released: pd.DataFrame) -> dict[str, Any]:
    """Compare frequent patterns before and after."""
    measures = pdseqpriv.compare(original, released, min_support=SUPPORT).set_index("measure")["value"]
    return {
        F: float(measures["f_measure"]),
        KEPT: float(measures["events_kept"]),
        LOST: float(measures["sequences_lost"]),
        "SupSim": float(measures["support_similarity"]),
        f"{F}, two digits": round(float(measures["f_measure"]), 2),
        f"{F}, three digits": round(float(measures["f_measure"]), 3),
        "SupSim, two digits": round(float(measures["support_similarity"]), 2),
    }


def events_kept(original: pd.DataFrame, released: pd.DataFrame) -> dict[str, Any]:
    """Return which share of the events is left."""
    measures = pdseqpriv.compare(original, released).set_index("measure")["value"]
    return {KEPT: float(measures["events_kept"])}


def visits_and_sections() -> WithTaxonomy:
    """Return visits to a site, and the sections of its pages."""
    frame = pdseqpriv.datasets.make_clickstream(20_000, seed=1)
    return frame, pdseqpriv.Taxonomy(pdseqpriv.datasets.clickstream_taxonomy())


def check_ins_and_categories() -> WithTaxonomy:
    """Return weeks of check-ins, and the categories of the places."""
    frame = needed("foursquare_nyc")[["seq_id", "event", "time"]]
    return frame, pdseqpriv.Taxonomy(pd.read_parquet(DATA / "foursquare_nyc_taxonomy.parquet"))


def with_categories(k: int, task: WithTaxonomy) -> pd.DataFrame:
    """Let rare events become categories."""
    return task[0].seqpriv.k_anonymize(k, taxonomy=task[1])


def kept_with_categories(task: WithTaxonomy, released: pd.DataFrame) -> dict[str, Any]:
    """Tell which share of the events is left, and which share as it was."""
    measures = pdseqpriv.compare(task[0], released, taxonomy=task[1]).set_index("measure")["value"]
    return {KEPT: float(measures["events_kept"]), AS_THEY_WERE: float(measures["events_kept_exactly"])}


def with_invented(original: pd.DataFrame, released: pd.DataFrame) -> dict[str, Any]:
    """Also count events that a person has more often in the release than in the original."""
    again, key = original.seqpriv.k_anonymize(10, with_key=True)
    owner = key.dropna().set_index("released_id")["seq_id"]
    after = again.assign(seq_id=again["seq_id"].map(owner)).groupby(["seq_id", "event"]).size()
    before = original.groupby(["seq_id", "event"]).size().reindex(after.index, fill_value=0)
    more = int((after - before).clip(lower=0).sum())
    return what_is_left(original, released) | {INVENTED: more}


def broken(pair: tuple[pd.DataFrame, pd.DataFrame], verdict: pdseqpriv.Verdict) -> dict[str, Any]:
    """Return how many sequences the independent check refuses."""
    return {"violations": int(verdict.violations), "sequences": int(pair[1]["seq_id"].nunique())}


CASES = [
    Case(
        PLAIN,
        people,
        partial(anonymize, 10, {}),
        (
            in_units(3),
            Memory(2000),
            Shown(F, "at least", 0.785),
            Shown(LOST, "exactly", 0),
            Shown(INVENTED, "exactly", 0),
        ),
        warm_up=lambda: few(people()),
        facts=with_invented,
    ),
    Case(
        "k_anonymize(10, guarantee='mutual')",
        people,
        partial(anonymize, 10, {"guarantee": "mutual"}),
        repeats=1,
        warm_up=lambda: few(people()),
    ),
    Case(
        IDENTICAL,
        people,
        partial(anonymize, 10, EQUAL),
        (in_units(6), Memory(2000), Shown(KEPT, "at least", 0.74)),
        warm_up=lambda: few(people()),
        facts=what_is_left,
    ),
    Case(
        "k_anonymize(500, guarantee='identical')",
        people,
        partial(anonymize, 500, EQUAL),
        (Shown(KEPT, "at least", 0.52),),
        repeats=1,
        warm_up=lambda: few(people()),
        facts=what_is_left,
    ),
    *(
        Case(
            f"{name}, of people with two sequences",
            people_in_pairs,
            partial(count_people, 10, options),
            (Target(1.5, (name,)),),
            warm_up=lambda: few(people_in_pairs()),
        )
        for name, options in ((PLAIN, {}), (IDENTICAL, EQUAL))
    ),
    *(
        Case(
            f"k_anonymize(10, guarantee='identical'), {name}",
            partial(needed, name),
            lambda df: df[["seq_id", "event", "time"]].seqpriv.k_anonymize(10, **EQUAL),
            (Shown(KEPT, "at least", kept),),
            repeats=1,
            facts=events_kept,
        )
        for name, kept in (("sepsis", 0.55), ("trucks", 0.27), ("bpic2012", 0.75))
    ),
    *(
        Case(
            f"k_anonymize({k}, taxonomy), {name}",
            prepare,
            partial(with_categories, k),
            tuple(Shown(fact, "at least", least) for fact, least in kept.items()),
            repeats=1,
            facts=kept_with_categories,
        )
        for name, k, prepare, kept in (
            ("20,000 visits", 10, visits_and_sections, {KEPT: 0.72, AS_THEY_WERE: 0.38}),
            ("foursquare_nyc", 5, check_ins_and_categories, {KEPT: 0.55}),
        )
    ),
    Case(
        ONE_THREAD,
        partial(visits, 300_000),
        on_one_thread(partial(anonymize, 10, {})),
        repeats=1,
        warm_up=partial(visits, FEW),
    ),
    Case(
        "k_anonymize(10), 300,000 visits, two threads",
        partial(visits, 300_000),
        partial(anonymize, 10, {}),
        (Target(1 / 1.7, (ONE_THREAD,)),),
        repeats=1,
        warm_up=partial(visits, FEW),
    ),
    Case(
        "k_anonymize(500)",
        people,
        partial(anonymize, 500, {}),
        (Shown(f"{F}, three digits", "at least", 0.584),),
        repeats=1,
        warm_up=lambda: few(people()),
        facts=what_is_left,
    ),
    Case(
        "k_anonymize(10, method='prefix_tree')",
        people,
        partial(anonymize, 10, TREE),
        (*COST, Shown(F, "at least", 0.62), Shown(LOST, "below", 0.001)),
        warm_up=lambda: few(people()),
        facts=what_is_left,
    ),
    Case(
        "k_anonymize(500, method='prefix_tree')",
        people,
        partial(anonymize, 500, TREE),
        (Shown(F, "at least", 0.43), Shown(f"{F}, two digits", "exactly", 0.44)),
        repeats=1,
        warm_up=lambda: few(people()),
        facts=what_is_left,
    ),
    Case(
        "k_anonymize(10, method='prefix_tree'), pages numbered by first use",
        numbered_people,
        partial(anonymize, 10, TREE),
        (Shown(f"{F}, three digits", "exactly", 0.625), Shown("SupSim, two digits", "exactly", 0.73)),
        repeats=1,
        warm_up=lambda: few(numbered_people()),
        facts=what_is_left,
    ),
    Case(
        "is_k_anonymous, k=10",
        with_release,
        lambda pair: pdseqpriv.verify.is_k_anonymous(pair[0], pair[1], 10),
        (
            Target(0.5, (PLAIN,)),
            Shown("violations", "exactly", 0, beside=("sequences",)),
        ),
        warm_up=lambda: released_with(few(people())),
        facts=broken,
    ),
    *race(
        Runner("k_anonymize, prefix_tree", partial(anonymize, 10, TREE)),
        Runner("BF-P2kA as printed", lambda df: bf_p2ka(df, 10)),
        sizes=(8_000, 24_000, 72_000),
        counted="sequences of msnbc",
        prepare=lambda size: first_sequences(msnbc_5_to_25(), size),
    ),
]
