"""The page that a command writes about a release."""

from __future__ import annotations

from pdseqpriv.command_line.use import WrongUseError

_AUDIENCES = ("public", "owner")


def check_page(report: str | None, report_for: str | None) -> None:
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
