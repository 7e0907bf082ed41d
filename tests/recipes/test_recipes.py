"""Recipes: read, written, refused with the line and the closest name; secrets stay elsewhere."""

from __future__ import annotations

import datetime as dt
import json
import os
import stat
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
import yaml

import pdseqpriv
from pdseqpriv import FileError, Pattern, Pipeline, SeqPrivError, Taxonomy, verify
from pdseqpriv.engines.named_columns import own_parameters
from pdseqpriv.recipes.model import OPERATIONS
from tests.pipeline.test_promises import table_of

pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
SCHEMA = Path(__file__).parents[2] / "schemas" / "recipe.json"
YAML = """
columns:
  seq_id: user
  event: url
  time: ts
steps:
  - hide:
      patterns: !file sensitive.txt
      max_support: 1
  - k_anonymize: {k: 2, guarantee: identical, seed: !env SEED}
"""
TOML = """
[columns]
seq_id = "user"
event = "url"
time = "ts"

[[steps]]
hide = { patterns = { file = "sensitive.txt" }, max_support = 1 }

[[steps]]
[steps.k_anonymize]
k = 2
guarantee = "identical"
seed = { env = "SEED" }
"""
TEXTS = {"recipe.yaml": YAML, "recipe.yml": YAML, "recipe.toml": TOML}


def visits():
    df = table_of("abc", "abc", "abd", "bd", "abc", "acb", "acb")
    return df.rename(columns={"seq_id": "user", "event": "url", "time": "ts"})


@pytest.mark.parametrize("name", TEXTS)
def test_a_recipe_is_the_pipeline_that_it_says(name, tmp_path, monkeypatch):
    monkeypatch.setenv("SEED", "7\n")
    (tmp_path / name).write_text(TEXTS[name], encoding="utf-8")
    (tmp_path / "sensitive.txt").write_text("# who went where\n\na -> c\n  b -> c\n", encoding="utf-8")
    monkeypatch.chdir("/")
    result = Pipeline.load(tmp_path / name).run(visits())
    by_hand = Pipeline(seq_id="user", event="url", time="ts").hide(["a -> c", "b -> c"], max_support=1)
    expected = by_hand.k_anonymize(2, guarantee="identical", seed=7).run(visits())
    pd.testing.assert_frame_equal(result.table, expected.table)
    pd.testing.assert_frame_equal(result.key, expected.key)


@pytest.mark.parametrize("name", ["again.yaml", "again.toml"])
@pytest.mark.parametrize("read", TEXTS)
def test_references_are_written_as_references(name, read, tmp_path, monkeypatch):
    monkeypatch.setenv("SEED", "7")
    (tmp_path / "deep").mkdir()
    (tmp_path / "sensitive.txt").write_text("top-secret -> c", encoding="utf-8")
    (tmp_path / read).write_text(TEXTS[read], encoding="utf-8")
    Pipeline.load(tmp_path / read).save(tmp_path / "deep" / name)
    text = (tmp_path / "deep" / name).read_text(encoding="utf-8")
    assert "../sensitive.txt" in text
    assert "top-secret" not in text
    assert repr(Pipeline.load(tmp_path / "deep" / name)) == repr(Pipeline.load(tmp_path / read))


EVERYTHING = (
    Pipeline(seq_id="a b", event='quo"ted', time="zeit\u00e9", person="who", ties="order")
    .hide(
        ["a -> b within 1h", Pattern(["x y", {"p", "q"}]), ["c", "d"], Pattern.regex("a (b|c)+")],
        max_support=[1, 2, 3, 4],
        min_gap=1,
        max_gap=dt.timedelta(minutes=90),
        marking="random",
        selection="shared",
        output="drop",
        seed=3,
    )
    .sanitize(Fraction(1, 3), events=["a", 7, "\u007f\n\\"], scope="table", method="essa", alphabet=["z"])
)
MORE = Pipeline().k_anonymize(
    3, taxonomy=Taxonomy({"a": "x", "b": "y"}), keep={"age": {"1": "young"}, "sex": {"m": "any"}}
)
GROUPS = Pipeline().generalize({"a": "x"}, k=2, diversity=("30min", 1.5), monitored=["a"], time_weight=0.5)
FREE = Pipeline().generalize(diversity=(float("inf"), 2), sensitive=["s"])
PATTERNS = Pipeline().release_patterns(0.25, k=2, alpha=0.9, closed=True, method="suppress", max_length=3)


