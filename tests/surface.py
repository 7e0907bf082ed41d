"""The rules that public functions keep, each a function of those functions by their names.

As in ``tests/house.py``, a rule gives one line for each thing that it looks at: "" where nothing is wrong.
"""

from __future__ import annotations

import inspect
import re

from pdseqpriv.sequences.columns import SAYABLE

NEEDED = ("**Guarantee**", "**Not protected**", ">>> ")
TABLES = {"table", "original", "released", "path", "patterns", "keys"}
WITH_ROLES = {"table", "original", "released"}
# All other keywords of a sweep are the operation's.
NAMED_OTHERWISE = {"sweep"}
# Options with defaults of their own: a seed that only draws a sample need not be secret.
OWN_DEFAULTS = {
    "seed": {"risk": 0, "compare": 0},
    "method": {
        "generalize": "auto",
        "k_anonymize": "subsequence",
        "release_patterns": "raise",
        "sanitize": "joint",
    },
    "known": {"sweep": 2},
    "knows": {"sweep": "whole"},
    "seq_id": {"read_csv": "seq_id"},
    "event": {"read_csv": "event"},
    "time": {"read_csv": "time", "generalize": "real", "verify.is_generalized": "real"},
}
# They give no table, so they are no methods.
WRITERS = {"write_parquet", "write_csv", "write_spmf", "write_xes"}


def parameters_of(function):
    return list(inspect.signature(function).parameters.values())


def docstrings_promise_and_show(functions):
    for name, function in functions.items():
        text = inspect.getdoc(function) or ""
        yield from (f"{name}: no {needed}" if needed not in text else "" for needed in NEEDED)


def docstrings_name_every_option(functions):
    for name, function in functions.items():
        described = (inspect.getdoc(function) or "").split("Returns\n")[0]
        for parameter in parameters_of(function):
            if parameter.kind is parameter.KEYWORD_ONLY:
                entry = rf"^(\w+, )*{parameter.name}(, \w+)*( : \S|$)"
                is_there = re.search(entry, described, re.MULTILINE)
                yield "" if is_there else f"{name}: {parameter.name} is not described"


def only_tables_and_one_parameter_are_positional(functions):
    for name, function in functions.items():
        positional = {p.name for p in parameters_of(function) if p.kind is p.POSITIONAL_OR_KEYWORD}
        yield f"{name}: {sorted(positional - TABLES)}" if len(positional - TABLES) > 1 else ""


def an_option_has_one_default(functions):
    defaults = {}
    for name, function in functions.items():
        for parameter in parameters_of(function):
            if parameter.default is not parameter.empty:
                usual = defaults.setdefault(parameter.name, parameter.default)
                usual = OWN_DEFAULTS.get(parameter.name, {}).get(name, usual)
                said = f"{name}: {parameter.name}={parameter.default!r}, but elsewhere {usual!r}"
                yield "" if parameter.default == usual else said


def columns_can_be_named(functions):
    for name, function in functions.items():
        parameters = [one.name for one in parameters_of(function)]
        if parameters[0] in WITH_ROLES and name not in NAMED_OTHERWISE:
            yield "" if set(SAYABLE) <= set(parameters) else f"{name}: its columns cannot be named"


def functions_on_a_table_are_methods(functions, methods):
    on_tables = {name for name, one in functions.items() if parameters_of(one)[0].name == "table"}
    for name in sorted(on_tables | set(methods)):
        yield (
            ""
            if (name in on_tables - WRITERS) == (name in methods)
            else f"{name}: a method, or not on a table"
        )


def methods_are_the_functions(functions, methods):
    for name, method in methods.items():
        yield "" if functions.get(name) is method else f"{name} is another function as a method"


RULES = [
    docstrings_promise_and_show,
    docstrings_name_every_option,
    only_tables_and_one_parameter_are_positional,
    an_option_has_one_default,
    columns_can_be_named,
]
RULES_OF_METHODS = [functions_on_a_table_are_methods, methods_are_the_functions]
