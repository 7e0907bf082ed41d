"""Plots draw what the tables say, on the axes given, and change nothing else."""

from __future__ import annotations

import subprocess
import sys
import warnings
from itertools import combinations, pairwise

import matplotlib as mpl
import pandas as pd
import polars as pl
import pytest
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import pdseqpriv
from pdseqpriv import SeqPrivError, plot
from pdseqpriv.plotting import axes
from pdseqpriv.plotting.axes import AFTER, BEFORE, COLOURS, OTHER
from pdseqpriv.short_names import short_name
from tests import surface
from tests.house import complaints
from tests.plotting.colour_vision import SEEN, least_distance

HOSTILE = ["<script>", "$\\frac{$", "a\u202eb", "x" * 10_000, "two\nlines", "", "\U0001f3e5"]


@pytest.fixture(autouse=True)
def _no_window():
    mpl.use("agg")
    yield
    plt.close("all")


@pytest.fixture
def visits():
    return pd.DataFrame(
        {"seq_id": [1, 1, 1, 2, 2, 3], "event": ["a", "b", None, "a", "c", "a"], "time": [1, 2, 3, 1, 5, 9]}
    )


@pytest.fixture
def blurred():
    return pd.DataFrame(
        {
            "seq_id": [0, 0, 1, 1],
            "group": [0, 0, 0, 0],
            "event": ["a", "b", "a", "c"],
            "time_from": [1, 5, 1, 7],
            "time_to": [3, 5, 3, 7],
        }
    )


def candidates(shares):
    known = list(range(1, len(shares) + 1))
    numbers = {"unique_low": 0.0, "unique_high": 1.0, "mean_probability": 0.5}
    return pd.DataFrame({"known": known, "unique_share": shares, **numbers})


def drawn(ax):
    ax.figure.canvas.draw()
    return ax


def overlapping(texts):
    """Return the texts that lie on the one before them."""
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    return [second for first, second in pairwise(boxes) if first.overlaps(second)]


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_functions_are_documented_as_all_public_ones():
    functions = {name: getattr(plot, name) for name in plot.__all__}
    assert set(functions) == {"risk", "trade_off", "kept", "sequences", "intervals", "patterns"}
    for rule in (surface.docstrings_promise_and_show, surface.docstrings_name_every_option):
        assert not complaints(rule, functions)


def test_a_table_has_its_own_plots(visits):
    named = visits.rename(columns={"event": "url"})
    ax = drawn(named.seqpriv.using(event="url").plot.sequences(1))
    assert len(ax.patches) == 3
    assert visits.seqpriv.plot.sequences.__doc__ == plot.sequences.__doc__


def test_risk_draws_the_shares():
    ax = drawn(plot.risk(candidates([0.1, 0.4, 0.9]), after=candidates([0, 0, 0.2])))
    curves = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert curves["before: unique"] == [0.1, 0.4, 0.9]
    assert curves["after: unique"] == [0, 0, 0.2]
    assert ax.get_xticks().tolist() == [1, 2, 3]


def test_risk_of_attackers_who_link_is_drawn_as_bars():
    found = pd.DataFrame(
        {
            "knows": ["whole", "0.5"],
            "attack": ["containment"] * 2,
            "unique_share": [0.3, 0.1],
            "mean_probability": [0.5, 0.2],
        }
    )
    ax = drawn(plot.risk(found))
    assert [bar.get_width() for bar in ax.patches] == [0.3, 0.1, 0.5, 0.2]
    both = drawn(plot.risk(found, after=found))
    names = [text.get_text() for text in both.get_yticklabels()]
    assert names[::3] == ["before: whole known, containment", "after: 0.5 known, containment"]
    assert not overlapping(both.get_yticklabels())
    with pytest.raises(SeqPrivError, match="different kinds of attackers"):
        plot.risk(found, after=candidates([0.1]))


def test_trade_off_draws_a_point_for_each_setting():
    swept = pd.DataFrame({"k": [2, 9], "unique_share": [0.5, 0.1], "events_kept": [0.9, 0.4]})
    ax = drawn(plot.trade_off(swept, risk="unique_share"))
    assert ax.lines[0].get_xdata().tolist() == [0.5, 0.1]
    assert [text.get_text() for text in ax.texts] == ["k=2", "k=9"]
    with pytest.raises(SeqPrivError, match="utility must be a column of the sweep, got 'joy'"):
        plot.trade_off(swept, risk="unique_share", utility="joy")


