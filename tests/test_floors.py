"""The lowest allowed versions, as `make oldest` installs them."""

from __future__ import annotations

import tomllib

import pytest

from tests.floors import PYPROJECT, floor_of, floors

WRITTEN = """
[project]
dependencies = ["numpy>=2.0.2", "pandera[pandas,io]>=0.33"]

[project.optional-dependencies]
dev = ["pytest-xdist>=3.6.1"]
bench = ["prefixspan"]
"""


def test_floors_are_read_from_the_project():
    assert floors(WRITTEN) == ["numpy==2.0.2", "pandera==0.33", "pytest-xdist==3.6.1"]


def test_every_dependency_has_a_floor():
    text = PYPROJECT.read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    assert (
        len(floors(text)) == len(project["dependencies"]) + len(project["optional-dependencies"]["dev"]) > 10
    )


@pytest.mark.parametrize("requirement", ["types-tqdm", "numpy>2", "numpy==2.0", "numpy>=2,<3", "numpy >=2"])
def test_what_has_no_lowest_version_is_refused(requirement):
    with pytest.raises(ValueError, match="no lowest version"):
        floor_of(requirement)
