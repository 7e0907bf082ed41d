"""Share how often things happen to patients, but not to whom.

A health agency holds drug prescriptions; hospitals hold diagnoses. The agency wants to publish which
sequences of events are frequent, and how frequent.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

import pdseqpriv


def make_histories() -> pd.DataFrame:
    """1,000 patients got drug a, drug b, then condition c, then drug d; one got a and d, but never b."""
    treated = np.repeat(np.arange(1000), 4)
    events = ["drug a", "drug b", "condition c", "drug d"]
    others = np.random.default_rng(1).choice(["drug a", "checkup"], (400, 2))
    return pd.DataFrame(
        {
            "seq_id": [*treated, 1000, 1000, *np.repeat(np.arange(1001, 1401), 2)],
            "event": [*np.tile(events, 1000), "drug a", "drug d", *others.ravel()],
            "time": [*np.tile(np.arange(4), 1000), 0, 1, *np.tile([0, 1], 400)],
        }
    )


def main() -> None:
    df = make_histories()
    patterns = df.seqpriv.mine(0.05)
    print(f"{len(patterns)} patterns are in at least 5 % of the histories. Each of them covers many people:")
    print(patterns.head(3).to_string(index=False))

    print("\nBut two supports together can reveal a single person, or make a diagnosis certain:")
    channels = pdseqpriv.inference_channels(patterns, k=5, alpha=0.95)
    pairs = channels.set_index(["channel", "pattern", "longer"])
    person = pairs.loc[("k", ("drug a", "drug d"), ("drug a", "drug b", "drug d"))]
    print(f"- Exactly {person['inferred_support']:.0f} had drug a, then drug d, without drug b in between.")
    everything = ("drug a", "drug b", "condition c", "drug d")
    diagnosis = pairs.loc[("alpha", ("drug a", "drug b", "drug d"), everything)]
    print(f"- {diagnosis['confidence']:.0%} of those who had drugs a, b and d have condition c.")

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        released = df.seqpriv.release_patterns(0.05, k=5, alpha=0.95)
    print("", *(one.message for one in told), sep="\n")
    verdict = pdseqpriv.verify.are_patterns_safe(released, k=5, alpha=0.95)
    print(f"\nAfter release_patterns(k=5, alpha=0.95) the independent check says:\n{verdict}")
    print(pdseqpriv.compare(patterns, released)[["measure", "value"]].to_string(index=False))


if __name__ == "__main__":
    main()