def test_trade_off_draws_a_line_for_each_of_the_other_settings():
    columns = {"k": [2, 9, 2, 9], "guarantee": ["contained"] * 2 + ["identical"] * 2}
    swept = pd.DataFrame(
        {**columns, "unique_share": [0.5, 0.1, 0.3, 0.0], "events_kept": [0.9, 0.4, 0.5, 0.2]}
    )
    ax = drawn(plot.trade_off(swept, risk="unique_share"))
    assert [line.get_xdata().tolist() for line in ax.lines] == [[0.5, 0.1], [0.3, 0.0]]
    assert labels(ax) == ["guarantee=contained", "guarantee=identical"]
    assert [text.get_text() for text in ax.texts] == ["k=2", "k=9"] * 2


def test_kept_counts_events_before_and_after(visits):
    ax = drawn(plot.kept(visits, visits[visits["event"] != "b"], n=2))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "c"]
    assert [bar.get_width() for bar in ax.patches] == [3, 1, 3, 1]


def test_kept_shows_lengths(visits):
    ax = drawn(plot.kept(visits, visits, what="lengths"))
    assert [stairs.get_data()[0].tolist() for stairs in ax.patches] == [[0, 1 / 3, 2 / 3]] * 2


def test_kept_accepts_a_generalized_release(visits, blurred):
    ax = drawn(plot.kept(visits, blurred))
    assert [bar.get_width() for bar in ax.patches] == [3, 1, 1, 2, 1, 1]


@pytest.mark.parametrize("what", ["events", "lengths"])
def test_what_is_kept_of_swapped_tables_is_drawn_with_a_warning(visits, what):
    for released in (visits.seqpriv.hide(["a"]), visits.seqpriv.k_anonymize(2)):
        plot.kept(visits, released, what=what)
        with pytest.warns(pdseqpriv.PrivacyWarning, match=r"^kept: the original itself .* tables swapped\?"):
            plot.kept(released, visits, what=what)


def test_sequences_are_strips_of_events_with_marks(visits):
    ax = drawn(plot.sequences(visits))
    boxes = {(bar.get_x(), round(bar.get_y() + 0.4)): bar for bar in ax.patches}
    assert set(boxes) == {(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)}
    assert boxes[2, 0].get_hatch()
    assert to_hex(boxes[0, 0].get_facecolor()) == to_hex(boxes[0, 2].get_facecolor()) == COLOURS[0].lower()
    assert sorted(labels(ax)) == ["(marked)", "a", "b", "c"]


def test_positions_are_whole_and_to_the_same_scale_on_both_sides():
    long = pd.DataFrame({"seq_id": 1, "event": "a", "time": range(19)})
    left, right = plot.sequences(long, after=long.head(3))
    drawn(left)
    assert left.get_xlim() == right.get_xlim()
    assert left.get_xlim()[1] >= 19
    assert all(float(tick).is_integer() for tick in [*left.get_xticks(), *right.get_xticks()])


def test_sequences_over_time_begin_when_events_happened(visits):
    ax = drawn(plot.sequences(visits, over="time"))
    assert sorted({bar.get_x() for bar in ax.patches}) == [1, 2, 3, 5, 9]
    dated = visits.assign(time=pd.Timestamp("2024-05-01", tz="UTC") + pd.to_timedelta(visits["time"], "D"))
    ax = drawn(plot.sequences(dated, over="time"))
    assert len(ax.patches) == 6
    assert not overlapping(ax.get_xticklabels())


def test_small_whole_numbers_are_times_as_others(visits):
    small = visits.assign(time=pd.Series([-128, 0, 0, 127, 1, 2], dtype="int8"))
    bars = drawn(plot.sequences(small, over="time")).patches
    assert {round(bar.get_width(), 9) for bar in bars} == {2.55}


def test_a_release_is_drawn_beside_in_the_same_colours(visits):
    left, right = plot.sequences(visits, after=visits[visits["event"] == "c"])
    drawn(left)
    assert to_hex(right.patches[0].get_facecolor()) in {to_hex(bar.get_facecolor()) for bar in left.patches}
    assert len(right.patches) == 1
    assert {"a", "b", "c", "(marked)"} == set(labels(right))  # also what is only on the left


def test_rare_events_share_a_grey_colour():
    many = pd.DataFrame({"seq_id": 1, "event": [f"e{i}" for i in range(9)], "time": range(9)})
    ax = drawn(plot.sequences(many))
    assert "other events" in labels(ax)
    assert sum(to_hex(bar.get_facecolor()) == OTHER.lower() for bar in ax.patches) == 9 - len(COLOURS)


