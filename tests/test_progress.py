"""Bars: late, silent where nobody looks, and without complaints of other libraries."""

from __future__ import annotations

import sys
import types
import warnings

import pytest

from pdseqpriv import progress as bars
from pdseqpriv.options import options


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(bars, "_DELAY", 0.0)
    monkeypatch.setattr(options, "progress", True)


@pytest.mark.usefixtures("at_once")
def test_a_notebook_without_widgets_shows_a_bar_of_text_and_no_warning(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    for name in [name for name in sys.modules if name.startswith("tqdm.auto")]:
        monkeypatch.delitem(sys.modules, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with bars.progress(3, "counting") as bar:
            bar.update(2)
    assert "counting" in capsys.readouterr().err


@pytest.mark.usefixtures("at_once")
def test_where_nobody_looks_there_is_no_bar(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with bars.progress(3, "counting") as bar:
        bar.update(2)
    assert capsys.readouterr().err == ""
