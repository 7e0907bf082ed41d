"""Opening and replacing files, with the same errors for every format."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pdseqpriv.errors import FileError, in_our_words, unreadable, unwritable, wrong_parameter

PathLike = str | os.PathLike[str]


def path_of(path: PathLike) -> Path:
    """Accept what pandas accepts for a local file."""
    came = "an empty or impossible path" if isinstance(path, str) else type(path).__name__
    with in_our_words(wrong_parameter("path", "the path of a local file", came)):
        if not os.fspath(path) or "\0" in os.fspath(path):
            raise ValueError(came)
        os.fsencode(path)
        return Path(path).expanduser()


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn system errors while reading a file into one clear sentence."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise unreadable(path, _why(error)) from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path to write to; it replaces ``path`` only if everything succeeds.

    A crash at any moment leaves the old file, or none.
    """
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}.part")
    try:
        _prepare(target, draft)
        yield draft
        _flush(draft)
        draft.replace(target)
        _flush(target.parent)
    except FileError:
        raise
    except OSError as error:
        raise unwritable(path, _why(error)) from None
    finally:
        with suppress(OSError):
            draft.unlink()


def _prepare(target: Path, draft: Path) -> None:
    """Create an empty draft that only those can read who can read the old file."""
    if target.is_dir():
        raise IsADirectoryError
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "")  # a device or a pipe must not be replaced by a file
    draft.touch(exist_ok=False)
    if target.exists():
        draft.chmod(target.stat().st_mode & 0o777)


def _flush(path: Path) -> None:
    """Wait until the file is on disk, so that a power cut cannot leave an empty file under the new name."""
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
        return "permission denied"
    # Text from libraries may quote content; the system's own text for an error number does not.
    return os.strerror(error.errno).lower() if error.errno else "the file is damaged or in another format"
