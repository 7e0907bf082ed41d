"""For ``make test-wheel``: no function of an installed wheel compiles anything, even without a cache."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

HERE = Path(__file__).parents[1]
# What a first call may take more than the next one.
MOST_SECONDS = 2


def first_and_second(name: str) -> None:
    """Call a function twice in this process; print the seconds, and whether numba was loaded."""
    warnings.simplefilter("ignore")
    import pandas as pd

    import pdseqpriv

    if Path(pdseqpriv.__file__).parents[1] == HERE:
        sys.exit("this is not the installed wheel")
    from tests.engines.every_function import CALLS

    rows = [(i, "abcade"[(i * (1 + t % 3) + t) % 6], t) for i in range(300) for t in range(2 + i % 5)]
    table = pd.DataFrame(rows, columns=["seq_id", "event", "time"]).assign(note="x")
    if "xes" in name:  # which holds no other times
        table["time"] = pd.to_datetime(table["time"], unit="s")
    begin = time.perf_counter()
    CALLS[name](table.copy)  # a refusal ends this process
    middle = time.perf_counter()
    CALLS[name](table.copy)
    times = middle - begin, time.perf_counter() - middle
    sys.stdout.write(json.dumps([*times, "numba" in sys.modules]))


def main() -> None:
    """Try all functions, each in a process of its own."""
    sys.path.insert(0, str(HERE))
    from tests.engines.every_function import CALLS

    slow, compiled = [], []
    for name in CALLS:
        with tempfile.TemporaryDirectory() as empty:
            command = [sys.executable, "-P", str(Path(__file__)), name]
            known = {"PATH": "", "NUMBA_CACHE_DIR": empty, "HOME": empty}
            done = subprocess.run(command, env=known, cwd=empty, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name} failed: {done.stderr}")
        first, second, uses_numba = json.loads(done.stdout)
        slow.append((first - second, name))
        compiled += [name] if uses_numba else []
    if compiled:
        sys.exit(f"compiled although the wheel should have it: {', '.join(compiled)}")
    seconds, name = max(slow)
    if seconds > MOST_SECONDS:
        sys.exit(f"the first call of {name} takes {seconds:.2f} s more than the second one")
    told = (
        f"{len(CALLS)} calls, nothing compiled; first calls take up to {seconds:.2f} s more than second ones"
    )
    sys.stdout.write(f"{told} ({name}).\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.path.append(str(HERE))
        first_and_second(sys.argv[1])
    else:
        main()
