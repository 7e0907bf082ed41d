"""Reading datetimes from text."""

from __future__ import annotations

import pandas as pd

_DATE = r"\s*\d{4}-?\d\d"
_ZONE = r"(?:[Zz]|[+-]\d\d:?(?:\d\d)?)\s*$"


def read_datetimes(text: pd.Series) -> pd.Series:
    """Read ISO 8601 datetimes; different offsets become UTC. Words such as "now" and mixtures are refused.

    Examples
    --------
    >>> read_datetimes(pd.Series(["2024-05-01T10:00+02:00", "2024-05-01T10:00Z"])).dt.hour.tolist()
    [8, 10]
    """
    if not bool(text.str.match(_DATE).all()):
        raise ValueError("not all are dates")
    has_zone = text.str.contains(rf"\d[T ].*{_ZONE}", case=False)
    if bool(has_zone.any()) != bool(has_zone.all()):
        raise ValueError("some have a zone and some have none")
    return pd.to_datetime(text, format="ISO8601", utc=bool(has_zone.any()))
