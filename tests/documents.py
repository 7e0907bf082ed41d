"""The code blocks of a page, and what happens when they are run: ``python -m tests.documents PAGE``.

They are run one after the other in one folder, those of Python in one namespace. A block that begins with an
import begins anew, in a copy of the current folder. What each of them prints is written to outputs.json.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pdseqpriv

ROOT = Path(__file__).parents[1]
FENCED = re.compile(r"^```(?P<language>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# What sets things up is not run, but what it names must be there.
SET_UP = re.compile(r"(make|pip install) ")
RUN = {"python", "sh", "yaml"}


class Block(NamedTuple):
    language: str
    text: str
    line: int

    @property
    def is_set_up(self):
        return self.language == "sh" and all(SET_UP.match(line) for line in self.text.splitlines())

    @property
    def is_run(self):
        """Whether it is run here: Spark is in an environment of its own."""
        is_elsewhere = "pyspark" in self.text and find_spec("pyspark") is None
        return self.language in RUN and not self.is_set_up and not is_elsewhere


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    found = [
        Block(one["language"], one["text"], text.count("\n", 0, one.start()) + 1)
        for one in FENCED.finditer(text)
    ]
    assert text.count("```") == 2 * len(found), f"{page.name}: a fence that is indented or not closed"
    return found


def pages():
    """Return all pages that people read, of the project and of its site."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])


def run_python(text, where, names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, where, "exec"), names)  # noqa: S102 (our own pages)
    return printed.getvalue()


def run_shell(text):
    told = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = ["sh", "-eu", "-c", text]
    return subprocess.run(command, env=told, capture_output=True, text=True, check=True).stdout


def write_file(text):
    """Write a block to the file that its first line names: "# recipe.yaml"."""
    Path(text.splitlines()[0].removeprefix("# ")).write_text(text, encoding="utf-8")
    return ""


def begin_anew(start, line):
    """Go to a copy of the folder in which all began."""
    here = start.with_name(f"{start.name} from line {line}")
    shutil.copytree(start, here)
    os.chdir(here)


def main(page):
    warnings.simplefilter("error", pdseqpriv.PrivacyWarning)  # a page shows what works
    start, names, outputs = Path.cwd(), {}, {}
    for block in filter(lambda one: one.is_run, blocks_of(page)):
        if block.language == "python":
            if block.text.startswith("import "):
                begin_anew(start, block.line)
                names = {"__name__": "page"}
            outputs[block.line] = run_python(block.text, f"{page.name}, line {block.line}", names)
        elif block.language == "sh":
            outputs[block.line] = run_shell(block.text)
        elif block.language == "yaml":
            outputs[block.line] = write_file(block.text)
    (start / "outputs.json").write_text(json.dumps(outputs), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
