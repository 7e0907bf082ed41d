"""Other examples for every function and engine."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import seed, settings


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    """Draw examples by the name of the test and its parameters.

    By the name of the test alone, as they are drawn elsewhere, every function and every engine would see the
    same few tables. Where examples are drawn at random, they differ anyway.
    """
    is_here = Path(__file__).parent in item.path.parents
    draws = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    if is_here and draws and settings().derandomize:
        seed(crc32(item.name.encode()))(item.obj)
