"""How values look in a notebook: small pieces of HTML, everything escaped, in the colours of the page around.

Elsewhere, and in notebooks without HTML, the plain text of ``repr`` is shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_BAR = "border-left: .3em solid {colour}; padding: .2em .6em; margin: .2em 0"
# Both can be told apart by people with any kind of colour vision; the words say it, too.
_GOOD, _BAD = "#0072b2", "#d55e00"


def judged(*, holds: bool, text: str, before: str = "") -> str:
    """Show whether something holds, and what was found.

    Examples
    --------
    >>> judged(holds=True, text="1 < 2")
    '<div style="border-left: .3em solid #0072b2; ...margin: .2em 0"><b>✓ holds</b> 1 &lt; 2</div>'
    """
    look = _BAR.format(colour=_GOOD if holds else _BAD)
    words = "✓ holds" if holds else "✗ does not hold"
    return f'<div style="{look}">{escape(before)}<b>{words}</b> {escape(text)}</div>'


def table(rows: Iterable[tuple[object, object]]) -> str:
    """Show names and values, one pair in each row."""
    lines = [
        f'<tr><th scope="row" style="text-align: left">{escape(str(name))}</th>'
        f'<td style="text-align: right">{escape(str(value))}</td></tr>'
        for name, value in rows
    ]
    return f"<table>{''.join(lines)}</table>"


def list_of_items(title: str, items: Iterable[str]) -> str:
    """Show a numbered list under a title."""
    lines = "".join(f"<li><code>{escape(one)}</code></li>" for one in items)
    return f"<div><b>{escape(title)}</b><ol>{lines}</ol></div>"
