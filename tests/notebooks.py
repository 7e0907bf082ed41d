"""Run a notebook as a reader would, and keep what it shows: ``python -m tests.notebooks NAME FOLDER NAMES``.

It runs in FOLDER, hands over what is then in NAMES as FOLDER/../handed.pickle, and keeps the notebook, with
all that it shows, in build/notebooks/ for ``make site``. It is a process of its own because the packages that
run notebooks leave sockets open.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "examples" / "notebooks"
KEPT = ROOT / "build" / "notebooks"
# Seconds for a notebook as a whole, once all is compiled: all six together stay below 5 minutes.
LIMIT = 50
# Where a warning comes from is of no use to a reader, and names folders of this machine.
PLACE = re.compile(r"^\S+\.py:\d+: (?=\w+Warning)", re.MULTILINE)
CODE_LINE = re.compile(r"(?<=\n)  \S.*\n")

QUIET = "import pdseqpriv\npdseqpriv.options.progress = False"
HAND_OVER = """
import pickle
with open({path!r}, "wb") as stream:
    pickle.dump({{name: globals()[name] for name in {names}}}, stream)
"""


def run(name, folder, names):
    notebook = jupytext.read(SOURCES / f"{name}.py")
    last = HAND_OVER.format(path=str(folder.parent / "handed.pickle"), names=names)
    cells = notebook.cells
    notebook.cells = [nbformat.v4.new_code_cell(QUIET), *cells, nbformat.v4.new_code_cell(last)]
    elsewhere = folder.parent / "temporary"
    elsewhere.mkdir()
    # Files in the place of ports: nobody else on the machine can listen. Their paths must be short.
    with tempfile.TemporaryDirectory() as short:
        config = Config(KernelManager={"transport": "ipc", "ip": f"{short}/k"})
        resources = {"metadata": {"path": str(folder)}}
        end = time.monotonic() + LIMIT
        client = NotebookClient(
            notebook,
            config=config,
            kernel_name="python3",
            timeout_func=lambda _: max(0.1, end - time.monotonic()),  # what is left for a cell
            resources=resources,
        )
        client.execute(env={**os.environ, "TMPDIR": str(elsewhere)})
    notebook.cells = cells
    keep(notebook, name)


def keep(notebook, name):
    for number, cell in enumerate(notebook.cells, 1):
        cell["id"] = f"cell-{number}"
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                output["text"] = CODE_LINE.sub("", PLACE.sub("", output["text"]))
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    KEPT.mkdir(parents=True, exist_ok=True)
    draft = KEPT / f"{name}.draft"
    nbformat.write(notebook, draft)
    draft.replace(KEPT / f"{name}.ipynb")


if __name__ == "__main__":
    run(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
