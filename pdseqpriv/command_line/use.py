"""How a command ends: 0, 1 where the guarantee or the run failed, 2 where it was used wrongly."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pdseqpriv.errors import BrokenOutputError, FileError, InfeasibleError, SeqPrivError

FAILED, WRONG_USE = 1, 2
# How functions name a column, and how a command does.
_IN_PYTHON = r'(df\.seqpriv\.using|read_\w+)\((\.\.\., )?(\w+)="\.\.\."\)'


class WrongUseError(SeqPrivError):
    """The command was used wrongly."""


@contextmanager
def of_the_user() -> Iterator[None]:
    """Take a file that cannot be read for wrong use: the user named it, and no table was read yet."""
    try:
        yield
    except FileError as error:
        raise WrongUseError(str(error)) from None


def exit_code_of(error: BaseException) -> int:
    """Return 2 for what the user can put right in the command, 1 for what went wrong while it ran."""
    from pdseqpriv.verdict import ViolatedError

    ran = (ViolatedError, InfeasibleError, BrokenOutputError, FileError)
    return WRONG_USE if isinstance(error, SeqPrivError) and not isinstance(error, ran) else FAILED


def sentence_of(error: BaseException) -> str:
    """Return what to tell; nothing of an error that is not ours, which may quote the data."""
    if isinstance(error, SeqPrivError):
        return re.sub(_IN_PYTHON, lambda found: "--" + found[3].replace("_", "-"), str(error))
    if isinstance(error, KeyboardInterrupt):
        return "stopped; nothing was written."
    if isinstance(error, MemoryError):
        return "there is not enough memory; nothing was written."
    return f"this is a bug of pdseqpriv ({type(error).__name__}): please report it, without data."


def fail(error: BaseException, *, as_json: bool) -> int:
    """Tell what went wrong, and return the exit code."""
    told, code = sentence_of(error), exit_code_of(error)
    if as_json:
        say_json({"error": told, "exit_code": code})
    sys.stderr.write(f"error: {told}\n")
    return code


def say_json(answer: Any) -> None:  # noqa: ANN401 (anything that JSON holds)
    """Write an answer for machines."""
    sys.stdout.write(json.dumps(answer, indent=2, default=str, ensure_ascii=False) + "\n")


def say(text: str) -> None:
    """Write an answer for people."""
    sys.stdout.write(text + "\n")


def tell(text: str, *, quiet: bool = False) -> None:
    """Write what is no answer to standard error."""
    if not quiet:
        sys.stderr.write(text + "\n")
