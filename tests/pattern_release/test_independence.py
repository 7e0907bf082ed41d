"""The check of pattern tables shares nothing with the operation but common ground."""

from __future__ import annotations

import subprocess
import sys

from tests.test_architecture import reach_of

OPERATION = reach_of("pattern_release/release_patterns.py") | reach_of("mining/mine.py")
# How tables come in, parameters are read, errors are worded, loops are compiled; and what tables must be.
COMMON_GROUND = (
    "compiled",
    "engines/",
    "errors.py",
    "options.py",
    "parameters.py",
    "patterns/table_rules.py",
    "progress.py",
    "schemas.py",
    "sequences/",
    "version.py",
)


def test_the_check_shares_only_common_ground_with_the_operation():
    check = reach_of("pattern_release/verify.py")
    assert {name for name in OPERATION & check if not name.startswith(COMMON_GROUND)} == set()
    # Both sides have modules of their own: else this would compare nothing with nothing.
    for folder in ("pattern_release", "mining", "patterns/kernels"):
        assert any(name.startswith(f"{folder}/") for name in OPERATION)
    own = {name for name in check if name.startswith("pattern_release/")}
    assert len(own) == 4
    assert all(name.rpartition("/")[2].startswith("verify") for name in own)


def test_what_the_owner_looks_at_comes_from_the_check():
    channels = reach_of("pattern_release/channels.py")
    assert {name for name in channels & OPERATION if not name.startswith(COMMON_GROUND)} == set()
    assert len(channels) > 10


def test_the_walk_sees_imports_that_stand_deep():
    reached = reach_of("pattern_release/release_patterns.py")
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
