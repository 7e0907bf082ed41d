"""Whether sequences contain lists in order: every match needs that, and without constraints no more."""

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.hiding.kernels.fitting import FIRST_REQUIRED, FIRST_STEP, LAST_REQUIRED, LAST_STEP, Automata


@compiled
def holds_in_order(
    codes: Array, offsets: Array, numbers: Array, chosen: Array, automata: Automata, p: int
) -> Array:
    """Return, for every chosen sequence, whether it contains the elements of list p in order."""
    first, last = automata.patterns[p, FIRST_STEP], automata.patterns[p, LAST_STEP]
    steps, required = automata.steps, automata.required
    found = np.zeros(len(chosen), np.bool_)
    for i in range(len(chosen)):
        t, row, end = first, offsets[chosen[i]], offsets[chosen[i] + 1]
        while row < end and t < last:
            stop = row + 1
            while stop < end and numbers[stop] == numbers[row]:
                stop += 1
            missing = 0
            for want in range(steps[t, FIRST_REQUIRED], steps[t, LAST_REQUIRED]):
                missing += 1
                for place in range(row, stop):
                    if codes[place] == required[want]:
                        missing -= 1
                        break
            t += missing == 0
            row = stop
        found[i] = t == last
    return found
