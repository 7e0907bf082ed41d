"""The models of our tables: what they refuse, in whose words, under which names, and as files for others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pandas as pd
import pandera.pandas as pa
import pytest
from pandera.typing import DataFrame

import pdseqpriv
from pdseqpriv.audit.measures import MEANINGS
from pdseqpriv.schema_files import schema_files
from pdseqpriv.schemas import (
    MODELS,
    GeneralizedTable,
    KeyTable,
    PatternTable,
    SequenceTable,
    SweepTable,
    validate,
)
from pdseqpriv.sequences.columns import Columns

FOLDER = Path(__file__).parents[1] / "schemas"
GOOD = pd.DataFrame({"seq_id": ["x", "x"], "event": ["a", None], "time": [1, 2]})


def test_schema_files_are_fresh():
    expected = schema_files()
    assert set(expected) > {f"{kind}.{ending}" for kind in MODELS for ending in ("yaml", "json")}
    assert {path.name for path in FOLDER.iterdir()} == set(expected)
    for name, content in expected.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == content, "run: make schemas"


# What a program that never imports us finds out with schema files.
FOREIGN = """
import json, sys, pandas as pd, pandera.pandas as pa
for path, columns in json.load(sys.stdin):
    schema = pa.DataFrameSchema.from_yaml(path)
    frame = pd.DataFrame(eval(columns))
    assert "pdseqpriv" not in sys.modules
    try:
        schema.validate(frame)
    except (pa.errors.SchemaError, pa.errors.SchemaErrors):
        print("refused")
    else:
        print("accepted")
