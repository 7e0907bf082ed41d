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
NOT_OURS = (".*cache*", ".git", ".hypothesis", ".venv*", "__pycache__", "build", "dist")
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
    return build(tmp_path_factory.mktemp("project"))


def build(folder, edit=str):
    """Build from a copy in which much is lying about; return the names in the wheel and in the sdist."""
    project, shipped = folder / "copy", folder / "shipped"
    shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(*NOT_OURS))
    settings = project / "pyproject.toml"
    settings.write_text(edit(settings.read_text(encoding="utf-8")), encoding="utf-8")
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
        path.relative_to(ROOT)
        for path in (ROOT / "pdseqpriv").rglob("*")
        if path.suffix in {".py", ".pyi", ".html"}
    ]
    assert len(found) > 100
    return {path.as_posix() for path in found} | {"pdseqpriv/py.typed"}


def strangers(names):
    """Return what is neither the package nor about it."""
    return {name for name in names if ".dist-info/" not in name} - package_files()


def tables_and_caches(names):
    suffixes = {Path(name).suffix for name in LEFT_BEHIND} - {".py", ".txt", ""}
    return {name for name in names if Path(name).suffix in suffixes}


def test_the_wheel_holds_the_package_and_nothing_else(built):
    wheel, _ = built
    about = {name for name in wheel if ".dist-info/" in name}
    assert strangers(wheel) == set()
    assert package_files() <= wheel
    names = {name.partition(".dist-info/")[2] for name in about}
    assert names == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_the_sdist_holds_what_is_needed_to_build_and_test(built):
    _, sdist = built
    assert package_files() <= sdist
    pages = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "LICENSE"}
    assert pages | {"pyproject.toml", "Makefile", "tests/conftest.py", "schemas/sequences.yaml"} <= sdist
    folders = {name.partition("/")[0] for name in sdist if "/" in name}
    assert folders == {"pdseqpriv", "tests", "benchmarks", "docs", "examples", "schemas"}


@pytest.mark.parametrize("index", [0, 1], ids=["wheel", "sdist"])
def test_no_table_and_no_cache_is_shipped(built, index):
    assert len(built[index]) > 100
    assert tables_and_caches(built[index]) == set()


def take_all(settings):
    """Edit the settings so that whatever lies in the folders is shipped."""
    narrow = (
        '"/pdseqpriv/**/*.py", "/pdseqpriv/**/*.pyi", "/pdseqpriv/py.typed"',
        'exclude = ["*.parquet", "*.csv"',
    )
    assert [settings.count(one) for one in narrow] == [1, 1]
    return settings.replace(narrow[0], '"/pdseqpriv"').replace(narrow[1], 'exclude = ["*.nothing"')


def test_a_table_that_is_shipped_is_found(tmp_path):
    wheel, sdist = build(tmp_path, take_all)
    assert strangers(wheel) >= {"pdseqpriv/patients.parquet", "pdseqpriv/hiding/notes.txt"}
    assert "pdseqpriv/patients.parquet" in tables_and_caches(wheel)
    assert {"pdseqpriv/patients.parquet", "tests/visits.csv"} <= tables_and_caches(sdist)
