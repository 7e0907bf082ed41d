"""Every example runs, from an empty folder, without a word on stderr."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Spark is in an environment of its own, where its tests run its example.
EXAMPLES = [
    path
    for path in sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
    if path.name != "spark_frames.py"
]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(path, tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "error", path], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert run.stdout.strip()
    assert "other rows" not in run.stdout
    assert not list(tmp_path.iterdir()), "an example cleans up after itself"
