"""Opening, replacing and complaining about files, the same way for every format."""

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
    came = "an empty or impossible one" if isinstance(path, str) else type(path).__name__
    with in_our_words(wrong_parameter("path", "the path of a local file", came)):
        if not os.fspath(path) or "\0" in os.fspath(path):
            raise ValueError(came)
        os.fsencode(path)
        return Path(path).expanduser()


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what the system says about a file that is read into one clear sentence."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise unreadable(path, _why(error)) from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path to write to; it takes the place of ``path`` only when all went well.

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
    """Make an empty draft that nobody may read who may not read the old file."""
    if target.is_dir():
        raise IsADirectoryError
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "")  # a device or a pipe must not be replaced by a file
    draft.touch(exist_ok=False)
    if target.exists():
        draft.chmod(target.stat().st_mode & 0o777)


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
