"""Write a page about a release: what was done, what holds, what is kept, and what is not protected."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, Literal, get_args

import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import ORIGINAL, RELEASED, BoundTable, Table, bind
from pdseqpriv.errors import PrivacyWarning, SeqPrivError, refusal, said_of
from pdseqpriv.files.paths import PathLike, path_of, replacing
from pdseqpriv.parameters import one_of
from pdseqpriv.plotting.counted import frequencies_of, is_generalized, lengths_of, validated
from pdseqpriv.reporting import sections
from pdseqpriv.reporting.checks import Check, Verdicts, fitting_checks, given_checks
from pdseqpriv.reporting.page import page
from pdseqpriv.reporting.sections import Section
from pdseqpriv.reporting.steps_in_words import steps_in_words
from pdseqpriv.sequences.columns import PATTERNS, USUAL
from pdseqpriv.sequences.record import record_of
from pdseqpriv.taxonomy.taxonomy import Keep, TaxonomyLike
from pdseqpriv.verdict import ViolatedError
from pdseqpriv.version import __version__

Audience = Literal["public", "owner"]


@on_tables()
def report(
    original: Table,
    released: Table,
    path: PathLike,
    *,
    audience: Audience = "public",
    key: pd.DataFrame | None = None,
    taxonomy: TaxonomyLike | None = None,
    keep: Keep | None = None,
    monitored: Iterable[Hashable] | None = None,
    verdicts: Verdicts | None = None,
) -> None:
    """Write one self-contained HTML page about a release.

    The page says what was done, in plain words, and shows the results of the checks, what is released, and
    what is not protected. It needs no script and no network, can be printed, and is light or dark as the
    reader's system is.

    Parameters
    ----------
    original, released : DataFrame, or ``df.seqpriv.using(...)``
        The table before and after: two sequence tables, a sequence table and a generalized one, or two
        tables of patterns.
    path : str or path
        Where to write the page. An existing file is replaced when the new one is complete.
    audience : {"public", "owner"}
        Who will read it. ``"public"``: only what the release and its record show anyway, and whether checks
        hold. ``"owner"``: also the original, the risk before and after, linking attacks and all measures;
        every section is marked as confidential.
    key : DataFrame, optional
        Which released sequence belongs to whom, as ``with_key=True`` returns it, for checks and attacks that
        need it. Nothing of it is shown.
    taxonomy : Taxonomy or what makes one, optional
        The categories that the release was made with.
    keep : list of column names, or dict of column names and taxonomies, optional
        The columns that were kept beside the sequences.
    monitored : list of events, optional
        For a generalized release: the events that it was made for; None means all.
    verdicts : list of Verdict, or dict of a sentence and its Verdict, optional
        Results of checks to show. By default, the checks are run that fit the record of the release and what
        is given. For the public, sentences that you write are shown, those of the verdicts are not.

    Notes
    -----
    **Guarantee**: the page shows no id and no time of any table. For the public it shows no number that is
    computed from the original, and no event that is not in the release. It is not written if a check does
    not hold. Names from the data are escaped and shortened. The file is complete or not there.

    **Not protected**: what the release shows is shown. A page for the owner shows events that were removed
    and how many people are at risk: do not pass it on.

    Examples
    --------
    >>> import tempfile, pathlib, pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abac"), "time": [1, 2, 1, 2]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pdseqpriv.report(df, df.seqpriv.k_anonymize(2), f"{folder}/report.html")
    ...     "at least 2" in pathlib.Path(folder, "report.html").read_text()
    True
    """
    one_of("audience", audience, get_args(Audience))
    target = path_of(path)
    options = {"key": key, "taxonomy": taxonomy, "keep": keep, "monitored": monitored}
    before, after = _read(original, released)
    applied = record_of(after.frame)["applied"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # what they say is on the page
        checks = (
            fitting_checks(before, after, applied, options) if verdicts is None else given_checks(verdicts)
        )
        _refuse_what_does_not_hold(checks, audience)
        show = _public_sections if audience == "public" else _owner_sections
        shown = show(before, after, applied, options)
    steps = steps_in_words(applied)
    text = page(audience=audience, steps=steps, checks=checks, sections=shown, version=__version__)
    with replacing(target) as stream:
        stream.write(text.encode("utf-8", errors="replace"))


def _refuse_what_does_not_hold(checks: list[Check], audience: Audience) -> None:
    if audience == "public" and any(one.verdict is not None and not one.verdict for one in checks):
        raise ViolatedError(
            "report: a check does not hold, so the release should not be shared and no page was written. "
            'audience="owner" shows what is wrong.'
        )


def _read(original: Table, released: Table) -> tuple[BoundTable, BoundTable]:
    """Check both tables, and that they can belong together."""
    before = _valid(original, ORIGINAL)
    after = _valid(released, RELEASED, before)
    if _holds_patterns(before) != _holds_patterns(after):
        raise refusal("one of the tables holds patterns and the other sequences.")
    if _holds_patterns(before):
        return before, after
    if is_generalized(before):
        raise refusal("the original is a generalized table. Were the tables swapped?")
    if len(lengths_of(after)) > len(lengths_of(before)):
        raise refusal("the release has more sequences than the original. Were they swapped?")
    known, told = frequencies_of(before).index, frequencies_of(after).index
    if len(told) and not is_generalized(after) and not told.isin(known).any():
        raise refusal("no event of the release occurs in the original. Do the tables belong together?")
    return before, after


def _valid(table: Table, which: str, like: BoundTable | None = None) -> BoundTable:
    from pdseqpriv.schemas import validate

    try:
        bound = bind(table)
        if like is not None and bound.columns == USUAL and not set(USUAL.names) <= set(bound.frame.columns):
            bound = replace(bound, columns=like.columns.of_release)
        if _holds_patterns(bound):
            validate(bound.frame, "patterns")
            return bound
        return validated(bound)
    except SeqPrivError as error:
        raise said_of(which, error) from None


def _holds_patterns(table: BoundTable) -> bool:
    return set(table.frame.columns) >= PATTERNS


def _public_sections(
    _: BoundTable, after: BoundTable, applied: list[dict[str, Any]], __: dict[str, Any]
) -> list[Section]:
    """Show what the release shows anyway."""
    if _holds_patterns(after):
        return [sections.pattern_section([after.frame])]
    found = [sections.event_section([after]), sections.length_section([after])]
    promised = [one["parameters"].get("k") for one in applied if one["operation"] == "k_anonymize"]
    if promised and promised == [promised[-1]] and len(applied) == 1 and len(after.frame):
        found.append(sections.public_risk_section(after, promised[0]))  # type: ignore[arg-type]
    return [one for one in found if one is not None]


def _owner_sections(
    before: BoundTable, after: BoundTable, _: list[dict[str, Any]], options: dict[str, Any]
) -> list[Section]:
    if _holds_patterns(after):
        shown = [sections.pattern_section([before.frame, after.frame])]
        return [*shown, sections.measure_section(before.frame, after.frame)]
    shown = [sections.event_section([before, after]), sections.length_section([before, after])]
    key, taxonomy = options["key"], options["taxonomy"]
    if is_generalized(after):
        given = {"key": key, "taxonomy": taxonomy, "monitored": options["monitored"]}
        return [*shown, sections.measure_section(before, after, **given)]
    if len(after.frame):
        if taxonomy is None:
            shown.append(sections.owner_risk_section(before, after, key))
        if key is not None or _keeps_ids(after):
            shown.append(sections.linkage_section(before, after, key, taxonomy))
    return [*shown, sections.measure_section(before, after, taxonomy=taxonomy)]


def _keeps_ids(after: BoundTable) -> bool:
    """Return whether the release was made by an operation that keeps ids."""
    applied = record_of(after.frame)["applied"]
    return bool(applied) and {one["operation"] for one in applied} <= {"hide", "sanitize"}
