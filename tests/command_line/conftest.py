"""A folder with generated data, and the command in this process."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

import pdseqpriv
from pdseqpriv.command_line.app import made


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    exit_code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def run():
    """Run the command in this process."""

    def call(*words, stdin=None):
        progress, shown = pdseqpriv.options.progress, warnings.showwarning
        try:
            ran = CliRunner().invoke(made(), [str(word) for word in words], input=stdin)
        finally:
            pdseqpriv.options.progress, warnings.showwarning = progress, shown
        if ran.exception is not None and not isinstance(ran.exception, SystemExit):
            raise ran.exception
        return Ran(ran.exit_code, ran.stdout, ran.stderr)

    return call


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    table = pdseqpriv.datasets.make_clickstream(120, n_pages=6, seed=1)[["seq_id", "event", "time"]]
    pdseqpriv.write_parquet(table, folder / "visits.parquet")
    return table


@pytest.fixture
def folder(generated, tmp_path, monkeypatch):
    """Be in a folder with visits.parquet, patterns.txt, events.txt and a recipe."""
    pdseqpriv.write_parquet(generated, tmp_path / "visits.parquet")
    first, second = generated["event"].value_counts().index[:2]
    (tmp_path / "patterns.txt").write_text(f"# sensitive\n{first} -> {second}\n", encoding="utf-8")
    (tmp_path / "events.txt").write_text(f"{first}\n", encoding="utf-8")
    (tmp_path / "recipe.yaml").write_text(
        "steps:\n"
        "  - hide: {patterns: !file patterns.txt, max_support: 3, seed: 1}\n"
        "  - k_anonymize: {k: 3, guarantee: identical, seed: 1}\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    os.umask(0o022)
    return tmp_path
