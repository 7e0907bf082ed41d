"""The command: every command on files, by suffix, with exit codes; secrets stay off the command line."""

from __future__ import annotations

import inspect
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import verify
from pdseqpriv.command_line.app import _COMMANDS, EXAMPLES, made
from pdseqpriv.command_line.verifying import CHECKS
from pdseqpriv.engines.named_columns import own_parameters

pytestmark = pytest.mark.usefixtures("folder")


def patterns():
    return Path("patterns.txt").read_text(encoding="utf-8").splitlines()[1:]


def names_of_files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_every_example_runs_and_ends_with_0(run):
    assert set(EXAMPLES) == {*_COMMANDS, *(f"verify {name}" for name in CHECKS)}
    done = [name for name in EXAMPLES if name not in ("demo", "warmup")]
    for name in done:
        words = shlex.split(EXAMPLES[name])[1:]
        ran = run(*words)
        assert ran.exit_code == 0, (name, ran)
        assert " ".join(words[: 1 + name.count(" ")]) == name
    ran = run("demo", "other.parquet", "--sequences", 20, "--seed", 1)
    assert (ran.exit_code, len(pdseqpriv.read_parquet("other.parquet")["seq_id"].unique())) == (0, 20)


@pytest.mark.parametrize("name", [*_COMMANDS, *(f"verify {name}" for name in CHECKS)])
def test_help_shows_an_example(name, run):
    ran = run(*name.split(), "--help")
    assert ran.exit_code == 0
    assert f"Example: {EXAMPLES[name]}" in " ".join(ran.out.split())
    assert "@FILE" in ran.out or "--patterns" not in ran.out


def test_help_lists_everything_and_is_light(run):
    for name in (*_COMMANDS, "verify", "--version", "--show-completion"):
        assert f" {name} " in run("--help").out
    assert run("--version").out.strip() == pdseqpriv.__version__
    code = "import sys, pdseqpriv.command_line.app as app; app.made(); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = ran.stdout.split()
    assert {"typer", "pdseqpriv"} <= set(loaded)
    assert not {"pandas", "numpy", "numba", "pyarrow", "pandera", "yaml"} & set(loaded)


def test_every_parameter_of_a_function_is_an_option():
    """Those that are read otherwise in a command are named here."""
    otherwise = {"table", "original", "released", "with_key", "reveal", "taxonomy", "in_order"}
    pairs = {name.replace("-", "_"): command for name, command in _COMMANDS.items()}
    looked_at = 0
    for name in ("hide", "k_anonymize", "generalize", "sanitize", "release_patterns", "mine", "find", "risk"):
        wanted = set(own_parameters(getattr(pdseqpriv, name))) - otherwise
        assert wanted <= set(inspect.signature(pairs[name]).parameters), name
        looked_at += len(wanted)
    assert looked_at > 50


def test_hide_is_the_function(generated, run):
    ran = run("hide", "visits.parquet", "out.parquet", "--patterns", "@patterns.txt", "--max-support", 2)
    assert ran.exit_code == 0
    assert ran.out == ""
    assert "step 1, hide: holds: 1 pattern checked" in ran.err
    released = pdseqpriv.read_parquet("out.parquet")
    pd.testing.assert_frame_equal(
        released, pdseqpriv.hide(generated, patterns(), max_support=2), check_like=False
    )
    assert [step["operation"] for step in released.attrs["pdseqpriv"]["applied"]] == ["hide"]


SUFFIXES = ["visits.csv", "visits.csv.gz", "visits.spmf", "visits.xes", "visits.xes.gz", "many/"]


@pytest.mark.parametrize("name", SUFFIXES)
def test_tables_are_read_and_written_by_their_suffix(name, folder, generated, run):
    (folder / "copies").mkdir()
    writers = {"csv": pdseqpriv.write_csv, "spmf": pdseqpriv.write_spmf, "xes": pdseqpriv.write_xes}
    writer = next((one for word, one in writers.items() if word in name), pdseqpriv.write_parquet)
    writer(generated, name)
    ran = run("hide", name, f"copies/{name}", "--patterns", "@patterns.txt", "--output", "drop")
    assert ran.exit_code == 0, ran.err
    reader = pdseqpriv.read_parquet if name.endswith("/") else None
    reader = reader or getattr(pdseqpriv, f"read_{name.split('.')[1]}")
    assert verify.is_hidden(reader(f"copies/{name}"), patterns())
    assert not verify.is_hidden(reader(name), patterns())


