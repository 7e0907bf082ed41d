"""Write a recipe as YAML or TOML, readable by its owner only: it may hold patterns."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pdseqpriv.errors import refusal, unwritable
from pdseqpriv.paths import PathLike, path_of_one_file, replacing
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.recipes.reading import SUFFIXES
from pdseqpriv.recipes.secrets import EnvironmentVariable, FileContent
from pdseqpriv.sequences.span import span
from pdseqpriv.taxonomy.taxonomy import Taxonomy


def write_recipe(
    path: PathLike, columns: Mapping[str, Any], steps: Sequence[tuple[str, Mapping[str, Any]]]
) -> None:
    """Write a recipe that ``read_recipe`` reads back as the same."""
    target = path_of_one_file(path)
    if target.suffix not in SUFFIXES:
        raise unwritable(target, "a recipe is a file that ends in .yaml, .yml or .toml")
    for name in columns.values():
        if not isinstance(name, str):
            raise refusal("every column name must be text in a recipe. Rename the columns.")
    plain = [
        {operation: {name: _plain(name, value, target) for name, value in parameters.items()}}
        for operation, parameters in steps
    ]
    recipe: dict[str, Any] = {"format": 1, **({"columns": dict(columns)} if columns else {}), "steps": plain}
    text = _as_toml(recipe) if target.suffix == ".toml" else _as_yaml(recipe)
    with replacing(target, is_private=True) as stream:
        stream.write(text.encode())


def _plain(name: str, value: Any, target: Path) -> Any:  # noqa: ANN401 (as the user gave it)
    """Return a parameter in the few types that recipes have."""
    if isinstance(value, FileContent):
        return {"file": _beside(value.path, target)}
    if isinstance(value, EnvironmentVariable):
        return {"env": value.name}
    if value is None:
        return None
    return _WRITERS[name](value, target) if name in _WRITERS else _list_or_scalar(name, value)


def _patterns(value: Any, _: Path) -> list[str]:  # noqa: ANN401 (as the user gave it)
    given = [value] if isinstance(value, str | Pattern) else value
    return [str(one if isinstance(one, Pattern) else Pattern(one)) for one in given]


def _keep(value: Any, target: Path) -> Any:  # noqa: ANN401 (as the user gave it)
    if not isinstance(value, Mapping):
        return _list_or_scalar("keep", value)
    return {str(column): _plain("taxonomy", one, target) for column, one in value.items()}


def _span(value: Any, _: Path) -> Any:  # noqa: ANN401 (as the user gave it)
    return value if isinstance(value, int | float | str) else str(span(value, "element", "gap"))


def _diversity(value: Any, _: Path) -> list[Any]:  # noqa: ANN401 (as the user gave it)
    window, one_in = value
    is_span = hasattr(window, "total_seconds") or isinstance(window, np.timedelta64)
    length = str(span(window, "time", "g")) if is_span else _scalar("diversity", window)
    return [length, _scalar("diversity", one_in)]


def _keys(value: Any, target: Path) -> list[str]:  # noqa: ANN401 (as the user gave it)
    return [_key(one, target) for one in value]


def _taxonomy(value: Any, _: Path) -> dict[str, str]:  # noqa: ANN401 (as the user gave it)
    """Return each name with the one above it."""
    tree = Taxonomy(value)
    names = [str(name) for name in tree.names]
    return {name: names[above] for name, above in zip(names[1:], tree.parents[1:].tolist(), strict=True)}


_WRITERS: dict[str, Callable[[Any, Path], Any]] = {
    "patterns": _patterns,
    "taxonomy": _taxonomy,
    "keep": _keep,
    "previous": _keys,
    "diversity": _diversity,
    **dict.fromkeys(("min_gap", "max_gap", "max_window"), _span),
}


def _list_or_scalar(name: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_scalar(name, one) for one in value]
    return _scalar(name, value)


def _scalar(name: str, value: Any) -> Any:  # noqa: ANN401 (as the user gave it)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Fraction | Decimal):
        return str(value) if isinstance(value, Fraction) else f"{value:f}"
    if value is not None and not isinstance(value, bool | int | float | str):
        raise refusal(
            f"{name} cannot be written into a recipe: {type(value).__name__} is not one of its types."
        )
    return value


def _beside(path: Path, target: Path) -> str:
    return os.path.relpath(path, target.absolute().parent)


def _key(one: object, target: Path) -> str:
    if not isinstance(one, FileContent):
        raise refusal(
            "previous cannot be written into a recipe. Write the keys to files, and name these in it."
        )
    return _beside(one.path, target)


def _as_yaml(recipe: Mapping[str, Any]) -> str:
    text: str = yaml.dump(recipe, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return text


class _Dumper(yaml.SafeDumper):
    """Writes references as tags, and every value in full."""

    def ignore_aliases(self, _: object) -> bool:
        return True

    def represent_dict(self, data: Any) -> yaml.Node:  # noqa: ANN401 (yaml's)
        for tag in ("file", "env"):
            if set(data) == {tag} and isinstance(data[tag], str):
                return self.represent_scalar(f"!{tag}", data[tag])
        return super().represent_dict(data)


_Dumper.add_representer(dict, _Dumper.represent_dict)


def _as_toml(recipe: Mapping[str, Any]) -> str:
    lines = [f"format = {recipe['format']}"]
    if "columns" in recipe:
        lines += ["", "[columns]", *_toml_pairs(recipe["columns"])]
    for step in recipe["steps"]:
        for operation, parameters in step.items():
            lines += ["", "[[steps]]", f"[steps.{operation}]", *_toml_pairs(parameters)]
    return "\n".join(lines) + "\n"


def _toml_pairs(values: Mapping[str, Any]) -> list[str]:
    return [f"{_toml_key(name)} = {_toml(value)}" for name, value in values.items() if value is not None]


def _toml_key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:  # noqa: ANN401 (one of the types of recipes)
    if value is None:
        raise refusal("TOML has no null, which keep needs here. Save the recipe as YAML.")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml_key(name)} = {_toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
