"""The commands that write a release."""

from __future__ import annotations

from pdseqpriv.command_line import arguments as o
from pdseqpriv.command_line.releasing import Asked, releasing, run_operation, run_recipe, with_options
from pdseqpriv.command_line.values import (
    count_or_share,
    entries,
    fraction,
    given,
    keep_option,
    keys,
    length,
    secret_number,
    taxonomy,
)


@releasing
def hide(
    source: str,
    out: str,
    *,
    patterns: o.Patterns,
    max_support: o.MaxSupport = None,
    min_gap: o.MinGap = None,
    max_gap: o.MaxGap = None,
    max_window: o.MaxWindow = None,
    gap_unit: o.GapUnit = None,
    marking: o.Marking = None,
    selection: o.Selection = None,
    output: o.Output = None,
    seed: o.Seed = None,
    asked: Asked,
) -> None:
    """Hide sensitive patterns until few enough sequences contain them.

    Guarantee: each pattern is in at most --max-support sequences (or of so many people, with --person).
    """
    several = max_support and (max_support[0] if len(max_support) == 1 else max_support)
    parameters = given(
        patterns=entries("--patterns", patterns, inline=asked.inline),
        max_support=several,
        min_gap=length(min_gap),
        max_gap=length(max_gap),
        max_window=length(max_window),
        gap_unit=gap_unit,
        marking=marking,
        selection=selection,
        output=output,
        seed=secret_number("--seed", seed, inline=asked.inline),
    )
    run_operation("hide", parameters, source, out, asked)


@releasing
def k_anonymize(
    source: str,
    out: str,
    *,
    k: o.K,
    guarantee: o.Guarantee = None,
    method: o.KMethod = None,
    taxonomy_file: o.Taxonomy = None,
    previous: o.Previous = None,
    keep: o.Keep = None,
    seed: o.Seed = None,
    asked: Asked,
) -> None:
    """Release only what at least k people share.

    Guarantee: every released sequence is contained in those of k people; with identical, k records are equal.
    """
    parameters = given(
        k=k,
        guarantee=guarantee,
        method=method,
        taxonomy=taxonomy(taxonomy_file),
        previous=keys(previous),
        keep=keep_option(keep),
        seed=secret_number("--seed", seed, inline=asked.inline),
    )
    run_operation("k_anonymize", parameters, source, out, asked)


@releasing
def generalize(
    source: str,
    out: str,
    *,
    k: o.MaybeK = None,
    diversity: o.Diversity = None,
    monitored: o.Monitored = None,
    sensitive: o.Sensitive = None,
    taxonomy_file: o.Taxonomy = None,
    method: o.GroupMethod = None,
    time_weight: o.TimeWeight = None,
    event_weight: o.EventWeight = None,
    since_start: o.SinceStart = False,
    intervals: o.IntervalsOf = None,
    previous: o.Previous = None,
    keep: o.Keep = None,
    seed: o.Seed = None,
    asked: Asked,
) -> None:
    """Release groups of sequences that look the same to anyone who knows the monitored events.

    Guarantee: k people in each group, or (g, l)-diversity, or both.
    """
    parameters = given(
        taxonomy=taxonomy(taxonomy_file),
        k=k,
        diversity=diversity and (length(diversity[0]), fraction("--diversity", diversity[1])),
        monitored=entries("--monitored", monitored, inline=asked.inline),
        sensitive=entries("--sensitive", sensitive, inline=asked.inline),
        method=method,
        time_weight=time_weight,
        event_weight=event_weight,
        time="since_start" if since_start else None,
        intervals=intervals,
        seed=secret_number("--seed", seed, inline=asked.inline),
        previous=keys(previous),
        keep=keep_option(keep),
    )
    run_operation("generalize", parameters, source, out, asked)


@releasing
def sanitize(
    source: str,
    out: str,
    *,
    delta: o.Delta,
    events: o.Events,
    scope: o.Scope = None,
    method: o.SanitizeMethod = None,
    alphabet: o.Alphabet = None,
    camouflage: o.Camouflage = None,
    asked: Asked,
) -> None:
    """Delete occurrences of sensitive events until they are frequent in no prefix.

    Guarantee: no sensitive event reaches the share --delta in any prefix.
    """
    parameters = given(
        delta=fraction("--delta", delta),
        events=entries("--events", events, inline=asked.inline),
        scope=scope,
        method=method,
        alphabet=entries("--alphabet", alphabet, inline=asked.inline),
        camouflage=camouflage,
    )
    run_operation("sanitize", parameters, source, out, asked)


@releasing
def release_patterns(
    source: str,
    out: str,
    *,
    min_support: o.MinSupport,
    k: o.MaybeK = None,
    alpha: o.Alpha = None,
    min_length: o.MinLength = None,
    max_length: o.MaxLength = None,
    closed: o.Closed = False,
    method: o.PatternMethod = None,
    max_patterns: o.MaxPatterns = None,
    asked: Asked,
) -> None:
    """Release frequent patterns whose supports reveal nothing about fewer than k people.

    Guarantee: no two supports differ by 1 to k - 1, and no pattern implies a longer one with --alpha.
    """
    parameters = given(
        min_support=count_or_share(min_support),
        k=k,
        alpha=fraction("--alpha", alpha),
        min_length=min_length,
        max_length=max_length,
        closed=closed or None,
        method=method,
        max_patterns=max_patterns,
    )
    run_operation("release_patterns", parameters, source, out, asked)


@with_options(Asked, recipe=o.RecipeFile, source=o.In, out=o.Out)
def run(recipe: str, source: str, out: str, *, asked: Asked) -> None:
    """Run a recipe: all its steps, with every promise checked on what is written.

    Guarantee: that of every step, or nothing is written.
    """
    run_recipe(recipe, source, out, asked)