@pytest.mark.parametrize("suffix", ["yaml", "toml"])
@pytest.mark.parametrize("recipe", [EVERYTHING, MORE, GROUPS, FREE, PATTERNS], ids=range(5))
def test_every_parameter_is_written_and_read_back(recipe, suffix, tmp_path):
    first, second = tmp_path / f"one.{suffix}", tmp_path / f"two.{suffix}"
    recipe.save(first)
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    read = Pipeline.load(first)
    read.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert read.names == recipe.names
    for step, before in zip(read.steps, recipe.steps, strict=True):
        assert set(step.parameters) == set(before.parameters)


def test_values_read_back_mean_the_same(tmp_path):
    EVERYTHING.save(tmp_path / "one.toml")
    hide, sanitize = (step.resolved() for step in Pipeline.load(tmp_path / "one.toml").steps)
    assert hide.patterns() == EVERYTHING.steps[0].patterns()
    assert hide.parameters["max_support"] == [1, 2, 3, 4]
    assert sanitize.parameters["delta"] == Fraction(1, 3)
    assert sanitize.parameters["events"] == ["a", 7, "\u007f\n\\"]
    FREE.save(tmp_path / "two.yaml")
    assert Pipeline.load(tmp_path / "two.yaml").steps[0].parameters["diversity"] == (float("inf"), 2.0)


@pytest.mark.parametrize("suffix", ["yaml", "toml"])
@pytest.mark.parametrize(
    ("operation", "exact"),
    [
        ("generalize", {"diversity": (5, Fraction(5, 3)), "time_weight": Decimal("1E-1")}),
        ("generalize", {"diversity": (5, 2), "event_weight": Fraction(7, 3)}),
        ("sanitize", {"delta": Decimal(1), "events": ["a"]}),
        ("release_patterns", {"min_support": Fraction(1, 3), "k": 2, "alpha": Fraction(2, 3)}),
    ],
)
def test_exact_numbers_are_read_back_as_they_are(operation, exact, suffix, tmp_path):
    getattr(Pipeline(), operation)(**exact).save(tmp_path / f"one.{suffix}")
    (step,) = Pipeline.load(tmp_path / f"one.{suffix}").steps
    assert step.resolved().parameters == exact


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("one.yaml", "steps: [{hide: {patterns: {file: patterns.txt}}}]"),
        ("one.toml", '[[steps]]\n[steps.hide]\npatterns = {file = "patterns.txt"}'),
    ],
)
def test_files_may_begin_with_the_mark_of_utf_8(name, recipe, tmp_path):
    (tmp_path / name).write_text(recipe, encoding="utf-8-sig")
    (tmp_path / "patterns.txt").write_text("a -> b\nc -> d\n", encoding="utf-8-sig")
    rows = pd.DataFrame({"seq_id": 1, "event": list("abcd"), "time": range(4)})
    released = Pipeline.load(tmp_path / name).run(rows).table
    assert verify.is_hidden(released, ["a -> b", "c -> d"])
    assert released["event"].isna().sum() == 2


def test_names_that_begin_like_comments_are_names(tmp_path):
    (tmp_path / "one.yaml").write_text("steps: [{hide: {patterns: {file: tags.txt}}}]")
    (tmp_path / "tags.txt").write_text("## tags\n#\n#flu\n# why\nnew\u2028line\n", encoding="utf-8")
    rows = pd.DataFrame({"seq_id": 1, "event": ["#flu", "new\u2028line", "x"], "time": range(3)})
    step = Pipeline.load(tmp_path / "one.yaml").steps[0].resolved()
    assert step.parameters["patterns"] == ["#flu", "new\u2028line"]
    released = Pipeline().hide("#flu").run(rows).table
    assert released["event"].tolist()[1:] == ["new\u2028line", "x"]


