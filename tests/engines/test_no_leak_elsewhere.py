"""Nothing that was removed is in any byte of a folder that was written, by whichever engine."""

from __future__ import annotations

import dask
import dask.dataframe as dd
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv.engines import dividing
from tests.engines.leaks import RELEASES, assert_only_what_is_released, visits

pytestmark = [
    pytest.mark.usefixtures("uncompressed"),
    pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning"),
]


@pytest.mark.parametrize("name", RELEASES)
def test_a_folder_of_a_release_from_a_folder(tmp_path, monkeypatch, name):
    monkeypatch.setattr(dividing, "number_of_parts", lambda *_: 3)
    (tmp_path / "visits").mkdir()
    visits().to_parquet(tmp_path / "visits" / "rows.parquet")
    released = RELEASES[name](pdseqpriv.scan_parquet(tmp_path / "visits"))
    pdseqpriv.write_parquet(released, tmp_path / "released")
    assert_only_what_is_released(tmp_path / "released", name)


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # of Dask's own writer
@pytest.mark.parametrize("name", RELEASES)
def test_folders_of_a_release_on_dask(tmp_path, name):
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "synchronous"}):
        released = RELEASES[name](dd.from_pandas(visits(), npartitions=3, sort=False))
        pdseqpriv.write_parquet(released, tmp_path / "ours")
        released.to_parquet(tmp_path / "of dask", compression=None)
    for folder in ("ours", "of dask"):
        assert_only_what_is_released(tmp_path / folder, name)


@pytest.mark.parametrize("name", ["hide, mark", "sanitize"])
def test_files_of_a_release_do_not_say_which_sequences_are_of_one_person(tmp_path, monkeypatch, name):
    """Where people are kept together at work, files and the rows in them are as if they were others."""
    monkeypatch.setattr(dividing, "number_of_parts", lambda *_: 5)
    written = []
    for number, people in enumerate(([n // 2 for n in range(12)], [n % 6 for n in range(12)])):
        frame = visits().drop(columns="note")
        frame["who"] = frame["seq_id"].map(lambda of: people[int(of.rpartition("-")[2])]).astype(int)  # noqa: B023
        frame = frame.sort_values("time", kind="stable", ignore_index=True)
        source, target = tmp_path / f"visits {number}", tmp_path / f"released {number}"
        source.mkdir()
        frame.to_parquet(source / "rows.parquet", index=False)
        table = pdseqpriv.using(pdseqpriv.scan_parquet(source), person="who")
        pdseqpriv.write_parquet(RELEASES[name](table), target)
        written.append([pd.read_parquet(file) for file in sorted(target.iterdir())])
    assert len(written[0]) == len(written[1]) > 1
    for first, second in zip(*written, strict=True):
        pd.testing.assert_frame_equal(first, second)