"""
FILES = [
    ("sequences", {}, "accepted"),
    ("sequences", {"event": "['a', None]"}, "accepted"),
    ("sequences", {"event": "[7, 8]", "seq_id": "[1, 2]"}, "accepted"),
    ("sequences", {"time": "[0.5, 1.5]", "note": "[[1], {}]"}, "accepted"),
    ("sequences", {"seq_id": "[None, 'x']"}, "refused"),
    ("sequences", {"time": "['noon', 'one']"}, "refused"),
    ("sequences", {"time": "[float('inf'), 1]"}, "refused"),
    ("sequences", {"time": "[None, 1.0]"}, "refused"),
    ("sequences", {"time": None}, "refused"),
    ("sequences", {"time": "pd.to_datetime(['2024-01-01'] * 2)"}, "refused"),
    ("sequences_datetimes", {"time": "pd.to_datetime(['2024-01-01'] * 2)"}, "accepted"),
    ("sequences_datetimes", {"time": "pd.to_datetime(['2024-01-01'] * 2, utc=True)"}, "accepted"),
    ("sequences_datetimes", {"time": "pd.to_datetime(['2024-01-01', None])"}, "refused"),
    ("sequences_datetimes", {"time": "['noon', 'one']"}, "refused"),
    ("sequences_datetimes", {}, "refused"),
    ("sequences", {"seq_id": "None", "event": "[[1], [1]]", "time": "'noon'"}, "refused"),
]
OTHER_FILES = [
    ("patterns", {}, "accepted"),
    ("patterns", {"support": "[0]"}, "refused"),
    ("patterns", {"length": "[0]"}, "refused"),
    ("patterns", {"secret": "[1]"}, "refused"),
    ("key", {}, "accepted"),
    ("key", {"released_id": "pd.array([-1], 'Int64')"}, "refused"),
    ("key", {"seq_id": "[None]"}, "refused"),
    ("generalized", {}, "accepted"),
    ("generalized", {"group": "[-1]"}, "refused"),
    ("generalized", {"time_to": "['noon']"}, "refused"),
    # Pandera's own checks compare no two columns; the model does.
    ("generalized", {"time_to": "[0]"}, "accepted"),
    ("channels", {}, "accepted"),
    ("channels", {"longer_support": "[0]"}, "refused"),
    ("channels", {"channel": "['x']"}, "refused"),
    ("channels", {"confidence": "[1.5]"}, "refused"),
    ("channels", {"secret": "[1]"}, "refused"),
    ("sweep", {}, "accepted"),
    ("sweep", {"k": "[2]", "f_measure": "[0.9]"}, "accepted"),
    ("sweep", {"f_measure": "['high']"}, "refused"),
    ("sweep", {"unique_share": "[1.1]"}, "refused"),
    ("sweep", {"sequences_lost": None}, "refused"),
    ("comparison", {}, "accepted"),
    ("comparison", {"better": "['x']"}, "refused"),
]
SWEPT = [name for name, field in SweepTable.to_schema().columns.items() if field.required]
OTHER_TABLES = {
    "patterns": {"pattern": "[('a',)]", "support": "[1]", "length": "[1]"},
    "key": {"seq_id": "['x']", "released_id": "pd.array([0], 'Int64')"},
    "generalized": {"seq_id": "[0]", "group": "[0]", "event": "['a']", "time_from": "[1]", "time_to": "[2]"},
    "channels": {
        "channel": "['k']",
        "pattern": "[('a',)]",
        "longer": "[('a', 'b')]",
        "support": "[9]",
        "longer_support": "[8]",
        "inferred_support": "[1]",
        "confidence": "[8 / 9]",
    },
    "sweep": dict.fromkeys(SWEPT, "[0.5]"),
    "comparison": {
        "measure": "['events_kept']",
        "value": "[0.5]",
        "better": "['higher']",
        "paper": "['']",
        "meaning": "['kept']",
        "basis": "['all']",
    },
}


SEQUENCES = {"seq_id": "['x', 'y']", "event": "['a', 'b']", "time": "[1, 2]"}


@pytest.fixture(scope="module")
def answers():
    """Return what a program that does not import us says of every table; it takes a second to start."""
    tables = []
    for file, changes, _ in FILES + OTHER_FILES:
        columns = OTHER_TABLES.get(file, SEQUENCES) | changes
        text = ", ".join(f"{name!r}: {value}" for name, value in columns.items() if value is not None)
        tables.append((str(FOLDER / f"{file}.yaml"), f"{{{text}}}"))
    command, asked = [sys.executable, "-c", FOREIGN], json.dumps(tables)
    run = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    said = run.stdout.splitlines()
    assert len(said) == len(tables)
    return said


@pytest.mark.parametrize("place", range(len(FILES + OTHER_FILES)))
def test_a_program_that_does_not_import_us_refuses_bad_tables(answers, place):
    file, changes, answer = (FILES + OTHER_FILES)[place]
    assert answers[place] == answer, (file, changes)


CHANNEL = {
    "channel": "alpha",
    "pattern": ["a"],
    "longer": ["a", ["b", "c"]],
    "support": 9,
    "longer_support": 8,
    "inferred_support": 1,
    "confidence": 8 / 9,
}


def test_the_model_of_sweep_knows_every_measure_of_sequences():
    papers = (
        "",
        "Monreale et al. 2014",
        "Abul et al. 2007",
        "Loukides & Gwadera 2015",
        "Sherkat et al. 2013",
    )
    measures = {name for paper in papers for name in MEANINGS[paper]}
    shown = set(SweepTable.to_schema().columns)
    # Which events become ghosts is measured where a delta is given, and sweep takes none for compare.
    assert measures - shown == {"ghost_events"}
    assert {"unique_share", "linkage_mean_probability"} < shown - measures
    assert len(shown - measures) == 8


@pytest.mark.parametrize(
    ("kind", "row", "fits"),
    [
        ("sequences", {"seq_id": "x", "event": None, "time": 1.5}, True),
        ("sequences", {"seq_id": 3, "event": 7, "time": "2024-05-01T10:00:00Z", "note": {}}, True),
        ("sequences", {"seq_id": None, "event": "a", "time": 1}, False),
        ("sequences", {"seq_id": "x", "event": [1], "time": 1}, False),
        ("sequences", {"seq_id": "x", "event": "a"}, False),
        ("sequences", {"seq_id": 1.5, "event": "a", "time": 1}, False),
        ("patterns", {"pattern": ["a", ["b", "c"]], "support": 1, "length": 3}, True),
        ("patterns", {"pattern": ["a"], "support": 0, "length": 1}, False),
        ("patterns", {"pattern": [], "support": 1, "length": 1}, False),
        ("key", {"seq_id": "x", "released_id": None}, True),
        ("key", {"seq_id": "x", "released_id": -1}, False),
        ("generalized", {"seq_id": 0, "group": 0, "event": "a", "time_from": 1, "time_to": 2}, True),
        ("generalized", {"seq_id": 0, "group": 0, "event": "a", "time_from": 1, "time_to": 2, "x": 1}, False),
        ("channels", CHANNEL, True),
        ("channels", {**CHANNEL, "confidence": 1.5}, False),
        ("channels", {**CHANNEL, "channel": "beta"}, False),
        ("channels", {**CHANNEL, "longer": []}, False),
        ("sweep", {"k": 2, **dict.fromkeys(SWEPT, 0.5)}, True),
        ("sweep", {"k": 2, **dict.fromkeys(SWEPT, None), "f_measure": 0.5}, True),
        ("sweep", {"k": 2, **dict.fromkeys(SWEPT, 0.5), "f_measure": "high"}, False),
        ("sweep", {"k": 2, **dict.fromkeys(SWEPT[1:], 0.5)}, False),
    ],
)
def test_json_schemas_say_what_a_row_is(kind, row, fits):
    schema = json.loads((FOLDER / f"{kind}.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    assert validator.is_valid([row, row]) is fits


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        (
            "patterns",
            {"support": [0, 3]},
            "column 'support' must be whole numbers of at least 1, but 1 row has",
        ),
        (
            "patterns",
            {"length": [1, None]},
            "column 'length' must be whole numbers of at least 1, but 1 row has",
        ),
        ("patterns", {"pattern": [("a",), ()]}, "column 'pattern' must be tuples of events"),
        ("patterns", {"pattern": [("a",), "ab"]}, "but it holds values of type str"),
        ("key", {"seq_id": ["x", "x"]}, "every id in column 'seq_id' must occur once"),
        ("key", {"released_id": pd.array([0, -1], "Int64")}, "of at least 0, or null, but 1 row has less"),
        (
            "key",
            {"secret": [1, 2]},
            "may only have the columns 'seq_id', 'released_id', but it also has 'secret'",
        ),
    ],
)
def test_models_refuse_in_our_words(kind, changes, said):
    tables = {
        "patterns": {"pattern": [("a",), ("b",)], "support": [2, 3], "length": [1, 1]},
        "key": {"seq_id": ["x", "y"], "released_id": pd.array([0, None], "Int64")},
    }
    validate(pd.DataFrame(tables[kind]), kind)
    with pytest.raises(pdseqpriv.SeqPrivError, match=said) as caught:
        validate(pd.DataFrame(tables[kind] | changes), kind)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_models_check_the_types_of_users_functions():
    @pa.check_types
    def keep(visits: DataFrame[SequenceTable.using(seq_id="user")]) -> DataFrame[SequenceTable]:
        return visits.rename(columns={"user": "seq_id"})

    assert keep(GOOD.rename(columns={"seq_id": "user"})).equals(GOOD)
    with pytest.raises(pa.errors.SchemaError):
        keep(GOOD)
    with pytest.raises(pa.errors.SchemaError):
        keep(GOOD.rename(columns={"seq_id": "user"}).assign(time="noon"))


@pytest.mark.parametrize(
    "names", [("user", "url", "ts"), (1, 2, 3), (("a", 1), "event", "time"), ("é", "", " ")]
)
def test_models_take_any_names(names):
    renamed = GOOD.set_axis(pd.Index(names, tupleize_cols=False), axis=1)
    validate(renamed, "sequences", Columns(*names))
    with pytest.raises(pdseqpriv.SeqPrivError, match="no column"):
        validate(renamed.iloc[:, :2], "sequences", Columns(*names))


def test_a_misspelt_role_is_named():
    with pytest.raises(
        pdseqpriv.SeqPrivError, match="SequenceTable has no column 'sequence'; it has seq_id, event, time"
    ):
        SequenceTable.using(sequence="user")


def test_validating_changes_nothing_and_allows_other_columns_twice():
    frame = pd.concat([GOOD, pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"])], axis=1)
    frame.attrs["mine"] = 1
    before = frame.copy()
    validate(frame, "sequences")
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == {"mine": 1}


def test_what_operations_give_fits_the_public_models():
    df = pdseqpriv.datasets.make_event_log(60, seed=1)[["seq_id", "event", "time"]]
    released, key = df.seqpriv.k_anonymize(2, with_key=True)
    SequenceTable.validate(released)
    KeyTable.validate(key)
    PatternTable.validate(df.seqpriv.mine(20))
    blurred, key = df.seqpriv.generalize(k=2, with_key=True)
    GeneralizedTable.validate(blurred)
    KeyTable.validate(key)


def table_with(**changes):
    """Return a generalized table, with some columns replaced, added, or left out (None)."""
    columns = {
        "seq_id": [0, 1],
        "group": [0, 0],
        "event": ["a", "b"],
        "time_from": [1.0, 2.0],
        "time_to": [1.5, 2.0],
    }
    return pd.DataFrame({name: value for name, value in (columns | changes).items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "fits"),
    [
        ({}, True),
        ({"event": [None, "b"]}, True),
        ({"event": [7, 8]}, True),
        ({"event": [7, "b"]}, False),
        ({"event": [7.5, 8.5]}, False),
        ({"seq_id": [0, -1]}, False),
        ({"seq_id": [0, None]}, False),
        ({"group": ["x", "y"]}, False),
        ({"group": None}, False),
        ({"time_to": [None, 2.0]}, False),
        ({"time_from": [float("-inf"), 2.0]}, False),
        ({"note": [0, 1]}, False),
    ],
)
def test_what_schemas_say_is_what_is_checked(changes, fits):
    frame = table_with(**changes)
    if fits:
        validate(frame, "generalized")
        assert GeneralizedTable.validate(frame) is not None
        return
    with pytest.raises(pdseqpriv.SeqPrivError):
        validate(frame, "generalized")
    with pytest.raises((pa.errors.SchemaError, pa.errors.SchemaErrors)):
        GeneralizedTable.validate(frame)


PYSPARK = """
import sys, warnings
if sys.argv[1] == "pandera":
    import pandera.pandas
else:
    import pandas as pd, pdseqpriv
    frame = pd.DataFrame({"seq_id": [1, 2], "event": ["a", "a"], "time": [1, 2]})
    print(len(pdseqpriv.k_anonymize(frame, 2)), len(pdseqpriv.schemas.SequenceTable.validate(frame)))
"""


@pytest.mark.parametrize("who", ["pandera", "pdseqpriv"])
def test_where_pyspark_warns_everything_works_with_warnings_as_errors(tmp_path, who):
    for folder in ("pyspark", "pyspark/pandas"):
        (tmp_path / folder).mkdir()
        text = "import warnings\nwarnings.warn('PySpark does not support this pandas', FutureWarning)\n"
        (tmp_path / folder / "__init__.py").write_text(
            "" if folder == "pyspark" else f"{text}raise ImportError", encoding="utf-8"
        )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(FOLDER.parent)])}
    command = [sys.executable, "-W", "error", "-c", PYSPARK, who]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if who == "pandera":  # else this test would show nothing
        assert "FutureWarning" in ran.stderr
    else:
        assert ran.stdout.split() == ["2", "2"], ran.stderr