def test_intervals_are_drawn_once_for_a_group(blurred):
    ax = drawn(plot.intervals(blurred))
    assert sorted((bar.get_x(), round(bar.get_width(), 9)) for bar in ax.patches) == [
        (1, 2),
        (5, 0.06),
        (7, 0.06),
    ]
    assert len(drawn(plot.sequences(blurred)).patches) == 4
    assert len(drawn(blurred.seqpriv.plot.intervals()).patches) == 3


def test_intervals_that_overlap_are_drawn_below_each_other():
    names = ["seq_id", "group", "event", "time_from", "time_to"]
    rows = [(0, 0, "a", 1, 6), (0, 0, "b", 2, 3), (0, 0, "b", 5, 9), (0, 0, "c", 7, 8), (1, 1, "a", 1, 9)]
    bars = drawn(plot.intervals(pd.DataFrame(rows, columns=names))).patches
    boxes = [(bar.get_x(), bar.get_x() + bar.get_width(), bar.get_y(), bar.get_height()) for bar in bars]
    assert len(boxes) == 5
    for one, other in combinations(boxes, 2):
        share_time = max(one[0], other[0]) <= min(one[1], other[1])
        share_lane = max(one[2], other[2]) < min(one[2] + one[3], other[2] + other[3]) - 1e-9
        assert not (share_time and share_lane)
    assert max(height for *_, height in boxes) == pytest.approx(2 * min(height for *_, height in boxes))


def test_patterns_are_drawn_the_most_frequent_first():
    found = pd.DataFrame({"pattern": [("a", "b"), ("a",)], "support": [2, 7], "length": [2, 1]})
    ax = drawn(plot.patterns(found, 1))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a"]
    assert [bar.get_width() for bar in drawn(found.seqpriv.plot.patterns()).patches] == [7, 2]


def test_tables_of_polars_are_drawn(visits):
    assert len(drawn(plot.sequences(pl.from_pandas(visits))).patches) == 6


def every_plot(visits, blurred):
    """Return, for each plot, a call of it; those of some keywords draw more."""
    swept = pd.DataFrame({"k": [2, 9], "unique_share": [0.5, 0.1], "events_kept": [0.9, 0.4]})
    found = pd.DataFrame({"pattern": [("a", "b"), ("a",)], "support": [2, 7], "length": [2, 1]})
    return {
        "risk": lambda **ax: plot.risk(candidates([0.1, 0.4]), after=candidates([0, 0.2]), **ax),
        "trade_off": lambda **ax: plot.trade_off(swept, risk="unique_share", **ax),
        "kept": lambda **ax: plot.kept(visits, visits, **ax),
        "sequences": lambda **ax: plot.sequences(visits, over="time", **ax),
        "intervals": lambda **ax: plot.intervals(blurred, **ax),
        "patterns": lambda **ax: plot.patterns(found, **ax),
    }


@pytest.mark.parametrize("name", plot.__all__)
def test_given_axes_are_used_and_no_style_is_changed(visits, blurred, name):
    call = every_plot(visits, blurred)[name]
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    left, right = mpl.figure.Figure().subplots(1, 2)
    untouched = [len(right.get_children()), right.get_xlim(), right.get_title()]
    assert drawn(call(ax=left)) is left
    assert left.has_data()
    assert [len(right.get_children()), right.get_xlim(), right.get_title()] == untouched
    assert plt.get_fignums() == figures
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", plot.__all__)
def test_without_axes_a_figure_is_made_and_no_style_is_changed(visits, blurred, name):
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    ax = drawn(every_plot(visits, blurred)[name]())
    assert isinstance(ax, mpl.axes.Axes)
    assert ax.has_data()
    assert plt.get_fignums() == [*figures, ax.figure.number]
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("vision", SEEN)
def test_colours_can_be_told_apart_with_any_colour_vision(vision):
    assert least_distance([*COLOURS, OTHER, "#FFFFFF"], vision) > 15
    assert least_distance([BEFORE, AFTER, "#FFFFFF"], vision) > 30


def test_colours_that_some_take_for_each_other_are_found():
    usual = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd"]  # matplotlib's own
    assert least_distance(usual, "usual") > 30
    assert max(least_distance(usual, "protanopia"), least_distance(usual, "deuteranopia")) < 10
    assert least_distance(["#000000", "#FFFFFF"], "tritanopia") == pytest.approx(100, abs=0.01)


@pytest.fixture
def only_own_fonts(monkeypatch):
    """Only the fonts that come with matplotlib are there."""
    own = [font for font in font_manager.fontManager.ttflist if "mpl-data" in font.fname]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)


