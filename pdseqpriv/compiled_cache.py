"""The folder where compiled code is kept between processes, and how it is kept up to date.

The machine code of a kernel also contains the kernels it calls and their constants. So the folder is named
after a hash of all kernel sources: when one of them changes, code compiled earlier is no longer used.

A file that cannot be read or written is never an error: its code is compiled again, or stays in memory. A
folder that others can write to is not used: its code would run with the rights of whoever calls it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from stat import S_ISVTX, S_IWGRP, S_IWOTH

PACKAGE = Path(__file__).parent
# How many folders are kept, so that switching between branches or versions does not mean compiling again.
KEPT = 4
_DIGEST = 32  # bytes of a SHA-256
# Every kernel is imported after this moment. The clock of a file system may lag behind by a tick.
_IMPORTED = time.time() - 0.02


def is_unchanged_source(path: str) -> bool:
    """Return whether a file is part of the hash, and no such file was edited since this process began.

    After an edit, the code running here may differ from the files, so their hash does not describe it.
    """
    try:
        changes = [max(stat.st_mtime, stat.st_ctime) for stat in map(os.stat, _sources())]
    except OSError:
        return False
    return Path(path) in _sources() and max(changes) <= _IMPORTED


def folder_for(numba_version: str, places: Iterable[Path]) -> Path | None:
    """Create the folder for the current sources in the first place that is writable, if any."""
    try:
        name = f"kernels-{stamp_of_sources(numba_version)}"
    except OSError:  # sources that may not be read
        return None
    return next((place / name for place in places if _prepare(place / name)), None)


def read_compiled(path: Path) -> bytes | None:
    """Return what was written, or None if it is missing or damaged: broken machine code can crash Python."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, payload = content[:_DIGEST], content[_DIGEST:]
    return payload if hashlib.sha256(payload).digest() == digest else None


def write(path: Path, payload: bytes) -> bool:
    """Write all or nothing, so that no other process ever reads half a file; return whether it worked."""
    draft = path.with_name(f"{os.urandom(8).hex()}.draft")
    with suppress(OSError):
        try:
            draft.write_bytes(hashlib.sha256(payload).digest() + payload)
            draft.replace(path)
            return True
        finally:
            draft.unlink(missing_ok=True)
    return False


@functools.cache
def _sources() -> frozenset[Path]:
    """Find the files that decide what is compiled: all in folders called kernels, and this mechanism."""
    found = set(PACKAGE.glob("compiled*.py"))
    for folder, _, names in os.walk(PACKAGE):
        if "kernels" in Path(folder).relative_to(PACKAGE).parts:
            found.update(Path(folder, name) for name in names if name.endswith(".py"))
    return frozenset(found)


def stamp_of_sources(numba_version: str = "") -> str:
    """Hash the sources, the version of numba, and the Python and platform that compiled code fits."""
    digest = hashlib.sha256(f"{numba_version} {EXTENSION_SUFFIXES[0]}".encode())
    for path in sorted(_sources()):
        content = path.read_bytes()
        digest.update(f"\n{path.relative_to(PACKAGE).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _prepare(folder: Path) -> bool:
    """Make sure that a folder is writable, clean up if it is new, and return whether that worked."""
    try:
        is_new = not folder.exists()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _may_others_write(folder):
            return False
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)  # last used today
    except OSError:
        return False
    if is_new:
        _remove_oldest(folder)
    return True


def _may_others_write(folder: Path) -> bool:
    """Return whether somebody else could put code into a folder, or another folder into its place.

    A group may write to the folders above: whoever it is, their own code is there as well.
    """
    if not hasattr(os, "getuid"):  # Windows
        return False
    above = [path.stat() for path in folder.resolve().parents]
    owners = {stat.st_uid for stat in [folder.stat(), *above]}
    is_open = any(one.st_mode & S_IWOTH and not one.st_mode & S_ISVTX for one in above)
    return is_open or bool(folder.stat().st_mode & (S_IWGRP | S_IWOTH)) or not owners <= {0, os.getuid()}


def _remove_oldest(new: Path) -> None:
    """Remove the folders that have been unused the longest; a process still reading one compiles instead."""
    with suppress(OSError):  # another process may be removing the same
        others = [path for path in new.parent.glob("kernels-*") if path != new]
        for old in sorted(others, key=lambda path: path.stat().st_mtime)[: -(KEPT - 1)]:
            shutil.rmtree(old, ignore_errors=True)
