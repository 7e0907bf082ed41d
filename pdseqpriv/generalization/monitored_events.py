"""Which events of a table are monitored, which are sensitive, and where they are in the taxonomy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, infeasible, listed, refusal, warn
from pdseqpriv.generalization.request import Request
from pdseqpriv.sequences.events import find_events, text_of_names
from pdseqpriv.sequences.named_events import warn_of_absent
from pdseqpriv.sequences.ragged import Flags
from pdseqpriv.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True)
class MonitoredEvents:
    """What the caller says about each event of the table.

    Attributes
    ----------
    names : pandas.Index
        The events as text.
    is_monitored : bool per event
    node : int32 per event
        Its place in the taxonomy; only meaningful for monitored events.
    sensitive_code : int32 per event
        Its number among the sensitive events; -1 for all others.
    taxonomy : Taxonomy
        The one that was given, or the flat one of all events of the table.
    """

    names: pd.Index
    is_monitored: Flags
    node: NDArray[np.int32]
    sensitive_code: NDArray[np.int32]
    taxonomy: Taxonomy


def find_monitored(vocabulary: pd.Index, given: Taxonomy | None, request: Request) -> MonitoredEvents:
    """Find the events that a caller named."""
    if not len(vocabulary):
        raise infeasible("the table has no events, so there is nothing to group.")
    names = text_of_names(vocabulary, "event")
    taxonomy = Taxonomy.flat(names) if given is None else given
    is_monitored = _monitored(vocabulary, request)
    node = taxonomy.names.get_indexer(names).astype(np.int32)
    typed = None if request.monitored is None else names
    _check_nodes(node, is_monitored, taxonomy, typed)
    return MonitoredEvents(
        names, is_monitored, node, _sensitive_codes(vocabulary, is_monitored, request), taxonomy
    )


def _monitored(vocabulary: pd.Index, request: Request) -> Flags:
    if request.monitored is None:
        return np.ones(len(vocabulary), bool)
    found, missing = _found(vocabulary, request.monitored)
    if not len(request.monitored):
        warn("no event is monitored, so everything is released as it is.")
    elif not found.any():
        raise refusal(
            f"monitored names {counted(len(request.monitored), 'event')} ({listed(missing)}), but none of "
            "them occurs in the table, so everything would be released as it is. Use the names in the table."
        )
    warn_of_absent(missing, len(request.monitored), "monitored event")
    return found


def _sensitive_codes(vocabulary: pd.Index, is_monitored: Flags, request: Request) -> NDArray[np.int32]:
    codes = np.full(len(vocabulary), -1, np.int32)
    if request.one_in is None:
        return codes
    found = ~is_monitored
    if request.sensitive is not None:
        found, missing = _found(vocabulary, request.sensitive)
        _refuse_both(int((found & is_monitored).sum()))
        if not found.any():
            raise refusal(
                f"sensitive names {counted(len(request.sensitive), 'event')} ({listed(missing)}), but none "
                "of them occurs in the table, so diversity would limit nothing. Use the names in the table, "
                "or leave out diversity."
            )
        warn_of_absent(missing, len(request.sensitive), "sensitive event")
    elif not found.any():
        raise refusal(
            "diversity limits what can be learned about events that are not monitored, but every event of "
            "the table is monitored. Name in monitored only the events that the receivers know."
        )
    codes[found] = np.arange(int(found.sum()), dtype=np.int32)
    return codes


def _found(vocabulary: pd.Index, events: pd.Index) -> tuple[Flags, pd.Index]:
    """Return which events of the table are named, and the names that do not occur in it."""
    codes = find_events(events, vocabulary)
    found = np.zeros(len(vocabulary), bool)
    found[codes[codes >= 0]] = True
    return found, events[codes < 0]


def _refuse_both(n_both: int) -> None:
    if n_both:
        are = "is" if n_both == 1 else "are"
        raise refusal(
            f"{counted(n_both, 'event')} {are} both monitored and sensitive: what receivers know cannot be "
            "kept from them. Name in monitored the events that they know, and leave those out of sensitive."
        )


def _check_nodes(
    node: NDArray[np.int32], is_monitored: Flags, taxonomy: Taxonomy, typed: pd.Index | None
) -> None:
    """Refuse monitored events that are not in the taxonomy; those that the user named are shown."""
    missing, n_monitored = int((node[is_monitored] < 0).sum()), int(is_monitored.sum())
    if missing:
        are = "is" if missing == 1 else "are"
        shown = "" if typed is None else f" ({listed(typed[is_monitored & (node < 0)])})"
        raise refusal(
            f"{missing} of the {counted(n_monitored, 'monitored event')} of the table {are} not in the "
            f"taxonomy{shown}. Add what is missing."
        )
    inner = int((taxonomy.shares[node[node >= 0]] > 0).sum())  # 0 for an event
    if inner:
        are = "is also a category" if inner == 1 else "are also categories"
        raise refusal(
            f"{counted(inner, 'event')} of the table {are} of the taxonomy with other events below, so a "
            "release would be ambiguous. Rename the categories, or put the events below them."
        )
