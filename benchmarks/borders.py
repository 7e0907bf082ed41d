"""How many modules of the package one call visits, and how many of their borders it crosses.

``python -m benchmarks.borders [name ...]``; for the calls that are named, it lists each crossing as well.

A border is crossed when a Python function of one module is called and the nearest function of the package
further up the stack is another module's. The call is warm: everything is imported and compiled. Compiled
code is not seen, nor is what other threads do; what Python's import asks of us is no call of ours.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

import pdseqpriv


@dataclass
class Trace:
    """What one call did: the modules it visited, and who called whom across a border how often."""

    package: str
    modules: set[str] = field(default_factory=set)
    crossings: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def see(self, frame: FrameType, event: str, _: object) -> None:
        """Note one call, as ``sys.setprofile`` tells it."""
        module = self._module_of(frame)
        if event != "call" or module is None or _is_import(frame.f_back):
            return
        self.modules.add(module)
        caller = self._nearest_caller(frame)
        if caller is not None and caller != module:
            self.crossings[caller, module, frame.f_code.co_qualname] += 1

    def _module_of(self, frame: FrameType) -> str | None:
        name = str(frame.f_globals.get("__name__", ""))
        return name if name.startswith(self.package) else None

    def _nearest_caller(self, frame: FrameType) -> str | None:
        above = frame.f_back
        while above is not None and self._module_of(above) is None:
            above = above.f_back
        return None if above is None else self._module_of(above)


def _is_import(caller: FrameType | None) -> bool:
    return caller is not None and caller.f_code.co_filename.startswith("<frozen importlib")


def trace(call: Callable[[], object], package: str = "pdseqpriv") -> Trace:
    """Call twice to warm up, and watch the third call."""
    call()
    call()
    found = Trace(package)
    sys.setprofile(found.see)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def calls() -> dict[str, Callable[[], object]]:
    """Return one call of each operation on a small generated table."""
    df = pdseqpriv.datasets.make_clickstream(300, seed=1)
    released = df.seqpriv.k_anonymize(3)
    pages = list(df["event"][:2])
    return {
        "generalize": lambda: df.seqpriv.generalize(k=3, method="partition"),
        "hide": lambda: df.seqpriv.hide([pages]),
        "k_anonymize": lambda: df.seqpriv.k_anonymize(3),
        "compare": lambda: pdseqpriv.compare(df, released),
        "compare_patterns": lambda: pdseqpriv.compare(df, released, min_support=20, delta=0.3),
        "sanitize": lambda: df.seqpriv.sanitize(0.3, events=pages),
        "mine": lambda: df.seqpriv.mine(20),
        "release_patterns": lambda: df.seqpriv.release_patterns(20, k=5, alpha=0.95),
        "risk": lambda: df.seqpriv.risk(2),
        "describe": df.seqpriv.describe,
        "is_k_anonymous": lambda: pdseqpriv.verify.is_k_anonymous(df, released, 3),
        "is_hidden": lambda: pdseqpriv.verify.is_hidden(released, [pages]),
        "is_sanitized": lambda: pdseqpriv.verify.is_sanitized(released, 0.3, events=pages),
    }


def main(named: list[str]) -> None:
    """Print a line for each call, and the crossings of those that are named."""
    warnings.simplefilter("ignore")
    print(f"{'call':18}{'modules':>8}{'borders':>8}")
    for name, call in calls().items():
        found = trace(call)
        print(f"{name:18}{len(found.modules):8}{found.crossings.total():8}")
        for (caller, module, function), times in found.crossings.most_common() if name in named else []:
            print(f"{times:8} {caller} -> {module}: {function}")


if __name__ == "__main__":
    main(sys.argv[1:])
