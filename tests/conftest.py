"""Settings for every test."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, settings

# Compilation makes the first example slow, so no example has a deadline.
settings.register_profile(
    "default", deadline=None, max_examples=40, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
# pytest --hypothesis-profile deep: other cases every time, and many more of them.
settings.register_profile("deep", deadline=None, max_examples=2_000)
settings.load_profile("default")

DATA = Path(os.environ.get("PDSEQPRIV_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Search modules and tests for garbage no more, and the rest less often: it took a sixth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure():
    """Let Python tidy up in the end; what is left out of that, DuckDB takes for lost."""
    gc.unfreeze()


@pytest.fixture(scope="module")
def uncompressed():
    """Write Parquet without compression, so that whatever a file holds can be found in its bytes."""
    write_table = pq.write_table

    def plainly(table, where, **options):
        write_table(table, where, **{**options, "compression": "none"})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pq, "write_table", plainly)
        yield


@pytest.fixture
def real_data():
    """Return the path of a real table, or skip the test where the data are absent."""

    def find(name: str) -> Path:
        path = DATA / f"{name}.parquet"
        if not path.exists():
            pytest.skip(f"no real data: {path.name}")
        return path

    return find
