"""Write the pages that a browser opens: each operation, both readers, and hostile names."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pandas as pd

import pdseqpriv
from pdseqpriv import Pipeline, Taxonomy

HOSTILE = [
    "<script>alert(1)</script>",
    "</svg><img src=x onerror=alert(1)>",
    "a\u202eb",
    "x" * 10_000,
    "W" * 60,
    "\U0001f3e5\U0001f691",
    "\"&'",
    "病院への入院と退院の手続き",
    "مستشفى القاهرة",
    "בית חולים",
]


def recipes(events):
    """Return a recipe for every operation, by the name of its page."""
    first, second, third = events[:3]
    tree = Taxonomy({event: "care" if place % 2 else "office" for place, event in enumerate(events)})
    return {
        "contained": Pipeline().k_anonymize(5),
        "identical": Pipeline().k_anonymize(5, guarantee="identical"),
        "categories": Pipeline().k_anonymize(20, taxonomy=tree),
        "groups": Pipeline().generalize(tree, k=5, time="since_start"),
        "hidden": Pipeline().hide([[first, second]], max_support=3),
        "sanitized": Pipeline().sanitize(0.3, events=[third]),
        "patterns": Pipeline().release_patterns(0.3, k=5, method="suppress"),
        "two-steps": Pipeline().hide([[first, second]], max_support=3).k_anonymize(5, guarantee="identical"),
    }


def hostile_ones():
    """Return a recipe for every operation and a table of hostile names only, by the name of the page."""
    n = len(HOSTILE)
    ids = [f"{HOSTILE[i // n % n]} {i // n}" for i in range(20 * n)]
    names = dict(
        zip(("seq_id", "event", "time"), (f"{name} {i}" for i, name in enumerate(HOSTILE)), strict=False)
    )
    table = pd.DataFrame({names["seq_id"]: ids, names["event"]: HOSTILE * 20, names["time"]: range(20 * n)})
    table[HOSTILE[3]] = [HOSTILE[i // n % 2] for i in range(20 * n)]
    asked = {
        "shared": lambda recipe: recipe.k_anonymize(3, keep=[HOSTILE[3]]),
        "groups": lambda recipe: recipe.generalize(k=3),
        "hidden": lambda recipe: recipe.hide([HOSTILE[:2]], max_support=3),
        "sanitized": lambda recipe: recipe.sanitize(0.1, events=HOSTILE[1:2]),
        "patterns": lambda recipe: recipe.release_patterns(5, k=2, max_length=1),
    }
    return {f"hostile-{name}": (ask(Pipeline(**names)), table) for name, ask in asked.items()}


def write_pages(folder):
    """Write all pages, and return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    df = pdseqpriv.datasets.make_event_log(400, seed=1)[["seq_id", "event", "time"]]
    made = {name: (recipe, df) for name, recipe in recipes(sorted(set(df["event"]))).items()}
    made |= hostile_ones()
    made["empty"] = (Pipeline().k_anonymize(5), df.head(3))
    for name, (recipe, table) in made.items():
        result = recipe.run(table)
        for audience in ("public", "owner"):
            result.report(table, folder / f"{name}-{audience}.html", audience=audience)
    return 2 * len(made)


if __name__ == "__main__":
    warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
    pdseqpriv.options.progress = False
    print(f"{write_pages(Path(sys.argv[1]))} pages are written.")  # noqa: T201 (a script)