def test_a_fraction_that_is_no_number_is_refused(tmp_path):
    (tmp_path / "one.yaml").write_text("steps: [{sanitize: {delta: 1/0, events: [a]}}]")
    with pytest.raises(SeqPrivError, match="delta must be a number above 0"):
        Pipeline.load(tmp_path / "one.yaml").run(pdseqpriv.datasets.make_clickstream(5))


def test_a_null_taxonomy_needs_yaml(tmp_path):
    recipe = Pipeline().k_anonymize(2, keep={"age": None})
    recipe.save(tmp_path / "one.yaml")
    assert Pipeline.load(tmp_path / "one.yaml").steps[0].parameters["keep"] == {"age": None}
    with pytest.raises(SeqPrivError, match="TOML has no null"):
        recipe.save(tmp_path / "one.toml")


def test_tables_and_keys_are_named_as_files(tmp_path):
    df = table_of(*(["ab"] * 4 + ["ac"] * 4))
    first = Pipeline().k_anonymize(2, guarantee="identical", seed=1).run(df)
    pdseqpriv.write_parquet(first.key, tmp_path / "key.parquet")
    assert stat.S_IMODE((tmp_path / "key.parquet").stat().st_mode) == 0o600
    pd.DataFrame({"child": ["a", "b", "c"], "parent": ["y", "x", "x"]}).to_csv(
        tmp_path / "tree.csv", index=False
    )
    (tmp_path / "recipe.yaml").write_text(
        "steps: [{k_anonymize: {k: 2, guarantee: identical, previous: [key.parquet], "
        "taxonomy: !file tree.csv, seed: 1}}]",
        encoding="utf-8",
    )
    recipe = Pipeline.load(tmp_path / "recipe.yaml")
    assert [one.check for one in recipe.run(df).verdicts] == ["is_k_anonymous", "are_compatible"]
    recipe.save(tmp_path / "again.toml")
    assert 'previous = ["key.parquet"]' in (tmp_path / "again.toml").read_text(encoding="utf-8")


def yaml_steps(*lines):
    return "\n".join(["steps:", *lines])


