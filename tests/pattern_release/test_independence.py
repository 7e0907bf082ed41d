"""The check of pattern tables shares nothing with the operation but common ground."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house import House, complaints

PACKAGE = Path(__file__).parents[2] / "pdseqpriv"
OPERATION = ["pattern_release/release_patterns.py", "mining/mine.py"]
# What checks the table, and what its owner looks at.
CHECKS = ["pattern_release/verify.py", "pattern_release/channels.py"]
# How tables come in and parts are shared out, parameters are read, errors are worded, loops are compiled, and
# values look in notebooks; and what tables must be.
COMMON_GROUND = (
    "compiled",
    "engines/",
    "errors.py",
    "namespaces.py",
    "notebook_html.py",
    "options.py",
    "parameters.py",
    "paths.py",
    "patterns/lists.py",
    "patterns/table_rules.py",
    "progress.py",
    "result_models.py",
    "schemas.py",
    "sequences/",
    "table_model.py",
    "threads.py",
    "verdict.py",
    "version.py",
)


def checks_share_only_common_ground(house):
    operation = house.reach_of(*OPERATION)
    for check in CHECKS:
        for name in sorted(house.reach_of(check)):
            is_shared = name in operation and not name.startswith(COMMON_GROUND)
            yield f"{check} and the operation both need {name}" if is_shared else ""


def test_the_check_shares_only_common_ground_with_the_operation():
    house = House(PACKAGE)
    assert not complaints(checks_share_only_common_ground, house)
    # Both sides have modules of their own: else this would compare nothing with nothing.
    operation, check = house.reach_of(*OPERATION), house.reach_of(CHECKS[0])
    for folder in ("pattern_release", "mining", "patterns/kernels"):
        assert any(name.startswith(f"{folder}/") for name in operation)
    own = [Path(name).name for name in check if name.startswith("pattern_release/")]
    assert len(own) == 4
    assert all(name.startswith("verify") for name in own)
    assert len(house.reach_of(CHECKS[1])) > 10


@pytest.mark.parametrize(
    "name", ["pattern_release/verify_table.py", "pattern_release/channels.py", "errors.py"]
)
@pytest.mark.parametrize("needed", ["mining/search.py", "patterns/sub_patterns.py", "taxonomy/taxonomy.py"])
def test_a_check_that_borrows_is_found(tmp_path, name, needed):
    shutil.copytree(PACKAGE, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    module = needed.removesuffix(".py").replace("/", ".")
    for borrower in {name, OPERATION[0]}:  # the operation does not need all of these yet
        with (tmp_path / "copy" / borrower).open("a", encoding="utf-8") as file:
            file.write(f"\ndef late():\n    import pdseqpriv.{module}\n")
    found = complaints(checks_share_only_common_ground, House(tmp_path / "copy"))
    assert any(one.endswith(f"both need {needed}") for one in found), found


def test_the_walk_sees_imports_that_stand_deep():
    reached = House(PACKAGE).reach_of(OPERATION[0])
    assert {"mining/kernels/depth_first.py", "sequences/kernels/lexicographic.py"} <= reached


WITHOUT_THE_OPERATION = """
import sys
for name in ("patterns.tables", "patterns.sub_patterns", "mining.search", "pattern_release.plan"):
    sys.modules[f"pdseqpriv.{name}"] = None  # importing it fails
import pandas as pd
from pdseqpriv.pattern_release.verify import are_patterns_safe
patterns = pd.DataFrame({"pattern": [("a",), ("a", "b"), (("a", "b"),)], "support": [10, 9, 4]})
print(are_patterns_safe(patterns, k=2).violations)
"""


def test_the_check_runs_where_the_operation_is_missing():
    command = [sys.executable, "-c", WITHOUT_THE_OPERATION]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1\n"
