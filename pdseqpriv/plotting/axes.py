"""The axes that plots draw on, and how they look: the only place that knows matplotlib.

Nothing is set for all plots of a process: whatever is changed is changed on the axes at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias

from pdseqpriv.errors import refusal, warn, wrong_parameter
from pdseqpriv.short_names import LONGEST, short_name

Axes: TypeAlias = Any  # of matplotlib, which may be missing

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442")
# A grey that is none of them to anybody, and one that is dark enough for thin lines.
OTHER, MARK = "#C0C0C0", "#707070"
BEFORE, AFTER = "#999999", "#0072B2"
_LARGEST_LEGEND = 9
# Fonts that systems come with, or offer, for letters that matplotlib's own font lacks.
_MORE_FONTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR", "Hiragino Sans",
    "PingFang SC", "Apple SD Gothic Neo", "Yu Gothic", "Microsoft YaHei", "Malgun Gothic",
    "WenQuanYi Zen Hei", "Noto Sans Arabic", "Noto Sans Devanagari", "Noto Sans Thai", "Nirmala UI",
    "Leelawadee UI", "Arial Unicode MS", "Noto Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Symbola",
    "FreeSans",
)  # fmt: skip
_BOX = "\N{WHITE SQUARE}"


def axes_or_new(ax: Axes | None, width: float = 6.4) -> Axes:
    """Return the axes given, or those of a new figure."""
    return several_axes(None if ax is None else [ax], 1, width, height=4.0)[0]


def several_axes(axes: Sequence[Axes] | None, number: int, width: float, height: float) -> list[Axes]:
    """Return as many axes as are needed: those given, or those of a new figure, side by side."""
    try:
        from matplotlib import pyplot as plt
        from matplotlib.axes import Axes as Kind
    except ImportError:
        raise refusal(
            "matplotlib is needed to plot, and it is not installed: pip install 'pdseqpriv[plot]'."
        ) from None
    if axes is None:
        figure, made = plt.subplots(1, number, figsize=(width * number, height), squeeze=False)
        figure.set_layout_engine("constrained")
        return list(made[0])
    given = list(axes) if isinstance(axes, Iterable) else [axes]
    if len(given) != number or not all(isinstance(one, Kind) for one in given):
        must = "axes of matplotlib" if number == 1 else f"a list of {number} axes of matplotlib"
        came = type(given[0]).__name__ if len(given) == 1 else f"{len(given)} things"
        raise wrong_parameter("ax", must, came)
    return given


def tidy(ax: Axes, title: str, x: str, y: str) -> Axes:
    """Name the axes, and take away lines that say nothing."""
    ax.set(title=title, xlabel=x, ylabel=y)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def as_shares(axis: Any, *, whole: bool = True) -> None:  # noqa: ANN401 (an axis of matplotlib)
    """Show the numbers along an axis as percentages; ``whole`` lets it run from 0 to 1."""
    axis.set_major_formatter(lambda value, _: f"{value:.0%}")
    if whole:
        limits = axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim
        limits(-0.02, 1.02)


def as_dates(axis: Any) -> None:  # noqa: ANN401 (an axis of matplotlib)
    """Show few dates along an axis, each in few letters, so that they do not overlap."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(maxticks=7)
    axis.set_major_locator(locator)
    axis.set_major_formatter(ConciseDateFormatter(locator))


def as_positions(axes: Sequence[Axes]) -> None:
    """Show positions, which are whole numbers, to the same scale on all axes."""
    from matplotlib.ticker import MaxNLocator

    last = max(one.get_xlim()[1] for one in axes)
    for one in axes:
        one.xaxis.set_major_locator(MaxNLocator(integer=True))
        one.set_xlim(0, last)


def name_rows(ax: Axes, names: Iterable[object], longest: int = LONGEST) -> None:
    """Write names from the data along the rows, the first at the top, as they are and never as formulas."""
    labels, fonts = with_fonts([short_name(name, longest) for name in names])
    ax.set_yticks(range(len(labels)), labels)
    write_as_they_are(ax.get_yticklabels(), fonts)
    ax.set_ylim(max(len(labels), 1) - 0.5, -0.5)


def add_legend(ax: Axes, others: Sequence[Axes] = ()) -> None:
    """Explain the colours beside the plot, with those of the others, if there is something to explain."""
    found: dict[str, Any] = {}
    for one in (*others, ax):
        found |= dict(zip(*reversed(one.get_legend_handles_labels()), strict=True))
    if not found:
        return
    few = slice(None, _LARGEST_LEGEND)
    labels, fonts = with_fonts(list(found)[few])
    legend = ax.legend(
        list(found.values())[few],
        labels,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        frameon=False,
        borderaxespad=0,
    )
    write_as_they_are(legend.get_texts(), fonts)


def write_as_they_are(texts: Iterable[Any], fonts: list[str]) -> None:
    """Write names from the data in fonts that have their letters, and never as formulas."""
    for text in texts:
        text.set_parse_math(False)
        text.set_fontfamily(fonts)


def with_fonts(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names, and the fonts to write them in: the usual ones, and others for more letters.

    A letter that no font has would be drawn as a box, and matplotlib would warn of each of them at every
    drawing. So it becomes a box here, which is said once; in SVG whose text stays text, readers have fonts.
    """
    import matplotlib as mpl

    fonts = list(mpl.rcParams["font.family"])
    lacking = {letter for name in names for letter in name}.difference(*map(_letters_of, fonts))
    for font in _MORE_FONTS if lacking else ():
        if lacking & _letters_of(font):
            fonts.append(font)
            lacking -= _letters_of(font)
    if not lacking or mpl.rcParams["svg.fonttype"] == "none":
        return list(names), fonts
    warn(
        "no font here has all letters of the names, so some are drawn as boxes. Install one that has them, "
        "such as Noto Sans CJK or Noto Emoji, or set font.family of matplotlib.",
        UserWarning,
    )
    return [name.translate(dict.fromkeys(map(ord, lacking), _BOX)) for name in names], fonts


def _letters_of(family: str) -> frozenset[str]:
    """Return the letters that a font has; of a kind, such as sans-serif, those of all its fonts."""
    import matplotlib as mpl
    from matplotlib import font_manager

    here = set(font_manager.get_font_names())
    named = mpl.rcParams.get(f"font.{family}", [family])
    return frozenset().union(*(_letters_in(font_manager.findfont(one)) for one in named if one in here))


@cache
def _letters_in(file: str) -> frozenset[str]:
    from matplotlib.font_manager import get_font

    return frozenset(map(chr, get_font(file).get_charmap()))
