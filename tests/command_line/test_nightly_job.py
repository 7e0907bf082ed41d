"""The nightly job of the examples runs from start to end."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

from pdseqpriv import read_parquet

ROOT = Path(__file__).parents[2]


def place_command(folder, line):
    """Put a command called pdseqpriv into a folder."""
    (folder / "pdseqpriv").write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    (folder / "pdseqpriv").chmod(0o700)


def test_the_nightly_job(tmp_path):
    command = ["sh", str(ROOT / "examples" / "nightly_job.sh"), str(tmp_path)]
    place_command(tmp_path, f'exec {shlex.quote(sys.executable)} -m pdseqpriv "$@"')
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ran.returncode == 0, ran.stderr
    said = ran.stdout
    assert "2. k_anonymize(k=5, guarantee='identical', seed=given)" in said
    assert said.count("\nholds: ") == 2
    assert "The visits themselves do not pass: exit code 1." in said
    assert said.endswith("A second run made the same bytes.\n")
    manifest = json.loads((tmp_path / "release.json").read_text(encoding="utf-8"))
    assert [one["holds"] for one in manifest["verdicts"]] == [True, True]
    assert manifest["output"]["rows"] == len(read_parquet(tmp_path / "release.parquet")) > 0
    assert stat.S_IMODE((tmp_path / "secret" / "key.parquet").stat().st_mode) == 0o600
    page = (tmp_path / "release.html").read_text(encoding="utf-8")
    assert page.count("✓ holds") == 2
    assert "sport/0 → news/0" not in page
    assert not list(tmp_path.rglob("*.part"))


def test_a_job_stops_where_a_command_fails(tmp_path):
    place_command(tmp_path, "exit 1")
    command = ["sh", str(ROOT / "examples" / "nightly_job.sh"), str(tmp_path)]
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert subprocess.run(command, check=False, env=environment).returncode == 1
