"""The rules of our tables as schemas of pandera, and their export to ``schemas/`` for other tools."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pandera.pandas as pa
from pandera import extensions

from pdseqpriv.sequences.rules import RULES, TABLES, Rule, TableKind, TableRules


def _register(rule: Rule) -> None:
    """Make a rule known to pandera under its name, which the files use."""

    def check(column: pd.Series) -> bool:
        return rule.holds(column)

    check.__name__ = rule.name
    extensions.register_check_method(statistics=[])(check)


def _schema(kind: TableKind, rules: TableRules) -> pa.DataFrameSchema:
    return pa.DataFrameSchema(
        {name: _column(rule, meaning) for name, (rule, meaning) in rules.columns.items()},
        name=kind,
        description=rules.description,
        strict=rules.is_strict,
        unique_column_names=True,
    )


def _column(rule: Rule, meaning: str) -> pa.Column:
    # By default pandera hides nulls from its checks; ours have something to say about them.
    asked = getattr(pa.Check, rule.name)(ignore_na=False)
    return pa.Column(None, checks=[asked], nullable=True, description=meaning)


for _rule in RULES:
    _register(_rule)

SCHEMAS: dict[TableKind, pa.DataFrameSchema] = {kind: _schema(kind, rules) for kind, rules in TABLES.items()}


def write_schemas(folder: Path) -> None:
    """Write every schema as YAML."""
    folder.mkdir(exist_ok=True)
    for kind, schema in SCHEMAS.items():
        (folder / f"{kind}.yaml").write_text(schema.to_yaml(), encoding="utf-8")


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
