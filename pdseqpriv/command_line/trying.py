"""The commands to try the library and to make it ready."""

from __future__ import annotations

import tempfile
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from pdseqpriv.command_line import arguments as o
from pdseqpriv.command_line.outputs import check_file_names, check_outputs
from pdseqpriv.command_line.tables import STANDARD, write_table
from pdseqpriv.command_line.use import WrongUseError, say

_KINDS = ("clickstream", "trajectories", "event_log")


def demo(
    out: o.DemoOut = STANDARD,
    kind: o.Kind = None,
    sequences: o.Sequences = 1000,
    seed: o.SearchSeed = None,
    force: o.Force = False,  # noqa: FBT002 (an option)
) -> None:
    """Show a release of generated data, or write such data to OUT to try the other commands on."""
    if kind not in (None, *_KINDS):
        raise WrongUseError(f"--kind must be one of {', '.join(_KINDS)}, got {kind!r}.")
    check_file_names({"OUT": out})
    check_outputs({"OUT": out}, [], force=force)
    generated = getattr(import_module("pdseqpriv.datasets"), f"make_{kind or 'clickstream'}")
    table = generated(sequences, **({} if seed is None else {"seed": seed}))
    if out == STANDARD:
        _show(table)
    else:
        write_table(table, out)
        say(f"{out}: {len(table)} rows of {sequences} generated sequences. Now try: pdseqpriv describe {out}")


def _show(table: Any) -> None:  # noqa: ANN401 (a frame)
    """Run a recipe on generated data, and show what it does."""
    from pdseqpriv.files.parquet import write_parquet
    from pdseqpriv.pipeline.pipeline import Pipeline

    columns = table[["seq_id", "event", "time"]]
    say(f"Generated {columns['seq_id'].nunique()} sequences, {len(columns)} events.")
    pattern = [columns["event"].value_counts().index[:2].tolist()]
    recipe = Pipeline().hide(pattern, max_support=5).k_anonymize(5, guarantee="identical")
    say(f"{recipe!r}")
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        result = recipe.run(columns)
        write_parquet(result.table, Path(folder) / "release.parquet")
    say(f"{result!r}")
    say(f"{len(result.table)} events are released. Your own: pdseqpriv run recipe.yaml IN OUT")


def warmup() -> None:
    """Compile everything now, so that no later command waits for it."""
    import_module("pdseqpriv.warm_up").warm_up()
