"""Names from the data as people can read them, in plots, pages and notebooks."""

from __future__ import annotations

import unicodedata

LONGEST = 32
MARKED = "(marked)"
# Kinds of characters that are not seen, or that change how others are seen: control and format characters
# (those that turn the direction of writing are among them), halves of pairs, private and unassigned ones.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
ARROW = " → "
_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"


def short_name(name: object, longest: int = LONGEST) -> str:
    r"""Return a name on one line, without characters that cannot be seen, cut where it is too long.

    Examples
    --------
    >>> short_name("icu"), short_name(7), short_name(None)
    ('icu', '7', '(marked)')
    >>> short_name("two\nlines"), short_name("x" * 100, longest=5)
    ('two lines', 'xxxx…')
    """
    if name is None or name != name:  # noqa: PLR0124 (NaN)
        return MARKED
    text = str(name)[: 4 * longest]  # a name may be a whole book
    seen = "".join(" " if unicodedata.category(one) in _UNSEEN else one for one in text)
    seen = " ".join(seen.split()) or "(blank)"
    return _arrows_to_the_right(seen if len(seen) <= longest else f"{seen[: longest - 1].rstrip()}…")


def _arrows_to_the_right(text: str) -> str:
    """Keep names in the order in which the arrows between them point, also if letters run to the left."""
    if ARROW not in text or not any(unicodedata.bidirectional(one) in {"R", "AL"} for one in text):
        return text
    return _LEFT_TO_RIGHT + text.replace(ARROW, f"{_LEFT_TO_RIGHT}{ARROW}{_LEFT_TO_RIGHT}")
