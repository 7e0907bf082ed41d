"""The models as files, for programs that do not import this library.

``schemas/*.yaml`` are read by pandera, which drops checks that a program does not know without a word: these
files use its own checks and types only. ``schemas/*.json`` are JSON Schemas, for tools that do not speak
pandera.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pandera.pandas as pa

from pdseqpriv.schemas import MODELS, TableKind

# The tables that leave the owner's notebook.
FILED: tuple[TableKind, ...] = ("sequences", "generalized", "patterns", "key")

# What pandera's own checks can say of each of our rules: a type, and checks. Text or whole numbers, both
# allowed, they cannot say; the JSON Schemas can. That intervals do not end before they start, neither can.
_FLOAT = sys.float_info.max
_NUMBERS = (None, [pa.Check.in_range(-_FLOAT, _FLOAT)])
_DATETIMES = (None, [pa.Check.in_range("0001-01-01", "9999-12-31")])
_OWN_CHECKS: dict[str, tuple[str | None, list[pa.Check]]] = {
    "holds_ids": (None, []),
    "holds_events": (None, []),
    "holds_times": _NUMBERS,
    "holds_counts": ("int64", [pa.Check.ge(0)]),
    "holds_supports": ("int64", [pa.Check.ge(1)]),
    "holds_fresh_ids": ("Int64", [pa.Check.ge(0)]),
    "holds_patterns": (None, []),
}
_NAME = {"type": ["string", "integer"]}
_JSON_TYPES: dict[str, dict[str, Any]] = {
    "holds_ids": _NAME,
    "holds_events": {"type": ["string", "integer", "null"]},
    "holds_times": {"anyOf": [{"type": "number"}, {"type": "string", "format": "date-time"}]},
    "holds_counts": {"type": "integer", "minimum": 0},
    "holds_supports": {"type": "integer", "minimum": 1},
    "holds_fresh_ids": {"type": ["integer", "null"], "minimum": 0},
    "holds_patterns": {
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": [_NAME, {"type": "array", "minItems": 1, "items": _NAME}]},
    },
}


def as_yaml(schema: pa.DataFrameSchema, *, datetimes: bool) -> str:
    """Return a schema in pandera's own checks, for times that are numbers or that are datetimes."""
    columns = {}
    for name, column in schema.columns.items():
        rule = column.checks[0].name
        dtype, checks = _DATETIMES if datetimes and rule == "holds_times" else _OWN_CHECKS[rule]
        kept = {name: getattr(column, name) for name in ("nullable", "unique", "required", "description")}
        columns[name] = pa.Column(dtype, checks, **kept)
    about = {"name": schema.name, "description": schema.description, "strict": schema.strict}
    text: str = pa.DataFrameSchema(columns, unique_column_names=True, **about).to_yaml()
    return text


def as_json(schema: pa.DataFrameSchema) -> str:
    """Return the JSON Schema of a table as a list of rows."""
    properties = {
        name: {"description": column.description, **_JSON_TYPES[column.checks[0].name]}
        for name, column in schema.columns.items()
    }
    rows = {
        "type": "object",
        "properties": properties,
        "required": [name for name, column in schema.columns.items() if column.required],
        "additionalProperties": not schema.strict,
    }
    table = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": schema.name,
        "description": schema.description,
        "type": "array",
        "items": rows,
    }
    return json.dumps(table, indent=2) + "\n"


def schema_files() -> dict[str, str]:
    """Return the content of every file by its name."""
    files = {}
    for kind in FILED:
        schema = MODELS[kind].to_schema()
        files[f"{kind}.yaml"] = as_yaml(schema, datetimes=False)
        if any(column.checks[0].name == "holds_times" for column in schema.columns.values()):
            files[f"{kind}_datetimes.yaml"] = as_yaml(schema, datetimes=True)
        files[f"{kind}.json"] = as_json(schema)
    return files


def write_schema_files(folder: Path) -> None:
    """Write every file."""
    folder.mkdir(exist_ok=True)
    for name, content in schema_files().items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    write_schema_files(Path(sys.argv[1]))
