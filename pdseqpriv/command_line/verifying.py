"""The checks as commands: exit code 0 if the guarantee holds, 1 if it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pdseqpriv.command_line import arguments as o
from pdseqpriv.command_line.auditing import Looked
from pdseqpriv.command_line.releasing import with_options
from pdseqpriv.command_line.tables import read_table
from pdseqpriv.command_line.use import say, say_json
from pdseqpriv.command_line.values import entries, fraction, given, keep_option, keys, length, taxonomy


def _judge(verdict: Any, asked: Any) -> None:  # noqa: ANN401 (a Verdict, options)
    """Tell the verdict, and fail if the guarantee does not hold."""
    if asked.as_json:
        told = {"holds": verdict.holds, "sentence": verdict.sentence}
        say_json({**told, "checked": verdict.checked, "violations": verdict.violations})
    else:
        say(repr(verdict))
    verdict.raise_if_violated()


@with_options(Looked, released=o.Released)
def hidden(
    released: str,
    *,
    patterns: o.Patterns,
    max_support: o.MaxSupport = None,
    min_gap: o.MinGap = None,
    max_gap: o.MaxGap = None,
    max_window: o.MaxWindow = None,
    gap_unit: o.GapUnit = None,
    original: o.OriginalFile = None,
    may_be_absent: o.MayBeAbsent = False,
    asked: Looked,
) -> None:
    """Check that each pattern is in few enough sequences."""
    from pdseqpriv.hiding.verify import is_hidden

    several = max_support and (max_support[0] if len(max_support) == 1 else max_support)
    parameters = given(
        patterns=entries("--patterns", patterns, inline=asked.inline),
        max_support=several,
        min_gap=length(min_gap),
        max_gap=length(max_gap),
        max_window=length(max_window),
        gap_unit=gap_unit,
        may_be_absent=may_be_absent,
    )
    _judge(is_hidden(*_tables(released, original, asked, parameters), **parameters), asked)


@with_options(Looked, released=o.Released)
def sanitized(
    released: str,
    *,
    delta: o.Delta,
    events: o.Events,
    scope: o.Scope = None,
    camouflage: o.Camouflage = None,
    original: o.OriginalFile = None,
    may_be_absent: o.MayBeAbsent = False,
    asked: Looked,
) -> None:
    """Check that no sensitive event is frequent in any prefix."""
    from pdseqpriv.sanitization.verify import is_sanitized

    parameters = given(
        delta=fraction("--delta", delta),
        events=entries("--events", events, inline=asked.inline),
        scope=scope,
        camouflage=camouflage,
        may_be_absent=may_be_absent,
    )
    _judge(is_sanitized(*_tables(released, original, asked, parameters), **parameters), asked)


def _tables(released: str, original: str | None, asked: Looked, parameters: dict[str, Any]) -> list[Any]:
    """Read the release; where the original is given, that names the people."""
    if original is None:
        return [read_table(released, asked.names, "RELEASED")]
    parameters["original"] = read_table(original, asked.names, "--original")
    return [read_table(released, asked.names_of_release, "RELEASED")]


@with_options(Looked, original=o.Original, released=o.Released)
def k_anonymous(
    original: str,
    released: str,
    *,
    k: o.K,
    guarantee: o.Guarantee = None,
    taxonomy_file: o.Taxonomy = None,
    key: o.KeyIn = None,
    keep: o.Keep = None,
    asked: Looked,
) -> None:
    """Check that what is released is shared by k people."""
    from pdseqpriv.k_anonymity.verify import is_k_anonymous

    parameters = given(k=k, guarantee=guarantee, taxonomy=taxonomy(taxonomy_file), keep=keep_option(keep))
    if key is not None:
        parameters["key"] = keys([key])[0]
    _judge(is_k_anonymous(*_both(original, released, asked), **parameters), asked)


@with_options(Looked, original=o.Original, released=o.Released)
def generalized(
    original: str,
    released: str,
    *,
    key: o.NeededKey,
    k: o.MaybeK = None,
    diversity: o.Diversity = None,
    monitored: o.Monitored = None,
    sensitive: o.Sensitive = None,
    taxonomy_file: o.Taxonomy = None,
    keep: o.Keep = None,
    since_start: o.SinceStart = False,
    intervals: o.IntervalsOf = None,
    asked: Looked,
) -> None:
    """Check the groups of a generalized release, with its key."""
    from pdseqpriv.generalization.verify import is_generalized

    parameters = given(
        k=k,
        diversity=diversity and (length(diversity[0]), fraction("--diversity", diversity[1])),
        monitored=entries("--monitored", monitored, inline=asked.inline),
        sensitive=entries("--sensitive", sensitive, inline=asked.inline),
        taxonomy=taxonomy(taxonomy_file),
        keep=keep_option(keep),
        time="since_start" if since_start else None,
        intervals=intervals,
    )
    before, after = _both(original, released, asked)
    _judge(is_generalized(before, after, keys([key])[0], **parameters), asked)


def _both(original: str, released: str, asked: Looked) -> list[Any]:
    return [
        read_table(original, asked.names, "ORIGINAL"),
        read_table(released, asked.names_of_release, "RELEASED"),
    ]


@with_options(Looked, released=o.Released)
def patterns_safe(released: str, *, k: o.MaybeK = None, alpha: o.Alpha = None, asked: Looked) -> None:
    """Check that no two supports of a table of patterns reveal too much."""
    from pdseqpriv.pattern_release.verify import are_patterns_safe

    table = read_table(released, {}, "RELEASED")
    _judge(are_patterns_safe(table, **given(k=k, alpha=fraction("--alpha", alpha))), asked)


@with_options(Looked, key_files=o.Keys)
def compatible(key_files: list[str], *, k: o.K, asked: Looked) -> None:
    """Check that whoever links several releases still finds k people, with their keys."""
    from pdseqpriv.audit.compatible import are_compatible

    _judge(are_compatible(keys(key_files), k, **given(person=asked.person)), asked)


CHECKS: dict[str, Callable[..., None]] = {
    "hidden": hidden,
    "sanitized": sanitized,
    "k-anonymous": k_anonymous,
    "generalized": generalized,
    "patterns-safe": patterns_safe,
    "compatible": compatible,
}
