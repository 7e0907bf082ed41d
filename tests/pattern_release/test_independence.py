"""The check of pattern tables shares nothing with the operation but common ground."""

from __future__ import annotations

import subprocess
import sys

from tests.test_architecture import MODULES, imports_of

MODULE_NAMES = {
    "pdseqpriv." + name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
    for name, path in MODULES.items()
}
OPERATION = ["pdseqpriv.pattern_release.release_patterns", "pdseqpriv.mining.mine"]
CHECK = "pdseqpriv.pattern_release.verify"
# How tables come in, parameters are read, errors are worded, loops are compiled; and what tables must be.
COMMON_GROUND = (
    "pdseqpriv.compiled",
    "pdseqpriv.engines",
    "pdseqpriv.errors",
    "pdseqpriv.options",
    "pdseqpriv.parameters",
    "pdseqpriv.patterns.table_rules",
    "pdseqpriv.progress",
    "pdseqpriv.schemas",
    "pdseqpriv.sequences",
    "pdseqpriv.version",
)


def reached_from(*names):
    """Return the modules of the package that these import, directly or not; wherever the import stands."""
    reached, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [one for line in imports_of(MODULE_NAMES[name]) if (one := module_of(line))]
    return reached


def module_of(imported):
    """Return the module that an imported name is in; None outside of the package."""
    if not imported.startswith("pdseqpriv."):
        return None
    return imported if imported in MODULE_NAMES else imported.rpartition(".")[0]


def test_the_check_shares_only_common_ground_with_the_operation():
    operation, check = reached_from(*OPERATION), reached_from(CHECK)
    assert {name for name in operation & check if not name.startswith(COMMON_GROUND)} == set()
    # Both sides have modules of their own: else this would compare nothing with nothing.
    for folder in ("pattern_release", "mining", "patterns.kernels"):
        assert any(name.startswith(f"pdseqpriv.{folder}.") for name in operation)
    own = {name for name in check if name.startswith("pdseqpriv.pattern_release.")}
    assert len(own) == 4
    assert all(name.rpartition(".")[2].startswith("verify") for name in own)


def test_what_the_owner_looks_at_comes_from_the_check():
    operation, channels = reached_from(*OPERATION), reached_from("pdseqpriv.pattern_release.channels")
    assert {name for name in channels & operation if not name.startswith(COMMON_GROUND)} == set()
    assert len(channels) > 10


def test_the_walk_sees_imports_that_stand_deep():
    reached = reached_from("pdseqpriv.pattern_release.release_patterns")
    assert {"pdseqpriv.mining.kernels.depth_first", "pdseqpriv.sequences.kernels.lexicographic"} <= reached


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
