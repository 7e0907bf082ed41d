"""XES, the event log format of process mining: read as a stream, with entities refused."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import IO, cast
from xml.parsers import expat

import pandas as pd

from pdseqpriv.errors import SeqPrivError, counted, in_our_words, public, unreadable, warn, wrong_parameter
from pdseqpriv.files.iso8601 import read_datetimes
from pdseqpriv.parameters import whole_number
from pdseqpriv.paths import MAX_ROWS, PathLike, path_of, reading

NAME, TIME = "concept:name", "time:timestamp"
CASE = "case:"  # comes before the names of attributes of whole traces
MAX_ATTRIBUTE = 1 << 20
_TAKEN = frozenset({"seq_id", "event", "time", NAME, TIME, CASE + NAME})
_VALUES = frozenset({"string", "date", "int", "float", "boolean", "id"})
_TRACE, _EVENT = ["log", "trace"], ["log", "trace", "event"]
_ROWS_PER_CHUNK = 100_000
_BYTES_PER_READ = 1 << 18


@public
def read_xes(
    path: PathLike,
    *,
    attributes: tuple[str, ...] = (),
    max_rows: int = MAX_ROWS,
    max_attribute: int = MAX_ATTRIBUTE,
) -> pd.DataFrame:
    """Read an event log from an ``.xes`` or ``.xes.gz`` file.

    Each trace is a sequence: its ``concept:name`` becomes ``seq_id``, the events' ``concept:name`` becomes
    ``event`` and their ``time:timestamp`` becomes ``time``, in UTC if the file gives time zones. Traces with
    the same name form one sequence. The file is read as a stream: apart from the rows, no more than one trace
    is held in memory.

    Parameters
    ----------
    path : path of a local file
    attributes : tuple of str, optional
        Other attributes to read into text columns, such as ``"org:resource"``. Those of the whole trace are
        called ``"case:..."``, such as ``"case:AMOUNT_REQ"``.
    max_rows, max_attribute : int
        More events, or longer pieces of XML (in bytes, such as one attribute), are refused as soon as they
        are seen: a small compressed file can hold more than fits into memory.

    Returns
    -------
    pandas.DataFrame
        ``seq_id``, ``event``, ``time`` and the attributes asked for.

    Warns
    -----
    PrivacyWarning
        When no event has an attribute that was asked for.

    Notes
    -----
    **Guarantee**: a file that declares entities or other document types is refused before anything is
    expanded or fetched. Damaged XML raises an error with a line number; no partial result is returned.

    **Not protected**: reading a table does not make it private.

    Examples
    --------
    >>> import pdseqpriv, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.xes"
    >>> _ = path.write_text('''<log><trace><string key="concept:name" value="case 1"/>
    ...   <event><string key="concept:name" value="register"/>
    ...     <date key="time:timestamp" value="2024-05-01T10:00:00+02:00"/></event></trace></log>''')
    >>> pdseqpriv.read_xes(path)
       seq_id     event                      time
    0  case 1  register 2024-05-01 08:00:00+00:00
    """
    from pdseqpriv.schemas import validate

    wanted = _checked(attributes)
    source = path_of(path)
    limits = (
        whole_number("max_rows", max_rows, least=1),
        whole_number("max_attribute", max_attribute, least=1),
    )
    reader = _Reader(source, wanted, *limits)
    with reading(source), _opened(source) as stream:
        reader.read(stream)
    frame = reader.frame()
    validate(frame, "sequences")
    absent = [name for name in wanted if frame[name].isna().all()] if len(frame) else []
    if absent:
        names = ", ".join(repr(name) for name in absent)
        warn(f"no event has the attribute {names}. Those of whole traces are called {CASE + '...'!r}.")
    return frame


def _checked(attributes: tuple[str, ...]) -> tuple[str, ...]:
    must = "a tuple of different attribute names"
    names = tuple(attributes) if isinstance(attributes, tuple | list) else (None,)
    if not all(isinstance(name, str) for name in names):
        raise wrong_parameter("attributes", must, type(attributes).__name__)
    for place, name in enumerate(names):
        if name in _TAKEN:
            raise wrong_parameter("attributes", must, repr(name), "It is a column of the result already.")
        if name in names[:place]:
            raise wrong_parameter("attributes", must, f"{name!r} twice")
    return names


def _opened(source: Path) -> IO[bytes]:
    if source.name.endswith(".gz"):
        return cast("IO[bytes]", gzip.open(source, "rb"))
    return source.open("rb")


class _Reader:
    """Receives the parser's events and collects one column per attribute."""

    def __init__(self, source: Path, attributes: tuple[str, ...], max_rows: int, max_attribute: int) -> None:
        self._source = source
        self._max_rows, self._max_attribute = max_rows, max_attribute
        self._n_rows = 0
        self._wanted = (NAME, TIME, *attributes)
        self._of_case: dict[str, str] = {}
        self._path: list[str] = []  # the tags that are open
        self._case: str | None = None
        self._event: dict[str, str] = {}
        self._trace: list[tuple[str | None, ...]] = []
        self._rows: list[tuple[str | None, ...]] = []
        self._chunks: list[pd.DataFrame] = []
        self._unnamed_traces = 0
        self._stray_events = 0

    def read(self, stream: IO[bytes]) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse
        try:
            n_read = 0
            while block := stream.read(_BYTES_PER_READ):
                parser.Parse(block)
                n_read += len(block)
                # Until a piece is complete, the parser reads it from its beginning again and again.
                if n_read - parser.CurrentByteIndex > self._max_attribute + _BYTES_PER_READ:
                    raise self._too_much(
                        "a piece of XML is longer than", "max_attribute", self._max_attribute
                    )
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._damaged(f"it is not well-formed XML at line {error.lineno}") from None
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise self._damaged("its compression is damaged or cut off") from None
        except (LookupError, UnicodeError, ValueError) as error:
            if isinstance(error, SeqPrivError):
                raise
            raise self._damaged("it names an encoding that XML parsers do not know") from None

    def frame(self) -> pd.DataFrame:
        self._pack()
        if self._unnamed_traces:
            raise self._damaged(
                f"{NAME} is missing from {counted(self._unnamed_traces, 'trace')} with events"
            )
        if self._stray_events:
            raise self._damaged(f"it has {counted(self._stray_events, 'event')} outside of traces")
        names = ["seq_id", "event", "time", *self._wanted[2:]]
        if not self._chunks:
            return pd.DataFrame({name: pd.Series(dtype="str") for name in names}).assign(
                time=pd.Series(dtype="datetime64[us, UTC]")
            )
        return pd.concat(self._chunks, ignore_index=True)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]  # with or without a namespace prefix
        path = self._path
        if tag in _VALUES:
            # Only direct children count: events may hold nested attributes, logs hold defaults.
            key = attributes.get("key", "")
            if path == _EVENT and key in self._wanted:
                self._event[key] = attributes.get("value", "")
            elif path == _TRACE and key == NAME:
                self._case = attributes.get("value")
            elif path == _TRACE and CASE + key in self._wanted:
                self._of_case[CASE + key] = attributes.get("value", "")
        elif not path and tag != "log":
            raise self._damaged("it is XML, but not an event log")
        elif tag == "event":
            self._event = {}
            self._stray_events += path == ["log"]
        path.append(tag)

    def _end(self, _: str) -> None:
        if self._path == _EVENT:
            self._n_rows += 1
            if self._n_rows > self._max_rows:
                raise self._too_much("it has more events than", "max_rows", self._max_rows)
            self._trace.append(tuple(map(self._event.get, self._wanted)))
        elif self._path == _TRACE:
            self._end_trace()
        self._path.pop()

    def _end_trace(self) -> None:
        if self._trace and self._case is None:
            self._unnamed_traces += 1
        self._rows.extend([(self._case, *self._filled(values)) for values in self._trace])
        self._case, self._trace, self._of_case = None, [], {}
        if len(self._rows) >= _ROWS_PER_CHUNK:
            self._pack()

    def _filled(self, values: tuple[str | None, ...]) -> tuple[str | None, ...]:
        """Fill in what is said of the whole trace, which may come after its events."""
        if not self._of_case:
            return values
        return tuple(self._of_case.get(name, value) for name, value in zip(self._wanted, values, strict=True))

    def _pack(self) -> None:
        """Turn collected rows into columns, which take a tenth of the memory."""
        if not self._rows:
            return
        names = ["seq_id", "event", "time", *self._wanted[2:]]
        chunk = pd.DataFrame(self._rows, columns=names, dtype="str")
        self._rows = []
        for name, what in (("event", NAME), ("time", TIME)):
            missing = int(chunk[name].isna().sum())
            if missing:
                raise self._damaged(f"{what} is missing from {counted(missing, 'event')}")
        why = f"some events have a {TIME} that is not an ISO 8601 datetime, or only some have a time zone"
        with in_our_words(self._damaged(why)):
            times = read_datetimes(chunk["time"])
            if self._chunks and (times.dt.tz is None) != (self._chunks[0]["time"].dt.tz is None):
                raise ValueError(why)
            chunk["time"] = times
        self._chunks.append(chunk)

    def _refuse(self, *_: object) -> None:
        raise self._damaged("it declares a document type, which could hide entities; no event log needs one")

    def _too_much(self, what: str, limit: str, most: int) -> SeqPrivError:
        do = f"If you trust the file, read it with a larger {limit}."
        return unreadable(self._source, f"{what} {limit}={most}", do)

    def _damaged(self, why: str) -> SeqPrivError:
        return unreadable(self._source, why)
