"""The same calls on pandas and on Spark: ``make demo-spark`` runs it."""

from __future__ import annotations

import logging
import tempfile
import warnings
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, SparkSession

import pdseqpriv


def main() -> None:
    warnings.simplefilter("ignore", FutureWarning)  # Spark has not been tested with the newest pandas
    visits = pdseqpriv.datasets.make_clickstream(20_000, seed=1)
    pages = visits["event"].value_counts().index[:3]
    pattern = " -> ".join(f'"{page}"' for page in pages)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "visits")
        folder.mkdir()
        for number, rows in enumerate((visits.iloc[::2], visits.iloc[1::2])):
            rows.to_parquet(folder / f"{number}.parquet", index=False)
        print(f"{len(visits):,} clicks in a folder of two files; we hide {pattern}.")
        spark = session()
        try:
            found = on_spark(spark.read.parquet(str(folder)), pattern, Path(place, "released"))
        finally:
            spark.stop()
        compare(found, visits.seqpriv.hide([pattern]))


def session() -> SparkSession:
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "2g")
    builder = builder.config("spark.sql.shuffle.partitions", "4").config("spark.ui.enabled", "false")
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    logging.getLogger("py4j").setLevel(logging.ERROR)
    return spark


def on_spark(visits: DataFrame, pattern: str, target: Path) -> pd.DataFrame:
    released = pdseqpriv.hide(visits, [pattern])
    print(pdseqpriv.verify.is_hidden(released, [pattern]))
    pdseqpriv.write_parquet(released, target)
    return pdseqpriv.read_parquet(target)


def compare(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    names = ["seq_id", "event", "time"]
    rows = [one[names].sort_values(names, ignore_index=True) for one in (found, expected)]
    same = rows[0].equals(rows[1].astype(rows[0].dtypes))
    marks = int(found["event"].isna().sum())
    print(f"Spark: {marks:,} marks, {'the same rows' if same else 'other rows'} as in pandas.")


if __name__ == "__main__":
    main()
