"""What went wrong on Spark's workers, in a sentence that says what to do."""

from __future__ import annotations

import re

_SAME = "Set PYSPARK_PYTHON to a Python with pdseqpriv, of the version that runs here, before Spark starts."
# What Spark says, and what that means.
_WORDS = {
    "PYTHON_VERSION_MISMATCH|has different version": f"Spark's workers run another Python. {_SAME}",
    "Cannot run program": f"Spark found no Python to start on its workers. {_SAME}",
    "No module named '?(pdseqpriv|pyarrow|pandas|numpy|numba|pandera)|PACKAGE_NOT_INSTALLED": (
        f"Spark's workers have no pdseqpriv, or not all that it needs. {_SAME}"
    ),
    "maxResultSize": (
        "what was found in the parts is larger than spark.driver.maxResultSize. Raise it if there is memory."
    ),
    "Checkpoint block": (
        "Spark lost rows that it had kept, as a rule because a worker was lost. Call the function again."
    ),
    "OutOfMemoryError|exited unexpectedly|SparkOutOfMemory|ExecutorLostFailure": (
        "Spark's workers were lost, as a rule because they have too little memory. Give them more, or make "
        "the parts smaller: raise spark.sql.shuffle.partitions."
    ),
    "UNSUPPORTED_DATA_TYPE|UNSUPPORTED_ARROW": (
        "a column has a type that Spark cannot send as Arrow. Cast it, or drop it."
    ),
}

# What a function of ours said on a worker, at the end of what Python wrote there.
_OURS = re.compile(r"^pdseqpriv\.errors\.\w+: ([a-z_]+: .+)$", re.MULTILINE)


def words_for(error: Exception) -> str:
    """Return a sentence for an error of Spark's, which quotes nothing of it but a sentence of ours.

    Examples
    --------
    >>> words_for(RuntimeError("java.lang.OutOfMemoryError: Java heap space"))[:29]
    "Spark's workers were lost, as"
    """
    text = str(error)
    ours = _OURS.search(text)
    if ours is not None:
        return ours[1]
    for said, words in _WORDS.items():
        if re.search(said, text):
            return words
    name = type(error).__name__
    return f"Spark could not compute the table ({name}). Try sdf.count() to see what is wrong with it."
