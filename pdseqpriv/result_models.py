"""Models of what the audits report; :mod:`pdseqpriv.schemas` offers them with all others."""

from __future__ import annotations

from typing import Any

from pdseqpriv.table_model import Series, Table, pa


def _count(least: int = 0) -> Any:  # noqa: ANN401 (pandera's)
    return pa.Field(ge=least)


def _share() -> Any:  # noqa: ANN401 (pandera's)
    return pa.Field(ge=0, le=1, nullable=True)


class RiskTable(Table):
    """What pdseqpriv.risk gives; shares and probabilities are null where nobody is."""

    known: int = pa.Field(ge=1)
    attack: Any = pa.Field(isin=["in order", "any order", "with times"])
    people: int = pa.Field(ge=0)
    of_people: int = pa.Field(ge=0)
    unique_share: float = _share()
    unique_low: float = _share()
    unique_high: float = _share()
    below_k_share: float = _share()
    worst_probability: float = _share()
    mean_worst_probability: float = _share()
    mean_probability: float = _share()
    known_sets: int = pa.Field(ge=0)
    method: Any = pa.Field(isin=["exact", "sampled", "sampled knowledge"])
    unique_with_times: float = _share()
    mean_with_times: float = _share()

    class Config:
        """Nothing else is in the table."""

        strict = True


class LinkageTable(Table):
    """What pdseqpriv.risk gives of attackers who link; null where nobody is."""

    knows: Any = pa.Field(str_matches=r"^(whole|[0-9.e/-]+)$")
    attack: Any = pa.Field(isin=["containment", "common subsequence", "intervals"])
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

    class Config:
        """Nothing else is in the table."""

        strict = True


class ComparisonTable(Table):
    """What pdseqpriv.compare gives; a value is null where it is not defined."""

    measure: Any = pa.Field(unique=True)
    value: float = pa.Field(nullable=True)
    better: Any = pa.Field(isin=["lower", "higher"])
    paper: Any
    meaning: Any
    basis: Any = pa.Field(str_matches="^(all|sample of [0-9]+)$")

    class Config:
        """Nothing else is in the table."""

        strict = True


def _measure() -> Any:  # noqa: ANN401 (pandera's)
    return pa.Field(nullable=True)


class SweepTable(Table):
    """What pdseqpriv.sweep gives, beside the settings; a value is null where it is not defined."""

    unique_share: float = _share()
    worst_probability: float = _share()
    mean_worst_probability: float = _share()
    mean_probability: float = _share()
    linkage_unique_share: float = _share()
    linkage_below_k_share: float = _share()
    linkage_worst_probability: float = _share()
    linkage_mean_probability: float = _share()
    # Those measures of compare that apply to sequences.
    sequences_lost: float = _measure()
    events_kept: Series[float] | None = _measure()
    length_distance: Series[float] | None = _measure()
    event_distance: Series[float] | None = _measure()
    events_kept_exactly: Series[float] | None = _measure()
    events_kept_as_category: Series[float] | None = _measure()
    information_kept: Series[float] | None = _measure()
    pattern_precision: Series[float] | None = _measure()
    pattern_recall: Series[float] | None = _measure()
    f_measure: Series[float] | None = _measure()
    support_similarity: Series[float] | None = _measure()
    M1: Series[float] | None = _measure()
    M2: Series[float] | None = _measure()
    M3: Series[float] | None = _measure()
    sanitization_error: Series[float] | None = _measure()
    deleted_share: Series[float] | None = _measure()
    # Those that apply to generalized tables.
    ncp: Series[float] | None = _measure()
    time_loss: Series[float] | None = _measure()
    event_loss: Series[float] | None = _measure()
    range_query_false_positives: Series[float] | None = _measure()
    range_query_false_negatives: Series[float] | None = _measure()
    causality_divergence: Series[float] | None = _measure()


class _OfOwner(Table):
    """For the owner only: it says whose a sequence is."""

    @classmethod
    def where_named(cls) -> dict[str, Any]:
        """People, where they have several sequences."""
        return {"person": pa.Field()}

    class Config:
        """Nothing else is in the table."""

        strict = True


class MatchTable(_OfOwner):
    """What pdseqpriv.find gives: one row per event of a match."""

    seq_id: Any
    pattern: int = _count(1)
    match: int = _count(1)
    position: int = _count(1)
    event: Any
    time: Any
    row: int = _count()


class ChangeTable(_OfOwner):
    """What pdseqpriv.changes gives: one row per sequence of the original."""

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


class ChangeSummaryTable(Table):
    """What pdseqpriv.changes gives of all sequences; shares are null where there are no events."""

    kind: Any = pa.Field(unique=True)
    events: int = _count()
    sequences: int = _count()
    share: float = pa.Field(ge=0, nullable=True)

    class Config:
        """Nothing else is in the table."""

        strict = True
