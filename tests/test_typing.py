"""Editors and type checkers know the public names, and the methods of the accessor."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import pdseqpriv
from tests.stubs import PACKAGE, stubs

RIGHT = """
import pandas as pd
import pdseqpriv

df = pd.DataFrame()
pdseqpriv.hide(df, ["a"])
pdseqpriv.hide(df, ["a"], seq_id="user", event="url", time=3)
pdseqpriv.verify.is_k_anonymous(df, df, 3, person="name", ties="order")
pdseqpriv.hide(df.seqpriv.using(event="url"), ["a"], max_support=2)
private: pdseqpriv.SeqprivAccessor = df.seqpriv
private.hide(["a"], marking="greedy").head()
private.using(seq_id="user").k_anonymize(3)
released, key = private.k_anonymize(3, with_key=True)
pdseqpriv.verify.is_hidden(released, ["a"]).raise_if_violated()
pdseqpriv.Pipeline(seq_id="user").hide(["a"], max_support=2).run(df).verdicts
print(pdseqpriv.datasets.make_clickstream(10), pdseqpriv.__version__, pdseqpriv.options.threads)
"""
# Each line with the kind of error that mypy is to find in it.
WRONG = {
    'pdseqpriv.hide(df, ["a"], max_suport=2)': "call-arg",
    'pdseqpriv.hide(df, ["a"], ties="oder")': "arg-type",
    'pdseqpriv.generalize(df, k=2, time="ts")': "call-overload",
    "pdseqpriv.hyde(df)": "attr-defined",
    'pdseqpriv.Pipeline().hide(["a"], max_suport=2)': "call-arg",
    "pdseqpriv.Pipeline().hyde()": "attr-defined",
    'private.hide(["a"], max_suport=2)': "call-arg",
    'private.hide(["a"], marking="gready")': "arg-type",
    "private.hide()": "call-arg",
    "private.hyde()": "attr-defined",
    'private.k_anonymize("3")': "call-overload",
    'private.using(evnt="url")': "call-arg",
    'private.using(event="url").mine()': "call-arg",
}


@pytest.mark.parametrize("name", ["__init__.pyi", "methods.pyi"])
def test_stubs_are_fresh(name):
    assert (PACKAGE / name).read_text(encoding="utf-8") == stubs()[name], "run: make stubs"


def test_a_stub_that_is_not_fresh_is_found(monkeypatch):
    monkeypatch.setitem(pdseqpriv._METHODS, "add_noise", "noise.add_noise")
    written = {name: (PACKAGE / name).read_text(encoding="utf-8") for name in stubs()}
    assert "add_noise" in stubs()["methods.pyi"]
    assert stubs()["methods.pyi"] != written["methods.pyi"]


def test_stubs_name_what_there_is():
    assert {path.name for path in PACKAGE.rglob("*.pyi")} == set(stubs())
    lines = stubs()["methods.pyi"].splitlines()
    assert "    hide = _hide" in lines
    assert "from pdseqpriv.hiding.hide import hide as _hide" in lines
    package = stubs()["__init__.pyi"]
    for name in pdseqpriv.__all__:
        assert f" import {name} as {name}\n" in package


def test_type_checkers_know_the_methods_and_their_parameters(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(RIGHT + "".join(f"{line}\n" for line in WRONG), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--hide-error-context", "--no-error-summary", str(path)]
    said = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, check=False).stdout
    errors = {int(line): kind for line, kind in re.findall(r":(\d+): error: .*\[([\w-]+)\]", said)}
    assert errors == dict(enumerate(WRONG.values(), RIGHT.count("\n") + 1)), said
