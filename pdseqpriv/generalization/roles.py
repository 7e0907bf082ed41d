"""Which events of a table are monitored, which are sensitive, and where they stand in the taxonomy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, infeasible, refusal, warn
from pdseqpriv.generalization.request import Request
from pdseqpriv.sequences.events import find_events
from pdseqpriv.taxonomy.taxonomy import Taxonomy

# From a warning here to the line of the caller.


@dataclass(frozen=True)
class Roles:
    """Per event of the table: is it monitored, its place in the taxonomy, its number among the sensitive.

    The place counts for monitored events only; -1 is the number of one that is not sensitive.
    """

    is_monitored: NDArray[np.bool_]
    node: NDArray[np.int32]
    sensitive_code: NDArray[np.int32]


def taxonomy_for(vocabulary: pd.Index, given: Taxonomy | None) -> Taxonomy:
    """Give the taxonomy to use: the flat one of the table's events when there is none."""
    if not len(vocabulary):
        raise infeasible("the table has no events, so there is nothing to hide behind.")
    return Taxonomy.flat(vocabulary) if given is None else given


def roles_of(vocabulary: pd.Index, taxonomy: Taxonomy, request: Request) -> Roles:
    """Find what a caller named."""
    is_monitored = _monitored(vocabulary, request)
    places = taxonomy.find(vocabulary)
    _check_places(places, is_monitored, taxonomy)
    return Roles(is_monitored, places.astype(np.int32), _sensitive(vocabulary, is_monitored, request))


def _monitored(vocabulary: pd.Index, request: Request) -> NDArray[np.bool_]:
    if request.monitored is None:
        return np.ones(len(vocabulary), bool)
    found = _found(vocabulary, request.monitored)
    if not len(request.monitored):
        warn("no event is monitored, so everything is released as it is.")
    elif not found.any():
        raise refusal(
            f"none of the {len(request.monitored)} monitored events occurs in the table, so "
            "everything would be released as it is. Name events as the table does."
        )
    _warn_of_missing(vocabulary, request.monitored, "monitored")
    return found


def _sensitive(vocabulary: pd.Index, is_monitored: NDArray[np.bool_], request: Request) -> NDArray[np.int32]:
    codes = np.full(len(vocabulary), -1, np.int32)
    if request.certainty is None:
        return codes
    found = ~is_monitored
    if request.sensitive is not None:
        found = _found(vocabulary, request.sensitive)
        _check_overlap(found & is_monitored)
        _warn_of_missing(vocabulary, request.sensitive, "sensitive")
    elif not found.any():
        raise refusal(
            "diversity limits what can be told about events that are not monitored, but every "
            "event of the table is. Say with monitored which events the receivers know."
        )
    codes[found] = np.arange(int(found.sum()), dtype=np.int32)
    return codes


def _check_overlap(both: NDArray[np.bool_]) -> None:
    if both.any():
        which = f"{counted(int(both.sum()), 'event')} {'is' if both.sum() == 1 else 'are'}"
        raise refusal(
            f"{which} both monitored and sensitive: what receivers know cannot be kept from them. "
            "Say with monitored which events they know, and leave those out of sensitive."
        )


def _found(vocabulary: pd.Index, events: pd.Index) -> NDArray[np.bool_]:
    places = find_events(events, vocabulary)
    found = np.zeros(len(vocabulary), bool)
    found[places[places >= 0]] = True
    return found


def _warn_of_missing(vocabulary: pd.Index, events: pd.Index, parameter: str) -> None:
    missing = int((find_events(events, vocabulary) < 0).sum())
    if missing:
        warn(f"{missing} of {len(events)} {parameter} events do not occur in the table.")


def _check_places(places: NDArray[np.int64], is_monitored: NDArray[np.bool_], taxonomy: Taxonomy) -> None:
    missing = int((places[is_monitored] < 0).sum())
    if missing:
        raise refusal(
            f"{missing} of the {int(is_monitored.sum())} monitored events of the table are not "
            "in the taxonomy. Add them."
        )
    inner = int((~taxonomy.is_leaf[places[places >= 0]]).sum())
    if inner:
        raise refusal(
            f"{inner} events of the table are categories of the taxonomy that have others under "
            "them, so a release could not tell the one from the other. Rename the categories, or put the "
            "events under them."
        )
