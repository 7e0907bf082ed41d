"""Independent checks, one per guarantee, and one for several releases.

Each shares no algorithm with the operation that it checks and returns a :class:`~pdseqpriv.Verdict`.
"""

from pdseqpriv.audit.compatible import are_compatible
from pdseqpriv.generalization.verify import is_generalized
from pdseqpriv.hiding.verify import is_hidden
from pdseqpriv.k_anonymity.verify import is_k_anonymous
from pdseqpriv.pattern_release.verify import are_patterns_safe
from pdseqpriv.sanitization.verify import is_sanitized

__all__ = [
    "are_compatible",
    "are_patterns_safe",
    "is_generalized",
    "is_hidden",
    "is_k_anonymous",
    "is_sanitized",
]
