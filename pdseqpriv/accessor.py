"""``df.seqpriv``: the public functions as methods. It holds no logic and no state."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import pandas as pd

from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.errors import public
from pdseqpriv.lazy import LazyMethod
from pdseqpriv.sequences.columns import Ties


@pd.api.extensions.register_dataframe_accessor("seqpriv")
class SeqprivAccessor(BoundTable):
    """Privacy for event sequences: every method is the function of the same name in ``pdseqpriv``."""

    describe = LazyMethod("pdseqpriv.audit.describe")
    generalize = LazyMethod("pdseqpriv.generalization.generalize")
    hide = LazyMethod("pdseqpriv.hiding.hide")
    k_anonymize = LazyMethod("pdseqpriv.k_anonymity.k_anonymize")
    mine = LazyMethod("pdseqpriv.mining.mine")
    release_patterns = LazyMethod("pdseqpriv.pattern_release.release_patterns")
    risk = LazyMethod("pdseqpriv.audit.risk")
    sanitize = LazyMethod("pdseqpriv.sanitization.sanitize")
    sweep = LazyMethod("pdseqpriv.audit.sweep")

    @public
    def using(
        self,
        *,
        seq_id: Hashable | None = None,
        event: Hashable | None = None,
        time: Hashable | None = None,
        ties: Ties | None = None,
    ) -> SeqprivAccessor:
        """Say which columns hold the sequences; outputs keep these names.

        Parameters
        ----------
        seq_id, event, time : column names, optional
            Where they differ from "seq_id", "event" and "time".
        ties : {"element", "order"}, optional
            What rows of one sequence with the same time are: one set of simultaneous events (the default),
            or separate events in row order.

        Returns
        -------
        SeqprivAccessor
            The same methods, bound to these names.

        Examples
        --------
        >>> import pandas as pd, pdseqpriv
        >>> clicks = pd.DataFrame({"user": ["x", "x"], "url": ["/", "/buy"], "ts": [1, 2]})
        >>> clicks.seqpriv.using(seq_id="user", event="url", time="ts").describe()["events"]
        2
        """
        given = {"seq_id": seq_id, "event": event, "time": time, "ties": ties}
        columns = replace(self.columns, **{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type]
        return replace(self, columns=columns)

    def __repr__(self) -> str:
        names = ", ".join(f"{role}={getattr(self.columns, role)!r}" for role in ("seq_id", "event", "time"))
        return f"<seqpriv: {names}, ties={self.columns.ties!r}>"
