"""Print the lowest version that pyproject.toml allows of every dependency, for `make oldest`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
FLOOR = re.compile(r"(?P<name>[\w.-]+)(\[[\w,-]+\])?>=(?P<version>[\w.]+)")


def floor_of(requirement):
    """Turn "pandera[io]>=0.24" into "pandera==0.24": a constraint of pip takes no extras."""
    found = FLOOR.fullmatch(requirement)
    if found is None:
        raise ValueError(f"{requirement!r} in pyproject.toml has no lowest version: write name>=version")
    return f"{found['name']}=={found['version']}"


def floors(pyproject):
    project = tomllib.loads(pyproject)["project"]
    return [floor_of(one) for one in project["dependencies"] + project["optional-dependencies"]["dev"]]


if __name__ == "__main__":
    print(*floors(PYPROJECT.read_text(encoding="utf-8")), sep="\n")  # noqa: T201