@pytest.mark.usefixtures("only_own_fonts")
def test_hostile_names_are_drawn_as_they_are():
    table = pd.DataFrame({"seq_id": range(7), "event": HOSTILE, "time": 1})
    with mpl.rc_context({"svg.fonttype": "none"}):
        ax = plot.kept(table, table)
    shown = {text.get_text() for text in ax.get_yticklabels()}
    assert shown == {"<script>", "$\\frac{$", "a b", "x" * 31 + "…", "two lines", "(blank)", "\U0001f3e5"}


@pytest.mark.usefixtures("only_own_fonts")
@pytest.mark.parametrize("draw", [lambda table: plot.kept(table, table), plot.sequences])
def test_letters_that_no_font_has_are_boxes_and_said_once(draw):
    table = pd.DataFrame({"seq_id": range(3), "event": ["病院 a", "薬局 b", "plain"], "time": 1})
    with pytest.warns(UserWarning, match="no font here has all letters of the names") as said:
        ax = drawn(drawn(draw(table)))
    assert len(said) == 1
    legend = ax.get_legend().get_texts() if ax.get_legend() else []
    shown = {text.get_text() for text in [*ax.get_yticklabels(), *legend]}
    assert {"□□ a", "□□ b", "plain"} <= shown
    assert not any(word in str(said[0].message) for word in ("病", "plain"))


def test_letters_are_drawn_with_any_font_that_has_them(visits, monkeypatch):
    """The font of formulas has no ß, and that of matplotlib has it."""
    monkeypatch.setattr(axes, "_MORE_FONTS", ("no such font", "DejaVu Sans"))
    visits = visits.replace({"event": {"a": "Straße Ω"}})
    with mpl.rc_context({"font.family": ["cmtt10"]}), warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn(ax := plot.kept(visits, visits))
    (name,) = [text for text in ax.get_yticklabels() if text.get_text() == "Straße Ω"]
    assert name.get_fontfamily() == ["cmtt10", "DejaVu Sans"]


def test_arrows_point_to_what_comes_next_whatever_the_letters():
    """Names that are read from the right do not turn the order of a pattern around."""
    mark = "\N{LEFT-TO-RIGHT MARK}"
    assert short_name("אב → גד → x") == f"{mark}אב{mark} → {mark}גד{mark} → {mark}x"
    assert short_name(short_name("אב → גד")) == short_name("אב → גד")
    assert short_name("a → b") == "a → b"
    assert short_name("אב") == "אב"


def test_an_empty_table_can_be_drawn(visits):
    assert not drawn(plot.sequences(visits.iloc[:0])).patches
    without_numbers = visits.iloc[:0].astype({"time": "timedelta64[s]"})
    assert not drawn(plot.sequences(without_numbers, over="time")).patches
    assert not drawn(plot.kept(visits.iloc[:0], visits.iloc[:0])).patches


@pytest.mark.parametrize("longest", [1, 5, 32])
def test_no_name_is_longer_than_asked_for(longest):
    assert len(short_name("name " * 100, longest)) <= longest


def wrong_calls(visits, blurred):
    found = pd.DataFrame({"a": [1]})
    return {
        "sequences: n must be an int of at least 1, got 0": lambda: plot.sequences(visits, 0),
        "sequences: ax must be axes of matplotlib, got str": lambda: plot.sequences(visits, ax="here"),
        "a list of 2 axes": lambda: plot.sequences(visits, after=visits, ax=plt.figure().subplots()),
        'over must be "position" or "time"': lambda: plot.sequences(visits, over="clock"),
        'what must be "events" or "lengths"': lambda: plot.kept(visits, visits, what="all"),
        "only a generalized table has intervals": lambda: plot.intervals(visits),
        "risk: frame must be what pdseqpriv.risk returned": lambda: plot.risk(found),
        "trade_off: frame must be what pdseqpriv.sweep returned": lambda: plot.trade_off(found),
        "kept, in the release: the table has no column 'seq_id'": lambda: plot.kept(visits, found),
        "patterns: the table has no column 'pattern'": lambda: plot.patterns(blurred),
    }


@pytest.mark.parametrize("number", range(10))
def test_wrong_calls_are_refused_in_one_sentence(visits, blurred, number):
    words, call = list(wrong_calls(visits, blurred).items())[number]
    with pytest.raises(SeqPrivError, match=words):
        call()


def test_without_matplotlib_it_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import pandas as pd, pdseqpriv\n"
        "df = pd.DataFrame({'seq_id': [1], 'event': ['a'], 'time': [1]})\n"
        "try:\n    df.seqpriv.plot.sequences()\n"
        "except pdseqpriv.SeqPrivError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == (
        "sequences: matplotlib is needed to plot, and it is not installed: pip install 'pdseqpriv[plot]'."
    )
    assert pdseqpriv.plot is plot
