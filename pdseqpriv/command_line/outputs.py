"""Where a command may write: never over what is there, over what it reads, or twice to one place."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pdseqpriv.command_line.tables import STANDARD, suffix_of
from pdseqpriv.command_line.use import WrongUseError


def file_of(name: str) -> Path:
    """Return the file that is written; in a folder, a table has a name of its own."""
    path = Path(name)
    return path / "table.parquet" if name.endswith("/") or path.is_dir() else path


def check_outputs(outputs: dict[str, str | None], inputs: Iterable[str], *, force: bool) -> None:
    """Refuse outputs that would destroy or hide something; the first is the table."""
    named = {what: name for what, name in outputs.items() if name not in (None, STANDARD)}
    read = [Path(os.path.realpath(name)) for name in inputs if name != STANDARD]
    seen: dict[str, str] = {}
    for what, name in named.items():
        target = file_of(str(name)) if what == "OUT" else Path(str(name))
        real = os.path.realpath(target)
        if real in seen:
            raise WrongUseError(f"{what} and {seen[real]} are the same file. Give each a name of its own.")
        seen[real] = what
        _check_target(what, target, read, force=force)


def _check_target(what: str, target: Path, read: list[Path], *, force: bool) -> None:
    real = Path(os.path.realpath(target))
    if real in read:
        raise WrongUseError(f"{what} is a file that is read. Write to another one.")
    if any(folder in real.parents and folder.is_dir() for folder in read):
        raise WrongUseError(
            f"{what} is inside of IN, where it would be read as data next time. Write elsewhere."
        )
    is_new_folder = what == "OUT" and target.name == "table.parquet"
    if not target.parent.is_dir() and not is_new_folder:
        raise WrongUseError(f"{what}: there is no folder {str(target.parent)!r}.")
    if what != "OUT" and target.is_dir():
        raise WrongUseError(f"{what} must be a file, but {str(target)!r} is a folder.")
    if target.exists() and not force:
        raise WrongUseError(f"{what}: {str(target)!r} is there already. Use --force to replace it.")


def check_file_names(outputs: dict[str, str | None]) -> None:
    """Refuse suffixes that no table has, before anything is read."""
    if outputs.get("OUT") is not None:
        suffix_of(str(outputs["OUT"]), "OUT")
    key = outputs.get("--key")
    if key is not None and not key.endswith(".parquet"):
        raise WrongUseError("--key must end in .parquet.")
