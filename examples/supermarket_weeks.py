"""Share weekly sales without showing which products carry the business.

A supermarket gives last year's sales per week to a marketing company. Three products account for a share of
the sales that competitors must not learn, up to any week of the year.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

import pdseqpriv

WEEKS, PRODUCTS = 52, 60
SECRET = ["product 00", "product 01", "product 02"]
DELTA = Fraction(1, 25)


def make_sales() -> pd.DataFrame:
    """Generate a year of sales: one row per item sold, the receipt it is on, its week."""
    rng = np.random.default_rng(7)
    popularity = 1 / np.arange(1, PRODUCTS + 1) ** 0.7
    season = 1 + 0.6 * np.sin(np.arange(WEEKS) / WEEKS * 2 * np.pi)
    weeks = np.repeat(np.arange(1, WEEKS + 1), rng.poisson(400 * season))
    products = rng.choice(PRODUCTS, weeks.size, p=popularity / popularity.sum())
    names = np.array([f"product {i:02}" for i in range(PRODUCTS)])
    receipts = np.sort(rng.integers(0, weeks.size // 3, weeks.size))
    return pd.DataFrame({"seq_id": receipts, "event": names[products], "time": weeks})


def share_so_far(sales: pd.DataFrame, product: str) -> pd.Series:
    """Return the product's share of all sales from the first week up to each week."""
    sold = sales.groupby("time")["event"].agg(lambda events: (events == product).sum()).cumsum()
    return sold / sales.groupby("time").size().cumsum()


def main() -> None:
    sales = make_sales()
    print(f"{len(sales):,} items sold in {WEEKS} weeks, {PRODUCTS} products.")
    released = sales.seqpriv.sanitize(DELTA, events=SECRET, scope="table")
    print(f"\nLargest share up to any week, before and after (must stay below {float(DELTA):.0%}):")
    for product in SECRET:
        before, after = (share_so_far(table, product).max() for table in (sales, released))
        print(f"  {product}: {before:.1%} -> {after:.3%}")
    print(
        "\nChecked independently:",
        pdseqpriv.verify.is_sanitized(released, DELTA, events=SECRET, scope="table"),
    )
    measures = pdseqpriv.compare(sales, released, delta=DELTA, events=SECRET, scope="table")
    ours = measures[measures["paper"].str.startswith("Loukides")]
    print("\nWhat it cost:")
    print(ours[["measure", "value", "meaning"]].to_string(index=False))


if __name__ == "__main__":
    main()
