# Written by `make stubs` from the names in __init__.py.

from pdseqpriv.audit.describe import describe as _describe
from pdseqpriv.audit.find import find as _find
from pdseqpriv.audit.risk import risk as _risk
from pdseqpriv.audit.sweep import sweep as _sweep
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.generalization.generalize import generalize as _generalize
from pdseqpriv.hiding.hide import hide as _hide
from pdseqpriv.k_anonymity.k_anonymize import k_anonymize as _k_anonymize
from pdseqpriv.mining.mine import mine as _mine
from pdseqpriv.pattern_release.release_patterns import release_patterns as _release_patterns
from pdseqpriv.sanitization.sanitize import sanitize as _sanitize

class Methods(BoundTable):
    describe = _describe
    find = _find
    generalize = _generalize
    hide = _hide
    k_anonymize = _k_anonymize
    mine = _mine
    release_patterns = _release_patterns
    risk = _risk
    sanitize = _sanitize
    sweep = _sweep
