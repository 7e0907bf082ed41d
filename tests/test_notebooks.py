"""Values show as small, inert HTML in notebooks, and tell there what their plain text tells."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import Pattern, Pipeline, Taxonomy, Verdict

HOSTILE = "<script>alert(1)</script></svg>\u202e\U0001f3e5" + "x" * 10_000
ALLOWED = {"div", "b", "code", "table", "tr", "th", "td", "ol", "li", "details", "summary"}


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(name for name, _ in attrs)))


def shown(value):
    """Return the HTML of a value, and what it says; it must be inert and small."""
    html = value._repr_html_()
    found = Tags(html).found
    assert {tag for tag, _ in found} <= ALLOWED
    assert {name for _, names in found for name in names} <= {"style", "scope", "open"}
    assert len(html) < 100_000
    return html, " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


@pytest.fixture
def visits():
    return pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": ["a", "b"] * 2, "time": [1, 2, 1, 2]})


def test_a_verdict():
    assert shown(Verdict(True, "9 of 9 < 10", 9))[1] == "✓ holds 9 of 9 < 10"
    assert shown(Verdict(False, "2 are not", 9, 2))[1] == "✗ does not hold 2 are not"


def test_a_pattern():
    assert shown(Pattern("a -[2..6]-> (b c) within 1h"))[1] == "a -[2..6]-> (b c) within 1h"
    html, said = shown(Pattern([HOSTILE, "b"]))
    assert "&lt;script&gt;" in html
    assert "\u202e" not in said
    assert len(said) < 600


def test_a_taxonomy_unfolds():
    sites = Taxonomy({"Search": ["Google", "Bing"], "Shopping": {"Books": ["Thalia"]}, HOSTILE: ["a"]})
    html, said = shown(sites)
    assert said.startswith(repr(sites))
    assert "ALL (3)" in said
    assert "Search (2) Bing Google" in said
    assert html.count("<details") == 5
    assert html.count("<details open>") == 1
    assert "x" * 100 not in said


def test_a_huge_taxonomy_is_cut_short():
    wide = Taxonomy.flat([f"event {i}" for i in range(100_000)])
    assert "and 99,980 more" in shown(wide)[1]
    deep = Taxonomy({f"level {i}": f"level {i + 1}" for i in range(2_000)})
    assert "and 1 more" in shown(deep)[1]
    bushy = {f"{i}": {f"{i}-{j}": [f"{i}-{j}-{k}" for k in range(15)] for j in range(15)} for i in range(15)}
    html, said = shown(Taxonomy(bushy))
    assert html.count("<div>") < 600
    assert "more" in said


def test_a_description_is_a_table_a_series_and_a_dict(visits):
    found = visits.seqpriv.describe()
    html, said = shown(found)
    assert html.count("<tr>") == len(found) == 16
    assert said.startswith("sequences 2 rows 4 events 4 marked 0 distinct events 2")
    assert "sequences" in found
    assert found["sequences"] == 2
    assert dict(found)["time_to"] == 2
    assert found == dict(found)
    assert found != {**found, "sequences": 3}
    assert (found == found).all()  # noqa: PLR0124 (as two Series)
    assert json.loads(json.dumps(found.to_dict())) == found
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 (our own)
    assert again == dict(found)
    assert type(again) is type(found)
    assert repr(found).splitlines()[0].split() == ["sequences", "2"]


def test_a_description_of_nothing(visits):
    assert "density nan" in shown(visits.iloc[:0].seqpriv.describe())[1]


def test_a_pipeline_and_its_result(visits):
    recipe = Pipeline(seq_id="seq_id").hide([["a", HOSTILE]], max_support=1).k_anonymize(2)
    _, said = shown(recipe)
    assert said == ("Pipeline(seq_id='seq_id') hide(patterns=1 given, max_support=1) k_anonymize(k=2)")
    result = Pipeline().hide(["a -> b"], max_support=1).run(visits)
    assert shown(result)[1] == (
        "Result: table, and 1 verdict: step 1, hide: ✓ holds " + result.verdicts[0].verdict.sentence
    )


def test_names_of_columns_are_inert():
    named = Pipeline(event="<script>alert(1)</script>").k_anonymize(2)
    assert "<script>alert(1)</script>" in shown(named)[1]


def test_nothing_is_loaded_for_it():
    code = (
        "import sys, pandas as pd, pdseqpriv\n"
        "df = pd.DataFrame({'seq_id': [1, 1, 2, 2], 'event': list('abab'), 'time': [1, 2, 1, 2]})\n"
        "recipe = pdseqpriv.Pipeline().hide(['a -> b'], max_support=1)\n"
        "result = recipe.run(df)\n"
        "values = [pdseqpriv.Pattern('a -> b'), pdseqpriv.Taxonomy({'a': 'x'}), df.seqpriv.describe(),\n"
        "          recipe, result, result.verdicts[0].verdict]\n"
        "assert 'matplotlib' not in sys.modules\n"
        "sys.modules.update(dict.fromkeys(['matplotlib', 'jinja2', 'IPython']))  # as if not installed\n"
        "for value in values:\n"
        "    print(type(value).__name__, len(value._repr_html_()) > 0, len(repr(value)) > 0)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    shown_values = ["Pattern", "Taxonomy", "Description", "Pipeline", "Result", "Verdict"]
    assert run.stdout.split("\n")[:-1] == [f"{name} True True" for name in shown_values]
    assert pdseqpriv.Verdict is Verdict


def test_large_tables_are_shown_as_quickly_as_small_ones(visits, monkeypatch):
    """What is shown was counted before: no row is looked at, and there is no more of it."""
    n = 1_000_000
    large = pd.DataFrame({"seq_id": range(n), "event": [f"e{i % 1_000}" for i in range(n)], "time": 1})
    found = large.seqpriv.describe()
    result = Pipeline().hide(["e7 -> e8"]).run(large)
    small = Pipeline().hide(["a -> b"]).run(visits)
    for method in ("_repr_html_", "__repr__", "to_html", "to_string", "__getitem__", "__len__", "itertuples"):
        monkeypatch.setattr(pd.DataFrame, method, lambda *_, **__: pytest.fail("the table is looked at"))
    assert shown(found)[1].startswith("sequences 1,000,000 rows 1,000,000")
    assert len(repr(found).splitlines()) == len(found) + 1 == 17  # and the type, as of any Series
    html, said = shown(result)
    assert said.startswith("Result: table, and 1 verdict: step 1, hide: ✓ holds")
    assert abs(len(html) - len(shown(small)[0])) < 100
    assert repr(result).splitlines()[0] == repr(small).splitlines()[0]