def test_partitions_are_read(folder, generated, run):
    for day in range(2):
        part = folder / "days" / f"day={day}"
        part.mkdir(parents=True)
        generated[generated["seq_id"] % 2 == day].to_parquet(part / "a.parquet", index=False)
    assert run("describe", "days", "--json").json["sequences"] == 120
    assert run("describe", "days/day=*/a.parquet", "--json").json["sequences"] == 120
    assert run("k-anonymize", "days", "out/", "--k", 2, "--quiet").exit_code == 0
    assert names_of_files(folder / "out") == ["table.parquet"]


def test_standard_input_and_output(generated, run):
    pdseqpriv.write_csv(generated, "visits.csv")
    text = Path("visits.csv").read_bytes()
    ran = run("hide", "-", "-", "--patterns", "@patterns.txt", "--quiet", stdin=text)
    assert (ran.exit_code, ran.err) == (0, "")
    Path("out.csv").write_text(ran.out, encoding="utf-8")
    expected = pdseqpriv.hide(generated, patterns())
    pd.testing.assert_frame_equal(pdseqpriv.read_csv("out.csv")[["event"]], expected[["event"]])


def test_bad_standard_input_is_called_by_its_name(run):
    ran = run("describe", "-", stdin=b"\xff\xfe no table")
    assert ran.exit_code == 1
    assert "cannot read standard input: it is not UTF-8 text" in ran.err
    assert "/dev/fd" not in ran.err


def test_a_real_process_reads_and_writes_pipes(generated):
    pdseqpriv.write_csv(generated, "visits.csv")
    command = [sys.executable, "-m", "pdseqpriv", "describe", "-", "--json"]
    with Path("visits.csv").open("rb") as stream:
        ran = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=True)
    assert '"sequences": 120' in ran.stdout


