"""What is typed, as the values that functions take."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from pdseqpriv.command_line.use import WrongUseError, of_the_user

_VISIBLE = (
    "on the command line others on this machine can see it. Put it into a file and give @FILE, or insist "
    "with --inline"
)


def given(**options: Any) -> dict[str, Any]:  # noqa: ANN401 (of many types)
    """Return the options that were given; for others the function has its own default."""
    empty = {name for name, value in options.items() if isinstance(value, list | tuple) and not value}
    return {name: value for name, value in options.items() if value is not None and name not in empty}


def entries(option: str, values: Sequence[str] | None, *, inline: bool) -> list[str] | None:
    """Return what is in files, one in each line, and, where the user insists, on the command line."""
    from pdseqpriv.recipes.secrets import FileContent, lines_of

    found: list[str] = []
    for value in values or ():
        if value.startswith("@"):
            with of_the_user():
                found += lines_of(FileContent(Path(value[1:])).text())
        elif inline:
            found.append(value)
        else:
            raise WrongUseError(f"{option} must be @FILE: {_VISIBLE}.")
    if values and not found:
        raise WrongUseError(f"{option}: there is nothing in the file. Write one in each line.")
    return found or None


def secret_number(option: str, value: str | None, *, inline: bool) -> int | None:
    """Return a seed."""
    found = entries(option, [value] if value is not None else None, inline=inline)
    if found is None:
        return None
    if len(found) != 1 or not found[0].isascii() or not found[0].isdigit():
        raise WrongUseError(f"{option} must be one whole number.")
    return int(found[0])


def length(value: str | None) -> Any:  # noqa: ANN401 (a number or a time span)
    """Return a number of elements, a number on the time column, or a time span as it was typed."""
    if value is None or value == "":
        return None
    return _number(value, value)


def count_or_share(value: str | None) -> Any:  # noqa: ANN401 (a count, or a share)
    """Return 5 as a count and 0.2 as a share; what is no number is refused by the function."""
    return None if value is None else _number(value, value)


def fraction(option: str, value: str | None) -> Fraction | None:
    """Return a number exactly as it was typed."""
    if value is None:
        return None
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise WrongUseError(f"{option} must be a number such as 0.1 or 1/3.") from None


def _number(text: str, otherwise: object) -> Any:  # noqa: ANN401 (a number or something else)
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return otherwise


def taxonomy(path: str | None) -> Any:  # noqa: ANN401 (a Taxonomy)
    """Read categories."""
    if path is None:
        return None
    from pdseqpriv.taxonomy.taxonomy import Taxonomy

    with of_the_user():
        return Taxonomy.read_parquet(path) if path.endswith(".parquet") else Taxonomy.read_csv(path)


def keep_option(columns: Sequence[str] | None) -> Any:  # noqa: ANN401 (a list or a dict)
    """Read which columns are kept; with a taxonomy for one of them, all are made coarser one by one."""
    if not columns or not any("=" in one for one in columns):
        return list(columns) if columns else None
    pairs = [one.partition("=") for one in columns]
    return {name: taxonomy(path) if path else None for name, _, path in pairs}


def keys(paths: Sequence[str] | None) -> Any:  # noqa: ANN401 (a list of frames)
    """Read keys."""
    if not paths:
        return None
    from pdseqpriv.files.parquet import read_parquet

    with of_the_user():
        return [read_parquet(path) for path in paths]
