"""The page as a template: the only place that knows jinja2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pdseqpriv.errors import refusal
from pdseqpriv.short_names import short_name

_LONGEST = 1_000  # letters of what a check found, which may name columns
_TEMPLATE = Path(__file__).with_name("page.html")


def page_template() -> Any:  # noqa: ANN401 (of jinja2, which may be missing)
    """Return the template; everything is escaped, except for drawings, which have escaped their names."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise refusal(
            "jinja2 is needed to write a report, and it is not installed: pip install 'pdseqpriv[report]'."
        ) from None
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["short"] = lambda text: short_name(text, _LONGEST)
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