def test_other_names_and_people(generated, run):
    named = generated.rename(columns={"seq_id": "visit", "event": "url", "time": "ts"})
    named.assign(who=named["visit"] // 2).to_parquet("named.parquet", index=False)
    names = ["--seq-id", "visit", "--event", "url", "--time", "ts"]
    names += ["--person", "who", "--key", "key.parquet", "--k", "3"]
    ran = run("k-anonymize", "named.parquet", "out.parquet", *names)
    assert ran.exit_code == 0, ran.err
    released, key = pdseqpriv.read_parquet("out.parquet"), pdseqpriv.read_parquet("key.parquet")
    assert released.columns.tolist() == ["visit", "url", "ts"]
    assert key.columns.tolist() == ["visit", "who", "released_id"]
    assert stat.S_IMODE(Path("key.parquet").stat().st_mode) == 0o600
    assert run("verify", "k-anonymous", "named.parquet", "out.parquet", *names).exit_code == 0


def test_a_recipe_with_manifest_and_key(folder, run):
    before = names_of_files(folder)
    words = ["run", "recipe.yaml", "visits.parquet", "out.parquet", "--manifest", "out.json", "--json"]
    ran = run(*words, "--key", "key.parquet")
    assert ran.exit_code == 0, ran.err
    assert [one["holds"] for one in ran.json["verdicts"]] == [True, True]
    assert names_of_files(folder) == sorted([*before, "key.parquet", "out.json", "out.parquet"])


def test_a_second_run_gives_the_same_bytes(run):
    for turn in ("a", "b"):
        outs = ["--manifest", f"{turn}.json", "--key", f"{turn}-key.parquet", "--hash-input"]
        assert run("run", "recipe.yaml", "visits.parquet", f"{turn}.parquet", *outs).exit_code == 0
        assert run("run", "recipe.yaml", "visits.parquet", f"{turn}.csv.gz").exit_code == 0
    for name in (".parquet", "-key.parquet", ".json", ".csv.gz"):
        assert Path(f"a{name}").read_bytes() == Path(f"b{name}").read_bytes(), name


def test_a_dry_run_writes_nothing(folder, run):
    before = names_of_files(folder)
    ran = run("run", "recipe.yaml", "visits.parquet", "out.parquet", "--dry-run")
    assert ran.exit_code == 0
    assert "2. k_anonymize(k=3, guarantee='identical', seed=given)" in ran.out
    told = run("run", "recipe.yaml", "visits.parquet", "out.parquet", "--dry-run", "--json").json
    assert told["columns"] == ["seq_id", "event", "time"]
    pdseqpriv.write_csv(pdseqpriv.read_parquet("visits.parquet"), "visits.csv")
    assert run("hide", "visits.csv", "out.csv", "--patterns", "@patterns.txt", "--dry-run").exit_code == 0
    assert names_of_files(folder) == sorted([*before, "visits.csv"])


def test_quiet_is_quiet_and_warnings_are_lines(generated, run):
    generated.assign(note="x").to_parquet("noted.parquet", index=False)
    loud = run("k-anonymize", "noted.parquet", "a.parquet", "--k", 3)
    assert "warning: Pipeline.run: step 1, k_anonymize: " in loud.err
    quiet = run("k-anonymize", "noted.parquet", "b.parquet", "--k", 3, "--quiet")
    assert (quiet.exit_code, quiet.out, quiet.err) == (0, "", "")


def test_checks_end_with_1_where_a_guarantee_does_not_hold(run):
    ran = run("verify", "hidden", "visits.parquet", "--patterns", "@patterns.txt", "--json")
    assert ran.exit_code == 1
    assert '"holds": false' in ran.out
    assert run("verify", "k-anonymous", "visits.parquet", "visits.parquet", "--k", 5).exit_code == 1
    assert (
        run("verify", "sanitized", "visits.parquet", "--delta", "1/10", "--events", "@events.txt").exit_code
        == 1
    )


COMMANDS = """
k-anonymize aged.parquet 1.parquet --k 2 --guarantee identical --keep age --seed @seed.txt --key k1.parquet
k-anonymize aged.parquet 2.parquet --k 2 --guarantee identical --previous k1.parquet --taxonomy tree.csv
generalize aged.parquet 3.parquet --k 2 --monitored @events.txt --taxonomy tree.csv --key k3.parquet
generalize aged.parquet 4.parquet --diversity inf 1.5 --monitored @events.txt --key k4.parquet --time-weight 2
generalize aged.parquet 9.parquet --k 3 --seed @seed.txt --keep age=ages.csv --method hilbert
generalize aged.parquet 10.parquet --k 3 --event-weight 0.5 --since-start --key k10.parquet
generalize aged.parquet 11.parquet --k 3 --intervals by_category --key k11.parquet
sanitize visits.parquet 5.parquet --delta 1/3 --events @events.txt --scope table --method essa
release-patterns visits.parquet 6.csv --min-support 20 --alpha 0.9 --method suppress --max-length 2
hide visits.parquet 7.parquet --patterns @patterns.txt --max-gap 30min --marking greedy --selection shared
hide visits.parquet 8.parquet --patterns @patterns.txt --max-gap 2 --output replace --seed 5 --inline
risk visits.parquet --known 1 --known 2 --any-order --sample 50 --seed 1
risk 1.parquet --original aged.parquet --key k1.parquet --attack linkage --knows whole --knows 0.5 --k 2
compare aged.parquet 1.parquet --min-support 0.5 --sample 50
compare aged.parquet 3.parquet --key k3.parquet --monitored @events.txt --taxonomy tree.csv
find visits.parquet found.csv --patterns @patterns.txt --limit 0 --max-window 5
mine visits.parquet mined.parquet --min-support 0.4 --max-length 2 --closed
verify generalized aged.parquet 4.parquet --key k4.parquet --diversity inf 1.5 --monitored @events.txt
verify generalized aged.parquet 10.parquet --key k10.parquet --k 3 --since-start
verify generalized aged.parquet 11.parquet --key k11.parquet --k 3 --intervals by_category
verify k-anonymous aged.parquet 1.parquet --k 2 --guarantee identical --keep age --key k1.parquet
verify hidden visits.parquet --patterns @absent.txt --may-be-absent
verify sanitized visits.parquet --delta 0.5 --events @absent.txt --may-be-absent
"""


def test_options_reach_the_functions(generated, run):
    Path("tree.csv").write_text(
        "child,parent\n" + "".join(f"{one},{one[:2]}\n" for one in sorted(generated["event"].unique())),
        encoding="utf-8",
    )
    generated.assign(age=(generated["seq_id"] % 2).astype(str)).to_parquet("aged.parquet", index=False)
    Path("seed.txt").write_text("7\n", encoding="utf-8")
    Path("absent.txt").write_text("nowhere\n", encoding="utf-8")
    Path("ages.csv").write_text("child,parent\n0,young\n1,young\n", encoding="utf-8")
    for command in COMMANDS.strip().splitlines():
        ran = run(*command.split())
        assert ran.exit_code == 0, (command, ran)
    assert pdseqpriv.read_parquet("1.parquet").columns.tolist() == ["seq_id", "event", "time", "age"]


def test_the_script_is_declared():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'pdseqpriv = "pdseqpriv.command_line.app:main"' in text
    assert callable(made())


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_a_demo_without_a_file_shows_a_release(run, capsys):
    ran = run("demo", "--sequences", 50, "--seed", 1)
    assert ran.exit_code == 0
    assert "step 2, k_anonymize: holds" in ran.out
    assert capsys.readouterr().err == ""
