"""Read a recipe: one sentence with the line and the closest name for whatever is wrong in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pdseqpriv.errors import unreadable
from pdseqpriv.paths import PathLike, path_of, text_of
from pdseqpriv.recipes.model import OPERATIONS, Recipe, ValidationError
from pdseqpriv.recipes.secrets import EnvironmentVariable, FileContent
from pdseqpriv.recipes.text import BadTextError, Place, Written, from_toml, from_yaml

_READERS = {".yaml": from_yaml, ".yml": from_yaml, ".toml": from_toml}
SUFFIXES = tuple(_READERS)
_PHRASES = (
    (r"^Input should be ", ""),
    (r"a valid dictionary( or .*)?$", "a mapping"),
    (r"^a valid ", "a "),
    (r"^a integer", "a whole number"),
    (r"^greater than or equal to", "at least"),
    (r"^less than or equal to", "at most"),
    (r"^greater than", "above"),
    (r"^String should match pattern.*", "a fraction"),
    (r"^(List|Value|Dictionary|String) should have ", "something with "),
    (r"^Value error, ", ""),
)


def read_recipe(path: PathLike) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """Return the names of the columns, and each operation with its parameters."""
    source = path_of(path)
    if source.suffix not in _READERS:
        raise unreadable(source, "a recipe is a file that ends in .yaml, .yml or .toml")
    text = text_of(source)
    try:
        written = _READERS[source.suffix](text)
        recipe = _checked(written)
        steps = [_step(written, number, one, source) for number, one in enumerate(recipe.steps)]
    except BadTextError as error:
        raise unreadable(source, str(error)) from None
    columns = {role: name for role, name in recipe.columns if name is not None}
    return columns, steps


def _checked(written: Written) -> Recipe:
    try:
        return Recipe.model_validate(written.values)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        raise BadTextError(_sentence(problems, written)) from None


def _sentence(problems: Sequence[Any], written: Written) -> str:
    """Say what is wrong first; names that are not known before all else, because they explain the rest."""
    strange = [one for one in problems if one["type"] == "extra_forbidden" and one["loc"] in written.lines]
    # Of a mapping where a file or a variable may be named, the keys may be events: they are not quoted.
    others = [one for one in problems if one["type"] != "extra_forbidden"]
    problem = (strange or others or list(problems))[0]
    place: Place = tuple(problem["loc"])
    line = written.line_of(place)
    if strange:
        return f"line {line}: {_unknown(str(place[-1]), place[:-1])}"
    if problem["type"] == "missing":
        return f"line {line}: {_name_of(place[:-1])} needs {place[-1]}"
    inside = written.written_part(place)
    same = [one for one in others if written.written_part(tuple(one["loc"])) == inside]
    same = [one for one in same if one["type"] != "missing"] or [problem]
    must = " or ".join(dict.fromkeys(_phrase(one["msg"]) for one in same))
    if problem["type"] == "value_error":
        return f"line {line}: {must}"
    return f"line {line}: {_name_of(inside)} must be {must}"


def _unknown(name: str, around: Place) -> str:
    """Say that there is no such name, and which is the closest."""
    if len(around) == 2 and around[0] == "steps":  # noqa: PLR2004 (the number of a step)
        what, known = "operation", list(OPERATIONS)
    else:
        what, known = f"{name!r} in {_name_of(around)}", _known_in(around)
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"the closest is {close[0]!r}" if close else f"there are {', '.join(known)}"
    told = f"{what} {name!r}" if what == "operation" else what
    return f"there is no {told}; {hint}"


def _known_in(around: Place) -> list[str]:
    model: Any = Recipe
    for part in around:
        if part == "columns":
            model = Recipe.model_fields["columns"].annotation
        elif part in OPERATIONS:
            model = OPERATIONS[str(part)]
    return list(model.model_fields)


def _name_of(place: Place) -> str:
    """Name a place as a user would: the key, or the number of a step or an entry."""
    if not place:
        return "the recipe"
    if place[0] == "steps" and len(place) == 2:  # noqa: PLR2004 (the number of a step)
        return f"step {int(place[1]) + 1}"
    if isinstance(place[-1], int):
        return f"entry {place[-1] + 1} of {_name_of(place[:-1])}"
    return str(place[-1])


def _phrase(message: str) -> str:
    for pattern, instead in _PHRASES:
        message = re.sub(pattern, instead, message)
    return message


def _step(written: Written, number: int, step: Any, source: Path) -> tuple[str, dict[str, Any]]:  # noqa: ANN401 (a model)
    """Return an operation and what was written for it, with references to what is elsewhere."""
    operation = next(iter(step.model_fields_set))
    values = getattr(step, operation).model_dump(exclude_unset=True)
    if isinstance(values.get("diversity"), list):
        values["diversity"] = tuple(values["diversity"])
    if values.get("previous") is not None:
        values["previous"] = [{"file": one} for one in values["previous"]]
    line = written.line_of(("steps", number, operation))
    return operation, {name: _referred(value, source, line) for name, value in values.items()}


def _referred(value: Any, source: Path, line: int) -> Any:  # noqa: ANN401 (whatever is written)
    """Turn what names a file or a variable into a reference; a file is looked for beside the recipe."""
    if isinstance(value, list):
        return [_referred(one, source, line) for one in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"env"} and isinstance(value["env"], str):
        return EnvironmentVariable(value["env"])
    if set(value) != {"file"} or not isinstance(value["file"], str):
        return {name: _referred(one, source, line) for name, one in value.items()}
    path = source.absolute().parent / Path(value["file"]).expanduser()
    if path.resolve() == source.resolve():
        raise BadTextError(f"line {line}: the recipe names itself as a file to read")
    return FileContent(path)
