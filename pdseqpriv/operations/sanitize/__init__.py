"""Keep sensitive events below a relative frequency in every prefix."""

from pdseqpriv.operations.sanitize.sanitize import sanitize

__all__ = ["sanitize"]
