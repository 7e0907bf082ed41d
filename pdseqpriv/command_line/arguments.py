"""Every argument and option of the commands, each once; nothing here loads a table."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import typer


def _words(text: str, *choices: str, name: str = "") -> Any:  # noqa: ANN401 (typer's)
    """Make an option that is one of some words; the functions refuse others in their own words."""
    named = [name] if name else []
    return typer.Option(*named, help=f"{text}: {', '.join(choices)}.", autocompletion=lambda: list(choices))


def _argument(name: str, text: str) -> Any:  # noqa: ANN401 (typer's)
    return typer.Argument(metavar=name, help=text, show_default=False)


_TABLE = ".parquet, a folder of Parquet, .csv, .csv.gz, .spmf, .xes, .xes.gz, or - for CSV"
_IN_FILE = "@FILE with one in each line"

In: TypeAlias = Annotated[str, _argument("IN", f"The table: {_TABLE} from standard input.")]
Out: TypeAlias = Annotated[str, _argument("OUT", f"The release: {_TABLE} to standard output.")]
MaybeOut: TypeAlias = Annotated[str, _argument("[OUT]", "A file; without it, CSV to standard output.")]
Original: TypeAlias = Annotated[str, _argument("ORIGINAL", f"The table before: {_TABLE}.")]
Released: TypeAlias = Annotated[str, _argument("RELEASED", f"The release: {_TABLE}.")]
RecipeFile: TypeAlias = Annotated[str, _argument("RECIPE", "The recipe: .yaml, .yml or .toml.")]
Keys: TypeAlias = Annotated[list[str], _argument("KEY...", "The keys of the releases, at least two.")]
DemoOut: TypeAlias = Annotated[str, _argument("[OUT]", "Where to write generated data to try commands on.")]

SeqId: TypeAlias = Annotated[
    str | None, typer.Option(help="The column that says which sequence a row is of.")
]
EventName: TypeAlias = Annotated[str | None, typer.Option("--event", help="The column of events.")]
TimeName: TypeAlias = Annotated[str | None, typer.Option("--time", help="The column of times.")]
Person: TypeAlias = Annotated[str | None, typer.Option(help="The column of people, if they have several.")]
Ties: TypeAlias = Annotated[str | None, _words("What rows with the same time are", "element", "order")]

KeyOut: TypeAlias = Annotated[
    str | None, typer.Option("--key", metavar="FILE", help="Write the owner's key, a .parquet of mode 0600.")
]
KeyIn: TypeAlias = Annotated[
    str | None, typer.Option("--key", metavar="FILE", help="The owner's key of the release.")
]
NeededKey: TypeAlias = Annotated[
    str, typer.Option("--key", metavar="FILE", help="The owner's key of the release.")
]
ManifestOut: TypeAlias = Annotated[
    str | None,
    typer.Option("--manifest", metavar="FILE", help="Write versions, counts and verdicts as JSON."),
]
ReportOut: TypeAlias = Annotated[
    str | None, typer.Option("--report", metavar="FILE", help="Write a page about the release, a .html.")
]
ReportFor: TypeAlias = Annotated[
    str | None, _words("Who will read the page", "public", "owner", name="--report-for")
]
HashInput: TypeAlias = Annotated[
    bool,
    typer.Option("--hash-input", help="Also write size and hash of IN into the manifest: for the owner."),
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
DryRun: TypeAlias = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Write what came out as JSON, for machines.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", help="No progress, warnings or summary.")]
Inline: TypeAlias = Annotated[
    bool,
    typer.Option("--inline", help="Accept sensitive values on the command line, where others may see them."),
]

Patterns: TypeAlias = Annotated[
    list[str], typer.Option("--patterns", metavar="@FILE", help=f"Patterns such as a -> b: {_IN_FILE}.")
]
Events: TypeAlias = Annotated[
    list[str], typer.Option("--events", metavar="@FILE", help=f"Sensitive events: {_IN_FILE}.")
]
MaybeEvents: TypeAlias = Annotated[
    list[str] | None, typer.Option("--events", metavar="@FILE", help=f"Sensitive events: {_IN_FILE}.")
]
Alphabet: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="@FILE", help=f"All events that could occur: {_IN_FILE}.")
]
Monitored: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="@FILE", help=f"Events that receivers may know: {_IN_FILE}.")
]
Sensitive: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="@FILE", help=f"Events that diversity protects: {_IN_FILE}.")
]
MaxSupport: TypeAlias = Annotated[
    list[int] | None, typer.Option(help="How many may still contain a pattern; one number, or one for each.")
]
MinGap: TypeAlias = Annotated[
    str | None, typer.Option(help="The shortest gap, in elements (2) or time (30min).")
]
MaxGap: TypeAlias = Annotated[str | None, typer.Option(help="The longest gap, in elements or time.")]
MaxWindow: TypeAlias = Annotated[str | None, typer.Option(help="The longest window, in elements or time.")]
GapUnit: TypeAlias = Annotated[str | None, _words("What plain numbers mean", "element", "time")]
Marking: TypeAlias = Annotated[str | None, _words("Which events are marked", "optimal", "greedy", "random")]
Selection: TypeAlias = Annotated[str | None, _words("Who is left", "per_pattern", "shared", "random")]
Output: TypeAlias = Annotated[str | None, _words("What becomes of marked rows", "mark", "drop", "replace")]
Seed: TypeAlias = Annotated[str | None, typer.Option(metavar="@FILE", help="A seed, as secret as a key.")]
SearchSeed: TypeAlias = Annotated[
    int | None, typer.Option("--seed", help="Seed of the search or the sample.")
]

K: TypeAlias = Annotated[int, typer.Option("--k", help="How many people must share what is released.")]
MaybeK: TypeAlias = Annotated[int | None, typer.Option("--k", help="How many people are enough.")]
Guarantee: TypeAlias = Annotated[
    str | None, _words("What must be shared", "contained", "mutual", "identical")
]
KMethod: TypeAlias = Annotated[str | None, _words("How", "subsequence", "prefix_tree", name="--method")]
GroupMethod: TypeAlias = Annotated[
    str | None,
    _words("How", "auto", "baseline", "indexed", "hybrid", "hilbert", "partition", name="--method"),
]
SanitizeMethod: TypeAlias = Annotated[str | None, _words("How", "joint", "essa", name="--method")]
PatternMethod: TypeAlias = Annotated[str | None, _words("How", "raise", "suppress", name="--method")]
Taxonomy: TypeAlias = Annotated[
    str | None,
    typer.Option("--taxonomy", metavar="FILE", help="Categories: .csv or .parquet with child and parent."),
]
Previous: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="FILE", help="The key of an earlier release; may be repeated.")
]
Keep: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="A column to keep, or COLUMN=TAXONOMY_FILE; may be repeated.")
]
Diversity: TypeAlias = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="G L", help="Window and l of (g, l)-diversity, such as 30min 2."),
]
TimeWeight: TypeAlias = Annotated[float | None, typer.Option(help="How much long intervals count as loss.")]
EventWeight: TypeAlias = Annotated[
    float | None, typer.Option(help="How much broad categories count as loss.")
]
Delta: TypeAlias = Annotated[str, typer.Option("--delta", help="The share that is not reached: 0.1 or 1/3.")]
MaybeDelta: TypeAlias = Annotated[
    str | None, typer.Option("--delta", help="The share from which an event is frequent.")
]
Scope: TypeAlias = Annotated[str | None, _words("What is protected", "sequence", "person", "table")]
Camouflage: TypeAlias = Annotated[
    int | None, typer.Option(help="How many events must be at least as frequent.")
]
MinSupport: TypeAlias = Annotated[str, typer.Option("--min-support", help="A count (5) or a share (0.2).")]
MaybeMinSupport: TypeAlias = Annotated[
    str | None,
    typer.Option("--min-support", help="Support of frequent patterns: a count or a share."),
]
Alpha: TypeAlias = Annotated[str | None, typer.Option(help="Confidence that no pattern may reach.")]
MinLength: TypeAlias = Annotated[int | None, typer.Option(help="Fewest events of a pattern.")]
MaxLength: TypeAlias = Annotated[int | None, typer.Option(help="Most events of a pattern.")]
MaxPatterns: TypeAlias = Annotated[int | None, typer.Option(help="Stop if there are more.")]
SinceStart: TypeAlias = Annotated[
    bool, typer.Option("--since-start", help="Count times from the start of each sequence; no dates.")
]
IntervalsOf: TypeAlias = Annotated[
    str | None, _words("Intervals of a group, in time", "apart", "by_category")
]
MayBeAbsent: TypeAlias = Annotated[
    bool, typer.Option("--may-be-absent", help="Holds even if nothing that is named occurs.")
]
Closed: TypeAlias = Annotated[
    bool, typer.Option("--closed", help="Only patterns without a longer equal one.")
]

Known: TypeAlias = Annotated[
    list[int] | None, typer.Option(help="How many events are known; may be repeated.")
]
Attack: TypeAlias = Annotated[str | None, _words("What attackers do", "candidates", "linkage")]
Knows: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="whole, a share (0.5) or a number of events.")
]
WithTime: TypeAlias = Annotated[bool, typer.Option("--with-time", help="Attackers know times.")]
AnyOrder: TypeAlias = Annotated[bool, typer.Option("--any-order", help="Attackers do not know the order.")]
Resolution: TypeAlias = Annotated[str | None, typer.Option(help="How precisely times are known.")]
OriginalFile: TypeAlias = Annotated[
    str | None, typer.Option("--original", metavar="FILE", help="The table that a release was made from.")
]
Sample: TypeAlias = Annotated[int | None, typer.Option(help="Measure only this many sequences.")]
Window: TypeAlias = Annotated[
    str | None, typer.Option(help="How soon an event must follow to count as an effect.")
]
Limit: TypeAlias = Annotated[int | None, typer.Option(help="Matches for each sequence; 0 for all of them.")]

Kind: TypeAlias = Annotated[
    str | None, _words("What is generated", "clickstream", "trajectories", "event_log")
]
Sequences: TypeAlias = Annotated[int, typer.Option(help="How many sequences.")]
Version: TypeAlias = Annotated[bool, typer.Option("--version", help="Show the version, and stop.")]
