"""Independent checks, one per guarantee.

Each shares no algorithm with the operation that it checks and returns a :class:`~pdseqpriv.Verdict`.
"""
