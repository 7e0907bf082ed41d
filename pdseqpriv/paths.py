"""Opening and replacing files, with the same errors for every format."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pdseqpriv.errors import FileError, in_our_words, unreadable, unwritable, wrong_parameter

if TYPE_CHECKING:
    import pyarrow as pa

PathLike = str | os.PathLike[str]
MAX_ROWS = 100_000_000  # that readers accept unless told otherwise: some 5 GB with the usual columns
_HEX = 16  # digits that tell drafts apart


def path_of(path: PathLike) -> Path:
    """Accept what pandas accepts for a local file."""
    came = "an empty or impossible path" if isinstance(path, str) else type(path).__name__
    with in_our_words(wrong_parameter("path", "the path of a local file", came)):
        if not os.fspath(path) or "\0" in os.fspath(path):
            raise ValueError(came)
        os.fsencode(path)
        return Path(path).expanduser()


def path_of_one_file(path: PathLike) -> Path:
    """Accept a path to write one file to; a path that ends in a slash names a folder."""
    target = path_of(path)
    if os.fspath(path).endswith("/"):
        raise unwritable(target, "the path ends in a slash, but what is written is one file")
    return target


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn system errors while reading a file into one clear sentence; a pipe or a device has no end."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise unreadable(path, "it is neither a file nor a folder")
        yield
    except FileError:
        raise
    except OSError as error:
        raise unreadable(path, _why(error)) from None


def text_of(path: Path) -> str:
    """Read a text file; the mark with which some programs begin UTF-8 is no part of the text."""
    with reading(path):
        try:
            return path.read_text(encoding="utf-8-sig")
        except UnicodeError:
            raise unreadable(path, "it is not UTF-8 text") from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn system errors before anything is written into one clear sentence."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, _why(error)) from None


def opened(file: Path) -> pa.NativeFile:
    """Open a file for Arrow, which does not know every name that the system allows."""
    import pyarrow as pa

    stream = file.open("rb")  # if it cannot be opened, the system says why
    try:
        native = pa.OSFile(str(file))
    except UnicodeEncodeError:
        return pa.PythonFile(stream)
    stream.close()
    return native


@contextmanager
def replacing(path: Path, *, is_private: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file to write to; it replaces ``path`` only if everything succeeds.

    A crash at any moment leaves the old file, or none. Until it is complete, only its owner can read the
    draft; if it ``is_private``, that stays so. A draft that a killed process left behind is removed by the
    next one that writes to this place.
    """
    target = Path(os.path.realpath(path))
    beginning = f".{target.name[:200]}."
    draft = new_draft(target.parent, beginning)
    try:
        _refuse_what_is_no_file(target)
        _remove_leftovers(target.parent, beginning)
        # Who opens a draft before it is private could read all that is written to it later.
        is_for_all = not is_private and not target.exists()
        with open(draft, "xb", opener=None if is_for_all else _open_privately) as held:
            mode = (target if target.exists() else draft).stat().st_mode & 0o777
            draft.chmod(0o600)
            lock(held)
            with draft.open("wb") as stream:
                yield stream
            _flush(held)
            if not is_private:
                draft.chmod(mode)
            draft.replace(target)  # while it is locked, nobody takes it for a leftover
        _flush_folder(target.parent)
    except FileError:
        raise
    except OSError as error:
        raise unwritable(path, _why(error)) from None
    finally:
        with suppress(OSError):
            draft.unlink()


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def has_wildcards(path: PathLike) -> bool:
    """Return whether a path may mean several files."""
    return any(letter in str(path) for letter in "*?[")


def _refuse_what_is_no_file(target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "")  # a device or a pipe must not be replaced by a file


def new_draft(folder: Path, beginning: str) -> Path:
    """Return a hidden path that nobody else has, for what is not finished."""
    return folder / f"{beginning}{secrets.token_hex(_HEX // 2)}.part"


def drafts_in(folder: Path, beginning: str) -> Iterator[Path]:
    """Return what was begun in a folder under such a path and not finished, perhaps not yet."""
    for entry in folder.iterdir():
        middle = entry.name.removeprefix(beginning).removesuffix(".part")
        is_draft = entry.name == f"{beginning}{middle}.part" and re.fullmatch(f"[0-9a-f]{{{_HEX}}}", middle)
        if is_draft and not entry.is_symlink():
            yield entry


def _remove_leftovers(folder: Path, beginning: str) -> None:
    """Remove drafts of processes that were killed; those that somebody is still writing are locked."""
    for entry in drafts_in(folder, beginning):
        if entry.is_file():
            with suppress(OSError), entry.open("r+b") as left:
                lock(left)
                entry.unlink()


def lock(stream: IO[bytes]) -> None:
    """Lock an open file until it is closed, or its process ends; raises if somebody else has locked it."""
    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _flush(stream: IO[bytes]) -> None:
    """Wait until the file is on disk, so that a power cut cannot leave an empty file under the new name."""
    os.fsync(stream.fileno())


def _flush_folder(folder: Path) -> None:
    """Wait until the new name is on disk, so that a power cut cannot bring the old file back."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file or folder"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    if isinstance(error, PermissionError):
        return "permission denied"
    # Text from libraries may quote content; the system's own text for an error number does not.
    return os.strerror(error.errno).lower() if error.errno else "the file is damaged or in another format"
