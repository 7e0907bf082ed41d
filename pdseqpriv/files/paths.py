"""Opening, replacing and complaining about files, the same way for every format."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pdseqpriv.errors import FileError, unreadable, unwritable, wrong_parameter

PathLike = str | os.PathLike[str]


def path_of(function: str, path: PathLike) -> Path:
    """Accept what pandas accepts for a local file."""
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path) or not os.fspath(path):
        came = "an empty or impossible one" if isinstance(path, str) else type(path).__name__
        raise wrong_parameter(function, "path", "the path of a local file", came)
    return Path(path).expanduser()


@contextmanager
def reading(function: str, path: Path) -> Iterator[None]:
    """Turn what the system says about a file that is read into one clear sentence."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise unreadable(function, path, _why(error)) from None


@contextmanager
def replacing(function: str, path: Path) -> Iterator[Path]:
    """Give a path to write to; it takes the place of ``path`` only when all went well.

    A crash at any moment leaves the old file, or none.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise unwritable(function, path, "it is a folder")
    if not target.parent.is_dir():
        raise unwritable(function, path, "there is no such file or folder")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        yield draft
        _flush(draft)
        draft.replace(target)
        _flush(target.parent)
    except FileError:
        raise
    except OSError as error:
        raise unwritable(function, path, _why(error)) from None
    finally:
        with suppress(OSError):
            draft.unlink()


def _flush(path: Path) -> None:
    """Wait until it is on disk, so that a power cut cannot leave an empty file under the new name."""
    handle = os.open(path, os.O_RDONLY)
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
        return "this user may not"
    # Text from libraries may quote content; the system's own words for an error number do not.
    return os.strerror(error.errno).lower() if error.errno else "the file is damaged or of another format"
