"""Write a page about a release: what was done, what holds, what is kept, and what is not protected."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from typing import Any, Literal, Unpack, get_args

import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table
from pdseqpriv.errors import PrivacyWarning, wrong_parameter
from pdseqpriv.parameters import list_of_events, one_of
from pdseqpriv.paths import PathLike, path_of_one_file, replacing
from pdseqpriv.reporting import what_is_kept, what_supports_reveal, who_is_found
from pdseqpriv.reporting.checks import Check, Verdicts, fitting_checks, given_checks
from pdseqpriv.reporting.page import page_template
from pdseqpriv.reporting.pair import BOTH, RELEASE_ONLY, Applied, Pair, read_pair
from pdseqpriv.reporting.sections import Section
from pdseqpriv.reporting.steps_in_words import steps_in_words
from pdseqpriv.sequences.columns import RELEASED_ID, ColumnNames
from pdseqpriv.taxonomy.of_kept_columns import taxonomies_to_keep
from pdseqpriv.taxonomy.taxonomy import Keep, Taxonomy, TaxonomyLike
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
    sensitive: Iterable[Hashable] | None = None,
    verdicts: Verdicts | None = None,
    **_columns: Unpack[ColumnNames],
) -> None:
    """Write one self-contained HTML page about a release.

    The page says what was done, in plain words, and shows the results of the checks, what is released, and
    what is not protected. It needs no script and no network, can be printed, and is light or dark as the
    reader's system is.

    Parameters
    ----------
    original, released : DataFrame, or ``df.seqpriv.using(...)``
        The table before and after: two sequence tables, a sequence table and a generalized one, or patterns
        and the sequences or patterns that they come from.
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
    monitored, sensitive : list of events, optional
        For a generalized release: the events that it was made for; by default all are monitored, and all
        others are sensitive.
    verdicts : list of Verdict, or dict of a sentence and its Verdict, optional
        Results of checks to show. By default, the checks are run that fit the record of the release and what
        is given. For the public, sentences that you write are shown, those of the verdicts are not.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Notes
    -----
    **Guarantee**: the page shows no id and no time of any table. For the public it shows no number that is
    computed from the original, and no event that is not in the release. It is not written if a check does
    not hold. Names from the data are escaped and shortened. The file is complete or not there; one for the
    owner can be read by nobody else on the machine.

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
    target = path_of_one_file(path)
    options = _read_options(key, taxonomy, keep, monitored, sensitive)
    checks = None if verdicts is None else given_checks(verdicts)
    # What cannot be written is refused before anything is measured.
    with replacing(target, is_private=audience == "owner") as stream:
        stream.write(page_about(original, released, audience, options, checks=checks))


def _read_options(key: object, taxonomy: Any, keep: object, *events: object) -> dict[str, Any]:  # noqa: ANN401 (as a Taxonomy takes it)
    """Read what belongs to a release, also what the page at hand has no use for."""
    if key is not None and (not isinstance(key, pd.DataFrame) or RELEASED_ID not in key.columns):
        came = "a frame without 'released_id'" if isinstance(key, pd.DataFrame) else type(key).__name__
        raise wrong_parameter("key", "the frame that with_key=True returns", came)
    if keep is not None:
        taxonomies_to_keep(keep)
    read: dict[str, Any] = {"key": key, "keep": keep}
    read["taxonomy"] = None if taxonomy is None else Taxonomy(taxonomy)
    for name, some in zip(("monitored", "sensitive"), events, strict=True):
        read[name] = None if some is None else list(list_of_events(name, some))
    return read


def page_about(
    original: Table,
    released: Table,
    audience: Audience,
    options: dict[str, Any],
    *,
    applied: Applied | None = None,
    checks: list[Check] | None = None,
) -> bytes:
    """Return the page; what was applied and the checks are those given, or those that the record tells."""
    template = page_template()
    pair = read_pair(original, released, applied, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # what they say is on the page
        found = fitting_checks(pair) if checks is None else checks
        _refuse_what_does_not_hold(found, audience)
        which = RELEASE_ONLY if audience == "public" else BOTH
        shown = _public_sections(pair) if audience == "public" else _owner_sections(pair)
        figures = what_is_kept.figures(pair, which)
    text: str = template.render(
        audience=audience,
        steps=steps_in_words(pair.applied),
        checks=found,
        sections=[one for one in shown if one is not None],
        figures=figures,
        version=__version__,
    )
    return text.encode("utf-8", errors="replace")


def _refuse_what_does_not_hold(checks: list[Check], audience: Audience) -> None:
    if audience == "public" and any(one.verdict is not None and not one.verdict for one in checks):
        raise ViolatedError(
            "report: a check does not hold, so no page was written. The release should not be shared, or was "
            'made with categories or events that were not given here; audience="owner" shows what is wrong.'
        )


def _public_sections(pair: Pair) -> list[Section | None]:
    """Show what the release shows anyway: nothing here may look at the original."""
    if pair.has_patterns:
        return [what_is_kept.patterns(pair, RELEASE_ONLY)]
    return [
        what_is_kept.events(pair, RELEASE_ONLY),
        what_is_kept.lengths(pair, RELEASE_ONLY),
        None if pair.has_groups else what_is_kept.patterns(pair, RELEASE_ONLY),
        what_is_kept.times(pair, RELEASE_ONLY),
        who_is_found.risk_in_release(pair),
    ]


def _owner_sections(pair: Pair) -> list[Section | None]:
    if pair.has_patterns:
        return [
            what_supports_reveal.risk_of_supports(pair),
            what_is_kept.patterns(pair, BOTH),
            what_is_kept.measures(pair),
        ]
    return [
        who_is_found.risk_before_and_after(pair),
        who_is_found.linking_attacks(pair),
        what_is_kept.events(pair, BOTH),
        what_is_kept.lengths(pair, BOTH),
        what_is_kept.patterns(pair, BOTH),
        what_is_kept.times(pair, BOTH),
        what_is_kept.lost_events(pair),
        what_is_kept.measures(pair),
    ]
