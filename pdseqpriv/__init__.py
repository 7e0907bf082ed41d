"""Share event sequences from pandas without exposing the people in them.

Importing the package registers ``df.seqpriv``; functions whose first parameter is a table are methods there.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pdseqpriv.accessor import SeqprivAccessor
from pdseqpriv.engines.engine import register_engine
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import FileError, InfeasibleError, PrivacyWarning, SeqPrivError
from pdseqpriv.options import options
from pdseqpriv.verdict import Verdict, ViolatedError
from pdseqpriv.version import __version__

if TYPE_CHECKING:
    from pdseqpriv import datasets
    from pdseqpriv.audit import verify
    from pdseqpriv.audit.compare import compare
    from pdseqpriv.audit.describe import describe
    from pdseqpriv.audit.risk import risk
    from pdseqpriv.audit.sweep import sweep
    from pdseqpriv.files.csv import read_csv, write_csv
    from pdseqpriv.files.parquet import read_parquet, write_parquet
    from pdseqpriv.files.spmf import read_spmf, write_spmf
    from pdseqpriv.files.xes import read_xes
    from pdseqpriv.generalization.generalize import generalize
    from pdseqpriv.hiding.hide import hide
    from pdseqpriv.k_anonymity.k_anonymize import k_anonymize
    from pdseqpriv.mining.mine import mine
    from pdseqpriv.pattern_release.channels import inference_channels
    from pdseqpriv.pattern_release.release_patterns import release_patterns
    from pdseqpriv.patterns.pattern import Pattern
    from pdseqpriv.sanitization import sanitize
    from pdseqpriv.taxonomy.taxonomy import Taxonomy

# Where the names are that load when they are first used.
_MODULES = {
    "Pattern": "patterns.pattern",
    "Taxonomy": "taxonomy.taxonomy",
    "compare": "audit.compare",
    "describe": "audit.describe",
    "generalize": "generalization.generalize",
    "hide": "hiding.hide",
    "inference_channels": "pattern_release.channels",
    "k_anonymize": "k_anonymity.k_anonymize",
    "mine": "mining.mine",
    "read_csv": "files.csv",
    "read_parquet": "files.parquet",
    "read_spmf": "files.spmf",
    "read_xes": "files.xes",
    "release_patterns": "pattern_release.release_patterns",
    "risk": "audit.risk",
    "sanitize": "sanitization.sanitize",
    "sweep": "audit.sweep",
    "write_csv": "files.csv",
    "write_parquet": "files.parquet",
    "write_spmf": "files.spmf",
}

register_engine(Local())

__all__ = [
    "FileError",
    "InfeasibleError",
    "Pattern",
    "PrivacyWarning",
    "SeqPrivError",
    "SeqprivAccessor",
    "Taxonomy",
    "Verdict",
    "ViolatedError",
    "__version__",
    "compare",
    "datasets",
    "describe",
    "generalize",
    "hide",
    "inference_channels",
    "k_anonymize",
    "mine",
    "options",
    "read_csv",
    "read_parquet",
    "read_spmf",
    "read_xes",
    "release_patterns",
    "risk",
    "sanitize",
    "sweep",
    "verify",
    "write_csv",
    "write_parquet",
    "write_spmf",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        value: object = getattr(import_module(f"pdseqpriv.{_MODULES[name]}"), name)
    elif name in ("datasets", "verify"):
        value = import_module("pdseqpriv.datasets" if name == "datasets" else "pdseqpriv.audit.verify")
    else:
        raise AttributeError(f"module 'pdseqpriv' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
