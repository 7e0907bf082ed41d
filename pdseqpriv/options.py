"""Settings of this process: ``pdseqpriv.options.progress = False``."""

from __future__ import annotations

from pdseqpriv.errors import wrong_parameter


class Options:
    """What a user may switch; a misspelt name is an error.

    Attributes
    ----------
    progress : bool
        Show a progress bar when a call takes over a second in a terminal or notebook.
    threads : int or None
        How many threads compiled loops may use; None means one per core.
    """

    __slots__ = ("_progress", "_threads")

    def __init__(self) -> None:
        self._progress = True
        self._threads: int | None = None

    @property
    def progress(self) -> bool:
        """Whether long calls show a progress bar."""
        return self._progress

    @progress.setter
    def progress(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise wrong_parameter("options.progress", "True or False", type(value).__name__)
        self._progress = value

    @property
    def threads(self) -> int | None:
        """How many threads compiled loops may use."""
        return self._threads

    @threads.setter
    def threads(self, value: int | None) -> None:
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            came = str(value) if isinstance(value, int) else type(value).__name__
            raise wrong_parameter("options.threads", "None or an int of at least 1", came)
        self._threads = value

    def __repr__(self) -> str:
        return f"Options(progress={self._progress}, threads={self._threads})"


options = Options()