HIDE = "  - hide: {patterns: [a -> b]}"
# The text of a recipe, and what is said of it.
BAD = {
    "an operation": (
        yaml_steps(HIDE, "  - hyde: {}"),
        "line 3: there is no operation 'hyde'; the closest is 'hide'",
    ),
    "one that is nothing like ours": (
        yaml_steps("  - shuffle: {}"),
        "line 2: there is no operation 'shuffle'; there are hide, sanitize, k_anonymize, generalize, release",
    ),
    "a parameter": (
        yaml_steps("  - hide:", "      patterns: [a]", "      max_suport: 3"),
        "line 4: there is no 'max_suport' in hide; the closest is 'max_support'",
    ),
    "a column": (
        "columns: {seqid: a}\n" + yaml_steps(HIDE),
        "line 1: there is no 'seqid' in columns; the closest is 'seq_id'",
    ),
    "a key": ("step: []", "line 1: there is no 'step' in the recipe; the closest is 'steps'"),
    "a type": (yaml_steps("  - k_anonymize:", "      k: ten"), "line 3: k must be a whole number"),
    "a number in quotes": (yaml_steps("  - k_anonymize: {k: '10'}"), "line 2: k must be a whole number"),
    "a number too small": (yaml_steps("  - k_anonymize: {k: 1}"), "line 2: k must be at least 2"),
    "a word": (
        yaml_steps("  - hide: {patterns: [a], output: remove}"),
        "line 2: output must be 'mark', 'drop' or 'replace'",
    ),
    "a mapping of patterns": (
        yaml_steps("  - hide: {patterns: {hiv: 1}}"),
        "line 2: patterns must be a string or a list",
    ),
    "a mapping of events": (
        yaml_steps("  - sanitize: {delta: 0.1, events: {hiv: }}"),
        "line 2: events must be a list",
    ),
    "a share": (yaml_steps("  - sanitize: {events: [a], delta: 2.5}"), "line 2: delta must be at most 1"),
    "an event": (
        yaml_steps("  - sanitize:", "      delta: 0.5", "      events:", "        - a", "        - no"),
        "line 6: entry 2 of events must be a string or a whole number",
    ),
    "nothing of use": (yaml_steps("  - hide: {}"), "line 2: hide needs patterns"),
    "no steps": ("columns: {}", "line 1: the recipe needs steps"),
    "an empty list": ("steps: []", "line 1: steps must be something with at least 1 item"),
    "two in one": (
        yaml_steps("  - hide: {patterns: [a]}", "    k_anonymize: {k: 2}"),
        "line 2: one operation with its parameters is needed in each step",
    ),
    "none in one": (yaml_steps("  - hide:"), "line 2: one operation with its parameters is needed"),
    "no mapping": ("- hide", "line 1: the recipe must be a mapping"),
    "nothing": ("", "line 1: the recipe must be a mapping"),
    "not YAML": ("steps: [\n  - {", "line 2: this is not YAML"),
    "a key twice": (yaml_steps(HIDE) + "\nsteps: []", "line 3: the key 'steps' occurs twice"),
    "a list as key": ("? [a]\n: 1", "line 1: a key must be text"),
    "a cycle": ("steps: &all\n  - *all", "line 1: this contains itself"),
    "a tag": (yaml_steps("  - hide: {patterns: !python/object:os.system x}"), "line 2: there is no tag"),
    "itself": (
        yaml_steps(HIDE, "  - hide: {patterns: !file recipe.yaml}"),
        "line 3: the recipe names itself",
    ),
    "another format": ("format: 2\n" + yaml_steps(HIDE), "line 1: format must be 1"),
    "too much": (
        "a: &a [" + "x, " * 300 + "x]\nb: &b [" + "*a, " * 300 + "*a]\nc: [" + "*b, " * 300 + "*b]",
        "there are more than 100000 values",
    ),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said_with_its_line(text, said, tmp_path):
    path = tmp_path / "recipe.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        Pipeline.load(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"Pipeline.load: cannot read {str(path)!r}: ")


BAD_TOML = {
    "an operation": (
        "[[steps]]\n[steps.hide]\npatterns = ['a']\n[[steps]]\n[steps.hyde]\n",
        "line 5: there is no operation",
    ),
    "inline": (
        "[[steps]]\nhide = {patterns = ['a']}\n\n[[steps]]\nhide = {paterns = ['a']}\n",
        "line 5: there is no 'paterns'",
    ),
    "a parameter": (
        "[[steps]]\n[steps.hide]\npatterns = ['a']\nmax_suport = 2\n",
        "line 4: there is no 'max_suport'",
    ),
    "a type": (
        "[columns]\nseq_id = 'k'\n[[steps]]\n[steps.k_anonymize]\nk = '2'\n",
        "line 5: k must be a whole number",
    ),
    "a column": (
        "[columns]\nevents = 'x'\n[[steps]]\nhide={patterns=['a']}\n",
        "line 2: there is no 'events' in columns",
    ),
    "not TOML": ("steps = 1\nsteps = = 2", "line 2: this is not TOML"),
}


@pytest.mark.parametrize(("text", "said"), BAD_TOML.values(), ids=BAD_TOML)
def test_the_same_in_toml(text, said, tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        Pipeline.load(path)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", [YAML, yaml_steps("  - hide: {patterns: [top-secret], k: top-secret}")])
def test_messages_do_not_quote_what_was_written(text, tmp_path):
    path = tmp_path / "recipe.yaml"
    path.write_text(text.replace("max_support: 1", "max_support: top-secret"), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        Pipeline.load(path)
    assert "top-secret" not in str(caught.value)


def test_secrets_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.delenv("NOT_SET", raising=False)
    monkeypatch.setenv("NO_NUMBER", "seven")
    path = tmp_path / "recipe.yaml"
    for text, said in [
        ("{hide: {patterns: !file missing.txt}}", r"cannot read '.*missing\.txt': there is no such file"),
        (
            "{hide: {patterns: !env NOT_SET}}",
            "env must be the name of an environment variable that is set, got 'NOT_SET'",
        ),
        (
            "{hide: {patterns: !file empty.txt}}",
            "patterns must be at least one, in a line of its own, got none",
        ),
        ("{hide: {patterns: [a], seed: !env NO_NUMBER}}", "seed must be a whole number"),
        ("{k_anonymize: {k: 2, taxonomy: !file missing.csv}}", r"cannot read '.*missing\.csv'"),
    ]:
        (tmp_path / "empty.txt").write_text("# nothing\n", encoding="utf-8")
        path.write_text(f"steps: [{text}]", encoding="utf-8")
        recipe = Pipeline.load(path)
        assert "given" in repr(recipe)  # shown without a look at what is not there
        with pytest.raises(SeqPrivError, match=said):
            recipe.run("no-such-table.parquet")


@pytest.mark.parametrize(
    ("save", "said"),
    [
        (
            lambda: Pipeline().apply(len).hide(["a"]).save("x.yaml"),
            "step 1, apply, is a function of your own",
        ),
        (lambda: Pipeline().hide(["a"]).save("x.json"), "a recipe is a file that ends in"),
        (lambda: Pipeline(seq_id=7).hide(["a"]).save("x.yaml"), "every column name must be text"),
        (
            lambda: Pipeline().k_anonymize(2, previous=[pd.DataFrame()]).save("x.yaml"),
            "previous cannot be written into a recipe",
        ),
        (lambda: Pipeline().hide(["a"], seed=object()).save("x.yaml"), "seed cannot be written .* object"),
        (lambda: Pipeline.load("no-such-recipe.yaml"), "there is no such file"),
        (lambda: Pipeline.load("recipe.json"), "a recipe is a file that ends in"),
        (lambda: Pipeline.load(os.curdir), "a recipe is a file that ends in"),
    ],
)
def test_what_cannot_be_written_or_read(save, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SeqPrivError, match=said):
        save()
    assert list(tmp_path.iterdir()) == []


def test_the_schema_says_what_a_recipe_is(tmp_path):
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    for recipe in (EVERYTHING, MORE, GROUPS, PATTERNS):
        recipe.save(tmp_path / "one.yaml")
        validator.validate(yaml.safe_load((tmp_path / "one.yaml").read_text(encoding="utf-8")))
    good = {"steps": [{"hide": {"patterns": {"file": "x.txt"}}}]}
    validator.validate(good)
    for bad in (
        {},
        {"steps": []},
        {"steps": [{"hyde": {}}]},
        {**good, "extra": 1},
        {"steps": [{"k_anonymize": {"k": 1}}]},
    ):
        assert not validator.is_valid(bad), bad


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_recipe_takes_what_the_operation_takes(operation):
    known = own_parameters(getattr(pdseqpriv, operation))
    fields = OPERATIONS[operation].model_fields
    assert set(fields) == set(known) - {"table", "with_key"}
    defaults = {name: known[name].default for name in fields if not fields[name].is_required()}
    assert {name: fields[name].default for name in defaults} == defaults


@pytest.mark.parametrize(
    "written", ["hide: {patterns: {hiv: 1}}", "sanitize: {delta: 0.1, events: {hiv: 1}}"]
)
def test_no_error_quotes_an_event_that_was_written_as_a_key(written, tmp_path):
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(f"steps:\n  - {written}\n")
    with pytest.raises(pdseqpriv.FileError) as caught:
        pdseqpriv.Pipeline.load(recipe)
    assert "hiv" not in str(caught.value)
