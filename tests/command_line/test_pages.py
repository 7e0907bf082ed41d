"""Commands that make a release write a page about it, with the checks of that run."""

from __future__ import annotations

import stat
import sys

import pytest

import pdseqpriv
from tests.reporting.pages import checked, words

RELEASES = {
    "hide": ["--patterns", "@patterns.txt", "--max-support", 3],
    "sanitize": ["--delta", "0.4", "--events", "@events.txt"],
    "k-anonymize": ["--k", 3, "--guarantee", "identical"],
    "generalize": ["--k", 3],
    "release-patterns": ["--min-support", "0.3", "--k", 3],
}


def page_in(folder):
    return checked((folder / "page.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", RELEASES)
@pytest.mark.parametrize("reader", ["public", "owner"])
def test_every_release_has_a_page(folder, run, command, reader):
    words_typed = [command, "visits.parquet", "out.csv", *RELEASES[command], "--report", "page.html"]
    ran = run(*words_typed, *(["--report-for", "owner"] if reader == "owner" else []))
    assert ran.exit_code == 0, ran
    text = page_in(folder)
    assert text.count("✓ holds") == 1
    assert "not checked" not in text
    assert ("Confidential" in text) == (reader == "owner")
    mode = stat.S_IMODE((folder / "page.html").stat().st_mode)
    assert mode == (0o600 if reader == "owner" else 0o644)


def test_a_recipe_has_a_page_with_every_check(folder, run, generated):
    ran = run("run", "recipe.yaml", "visits.parquet", "out.parquet", "--report", "page.html")
    assert ran.exit_code == 0, ran
    said = words(page_in(folder))
    assert "✓ holds At most 3 sequences still show a hidden pattern." in said
    assert "✓ holds Every released sequence is the same for at least 3 sequences." in said
    released = pdseqpriv.read_parquet("out.parquet")
    assert f"sequences are released {released['seq_id'].nunique()} " in said
    assert f" {len(generated):,} " not in said


def test_a_page_comes_from_standard_input_as_well(folder, run, generated):
    ran = run("k-anonymize", "-", "-", "--k", 3, "--report", "page.html", stdin=generated.to_csv(index=False))
    assert ran.exit_code == 0, ran
    assert ran.out.startswith('"seq_id","event","time"')
    assert "✓ holds" in page_in(folder)


@pytest.mark.usefixtures("folder")
def test_a_dry_run_writes_no_page(folder, run):
    ran = run("run", "recipe.yaml", "visits.parquet", "out.parquet", "--report", "page.html", "--dry-run")
    assert ran.exit_code == 0
    assert not (folder / "page.html").exists()


def test_without_jinja2_nothing_is_read(folder, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    ran = run("k-anonymize", "visits.parquet", "out.parquet", "--k", 3, "--report", "page.html")
    assert ran.exit_code == 2
    assert ran.err == (
        "error: --report: jinja2 is needed to write a report, and it is not installed: "
        "pip install 'pdseqpriv[report]'.\n"
    )
    assert not (folder / "out.parquet").exists()


def test_the_same_run_makes_the_same_page(folder, run):
    pages = []
    for _ in range(2):
        words_typed = ["run", "recipe.yaml", "visits.parquet", "out.parquet", "--force"]
        assert run(*words_typed, "--report", "page.html", "--report-for", "owner").exit_code == 0
        pages.append(page_in(folder))
    assert pages[0] == pages[1]
