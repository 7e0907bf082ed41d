"""The result of an independent check."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from pdseqpriv.errors import SeqPrivError
from pdseqpriv.notebook_html import judged


class ViolatedError(SeqPrivError):
    """A guarantee was checked and does not hold."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """The result of a check: truthy if the guarantee holds.

    Attributes
    ----------
    holds : bool
        Whether the guarantee holds.
    sentence : str
        What was found, in plain words, without any value of the data.
    checked, violations : int
        How many items were checked, and how many of them violate the guarantee.
    details : pandas.DataFrame
        A small table of the violations; it shows ids or events only if the check was called with
        ``reveal=True``.

    Examples
    --------
    >>> verdict = Verdict(True, "12 sequences, each shared by at least 3 people", checked=12)
    >>> verdict
    holds: 12 sequences, each shared by at least 3 people
    >>> bool(verdict)
    True
    """

    holds: bool
    sentence: str
    checked: int = 0
    violations: int = 0
    details: pd.DataFrame = field(default_factory=pd.DataFrame)

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"{'holds' if self.holds else 'does not hold'}: {self.sentence}"

    def _repr_html_(self) -> str:
        return judged(holds=self.holds, text=self.sentence)

    def raise_if_violated(self) -> Verdict:
        """Return the verdict if it holds, else raise: for pipelines that must stop.

        Examples
        --------
        >>> Verdict(False, "2 of 9 patterns are still too frequent", 9, 2).raise_if_violated()
        Traceback (most recent call last):
        pdseqpriv.verdict.ViolatedError: does not hold: 2 of 9 patterns are still too frequent
        """
        if not self.holds:
            raise ViolatedError(repr(self))
        return self
