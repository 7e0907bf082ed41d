"""The command itself: what there is, and how errors and warnings are told."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import typer

from pdseqpriv.command_line import auditing, releases, trying, verifying
from pdseqpriv.command_line.arguments import Version
from pdseqpriv.command_line.use import fail, say, tell
from pdseqpriv.errors import PrivacyWarning

# Every example runs in the folder that `pdseqpriv demo visits.parquet` was run in, with patterns.txt there.
EXAMPLES = {
    "hide": "pdseqpriv hide visits.parquet hidden.parquet --patterns @patterns.txt --max-support 5",
    "k-anonymize": "pdseqpriv k-anonymize visits.parquet shared.parquet --k 5 --key key.parquet",
    "generalize": "pdseqpriv generalize visits.parquet groups.parquet --k 5 --key groups-key.parquet",
    "sanitize": "pdseqpriv sanitize visits.parquet rare.parquet --delta 0.4 --events @events.txt",
    "release-patterns": "pdseqpriv release-patterns visits.parquet patterns.csv --min-support 0.2 --k 5",
    "run": "pdseqpriv run recipe.yaml visits.parquet release.parquet --manifest release.json",
    "describe": "pdseqpriv describe visits.parquet",
    "risk": "pdseqpriv risk visits.parquet --known 2",
    "compare": "pdseqpriv compare visits.parquet shared.parquet",
    "mine": "pdseqpriv mine visits.parquet --min-support 0.3",
    "find": "pdseqpriv find visits.parquet --patterns @patterns.txt",
    "demo": "pdseqpriv demo visits.parquet",
    "warmup": "pdseqpriv warmup",
    "verify hidden": "pdseqpriv verify hidden hidden.parquet --patterns @patterns.txt --max-support 5",
    "verify sanitized": "pdseqpriv verify sanitized rare.parquet --delta 0.4 --events @events.txt",
    "verify k-anonymous": "pdseqpriv verify k-anonymous visits.parquet shared.parquet --k 5",
    "verify generalized": (
        "pdseqpriv verify generalized visits.parquet groups.parquet --k 5 --key groups-key.parquet"
    ),
    "verify patterns-safe": "pdseqpriv verify patterns-safe patterns.csv --k 5",
    "verify compatible": "pdseqpriv verify compatible groups-key.parquet groups-key.parquet --k 5",
}
_COMMANDS: dict[str, Callable[..., None]] = {
    "hide": releases.hide,
    "k-anonymize": releases.k_anonymize,
    "generalize": releases.generalize,
    "sanitize": releases.sanitize,
    "release-patterns": releases.release_patterns,
    "run": releases.run,
    "describe": auditing.describe,
    "risk": auditing.risk,
    "compare": auditing.compare,
    "find": auditing.find,
    "mine": auditing.mine,
    "demo": trying.demo,
    "warmup": trying.warmup,
}
_QUIETLY: dict[str, Any] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "no_args_is_help": True,
}


def made() -> typer.Typer:
    """Make the command with all its commands."""
    app = typer.Typer(help="Share event sequences without exposing the people in them.", **_QUIETLY)
    app.callback(invoke_without_command=True)(_version)
    for name, function in _COMMANDS.items():
        app.command(name, epilog=f"Example: {EXAMPLES[name]}")(_told(function))
    checks = typer.Typer(help="Check a guarantee: exit code 0 if it holds, 1 if it does not.", **_QUIETLY)
    for name, function in verifying.CHECKS.items():
        checks.command(name, epilog=f"Example: {EXAMPLES[f'verify {name}']}")(_told(function))
    app.add_typer(checks, name="verify")
    return app


def _version(version: Version = False) -> None:  # noqa: FBT002 (an option)
    if version:
        from pdseqpriv.version import __version__

        say(__version__)
        raise typer.Exit


def _told(function: Callable[..., None]) -> Callable[..., None]:
    """Turn errors into one sentence and an exit code, and warnings into lines on standard error."""

    @functools.wraps(function)
    def command(**typed: Any) -> None:  # noqa: ANN401 (as declared)
        from pdseqpriv.options import options

        quiet = typed.get("quiet", False)
        options.progress = not quiet
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", PrivacyWarning)
            warnings.showwarning = lambda message, *_, **__: tell(f"warning: {message}", quiet=quiet)
            try:
                function(**typed)
            except (Exception, KeyboardInterrupt) as error:
                if isinstance(error, typer.Exit):
                    raise
                raise typer.Exit(fail(error, as_json=typed.get("as_json", False))) from None

    return command


def main() -> None:
    """Run the command."""
    try:
        made()(prog_name="pdseqpriv")
    except BrokenPipeError:  # whoever read our output has enough
        sys.stderr.close()
