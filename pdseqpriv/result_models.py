"""Models of what the audits report; :mod:`pdseqpriv.schemas` offers them with all others."""

from __future__ import annotations

from typing import Any

from pdseqpriv.table_model import Table, pa


def _count(least: int = 0) -> Any:  # noqa: ANN401 (pandera's)
    return pa.Field(ge=least)


def _share() -> Any:  # noqa: ANN401 (pandera's)
    return pa.Field(ge=0, le=1, nullable=True)


class RiskTable(Table):
    """What :func:`pdseqpriv.risk` gives; shares and probabilities are null where nobody is."""

    known: int = pa.Field(ge=1)
    attack: Any = pa.Field(isin=["in order", "any order", "with times"])
    people: int = pa.Field(ge=0)
    unique_share: float = _share()
    unique_low: float = _share()
    unique_high: float = _share()
    below_k_share: float = _share()
    worst_probability: float = _share()
    mean_worst_probability: float = _share()
    mean_probability: float = _share()
    method: Any = pa.Field(isin=["exact", "sampled"])


class LinkageTable(Table):
    """What :func:`pdseqpriv.risk` gives of attackers who link; null where nobody is."""

    knows: Any = pa.Field(str_matches=r"^(whole|[0-9.e/-]+)$")
    attack: Any = pa.Field(isin=["containment", "common subsequence"])
    people: int = pa.Field(ge=0)
    attacked: int = pa.Field(ge=0)
    unique_share: float = _share()
    below_k_share: float = _share()
    worst_probability: float = _share()
    mean_probability: float = _share()
    mean_low: float = _share()
    mean_high: float = _share()
    events_learned: float = pa.Field(ge=0, nullable=True)
    events_mistaken: float = pa.Field(ge=0, nullable=True)
    method: Any = pa.Field(isin=["exact", "sampled"])


class ComparisonTable(Table):
    """What :func:`pdseqpriv.compare` gives; a value is null where it is not defined."""

    measure: Any = pa.Field(unique=True)
    value: float = pa.Field(nullable=True)
    better: Any = pa.Field(isin=["lower", "higher"])
    paper: Any
    meaning: Any
    basis: Any = pa.Field(str_matches="^(all|sample of [0-9]+)$")

    class Config:
        """Nothing else is in the table."""

        strict = True


class MatchTable(Table):
    """What :func:`pdseqpriv.find` gives: one row per event of a match."""

    seq_id: Any
    pattern: int = _count(1)
    match: int = _count(1)
    position: int = _count(1)
    event: Any
    time: Any
    row: int = _count()

    @classmethod
    def where_named(cls) -> dict[str, Any]:
        """People, where they have several sequences."""
        return {"person": pa.Field()}

    class Config:
        """Nothing else is in the table."""

        strict = True


class ChangeTable(Table):
    """What :func:`pdseqpriv.changes` gives: one row per sequence of the original."""

    seq_id: Any = pa.Field(unique=True)
    released_id: Any = pa.Field(nullable=True)
    dropped: bool
    before: int = _count()
    after: int = _count()
    kept: int = _count()
    coarser: int = _count()
    marked: int = _count()
    replaced: int = _count()
    deleted: int = _count()
    added: int = _count()

    @classmethod
    def where_named(cls) -> dict[str, Any]:
        """People, where they have several sequences."""
        return {"person": pa.Field()}

    class Config:
        """Nothing else is in the table."""

        strict = True


class ChangeSummaryTable(Table):
    """What :func:`pdseqpriv.changes` gives of all sequences; shares are null where there are no events."""

    kind: Any = pa.Field(unique=True)
    events: int = _count()
    sequences: int = _count()
    share: float = pa.Field(ge=0, nullable=True)

    class Config:
        """Nothing else is in the table."""

        strict = True
