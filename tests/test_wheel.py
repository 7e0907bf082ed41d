"""What is shipped: the package with its types and licence, and never a table, a cache or an environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOT_OURS = (".*cache*", ".git", ".hypothesis", ".venv*", "__pycache__", "dist")
LEFT_BEHIND = [
    "pdseqpriv/patients.parquet",
    "pdseqpriv/hiding/notes.txt",
    "pdseqpriv/__pycache__/hide.cpython-311.pyc",
    "pdseqpriv/hiding/kernels/__pycache__/hide.nbi",
    "tests/visits.csv",
    "visits.parquet",
    ".venv-other/lib/tests/test_other.py",
    ".hypothesis/examples/found",
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build from a copy in which much is lying about; return the names in the wheel and in the sdist."""
    project, shipped = tmp_path_factory.mktemp("project") / "copy", tmp_path_factory.mktemp("shipped")
    shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(*NOT_OURS))
    for name in LEFT_BEHIND:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("top-secret")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(shipped)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    with (
        zipfile.ZipFile(next(shipped.glob("*.whl"))) as wheel,
        tarfile.open(next(shipped.glob("*.gz"))) as sdist,
    ):
        return set(wheel.namelist()), {name.partition("/")[2] for name in sdist.getnames()}


def package_files():
    found = [
        path.relative_to(ROOT) for path in (ROOT / "pdseqpriv").rglob("*") if path.suffix in {".py", ".pyi"}
    ]
    assert len(found) > 100
    return {path.as_posix() for path in found} | {"pdseqpriv/py.typed"}


def test_the_wheel_holds_the_package_and_nothing_else(built):
    wheel, _ = built
    about = {name for name in wheel if ".dist-info/" in name}
    assert wheel - about == package_files()
    names = {name.partition(".dist-info/")[2] for name in about}
    assert names == {"METADATA", "WHEEL", "RECORD", "licenses/LICENSE"}


def test_the_sdist_holds_what_is_needed_to_build_and_test(built):
    _, sdist = built
    assert package_files() <= sdist
    pages = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "LICENSE"}
    assert pages | {"pyproject.toml", "Makefile", "tests/conftest.py", "schemas/sequences.yaml"} <= sdist
    folders = {name.partition("/")[0] for name in sdist if "/" in name}
    assert folders == {"pdseqpriv", "tests", "benchmarks", "examples", "schemas"}


@pytest.mark.parametrize("name", sorted({Path(name).suffix for name in LEFT_BEHIND} - {".py", ".txt", ""}))
def test_no_table_and_no_cache_is_shipped(built, name):
    assert not [one for names in built for one in names if one.endswith(name)]
