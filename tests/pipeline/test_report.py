"""A result writes a page about itself, with the verdicts of its run."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import pdseqpriv
from pdseqpriv import Pipeline, SeqPrivError, Taxonomy
from tests.reporting.pages import checked, visits, words


@pytest.fixture
def page_of(tmp_path):
    def write(result, original, **options):
        result.report(original, tmp_path / "page.html", **options)
        return words(checked((tmp_path / "page.html").read_text(encoding="utf-8")))

    return write


def test_all_promises_are_on_the_page(page_of):
    df = visits()
    recipe = (
        Pipeline().hide(["secret-3"]).sanitize(0.6, events=["home"]).k_anonymize(5, guarantee="identical")
    )
    result = recipe.run(df)
    said = page_of(result, df)
    assert said.count("✓ holds") == 3
    assert "At no time does a chosen event reach a share of 0.6" in said
    assert "secret" not in said.replace("what was chosen is secret", "")
    said = page_of(result, df, audience="owner")
    assert all(one.verdict.sentence in said for one in result.verdicts)
    assert "all events, most in common" in said  # the key is that of the result


def test_what_the_owner_cannot_check_is_checked_by_the_run(page_of):
    """Replaced events are not in the original, and what is looked at is the table between two steps."""
    df = visits()
    result = Pipeline().hide(["home -> work"], output="replace", seed=1).k_anonymize(5).run(df)
    assert page_of(result, df).count("✓ holds") == 2


def test_functions_of_the_user_promise_nothing(page_of):
    df = visits()
    recipe = Pipeline().apply(lambda table: table).hide(["secret-3"], max_support=0)
    assert "✓ holds No sequence shows a hidden pattern any more." in page_of(recipe.run(df), df)
    again = Pipeline().k_anonymize(3, guarantee="identical").hide(["home -> work"]).run(df)
    said = page_of(again, df)
    assert "is the same for at least 3 sequences, with all that records show." in said


def test_earlier_releases(page_of):
    df = visits()
    _, key = df.seqpriv.k_anonymize(5, guarantee="identical", with_key=True)
    result = Pipeline().k_anonymize(5, guarantee="identical", previous=[key]).run(df)
    assert "earlier ones still finds at least 5 people" in page_of(result, df)


def test_names_people_categories_and_other_kinds_of_tables(page_of, tmp_path):
    df = visits().rename(columns={"seq_id": "visit", "event": "place", "time": "when"})
    df["who"] = df["visit"].str.replace("patient", "person")
    tree = Taxonomy({"home": "place", "work": "place"} | {f"secret-{i}": "private" for i in range(40)})
    recipe = Pipeline(seq_id="visit", event="place", time="when", person="who")
    recipe = recipe.k_anonymize(5, taxonomy=tree)
    for original in (df, pl.from_pandas(df)):
        said = page_of(recipe.run(original), original, audience="owner")
        assert "is part of the sequences of at least 5 people of the original" in said
        assert "all events, what contains them" in said
    pdseqpriv.write_parquet(
        df.seqpriv.using(seq_id="visit", event="place", time="when"), tmp_path / "v.parquet"
    )
    result = recipe.run(tmp_path / "v.parquet")
    assert "Rare events may have become categories" in page_of(result, tmp_path / "v.parquet")


def test_patterns_and_groups(page_of):
    df = visits().iloc[:80]
    assert "✓ holds" in page_of(Pipeline().release_patterns(0.5, k=5).run(df), df, audience="owner")
    groups = Pipeline().generalize(k=5, monitored=["home"])
    assert "✓ holds" in page_of(groups.run(df), df, audience="owner")


def test_a_table_that_it_did_not_run_on_is_refused(page_of, tmp_path):
    df = visits()
    result = Pipeline().hide(["secret-3"]).run(df)
    with pytest.raises(SeqPrivError, match=r"Result\.report: no event of the release occurs in the original"):
        page_of(result, df.assign(event="other"))
    with pytest.raises(SeqPrivError, match="audience must be"):
        page_of(result, df, audience="all")
    with pytest.raises(pdseqpriv.FileError, match="it is a folder"):
        result.report(df, tmp_path)
    assert not list(tmp_path.iterdir())
    assert pd.DataFrame(df).equals(visits())
