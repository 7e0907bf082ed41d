"""The commands that examine tables; what they tell is for the owner."""

from __future__ import annotations

from typing import Any, NamedTuple

from pdseqpriv.command_line import arguments as o
from pdseqpriv.command_line.outputs import check_file_names, check_outputs
from pdseqpriv.command_line.releasing import names_in, with_options
from pdseqpriv.command_line.tables import STANDARD, read_table, write_table
from pdseqpriv.command_line.use import WrongUseError, say, say_json
from pdseqpriv.command_line.values import count_or_share, entries, fraction, given, keys, length, taxonomy


class Looked(NamedTuple):
    """What all these commands are asked."""

    seq_id: o.SeqId = None
    event: o.EventName = None
    time: o.TimeName = None
    person: o.Person = None
    ties: o.Ties = None
    as_json: o.Json = False
    quiet: o.Quiet = False
    inline: o.Inline = False

    @property
    def names(self) -> dict[str, Any]:
        """The names of the columns that were given."""
        return names_in(self)

    @property
    def names_of_release(self) -> dict[str, Any]:
        """The same for a release, which does not name people."""
        return {role: name for role, name in self.names.items() if role != "person"}


def say_table(frame: Any, *, as_json: bool) -> None:  # noqa: ANN401 (a frame)
    """Write a small table for people, or its rows for machines."""
    if as_json:
        say_json(frame.to_dict(orient="records"))
    else:
        say(frame.to_string(index=False))


@with_options(Looked, source=o.In)
def describe(source: str, *, asked: Looked) -> None:
    """Count sequences, events and lengths; for the owner."""
    import pdseqpriv.audit.describe as audit

    facts = audit.describe(read_table(source, asked.names, "IN"))
    say_json(facts.to_dict()) if asked.as_json else say(facts.to_string())


@with_options(Looked, source=o.In)
def risk(
    source: str,
    *,
    known: o.Known = None,
    attack: o.Attack = None,
    knows: o.Knows = None,
    with_time: o.WithTime = False,
    any_order: o.AnyOrder = False,
    resolution: o.Resolution = None,
    k: o.MaybeK = None,
    original: o.OriginalFile = None,
    key: o.KeyIn = None,
    taxonomy_file: o.Taxonomy = None,
    sample: o.Sample = None,
    seed: o.SearchSeed = None,
    asked: Looked,
) -> None:
    """Measure how likely somebody who knows a few events is to find a person; for the owner."""
    import pdseqpriv.audit.risk as audit

    parameters = given(
        known=known,
        attack=attack,
        knows=[count_or_share(one) for one in knows or ()],
        with_time=with_time or None,
        resolution=count_or_share(resolution),
        k=k,
        original=original and read_table(original, asked.names, "--original"),
        taxonomy=taxonomy(taxonomy_file),
        sample=sample,
        seed=seed,
    )
    if any_order:
        parameters["in_order"] = False
    if key is not None:
        parameters["key"] = keys([key])[0]
    names = asked.names if original is None else asked.names_of_release
    say_table(audit.risk(read_table(source, names, "IN"), **parameters), as_json=asked.as_json)


@with_options(Looked, original=o.Original, released=o.Released)
def compare(
    original: str,
    released: str,
    *,
    min_support: o.MaybeMinSupport = None,
    delta: o.MaybeDelta = None,
    events: o.MaybeEvents = None,
    scope: o.Scope = None,
    sample: o.Sample = None,
    seed: o.SearchSeed = None,
    key: o.KeyIn = None,
    taxonomy_file: o.Taxonomy = None,
    monitored: o.Monitored = None,
    window: o.Window = None,
    asked: Looked,
) -> None:
    """Measure what a release keeps of the original; for the owner."""
    import pdseqpriv.audit.compare as audit

    parameters = given(
        min_support=count_or_share(min_support),
        delta=fraction("--delta", delta),
        events=entries("--events", events, inline=asked.inline),
        scope=scope,
        sample=sample,
        seed=seed,
        taxonomy=taxonomy(taxonomy_file),
        monitored=entries("--monitored", monitored, inline=asked.inline),
        window=length(window),
    )
    if key is not None:
        parameters["key"] = keys([key])[0]
    tables = (
        read_table(original, asked.names, "ORIGINAL"),
        read_table(released, asked.names_of_release, "RELEASED"),
    )
    found = audit.compare(*tables, **parameters)
    shown = found if asked.as_json else found[["measure", "value", "better"]]
    say_table(shown, as_json=asked.as_json)


class OwnersTable(NamedTuple):
    """What commands are asked that write a table for the owner."""

    seq_id: o.SeqId = None
    event: o.EventName = None
    time: o.TimeName = None
    person: o.Person = None
    ties: o.Ties = None
    force: o.Force = False
    as_json: o.Json = False
    quiet: o.Quiet = False
    inline: o.Inline = False

    @property
    def names(self) -> dict[str, Any]:
        """The names of the columns that were given."""
        return names_in(self)


@with_options(OwnersTable, source=o.In, out=(o.MaybeOut, STANDARD))
def mine(
    source: str,
    out: str,
    *,
    min_support: o.MinSupport,
    min_length: o.MinLength = None,
    max_length: o.MaxLength = None,
    closed: o.Closed = False,
    max_patterns: o.MaxPatterns = None,
    asked: OwnersTable,
) -> None:
    """Find all frequent patterns with their supports; for the owner."""
    import pdseqpriv.mining.mine as mining

    _check_out(source, out, asked)
    parameters = given(
        min_support=count_or_share(min_support),
        min_length=min_length,
        max_length=max_length,
        closed=closed or None,
        max_patterns=max_patterns,
    )
    found = mining.mine(read_table(source, asked.names, "IN"), **parameters)
    say_table(found, as_json=True) if asked.as_json else write_table(found, out)


@with_options(OwnersTable, source=o.In, out=(o.MaybeOut, STANDARD))
def find(
    source: str,
    out: str,
    *,
    patterns: o.Patterns,
    limit: o.Limit = None,
    min_gap: o.MinGap = None,
    max_gap: o.MaxGap = None,
    max_window: o.MaxWindow = None,
    gap_unit: o.GapUnit = None,
    asked: OwnersTable,
) -> None:
    """Find the sequences that contain a pattern, and where; for the owner."""
    import pdseqpriv.audit.find as audit

    _check_out(source, out, asked)
    parameters = given(
        patterns=entries("--patterns", patterns, inline=asked.inline),
        min_gap=length(min_gap),
        max_gap=length(max_gap),
        max_window=length(max_window),
        gap_unit=gap_unit,
    )
    if limit is not None:
        parameters["limit"] = limit or None
    found = audit.find(read_table(source, asked.names, "IN"), **parameters)
    say_table(found, as_json=True) if asked.as_json else write_table(_bound(found, asked), out)


def _bound(found: Any, asked: OwnersTable) -> Any:  # noqa: ANN401 (a frame)
    from pdseqpriv.accessor import using

    named = {role: name for role, name in asked.names.items() if role in ("seq_id", "event", "time")}
    return using(found, **named) if named else found


def _check_out(source: str, out: str, asked: OwnersTable) -> None:
    if asked.as_json and out != STANDARD:
        raise WrongUseError("--json writes to standard output. Leave it out, or leave out OUT.")
    check_file_names({"OUT": out})
    check_outputs({"OUT": out}, [source], force=asked.force)
