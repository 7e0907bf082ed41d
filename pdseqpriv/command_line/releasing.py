"""What all commands that release something share: options, checks, the run, and writing all or nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from pdseqpriv.command_line import arguments as o
from pdseqpriv.command_line.manifest import files_in, hash_of, manifest_of
from pdseqpriv.command_line.outputs import check_file_names, check_outputs, file_of
from pdseqpriv.command_line.tables import STANDARD, check_input, read_table, write_table
from pdseqpriv.command_line.use import WrongUseError, of_the_user, say, say_json, tell

_EMPTY = inspect.Parameter.empty
_AUDIENCES = ("public", "owner")


class Asked(NamedTuple):
    """What all these commands are asked."""

    seq_id: o.SeqId = None
    event: o.EventName = None
    time: o.TimeName = None
    person: o.Person = None
    ties: o.Ties = None
    key: o.KeyOut = None
    manifest: o.ManifestOut = None
    report: o.ReportOut = None
    report_for: o.ReportFor = None
    hash_input: o.HashInput = False
    force: o.Force = False
    dry_run: o.DryRun = False
    as_json: o.Json = False
    quiet: o.Quiet = False
    inline: o.Inline = False

    @property
    def names(self) -> dict[str, Any]:
        """The names of the columns that were given."""
        return names_in(self)


def names_in(asked: Any) -> dict[str, Any]:  # noqa: ANN401 (any of the shared options)
    """Return the names of the columns that were given."""
    roles = ("seq_id", "event", "time", "person", "ties")
    return {role: getattr(asked, role) for role in roles if getattr(asked, role) is not None}


def with_options(shared: type, **first: Any) -> Callable[[Callable[..., Any]], Callable[..., None]]:  # noqa: ANN401 (types)
    """Give a command its arguments, which may have a default, and as one value options that several share."""
    hints = get_type_hints(shared, include_extras=True)
    defaults = shared._field_defaults  # type: ignore[attr-defined]
    arguments = {name: one if isinstance(one, tuple) else (one, _EMPTY) for name, one in first.items()}

    def decorate(function: Callable[..., Any]) -> Callable[..., None]:
        own = get_type_hints(function, include_extras=True)
        signature = inspect.signature(function).parameters
        options = {name: (own[name], signature[name].default) for name in signature if name not in first}
        options.pop("asked")
        options |= {name: (hint, defaults[name]) for name, hint in hints.items()}

        def command(**typed: Any) -> None:  # noqa: ANN401 (as declared)
            asked = shared(**{name: typed.pop(name) for name in hints})
            function(**typed, asked=asked)

        return _declared(command, function, arguments, options)

    return decorate


def _declared(
    command: Any,  # noqa: ANN401 (a function)
    function: Callable[..., Any],
    arguments: dict[str, tuple[Any, Any]],
    options: dict[str, tuple[Any, Any]],
) -> Callable[..., None]:
    """Let a function look as if its parameters were written out."""
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    kinds = [(arguments, inspect.Parameter.POSITIONAL_OR_KEYWORD), (options, inspect.Parameter.KEYWORD_ONLY)]
    parameters = [
        inspect.Parameter(name, kind, default=default, annotation=annotation)
        for declared, kind in kinds
        for name, (annotation, default) in declared.items()
    ]
    command.__signature__ = inspect.Signature(parameters)
    command.__annotations__ = {name: annotation for name, (annotation, _) in (arguments | options).items()}
    made: Callable[..., None] = command
    return made


releasing = with_options(Asked, source=o.In, out=o.Out)


def run_operation(operation: str, parameters: dict[str, Any], source: str, out: str, asked: Asked) -> None:
    """Run one operation on a file, and write what comes out."""
    from pdseqpriv.pipeline.pipeline import Pipeline

    _check(source, out, asked, [])
    run_and_write(getattr(Pipeline(**asked.names), operation)(**parameters), source, out, asked)


def _check(source: str, out: str, asked: Asked, others: list[str]) -> None:
    outputs = {"OUT": out, "--key": asked.key, "--manifest": asked.manifest, "--report": asked.report}
    if asked.as_json and out == STANDARD:
        raise WrongUseError("--json and OUT must not both be standard output. Name a file for OUT.")
    if asked.hash_input and (asked.manifest is None or source == STANDARD):
        raise WrongUseError("--hash-input needs --manifest, and a file or folder as IN.")
    check_file_names(outputs)
    _check_page(asked.report, asked.report_for)
    check_input(source, "IN")
    check_outputs(outputs, [source, *others], force=asked.force)


def run_recipe(recipe: str, source: str, out: str, asked: Asked) -> None:
    """Run a recipe on a file."""
    from pdseqpriv.pipeline.pipeline import Pipeline

    if not Path(recipe).exists():
        raise WrongUseError(f"RECIPE: there is no file {recipe!r}.")
    with of_the_user():
        pipeline = Pipeline.load(recipe).renamed(**asked.names)
    others = [recipe, *map(str, pipeline.files)]
    _check(source, out, asked, others)
    run_and_write(pipeline, source, out, asked)


def run_and_write(pipeline: Any, source: str, out: str, asked: Asked) -> None:  # noqa: ANN401 (a Pipeline)
    """Run a pipeline; nothing is written unless every promise holds."""
    from pdseqpriv.pipeline.about import page_of

    with of_the_user():
        pipeline.check_order()
    if asked.dry_run:
        told = pipeline.dry_run(_table_or_path(source, pipeline, is_dry=True))
        columns = list(map(str, told.columns))
        plain = {"steps": list(told.steps), "rows": told.rows, "columns": columns}
        say_json(plain) if asked.as_json else say(repr(told))
        return
    original = _table_or_path(source, pipeline, is_dry=False)
    result = pipeline.run(original)
    if asked.key is not None and result.key is None:
        raise WrongUseError("--key: no step gives new ids, so there is no key. Leave it out.")
    audience: Any = asked.report_for or "public"
    page = None if asked.report is None else page_of(result, original, audience)
    shape = _write(pipeline, result, source, out, asked, page=page)
    _summarize(result, shape, out, asked)


def _table_or_path(source: str, pipeline: Any, *, is_dry: bool) -> Any:  # noqa: ANN401 (a table or a path)
    from pdseqpriv.command_line.tables import suffix_of

    if is_dry and suffix_of(source, "IN") == ".parquet":
        return source
    return read_table(source, dict(pipeline.names), "IN")


def _write(
    pipeline: Any,  # noqa: ANN401 (a Pipeline)
    result: Any,  # noqa: ANN401 (a Result)
    source: str,
    out: str,
    asked: Asked,
    *,
    page: bytes | None,
) -> dict[str, Any]:
    """Write key, page, manifest and table: all others are complete, under another name, before the table."""
    from pdseqpriv.accessor import using
    from pdseqpriv.paths import path_of, replacing

    names = {role: name for role, name in pipeline.names.items() if role != "person"}
    table = using(result.table, **names)
    shape = _shape_of(table)
    with ExitStack() as drafts:
        if asked.key is not None:
            _draft_key(
                result.key,
                dict(pipeline.names),
                drafts.enter_context(replacing(path_of(asked.key), is_private=True)),
            )
        if asked.report is not None and page is not None:
            is_private = asked.report_for == "owner"
            drafts.enter_context(replacing(path_of(asked.report), is_private=is_private)).write(page)
        if asked.manifest is not None:
            stream = drafts.enter_context(replacing(path_of(asked.manifest)))
        write_table(table, out)
        if asked.manifest is not None:
            written = {} if out == STANDARD else {"sha256": hash_of([file_of(out)])}
            hashed = files_in(source) if asked.hash_input else []
            stream.write(manifest_of(pipeline, result, {**shape, **written}, hashed))
    return shape


def _draft_key(key: Any, names: dict[str, Any], stream: Any) -> None:  # noqa: ANN401 (a frame, a file)
    import pyarrow.parquet as pq

    from pdseqpriv.accessor import using
    from pdseqpriv.files.parquet import arrow_table

    bound = using(key, **names)
    pq.write_table(arrow_table(bound.frame, bound.columns, Path("key")), stream, compression="zstd")


def _shape_of(table: Any) -> dict[str, Any]:  # noqa: ANN401 (a bound table)
    frame, seq_id = table.frame, table.columns.seq_id
    counts = {"rows": len(frame), "columns": list(map(str, frame.columns))}
    return counts | ({"sequences": int(frame[seq_id].nunique())} if seq_id in frame.columns else {})


def _summarize(result: Any, shape: dict[str, Any], out: str, asked: Asked) -> None:  # noqa: ANN401 (ours)
    if asked.as_json:
        verdicts = [
            {
                "step": one.step,
                "operation": one.operation,
                "check": one.check,
                "holds": bool(one),
                "sentence": one.verdict.sentence,
            }
            for one in result.verdicts
        ]
        say_json({"out": out, **shape, "verdicts": verdicts, "applied": result.record["applied"]})
    for one in result.verdicts:
        tell(f"{one!r}", quiet=asked.quiet)
    if out != STANDARD:
        tell(f"{out}: {shape['rows']} rows", quiet=asked.quiet)


def _check_page(report: str | None, report_for: str | None) -> None:
    """Refuse a page that cannot be written, before anything is read."""
    if report is None:
        if report_for is not None:
            raise WrongUseError("--report-for needs --report.")
        return
    if report_for not in (None, *_AUDIENCES):
        raise WrongUseError(f"--report-for must be {' or '.join(_AUDIENCES)}, got {report_for!r}.")
    if not report.lower().endswith(".html"):
        raise WrongUseError("--report must end in .html.")
    from pdseqpriv.errors import speaking_as
    from pdseqpriv.reporting.page import page_template

    with speaking_as("--report"):
        page_template()
