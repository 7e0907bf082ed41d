"""A page about what a pipeline gave: its checks are those that were run at the end."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pdseqpriv.accessor import SeqprivAccessor, using
from pdseqpriv.engines.door import on_tables
from pdseqpriv.files.parquet import read_parquet
from pdseqpriv.parameters import one_of
from pdseqpriv.pipeline.checks import Checked
from pdseqpriv.pipeline.steps import Step
from pdseqpriv.reporting.checks import Check
from pdseqpriv.reporting.claims import claim_of
from pdseqpriv.reporting.report import Audience, page_about

_ASKED = ("taxonomy", "keep", "monitored", "sensitive")


def bound_to(names: Mapping[str, Any], table: Any) -> SeqprivAccessor:  # noqa: ANN401 (any table, or a path)
    """Give a table its names of columns; a path is that of a Parquet file or of a folder of them."""
    if isinstance(table, str | os.PathLike):
        named = {role: names[role] for role in ("seq_id", "event", "time") if role in names}
        table = read_parquet(table, **named)
    return using(table, **names)


def asked_of(steps: Sequence[Step]) -> dict[str, Any]:
    """Return what the steps were given that a page needs."""
    given = {name: value for step in steps for name, value in step.asked(*_ASKED).items()}
    return {**dict.fromkeys(_ASKED), **given}


def page_of(result: Any, original: Any, audience: Audience) -> bytes:  # noqa: ANN401 (a Result, a table)
    """Return the page about a result; ``original`` is the table that the pipeline ran on."""
    one_of("audience", audience, get_args(Audience))
    names = result.asked["names"]
    of_release = {role: name for role, name in names.items() if role != "person"}
    options = {name: result.asked[name] for name in _ASKED}
    checks, applied = _checks(result.verdicts, result.record["applied"]), result.record["applied"]

    def about(original: Any, released: Any, *, key: Any) -> bytes:  # noqa: ANN401 (tables)
        return page_about(
            original, released, audience, {**options, "key": key}, applied=applied, checks=checks
        )

    about.__qualname__ = "Result.report"
    through_the_door = on_tables()(about)
    return through_the_door(bound_to(names, original), using(result.table, **of_release), key=result.key)


def _checks(verdicts: Sequence[Checked], applied: list[dict[str, Any]]) -> list[Check]:
    """Say what each verdict is about; functions of the user's promise nothing and are not in the record."""
    numbers = sorted({one.step for one in verdicts})
    given = dict(zip(reversed(numbers), (one["parameters"] for one in reversed(applied)), strict=False))
    found: list[Check] = []
    for one in verdicts:
        claim = claim_of(one.operation, given[one.step], one.check)
        again = ", with all that records show" if claim in {check.claim for check in found} else ""
        found.append(Check(claim + again, one.verdict))
    return found
