"""Every code block of every page runs, and prints what the page shows under it."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import zip_longest

import pandas as pd
import pytest

import pdseqpriv
from tests.documents import ROOT, RUN, Block, blocks_of, pages

WITH_CODE = [page for page in pages() if any(block.language in RUN for block in blocks_of(page))]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def folder(tmp_path):
    """Make a folder with the tables that pages speak of."""
    here = tmp_path / "here"
    (here / "visits").mkdir(parents=True)
    for number in range(2):
        rows = pd.DataFrame({"seq_id": 2 * [number], "event": ["home", "clinic"], "time": [1, 2]})
        rows.to_parquet(here / "visits" / f"{number}.parquet", index=False)
    return here


@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_every_block_runs_and_prints_what_is_shown(page, folder):
    command = [sys.executable, "-m", "tests.documents", page]
    told = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    # Spark makes 200 parts of a few rows if nobody says otherwise.
    told["PYSPARK_SUBMIT_ARGS"] = "--conf spark.sql.shuffle.partitions=4 pyspark-shell"
    run = subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    outputs = json.loads((folder / "outputs.json").read_text(encoding="utf-8"))
    blocks = blocks_of(page)
    assert [str(block.line) for block in blocks if block.is_run] == list(outputs)
    assert not_as_shown(blocks, outputs) == []


def not_as_shown(blocks, outputs):
    """Return the lines of blocks that print something else than is shown below them."""
    wrong = []
    for block, below in zip_longest(blocks, blocks[1:]):
        has_text = below is not None and below.language == "text"
        told = below.text if has_text else ""
        is_compared = block.is_run and (has_text or block.language == "python")
        if is_compared and outputs[str(block.line)] != told:
            wrong.append(block.line)
    return wrong


def test_what_a_block_prints_is_compared_also_at_the_end_of_a_page():
    code, text = Block("python", "print(1)\n", 3), Block("text", "1\n", 6)
    assert not_as_shown([code, text], {"3": "1\n"}) == []
    assert not_as_shown([code, text], {"3": "2\n"}) == [3]
    assert not_as_shown([code], {"3": "1\n"}) == [3]
    assert not_as_shown([code, Block("sh", "", 6)], {"3": "1\n", "6": "told\n"}) == [3]


CALL = re.compile(r"`([^`\n]*\([^`\n]*\)[^`\n]*)`")


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_every_call_in_the_page_for_language_models_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids = [*range(40), *range(20)]  # all have a, and half of them b
    df = pd.DataFrame({"seq_id": ids, "event": ["a"] * 40 + ["b"] * 20, "time": [1] * 40 + [2] * 20})
    visits = df.rename(columns={"seq_id": "user", "event": "url", "time": "ts"})
    names = {"pdseqpriv": pdseqpriv, "df": df, "visits": visits}
    names["released"] = df.seqpriv.hide("a -> b", max_support=3)
    calls = CALL.findall((ROOT / "docs" / "llms.txt").read_text(encoding="utf-8"))
    assert len(calls) >= 14
    for call in calls:
        eval(call, names)  # noqa: S307 (our own page)
    assert (tmp_path / "page.html").exists()


def test_every_block_says_what_it_is():
    languages = [block.language for page in pages() for block in blocks_of(page)]
    assert languages.count("python") >= 12
    assert languages.count("sh") >= 3
    assert {one for one in languages if not one.startswith("{")} == {*RUN, "text"}
    assert {name_of(page) for page in WITH_CODE} >= {
        "README.md",
        "docs/index.md",
        "docs/bigger_than_memory.md",
    }


def test_what_sets_things_up_is_there():
    lines = [
        line
        for page in pages()
        for block in blocks_of(page)
        if block.is_set_up
        for line in block.text.splitlines()
    ]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    made = [found[1] for line in lines if (found := re.match(r"make ([a-z-]+)", line))]
    installed = [found[1] for line in lines if (found := re.match(r'pip install ".*\[([\w,]+)\]"$', line))]
    assert len(made) + len(installed) == len(lines) >= 3
    assert set(made) <= targets
    assert {extra for one in installed for extra in one.split(",")} <= set(extras)


def test_every_link_from_a_page_leads_to_a_file():
    seen = 0
    for page in pages():
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in link and not link.startswith(("#", "mailto:")):
                assert (page.parent / link.partition("#")[0]).exists(), (name_of(page), link)
                seen += 1
    assert seen > 50


def test_every_function_says_what_it_guarantees():
    rows = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8").splitlines()
    calls = " ".join(row.split("|")[1] for row in rows if row.startswith("|"))
    functions = [name for name in pdseqpriv.__all__ if inspect.isfunction(getattr(pdseqpriv, name))]
    functions += [f"verify.{name}" for name in pdseqpriv.verify.__all__]
    functions += pdseqpriv.plot.__all__
    assert len(functions) > 30
    assert [name for name in functions if not re.search(rf"\b{name}\b", calls)] == ["using"]


def test_no_number_in_a_table_of_calls_is_taken_for_a_default_that_it_is_not():
    seen, wrong = 0, []
    for page in ("README.md", "docs/guarantees.md", "docs/which_operation.md"):
        cells = re.findall(r"^\|.*?`([^`|]+)`", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        for call, name in ((cell, re.search(r"(\w+)\(", cell)) for cell in cells):
            function = getattr(pdseqpriv, name[1], None) if name else None
            numbers = re.findall(r"(\w+)=(\d[\d.]*)", call) if inspect.isfunction(function) else []
            for option, number in numbers:
                seen += 1
                if str(inspect.signature(function).parameters[option].default) != number:
                    wrong.append((page, call))
    assert seen >= 2
    assert wrong == []


def test_every_folder_has_its_place_in_the_map():
    table = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    folders = [path.name for path in (ROOT / "pdseqpriv").iterdir() if (path / "__init__.py").exists()]
    assert len(folders) > 15
    assert [name for name in folders if f"{name}/`" not in table] == []


def test_the_picture_can_be_drawn(tmp_path):
    picture = tmp_path / "drawn.svg"
    subprocess.run([sys.executable, "-W", "error", ROOT / "docs" / "draw.py", picture], check=True)
    for shown in (picture, ROOT / "docs" / "pictures" / "before_after.svg"):
        words = re.findall(r">([^<>\n]+)</text>", shown.read_text(encoding="utf-8"))
        assert {"before", "after", "triage", "other events"} <= set(words)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1 / 0)\n```\n",
        "```sh\npdseqpriv no-such-command\n```\n",
        "```python\nimport pdseqpriv\n",
        "  ```python\nimport pdseqpriv\n  ```\n",
    ],
    ids=["raises", "fails", "not closed", "indented"],
)
def test_a_page_that_is_wrong_is_found(text, folder):
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "tests.documents", page]
    told = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    assert subprocess.run(command, cwd=folder, env=told, capture_output=True, check=False).returncode == 1
    assert not (folder / "outputs.json").exists()
