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


def write_pages(folder):
    """Write all pages, and return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    df = pdseqpriv.datasets.make_event_log(400, seed=1)[["seq_id", "event", "time"]]
    hostile = pd.DataFrame(
        {
            "<b>": [f"<i>{i // len(HOSTILE)}" for i in range(20 * len(HOSTILE))],
            "</table>": HOSTILE * 20,
            "t": range(20 * len(HOSTILE)),
        }
    )
    made = {name: (recipe, df) for name, recipe in recipes(sorted(set(df["event"]))).items()}
    made["hostile"] = (Pipeline(seq_id="<b>", event="</table>", time="t").k_anonymize(3), hostile)
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
