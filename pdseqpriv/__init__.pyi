# Written by `make stubs` from the names in __init__.py.

from pdseqpriv import datasets as datasets
from pdseqpriv import schemas as schemas
from pdseqpriv.accessor import SeqprivAccessor as SeqprivAccessor
from pdseqpriv.accessor import using as using
from pdseqpriv.audit import verify as verify
from pdseqpriv.audit.changes import changes as changes
from pdseqpriv.audit.compare import compare as compare
from pdseqpriv.audit.describe import describe as describe
from pdseqpriv.audit.find import find as find
from pdseqpriv.audit.risk import risk as risk
from pdseqpriv.audit.sweep import sweep as sweep
from pdseqpriv.errors import BrokenOutputError as BrokenOutputError
from pdseqpriv.errors import FileError as FileError
from pdseqpriv.errors import InfeasibleError as InfeasibleError
from pdseqpriv.errors import PrivacyWarning as PrivacyWarning
from pdseqpriv.errors import SeqPrivError as SeqPrivError
from pdseqpriv.files.csv import read_csv as read_csv
from pdseqpriv.files.csv import write_csv as write_csv
from pdseqpriv.files.parquet import read_parquet as read_parquet
from pdseqpriv.files.parquet import write_parquet as write_parquet
from pdseqpriv.files.scan import scan_parquet as scan_parquet
from pdseqpriv.files.spmf import read_spmf as read_spmf
from pdseqpriv.files.spmf import write_spmf as write_spmf
from pdseqpriv.files.write_xes import write_xes as write_xes
from pdseqpriv.files.xes import read_xes as read_xes
from pdseqpriv.generalization.generalize import generalize as generalize
from pdseqpriv.hiding.hide import hide as hide
from pdseqpriv.k_anonymity.k_anonymize import k_anonymize as k_anonymize
from pdseqpriv.mining.mine import mine as mine
from pdseqpriv.options import options as options
from pdseqpriv.pattern_release.channels import inference_channels as inference_channels
from pdseqpriv.pattern_release.release_patterns import release_patterns as release_patterns
from pdseqpriv.patterns.pattern import Pattern as Pattern
from pdseqpriv.pipeline.pipeline import Pipeline as Pipeline
from pdseqpriv.plotting import plot as plot
from pdseqpriv.reporting.report import report as report
from pdseqpriv.sanitization.sanitize import sanitize as sanitize
from pdseqpriv.taxonomy.taxonomy import Taxonomy as Taxonomy
from pdseqpriv.verdict import Verdict as Verdict
from pdseqpriv.verdict import ViolatedError as ViolatedError
from pdseqpriv.version import __version__ as __version__

__all__ = [
    "BrokenOutputError",
    "FileError",
    "InfeasibleError",
    "Pattern",
    "Pipeline",
    "PrivacyWarning",
    "SeqPrivError",
    "SeqprivAccessor",
    "Taxonomy",
    "Verdict",
    "ViolatedError",
    "__version__",
    "changes",
    "compare",
    "datasets",
    "describe",
    "find",
    "generalize",
    "hide",
    "inference_channels",
    "k_anonymize",
    "mine",
    "options",
    "plot",
    "read_csv",
    "read_parquet",
    "read_spmf",
    "read_xes",
    "release_patterns",
    "report",
    "risk",
    "sanitize",
    "scan_parquet",
    "schemas",
    "sweep",
    "using",
    "verify",
    "write_csv",
    "write_parquet",
    "write_spmf",
    "write_xes",
]
