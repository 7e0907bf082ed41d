"""The same calls on pandas, on a folder of Parquet files and on Dask: ``make demo-dask`` runs it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import dask
import dask.dataframe as dd
import pandas as pd

import pdseqpriv


def main() -> None:
    visits = pdseqpriv.datasets.make_clickstream(20_000, seed=1)
    pages = visits["event"].value_counts().index[:3]
    pattern = " -> ".join(f'"{page}"' for page in pages)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "visits")
        folder.mkdir()
        for number, rows in enumerate((visits.iloc[::2], visits.iloc[1::2])):
            rows.to_parquet(folder / f"{number}.parquet", index=False)
        print(f"{len(visits):,} clicks in a folder of two files; we hide {pattern}.")
        here = visits.seqpriv.hide([pattern])
        compare("a folder, in parts that fit into memory", in_folder(folder, pattern), here)
        compare("Dask, a lazy frame", on_dask(folder, pattern), here)


def in_folder(folder: Path, pattern: str) -> pd.DataFrame:
    scanned = pdseqpriv.scan_parquet(folder, memory_limit="1GB")
    released = pdseqpriv.hide(scanned, [pattern])
    print(pdseqpriv.verify.is_hidden(released, [pattern]))
    pdseqpriv.write_parquet(released, folder.with_name("released"))
    return pdseqpriv.read_parquet(folder.with_name("released"))


def on_dask(folder: Path, pattern: str) -> pd.DataFrame:
    with dask.config.set({"dataframe.convert-string": False}):
        visits = dd.from_map(pd.read_parquet, sorted(folder.iterdir()))
        released = visits.seqpriv.hide([pattern])
    return released.compute()


def compare(what: str, found: pd.DataFrame, expected: pd.DataFrame) -> None:
    names = ["seq_id", "event", "time"]
    rows = [one[names].sort_values(names, ignore_index=True) for one in (found, expected)]
    same = rows[0].equals(rows[1].astype(rows[0].dtypes))
    marks = int(found["event"].isna().sum())
    print(f"{what}: {marks:,} marks, {'the same rows' if same else 'other rows'} as in pandas.")


if __name__ == "__main__":
    main()
