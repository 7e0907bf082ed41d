"""Folders for files that are not finished: only their owner can read them, and nobody leaves them behind."""

from __future__ import annotations

import os
import shutil
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pdseqpriv.errors import FileError, unwritable
from pdseqpriv.paths import drafts_in, lock, new_draft

_LOCK = "lock"
_YOUNG = 60.0  # seconds in which a folder without a lock may still get one


class Scratch:
    """A hidden folder beside what it is for, removed when nobody needs it any more.

    While the process lives, the folder is locked. One that a killed process left behind is removed by the
    next one that makes a folder for the same purpose in the same place.
    """

    def __init__(self, place: Path, purpose: str) -> None:
        beginning = f".{purpose[:200]}."
        self.folder = new_draft(place, beginning)
        with system_errors(place):
            _remove_leftovers(place, beginning)
            self.folder.mkdir(mode=0o700)
            held = (self.folder / _LOCK).open("xb")
            lock(held)
        self._remove = weakref.finalize(self, _remove, self.folder, held, os.getpid())

    def remove(self) -> None:
        """Remove the folder now."""
        self._remove()

    def become(self, target: Path) -> None:
        """Give the folder, which is complete, its name."""
        with system_errors(target):
            mode = 0o777 & ~_umask()
            (self.folder / _LOCK).unlink()
            self.folder.chmod(mode)
            self.folder.rename(target)  # an empty folder is replaced, any other is not


@contextmanager
def system_errors(place: Path) -> Iterator[None]:
    """Turn system errors while writing into one clear sentence."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        why = os.strerror(error.errno).lower() if error.errno else "it is not a place for files"
        raise unwritable(place, why) from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _remove(folder: Path, held: IO[bytes], owner: int) -> None:
    held.close()
    if os.getpid() == owner:  # a process that was forked has no say
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers(place: Path, beginning: str) -> None:
    for entry in drafts_in(place, beginning):
        if entry.is_dir() and _is_left(entry):
            shutil.rmtree(entry, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Return whether nobody holds the lock of a folder."""
    with suppress(OSError):
        if not (folder / _LOCK).exists():
            return time.time() - folder.stat().st_mtime > _YOUNG
        with (folder / _LOCK).open("r+b") as held:
            lock(held)
            return True
    return False
