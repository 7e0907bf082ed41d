"""Share event sequences from pandas without exposing the people in them.

Importing the package registers ``df.seqpriv``; functions whose first parameter is a table are methods there.
"""

from pdseqpriv import datasets
from pdseqpriv.accessor import SeqprivAccessor
from pdseqpriv.audit import verify
from pdseqpriv.audit.channels import inference_channels
from pdseqpriv.audit.compare import compare
from pdseqpriv.audit.describe import describe
from pdseqpriv.audit.risk import risk
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import FileError, InfeasibleError, PrivacyWarning, SeqPrivError
from pdseqpriv.files.csv import read_csv, write_csv
from pdseqpriv.files.parquet import read_parquet, write_parquet
from pdseqpriv.files.spmf import read_spmf, write_spmf
from pdseqpriv.files.xes import read_xes
from pdseqpriv.operations.hide import hide
from pdseqpriv.operations.k_anonymize import k_anonymize
from pdseqpriv.operations.mine import mine
from pdseqpriv.operations.release_patterns import release_patterns
from pdseqpriv.operations.sanitize import sanitize
from pdseqpriv.options import options
from pdseqpriv.table.bound import register_engine
from pdseqpriv.values.pattern import Pattern
from pdseqpriv.values.verdict import Verdict, ViolatedError
from pdseqpriv.version import __version__

register_engine(Local())

__all__ = [
    "FileError",
    "InfeasibleError",
    "Pattern",
    "PrivacyWarning",
    "SeqPrivError",
    "SeqprivAccessor",
    "Verdict",
    "ViolatedError",
    "__version__",
    "compare",
    "datasets",
    "describe",
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
    "verify",
    "write_csv",
    "write_parquet",
    "write_spmf",
]
