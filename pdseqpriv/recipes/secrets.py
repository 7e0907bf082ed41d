"""What a recipe does not say itself: patterns, events, seeds, taxonomies and keys in files or variables."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pdseqpriv.errors import wrong_parameter
from pdseqpriv.files.parquet import read_parquet
from pdseqpriv.paths import path_of, text_of
from pdseqpriv.taxonomy.taxonomy import Taxonomy

_COMMENT = r"#+(\s|$)"


@dataclass(frozen=True)
class FileContent:
    """The content of a file."""

    path: Path

    def text(self) -> str:
        """Read it."""
        return text_of(path_of(self.path))


@dataclass(frozen=True)
class EnvironmentVariable:
    """The content of an environment variable."""

    name: str

    def text(self) -> str:
        """Read it."""
        if self.name not in os.environ:
            must = "the name of an environment variable that is set"
            raise wrong_parameter("env", must, repr(self.name))
        return os.environ[self.name]


Secret = FileContent | EnvironmentVariable


def lines_of(text: str) -> list[str]:
    r"""Return one entry for each line; empty lines and comments are left out.

    A comment has a space after its #: without one, it is a name such as #flu, which must not be overlooked.

    Examples
    --------
    >>> lines_of("a -> b\n\n# why\n c \n#flu\n")
    ['a -> b', 'c', '#flu']
    """
    lines = [line.strip() for line in text.split("\n")]
    return [line for line in lines if line and not re.match(_COMMENT, line)]


def resolved(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with everything read that is elsewhere, before any table is."""
    return {name: _READERS.get(name, _as_it_is)(name, value) for name, value in parameters.items()}


def files_named(parameters: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the files that parameters refer to."""
    for value in parameters.values():
        several = (
            value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
        )
        yield from (one.path for one in several if isinstance(one, FileContent))


def _as_it_is(_: str, value: object) -> object:
    return value


def _entries(name: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    if not isinstance(value, Secret):
        return value
    entries = lines_of(value.text())
    if not entries:
        where = value.path if isinstance(value, FileContent) else value.name
        raise wrong_parameter(name, "at least one, in a line of its own", f"none in {str(where)!r}")
    return entries


def _number(name: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    if not isinstance(value, Secret):
        return value
    text = value.text().strip()
    if not text.isascii() or not text.isdigit():
        raise wrong_parameter(name, "a whole number in the file or variable", "something else")
    return int(text)


def _fraction(_: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    """Read a number that was written exactly; what is none, the operation will refuse."""
    try:
        return Fraction(value) if isinstance(value, str) else value
    except (ValueError, ZeroDivisionError):
        return value


def _diversity(name: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    is_pair = isinstance(value, list | tuple) and len(value) == 2  # noqa: PLR2004 (a pair)
    return (value[0], _fraction(name, value[1])) if is_pair else value


def _taxonomy(_: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    if not isinstance(value, FileContent):
        return value
    is_parquet = value.path.suffix == ".parquet"
    return Taxonomy.read_parquet(value.path) if is_parquet else Taxonomy.read_csv(value.path)


def _keep(name: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    if not isinstance(value, Mapping):
        return value
    return {column: _taxonomy(name, one) for column, one in value.items()}


def _keys(_: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    if not isinstance(value, list | tuple):
        return value
    return [read_parquet(one.path) if isinstance(one, FileContent) else one for one in value]


_READERS = {
    **dict.fromkeys(("patterns", "events", "alphabet", "monitored", "sensitive"), _entries),
    **dict.fromkeys(("delta", "alpha", "min_support", "time_weight", "event_weight"), _fraction),
    "diversity": _diversity,
    "taxonomy": _taxonomy,
    "keep": _keep,
    "previous": _keys,
    "seed": _number,
}
