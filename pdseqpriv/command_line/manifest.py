"""The manifest: what made a release, for whoever gets it. It tells nothing that the record may not tell."""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path
from typing import Any

_PACKAGES = ("pdseqpriv", "numpy", "pandas", "pyarrow", "numba")
_BLOCK = 1 << 20


def manifest_of(pipeline: Any, result: Any, table: dict[str, Any], source: list[Path]) -> bytes:  # noqa: ANN401 (ours)
    """Return a manifest as JSON: the same run makes the same bytes.

    The hash of the recipe covers its operations and the parameters that the record discloses, and only the
    names of others: whoever has the hash of a pattern can try out what it was. ``source`` are the files of
    the input, if their size and hash are asked for.
    """
    told: dict[str, Any] = {
        "format": 1,
        "versions": _versions(),
        "recipe_sha256": recipe_hash(pipeline),
        "applied": result.record["applied"],
        "verdicts": [
            {"step": one.step, "operation": one.operation, "check": one.check, "holds": bool(one)}
            for one in result.verdicts
        ],
        "output": table,
    }
    if source:
        told["input"] = {"bytes": sum(file.stat().st_size for file in source), "sha256": hash_of(source)}
    return (json.dumps(told, indent=2, sort_keys=True) + "\n").encode()


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    from pdseqpriv.version import __version__

    found = {name: version(name) for name in _PACKAGES if name != "pdseqpriv"}
    return {"pdseqpriv": __version__, "python": platform.python_version(), **found}


def recipe_hash(pipeline: Any) -> str:  # noqa: ANN401 (a Pipeline)
    """Hash what a recipe says, without what is secret in it."""
    from pdseqpriv.sequences.record import DISCLOSABLE

    steps = []
    for step in pipeline.steps:
        may_be_told = DISCLOSABLE.get(step.operation, {})
        told = {
            name: value if name in may_be_told and isinstance(value, int | float | str) else "given"
            for name, value in step.parameters.items()
        }
        steps.append([step.operation, told])
    text = json.dumps([{role: str(name) for role, name in pipeline.names.items()}, steps], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def hash_of(files: list[Path]) -> str:
    """Hash the content of files, one after the other, in the order of their names."""
    digest = hashlib.sha256()
    for file in sorted(files):
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def files_in(name: str) -> list[Path]:
    """Return the files that a table is read from."""
    path = Path(name)
    if path.is_dir() or not path.exists():
        from pdseqpriv.files.parquet_sources import sources_of

        return [source.file for source in sources_of(name)[1]]
    return [path]
