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

from pdseqpriv.recipes.model import Recipe
from pdseqpriv.schemas import MODELS

# What pandera's own checks can say of each of our rules: a type, and checks. Text or whole numbers, both
# allowed, they cannot say; the JSON Schemas can. How two columns must fit each other, neither can.
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
# The same for columns of results, whose checks are pandera's own: by type, and by check with its argument.
_JSON_NUMBERS = {"int64": "integer", "float64": "number", "bool": "boolean"}
_JSON_CHECKS = {
    "greater_than_or_equal_to": ("minimum", "min_value"),
    "less_than_or_equal_to": ("maximum", "max_value"),
    "isin": ("enum", "allowed_values"),
    "str_matches": ("pattern", "pattern"),
}


def _rule_of(column: pa.Column) -> str | None:
    """Return which of our rules a column keeps, if any."""
    return next((check.name for check in column.checks if check.name in _OWN_CHECKS), None)


def as_yaml(schema: pa.DataFrameSchema, *, datetimes: bool) -> str:
    """Return a schema in pandera's own checks, for times that are numbers or that are datetimes."""
    columns = {}
    for name, column in schema.columns.items():
        rule = _rule_of(column)
        dtype, checks = (column.dtype, column.checks) if rule is None else _OWN_CHECKS[rule]
        if datetimes and rule == "holds_times":
            dtype, checks = _DATETIMES
        kept = {one: getattr(column, one) for one in ("nullable", "unique", "required", "description")}
        columns[name] = pa.Column(dtype, checks, **kept)
    about = {"name": schema.name, "description": schema.description, "strict": schema.strict}
    text: str = pa.DataFrameSchema(columns, unique_column_names=True, **about).to_yaml()
    return text


def as_json(schema: pa.DataFrameSchema) -> str:
    """Return the JSON Schema of a table as a list of rows."""
    rows = {
        "type": "object",
        "properties": {name: _json_column(column) for name, column in schema.columns.items()},
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


def _json_column(column: pa.Column) -> dict[str, Any]:
    about = {"description": column.description} if column.description else {}
    rule = _rule_of(column)
    if rule is not None:
        return {**about, **_JSON_TYPES[rule]}
    if column.dtype is None and not column.checks:
        return about
    kind = _JSON_NUMBERS.get(str(column.dtype), "string")
    checks = [(*_JSON_CHECKS[check.name], check.statistics) for check in column.checks]
    told = {word: statistics[argument] for word, argument, statistics in checks}
    return {**about, "type": [kind, "null"] if column.nullable else kind, **told}


def schema_files() -> dict[str, str]:
    """Return the content of every file by its name."""
    files = {}
    for kind, model in MODELS.items():
        schema = model.to_schema()
        files[f"{kind}.yaml"] = as_yaml(schema, datetimes=False)
        if any(_rule_of(column) == "holds_times" for column in schema.columns.values()):
            files[f"{kind}_datetimes.yaml"] = as_yaml(schema, datetimes=True)
        files[f"{kind}.json"] = as_json(schema)
    files["recipe.json"] = recipe_as_json()
    return files


def recipe_as_json() -> str:
    """Return the JSON Schema of a recipe, for editors; in YAML, ``!file x`` stands for ``{file: x}``."""
    recipe = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Recipe.model_json_schema()}
    return json.dumps(recipe, indent=2) + "\n"


def write_schema_files(folder: Path) -> None:
    """Write every file."""
    folder.mkdir(exist_ok=True)
    for name, content in schema_files().items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    write_schema_files(Path(sys.argv[1]))
