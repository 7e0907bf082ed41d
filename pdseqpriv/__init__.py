"""Share event sequences from pandas without exposing the people in them.

Importing the package registers ``df.seqpriv``, which has every function that takes a table first as a method.
It loads neither pandas nor anything else that takes time: that happens when a function is first used.
"""

from importlib import import_module

from pdseqpriv.errors import BrokenOutputError, FileError, InfeasibleError, PrivacyWarning, SeqPrivError
from pdseqpriv.namespaces import offer
from pdseqpriv.options import options
from pdseqpriv.version import __version__

# Every name is written once, with the module that it is loaded from when it is first used; editors read
# the stubs that `make stubs` writes from here. These are also methods of df.seqpriv:
_METHODS = {
    "describe": "audit.describe",
    "find": "audit.find",
    "generalize": "generalization.generalize",
    "hide": "hiding.hide",
    "k_anonymize": "k_anonymity.k_anonymize",
    "mine": "mining.mine",
    "release_patterns": "pattern_release.release_patterns",
    "risk": "audit.risk",
    "sanitize": "sanitization.sanitize",
    "sweep": "audit.sweep",
}
_OTHERS = {
    "Pattern": "patterns.pattern",
    "Pipeline": "pipeline.pipeline",
    "SeqprivAccessor": "accessor",
    "Taxonomy": "taxonomy.taxonomy",
    "Verdict": "verdict",
    "ViolatedError": "verdict",
    "changes": "audit.changes",
    "compare": "audit.compare",
    "inference_channels": "pattern_release.channels",
    "read_csv": "files.csv",
    "read_parquet": "files.parquet",
    "read_spmf": "files.spmf",
    "read_xes": "files.xes",
    "report": "reporting.report",
    "scan_parquet": "files.scan",
    "using": "accessor",
    "write_csv": "files.csv",
    "write_parquet": "files.parquet",
    "write_spmf": "files.spmf",
    "write_xes": "files.write_xes",
}
_MODULES = {
    "datasets": "datasets",
    "plot": "plotting.plot",
    "schemas": "schemas",
    "verify": "audit.verify",
}

__all__ = [  # noqa: PLE0604 (names that load late are written above)
    "BrokenOutputError",
    "FileError",
    "InfeasibleError",
    "PrivacyWarning",
    "SeqPrivError",
    "__version__",
    "options",
    *_METHODS,
    *_OTHERS,
    *_MODULES,
]

offer(_METHODS)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        value: object = import_module(f"pdseqpriv.{_MODULES[name]}")
    elif module := (_METHODS | _OTHERS).get(name):
        value = getattr(import_module(f"pdseqpriv.{module}"), name)
    else:
        raise AttributeError(f"module 'pdseqpriv' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
