"""Settings for this process, for example ``pdseqpriv.options.progress = False``."""

from __future__ import annotations

from pdseqpriv.errors import wrong_parameter


class Options:
    """What a user may set; a misspelt name is an error.

    Attributes
    ----------
    progress : bool
        Show a progress bar when a call takes more than a second in a terminal or notebook.
    threads : int or None
        How many threads compiled loops may use; None means one per core.
    """

    __slots__ = ("progress", "threads")
    progress: bool
    threads: int | None

    def __init__(self) -> None:
        self.progress = True
        self.threads = None

    def __setattr__(self, name: str, value: object) -> None:
        if name == "progress" and not isinstance(value, bool):
            raise wrong_parameter("options.progress", "True or False", type(value).__name__)
        is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        if name == "threads" and value is not None and not is_count:
            came = str(value) if isinstance(value, int) else type(value).__name__
            raise wrong_parameter("options.threads", "None or an int of at least 1", came)
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"Options(progress={self.progress}, threads={self.threads})"


options = Options()
