"""Which files a Parquet table is made of, and reading them as one Arrow table."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Hashable, Sequence
from datetime import date
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args
from urllib.parse import unquote

from pdseqpriv.engines.arrow import KEY
from pdseqpriv.errors import counted, in_our_words, unreadable, wrong_parameter
from pdseqpriv.parameters import one_of
from pdseqpriv.paths import PathLike, has_wildcards, opened, path_of, reading
from pdseqpriv.sequences.columns import ROLES, Ties
from pdseqpriv.sequences.content import check_digit_of

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
# What a file says of its columns. People are not part of it: no release says who they are.
SAID_IN_FILES = (*ROLES, "ties")
_NULL = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = r"0|-?[1-9][0-9]{0,17}"


class Source(NamedTuple):
    """A file, and what the names of its folders (``day=2024-05-01``) say about all its rows."""

    file: Path
    partition: dict[str, str | None]


def sources_of(path: PathLike | Sequence[PathLike]) -> tuple[Path, list[Source]]:
    """Return the files that a path, a pattern of paths or a list means, and a name for all of them."""
    if isinstance(path, str | bytes | os.PathLike) or not isinstance(path, Sequence):
        whole = path_of(path)
        return whole, _files_of(whole)
    if not path:
        raise wrong_parameter("path", "a path, or a list of at least one", "an empty list")
    paths = [path_of(one) for one in path]
    sources = [source for one in paths for source in _files_of(one)]
    _refuse_files_twice([source.file for source in sources])
    return paths[0], sources


def _refuse_files_twice(files: list[Path]) -> None:
    """Refuse to count rows twice, as where a pattern in a list also means a file that is named in it."""
    seen: set[str] = set()
    for file in files:
        place = os.path.realpath(file)
        if place in seen:
            raise unreadable(file, "the list of paths means this file twice", "Name each file once.")
        seen.add(place)


def _files_of(path: Path) -> list[Source]:
    with reading(path):
        if path.is_dir():
            return _files_in(path)
        if path.exists() or not has_wildcards(path):
            return [Source(path, {})]
        # What the pattern leaves open may name partitions; the folders above it are only where it lies.
        above = next(folder for folder in path.parents if not has_wildcards(folder))
        pattern = path.relative_to(above)
        found = [one for one in sorted(above.glob(str(pattern))) if not _is_hidden(one, above, pattern)]
        if not found:
            raise unreadable(path, "no file or folder has such a name")
        files = [file for one in found for file in (_files_below(one) if one.is_dir() else [one])]
        return [Source(file, _partition_of(file.relative_to(above))) for file in files]


def _is_hidden(file: Path, above: Path, pattern: Path) -> bool:
    """Return whether a hidden file, or one of another program, has such a name without being asked for."""
    asked = {part for part in pattern.parts if part.startswith((".", "_"))}
    parts = [part for part in file.relative_to(above).parts if part.startswith((".", "_"))]
    return any(not any(fnmatch(part, one) for one in asked) for part in parts)


def _files_in(folder: Path) -> list[Source]:
    files = _files_below(folder)
    if not files:
        raise unreadable(folder, "the folder holds no file ending in .parquet")
    return [Source(file, _partition_of(file.relative_to(folder))) for file in files]


def _files_below(folder: Path) -> list[Path]:
    """Return the files in a folder and those inside it, without hidden ones and those of other programs."""
    inside = [file.relative_to(folder) for file in sorted(folder.rglob("*.parquet")) if file.is_file()]
    return [folder / file for file in inside if not any(part.startswith((".", "_")) for part in file.parts)]


def _partition_of(file: Path) -> dict[str, str | None]:
    named = [part.partition("=") for part in file.parts[:-1] if "=" in part[1:]]
    return {unquote(name): None if value == _NULL else unquote(value) for name, _, value in named}


def read_as_one(whole: Path, sources: list[Source], max_rows: int, time: Hashable | None) -> pa.Table:
    """Read files as one table, unless they have too many rows; ``time`` is how its column is called."""
    for source in sources:
        with reading(source.file):
            opened(source.file).close()
    why = "it is damaged, not a Parquet file, or a folder of files with different columns"
    with reading(whole), in_our_words(unreadable(whole, why)):
        rows = sum(_count_rows(source.file) for source in sources)
        if rows > max_rows:
            do = f"If they fit into memory, read it with max_rows={rows}."
            raise unreadable(whole, f"it has {counted(rows, 'row')}, more than max_rows={max_rows}", do)
        tables = [read_file(one.file) for one in sources]
        types = types_of_partitions(sources, time or _name_of_time(tables))
        tables = [
            with_partition(table, one.partition, types) for table, one in zip(tables, sources, strict=True)
        ]
        read = tables[0] if len(tables) == 1 else _concatenated(tables)
        read.validate(full=True)
        return read


def _count_rows(file: Path) -> int:
    import pyarrow.parquet as pq

    with opened(file) as stream:
        return int(pq.read_metadata(stream).num_rows)


def read_file(file: Path) -> pa.Table:
    """Read all rows of a file."""
    import pyarrow.parquet as pq

    with opened(file) as stream:
        return pq.ParquetFile(stream).read()


def types_of_partitions(sources: list[Source], time: Hashable) -> dict[str, pa.DataType]:
    """Return the types of what the names of folders say: whole numbers, dates if they are times, or text."""
    import pyarrow as pa

    said: dict[str, set[str]] = {}
    for source in sources:
        for name, value in source.partition.items():
            said.setdefault(name, set()).update([] if value is None else [value])
    types = dict.fromkeys(said, pa.string())
    for name, values in said.items():
        if all(re.fullmatch(_WHOLE, value) for value in values):
            types[name] = pa.int64()
        elif name == time and all(map(_is_date, values)):
            types[name] = pa.date32()
    return types


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def with_partition(
    table: pa.Table, partition: dict[str, str | None], types: dict[str, pa.DataType]
) -> pa.Table:
    """Add what the folders say as columns; a column that the file has itself stays."""
    import pyarrow as pa

    for name, value in partition.items():
        if name not in table.column_names:
            said = pa.scalar(value, pa.string()).cast(types[name])
            table = table.append_column(name, pa.repeat(said, len(table)))
    return table


def _name_of_time(tables: list[pa.Table]) -> str:
    """Return how files of ours call the column of times."""
    named: dict[str, str] = decode_note(tables[0])["columns"] if tables else {}
    return named.get("time", "time")


def _concatenated(tables: list[pa.Table]) -> pa.Table:
    """Combine files; a record that not all of them have is left out, but column names are kept."""
    import pyarrow as pa

    metadata = dict(tables[0].schema.metadata or {})
    names = tables[0].column_names
    if any(sorted(table.column_names) != sorted(names) for table in tables):
        raise pa.ArrowInvalid("files differ in columns")
    some = [name for name in names if _is_dictionary_in_some(name, tables)]
    bare = [
        with_values_written_out(table.select(names).replace_schema_metadata(None), some) for table in tables
    ]
    whole = pa.concat_tables(bare, promote_options="permissive").unify_dictionaries()
    note = common_note([decode_note(table) for table in tables])
    if metadata.pop(KEY, None) is not None and note is not None:
        if has_check(note):  # each file has a digit of its own
            fits = all(fits_its_check(table) for table in tables)
            typed = whole.replace_schema_metadata(metadata)
            note["record"]["check"] = check_digit_of(typed.to_pandas()) if fits else None
        metadata[KEY] = json.dumps({"format": FORMAT, **note}, sort_keys=True).encode()
    return whole.replace_schema_metadata(metadata)


def with_values_written_out(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Write dictionaries as their values, in these columns."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if field.name in names and pa.types.is_dictionary(field.type):
            values = table.column(place).cast(field.type.value_type)
            table = table.set_column(place, pa.field(field.name, field.type.value_type), values)
    return table


def _is_dictionary_in_some(name: str, tables: list[pa.Table]) -> bool:
    """Return whether a column is a dictionary in some files, but in others none, or one of other values."""
    import pyarrow as pa

    kinds = {table.schema.field(name).type for table in tables}
    packed = {kind.value_type for kind in kinds if pa.types.is_dictionary(kind)}
    return bool(packed) and (len(packed) > 1 or not all(map(pa.types.is_dictionary, kinds)))


def common_note(notes: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return what all files say; without a record if theirs differ, None if they name other columns."""
    if any(note["columns"] != notes[0]["columns"] for note in notes):
        return None
    bare = [{**note, "record": _without_check(note["record"])} for note in notes]
    same = all(note == bare[0] for note in bare)
    return dict(notes[0]) if same else {**notes[0], "record": None}


def has_check(note: dict[str, Any]) -> bool:
    """Return whether a note has a record that is bound to rows."""
    return isinstance(note["record"], dict) and "check" in note["record"]


def fits_its_check(table: pa.Table) -> bool:
    """Return whether the rows of a file are those that its record was written with."""
    digit: object = decode_note(table)["record"]["check"]
    return digit == check_digit_of(table.to_pandas())


def _without_check(record: object) -> object:
    if not isinstance(record, dict):
        return record
    return {name: told for name, told in record.items() if name != "check"}


def decode_note(table: pa.Table) -> dict[str, Any]:
    """Read our own metadata; a file without it, or with something else there, comes from elsewhere."""
    try:
        note = json.loads((table.schema.metadata or {}).get(KEY) or b"null")
        names = [*note["columns"].values(), *note["seconds"]]
        if note["format"] == FORMAT and all(isinstance(name, str) for name in names):
            columns = {said: note["columns"][said] for said in SAID_IN_FILES}
            one_of("ties", columns["ties"], get_args(Ties))
            return {"columns": columns, "seconds": note["seconds"], "record": note["record"]}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    return {"columns": {}, "seconds": [], "record": None}
