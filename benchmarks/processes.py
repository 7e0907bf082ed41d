"""What all processes of a run take together: time, CPU and memory."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from typing import NamedTuple

import psutil

LOOK = 0.05  # seconds between two looks at the processes


class Seen(NamedTuple):
    """What all processes of a run took together."""

    wall: float
    cpu: float
    largest: list[float]  # MB, of the processes that held most
    together: float


def watched(module: str, *arguments: str) -> Seen:
    """Run a module in processes of its own, and look at all of them until they end."""
    began = time.perf_counter()
    cpu: dict[int, float] = {}
    most: dict[int, float] = {}
    together = 0.0
    with subprocess.Popen([sys.executable, "-m", module, "--one", *arguments]) as run:
        top = psutil.Process(run.pid)
        while run.poll() is None:
            sizes = {}
            with contextlib.suppress(psutil.NoSuchProcess):
                for process in [top, *top.children(recursive=True)]:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        cpu[process.pid] = sum(process.cpu_times()[:2])
                        sizes[process.pid] = process.memory_info().rss / 1e6
            together = max(together, sum(sizes.values()))
            most |= {pid: max(size, most.get(pid, 0.0)) for pid, size in sizes.items()}
            time.sleep(LOOK)
    if run.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed")
    return Seen(time.perf_counter() - began, sum(cpu.values()), sorted(most.values())[::-1][:4], together)
