"""Every notebook runs as a reader would run it, and finds what its text says.

``tests/notebooks.py`` runs them, once: what they show is kept for ``make site``.
"""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks import KEPT, LIMIT, ROOT, SOURCES


@pytest.fixture
def results(tmp_path):
    """Run a notebook in an empty folder, and return what is then in its names."""

    def find(name, *names):
        here = tmp_path / "here"
        here.mkdir()
        (KEPT / f"{name}.ipynb").unlink(missing_ok=True)
        command = [sys.executable, "-m", "tests.notebooks", name, here, *names]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr[-3000:]
        assert not list(here.iterdir()), "a notebook writes only into a temporary folder"
        assert (KEPT / f"{name}.ipynb").exists()
        return pickle.loads((tmp_path / "handed.pickle").read_bytes())  # noqa: S301 (written by us)

    return find


def test_every_notebook_has_a_test():
    tested = re.findall(r'results\(\s*"(\w+)"', Path(__file__).read_text(encoding="utf-8"))
    assert tested == [path.stem for path in sorted(SOURCES.glob("*.py"))]
    assert len(tested) == 6


def test_all_notebooks_together_take_at_most_five_minutes(tmp_path):
    """Each is stopped when its part of that time is over, even if no cell takes long."""
    assert LIMIT * len(list(SOURCES.glob("*.py"))) <= 300
    slow = "# %%\nimport time\n" + "\n# %%\ntime.sleep(1)\n" * 100
    (tmp_path / "slow.py").write_text(slow, encoding="utf-8")
    (tmp_path / "in" / "here").mkdir(parents=True)
    code = (
        "from pathlib import Path\nfrom tests import notebooks\n"
        f"notebooks.SOURCES, notebooks.LIMIT = Path({str(tmp_path)!r}), 5\n"
        f"notebooks.run('slow', Path({str(tmp_path / 'in' / 'here')!r}), [])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "CellTimeoutError" in run.stderr
    assert not (KEPT / "slow.ipynb").exists()


def test_first_look(results):
    found = results("1_first_look", "facts", "risk", "by_day", "sweep", "verdict", "page")
    assert found["facts"]["sequences"] == 2_000
    assert found["risk"]["unique_share"].max() < 0.01  # few are singled out without times,
    assert found["risk"]["unique_with_times"].min() > 0.99  # and nearly all with them
    assert 0.5 < found["by_day"]["unique_share"].iloc[1] < 0.6  # two events and their days
    sweep = found["sweep"]
    assert (sweep["linkage_worst_probability"] <= 1 / sweep["k"]).all()
    assert sweep["events_kept"].is_monotonic_decreasing
    assert found["verdict"]
    assert "each of 2000 released sequences is contained" in found["page"]
    assert "confidential" in found["page"].lower()


def test_hand_an_event_log_to_a_partner(results):
    names = ["log", "found", "released", "verdict", "compatible", "before", "after", "page"]
    found = results("2_hand_an_event_log_to_a_partner", *names)
    assert found["found"]["unique_share"].item() > 0.99
    assert found["released"].groupby("group")["seq_id"].nunique().min() >= 5
    assert found["verdict"]
    assert found["compatible"]
    assert abs(found["before"].median() - found["after"].median()) < 0.5
    assert "At least 5 cases have the same intervals" in found["page"]
    assert not [case for case in found["log"]["seq_id"].unique() if f"{case}<" in found["page"]]


def test_check_ins_with_a_taxonomy(results):
    found = results("3_check_ins_with_a_taxonomy", "risk", "released", "weights", "verdict", "attack", "page")
    assert found["risk"]["unique_share"].min() > 0.9
    assert list(found["released"].columns) == ["who", "group", "place", "time_from", "time_to"]
    narrow, wide = found["weights"].iloc[0], found["weights"].iloc[-1]
    assert narrow["hours"] < wide["hours"]
    assert narrow["place"] < wide["place"]
    assert found["verdict"]
    assert found["attack"]["worst_probability"].max() <= 0.2
    assert "released sequences in" in found["page"]


def test_publish_patterns(results):
    found = results(
        "4_publish_patterns", "patterns", "channels", "raised", "true_ones", "verdict", "unsafe", "page"
    )
    assert set(found["channels"]["channel"]) == {"k", "alpha"}
    supports = {
        name: found[name].set_index("pattern")["support"] for name in ("patterns", "raised", "true_ones")
    }
    assert (supports["raised"] >= supports["patterns"][supports["raised"].index]).all()
    assert (supports["true_ones"] == supports["patterns"][supports["true_ones"].index]).all()
    assert 0 < len(supports["true_ones"]) < len(supports["patterns"]) == len(supports["raised"])
    assert found["verdict"]
    assert not found["unsafe"]
    assert "No two supports reveal" in found["page"]


def test_a_nightly_job_with_a_recipe(results):
    found = results("5_a_nightly_job_with_a_recipe", "result", "released", "hidden", "same", "job", "page")
    assert found["hidden"]
    assert found["same"]
    assert found["job"].returncode == 0
    assert "nightly.parquet: " in found["job"].stdout + found["job"].stderr
    assert [one["operation"] for one in found["result"].record["applied"]] == ["hide", "k_anonymize"]
    sizes = found["released"].groupby("seq_id")["event"].agg(tuple).value_counts()
    assert sizes.min() >= 5
    assert "Every visit is equal to at least 4 others" in found["page"]
    assert "2024-05-01/" not in found["page"]


def test_which_method_when(results):
    found = results("6_which_method_when", "table", "result", "page")
    table = found["table"]
    assert list(table["promise"]) == list(dict.fromkeys(table["promise"]))
    assert len(table) == 7
    assert table["holds"].all()
    risk, kept = table["found by events"], table["events with their own name"]
    assert table["found by times"][["hide", "sanitize"]].min() > 0.9
    assert risk["k_anonymize, identical"] <= 0.1 < risk["k_anonymize, contained"]
    assert risk["generalize"] <= 0.1
    assert kept[["k_anonymize, identical", "k_anonymize, mutual"]].max() < kept["k_anonymize, contained"]
    rows = table["rows released"]
    assert rows["k_anonymize, identical"] < rows["k_anonymize, identical, wards"] < rows["hide"] == 1
    assert all(found["result"].verdicts)
    assert "Step 2, k_anonymize" in found["page"]
