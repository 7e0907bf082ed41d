"""What attackers know about people: everything, a random share of the events, or a few random events."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.audit.kernels.fitting_labels import Lists
from pdseqpriv.errors import wrong_parameter
from pdseqpriv.parameters import LARGEST, number_between, one_or_several, shown, whole_number
from pdseqpriv.sequences.ragged import offsets_of, owners_of

Knows: TypeAlias = "Literal['whole'] | float"  # an int, which is a float to type checkers, counts events

_MUST = '"whole", a share of the events (a float above 0 and up to 1) or a number of events (an int)'


class Knowledge(NamedTuple):
    """How much is known: a number of events, or a share of them; neither if everything is known."""

    name: str
    events: int | None = None
    share: Fraction | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the attacker knows everything, and knows that it is everything."""
        return self.events is None and self.share is None

    def numbers_of(self, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many of so many events are known; a share is rounded up."""
        return lengths if self.is_whole else _wanted(lengths, self)


def read_knows(knows: Knows | Sequence[Knows]) -> list[Knowledge]:
    """Read the parameter ``knows``: one or several.

    Examples
    --------
    >>> [one.name for one in read_knows(["whole", 0.5, 3])]
    ['whole', '0.5', '3']
    """
    values = one_or_several(knows)
    if not values:
        raise wrong_parameter("knows", f"{_MUST}, or a list of these", "an empty list")
    return [_read_one(value) for value in values]


def _read_one(value: object) -> Knowledge:
    if isinstance(value, str):
        if value != "whole":
            raise wrong_parameter("knows", _MUST, shown(value))
        return Knowledge("whole")
    if isinstance(value, Integral) and not isinstance(value, bool):
        return Knowledge(str(int(value)), events=whole_number("knows", value, least=1))
    share = number_between("knows", value, 0, 1, _MUST)
    if not share:
        raise wrong_parameter("knows", _MUST, "0")
    return Knowledge("whole") if share == 1 else Knowledge(str(value), share=share)


def draw_known(people: Lists, knowledge: Knowledge, seed: int) -> Lists:
    """Draw what is known about each person: random events, in order, in the elements they were in.

    A share is rounded up. If somebody has fewer events than that, all of them are known.
    """
    if knowledge.is_whole:
        return people
    lengths = np.diff(people.offsets)
    wanted = _wanted(lengths, knowledge)
    owners = owners_of(people.offsets)
    drawn = np.argsort(owners + np.random.default_rng(seed).random(owners.size), kind="stable")
    rank = np.arange(owners.size) - people.offsets[owners]
    is_known = np.zeros(owners.size, bool)
    is_known[drawn[rank < wanted[owners]]] = True
    element = np.cumsum(people.begins)[is_known]
    begins = np.ones(element.size, bool)
    begins[1:] = element[1:] != element[:-1]
    return Lists(people.codes[is_known], begins, offsets_of(wanted))


def _wanted(lengths: NDArray[np.int64], knowledge: Knowledge) -> NDArray[np.int64]:
    """Return how many events of each length are known."""
    if knowledge.share is None:
        return np.minimum(lengths, min(LARGEST, knowledge.events or 0))
    top, bottom = knowledge.share.as_integer_ratio()
    different, place = np.unique(lengths, return_inverse=True)
    rounded_up = [-(-length * top // bottom) for length in different.tolist()]
    return np.array(rounded_up, np.int64)[place]
