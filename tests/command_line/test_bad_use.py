"""What is refused, with which exit code and which sentence; and that nothing is left behind."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

import pdseqpriv

pytestmark = pytest.mark.usefixtures("folder")
HIDE = ["hide", "visits.parquet", "out.parquet", "--patterns", "@patterns.txt"]
ROOT = Path(__file__).parents[2]

# The words of a command, its exit code, and what it says.
BAD = {
    "no such file": (["describe", "nothing.parquet"], 2, "IN: there is no file or folder 'nothing.parquet'"),
    "no such recipe": (["run", "nothing.yaml", "visits.parquet", "o.parquet"], 2, "RECIPE: there is no file"),
    "a wrong suffix": (["describe", "events.txt"], 2, "IN must be a folder, - or end in .parquet, .csv"),
    "a wrong suffix of OUT": (
        ["k-anonymize", "visits.parquet", "o.xlsx", "--k", 2],
        2,
        "OUT must be a folder",
    ),
    "a wrong suffix of the key": ([*HIDE, "--key", "key.csv"], 2, "--key must end in .parquet"),
    "a column that is not there": (
        [*HIDE, "--seq-id", "user"],
        2,
        "no column 'user' for seq_id; its columns are 'seq_id', 'event', 'time'. Name it with --seq-id.",
    ),
    "patterns on the command line": (
        ["hide", "visits.parquet", "o.parquet", "--patterns", "a -> b"],
        2,
        "--patterns must be @FILE: on the command line others on this machine can see it",
    ),
    "a seed on the command line": ([*HIDE, "--seed", "7"], 2, "--seed must be @FILE"),
    "a seed that is none": ([*HIDE, "--seed", "@patterns.txt"], 2, "--seed must be one whole number"),
    "patterns in no file": (
        ["hide", "visits.parquet", "o.parquet", "--patterns", "@nothing.txt"],
        2,
        "cannot read 'nothing.txt': there is no such file",
    ),
    "an empty file": (
        ["find", "visits.parquet", "--patterns", "@empty.txt"],
        2,
        "there is nothing in the file",
    ),
    "a wrong word": (
        [*HIDE, "--output", "remove"],
        2,
        'output must be one of "mark", "drop", "replace", got \'remove\'',
    ),
    "k too small": (
        ["k-anonymize", "visits.parquet", "o.parquet", "--k", 1],
        2,
        "k must be an int of at least 2",
    ),
    "k of text": (
        ["k-anonymize", "visits.parquet", "o.parquet", "--k", "two"],
        2,
        "Invalid value for '--k'",
    ),
    "a share that is none": (
        ["sanitize", "visits.parquet", "o.parquet", "--delta", "1/0", "--events", "@events.txt"],
        2,
        "--delta must be a number such as 0.1 or 1/3",
    ),
    "a page that is none": ([*HIDE, "--report", "page.pdf"], 2, "--report must end in .html"),
    "a page for nobody": ([*HIDE, "--report-for", "owner"], 2, "--report-for needs --report"),
    "a page for anybody": (
        [*HIDE, "--report", "page.html", "--report-for", "all"],
        2,
        "--report-for must be public or owner, got 'all'",
    ),
    "a page that is there": ([*HIDE, "--report", "old.html"], 2, "--report: 'old.html' is there already"),
    "a page that is a folder": ([*HIDE, "--report", "folder.html"], 2, "--report must be a file"),
    "a page where there is no folder": ([*HIDE, "--report", "no/p.html"], 2, "--report: there is no folder"),
    "a page that is the manifest": (
        [*HIDE, "--manifest", "one.html", "--report", "./one.html"],
        2,
        "--report and --manifest are the same file",
    ),
    "a page inside of IN": (
        ["hide", "many", "o.parquet", *HIDE[3:], "--report", "many/page.html"],
        2,
        "--report is inside of IN",
    ),
    "an unknown command": (["hyde"], 2, "No such command 'hyde'"),
    "an unknown option": ([*HIDE, "--max-suport", 2], 2, "No such option"),
    "OUT is IN": (
        ["hide", "visits.parquet", "./visits.parquet", *HIDE[3:], "--force"],
        2,
        "OUT is a file that is read",
    ),
    "OUT is the recipe": (
        ["run", "recipe.yaml", "visits.parquet", "recipe.yaml", "--force"],
        2,
        "OUT must be a folder",
    ),
    "OUT is a secret": (
        ["run", "secret.yaml", "visits.parquet", "patterns.csv", "--force"],
        2,
        "OUT is a file that is read",
    ),
    "OUT inside IN": (["k-anonymize", "many", "many/deep.parquet", "--k", 2], 2, "OUT is inside of IN"),
    "the key inside IN": (
        ["k-anonymize", "many", "o.parquet", "--k", 2, "--key", "many/key.parquet"],
        2,
        "--key is inside of IN",
    ),
    "two outputs the same": (
        ["k-anonymize", "visits.parquet", "o.parquet", "--k", 2, "--key", "./o.parquet"],
        2,
        "--key and OUT are the same file",
    ),
    "two others the same": (
        [
            "k-anonymize",
            "visits.parquet",
            "o.parquet",
            "--k",
            2,
            "--key",
            "k.parquet",
            "--manifest",
            "k.parquet",
        ],
        2,
        "--manifest and --key are the same file",
    ),
    "OUT is there": (
        ["hide", "visits.parquet", "old.parquet", *HIDE[3:]],
        2,
        "'old.parquet' is there already",
    ),
    "the manifest is there": (
        [*HIDE, "--manifest", "recipe.yaml"],
        2,
        "--manifest: 'recipe.yaml' is there already",
    ),
    "no such folder": (
        ["hide", "visits.parquet", "no/o.parquet", *HIDE[3:]],
        2,
        "OUT: there is no folder 'no'",
    ),
    "a folder as manifest": ([*HIDE, "--manifest", "many"], 2, "--manifest must be a file"),
    "no key to write": ([*HIDE, "--key", "key.parquet"], 2, "no step gives new ids, so there is no key"),
    "JSON and a table": (
        ["hide", "visits.parquet", "-", *HIDE[3:], "--json"],
        2,
        "must not both be standard output",
    ),
    "a hash that goes nowhere": ([*HIDE, "--hash-input"], 2, "--hash-input needs --manifest"),
    "categories in no file": (
        ["k-anonymize", "visits.parquet", "o.parquet", "--k", 2, "--taxonomy", "nothing.csv"],
        2,
        "cannot read 'nothing.csv'",
    ),
    "an earlier key that is none": (
        ["generalize", "visits.parquet", "o.parquet", "--k", 2, "--previous", "nothing.parquet"],
        2,
        "cannot read 'nothing.parquet'",
    ),
    "a secret that is not there": (
        ["run", "nowhere.yaml", "visits.parquet", "o.parquet"],
        2,
        "there is no such file",
    ),
    "a damaged file": (["describe", "damaged.parquet"], 1, "it is damaged, not a Parquet file"),
    "a bad order": (
        ["run", "order.yaml", "visits.parquet", "o.parquet"],
        2,
        "measures time, but step 1, k_anonymize",
    ),
    "a bad recipe": (
        ["run", "bad.toml", "visits.parquet", "o.parquet"],
        2,
        "line 2: there is no operation 'hyde'",
    ),
    "a cycle": (["run", "cycle.yaml", "visits.parquet", "o.parquet"], 2, "this contains itself"),
    "what cannot be had": (
        ["generalize", "visits.parquet", "o.parquet", "--k", 5000],
        1,
        "step 1, generalize: ",
    ),
    "a wrong kind": (["demo", "o.parquet", "--kind", "stars"], 2, "--kind must be one of clickstream"),
    "a key of something else": (
        ["verify", "k-anonymous", "visits.parquet", "visits.parquet", "--k", 2, "--key", "old.parquet"],
        2,
        "key must",
    ),
}


@pytest.fixture
def troubled(folder, generated):
    for name, text in {
        "secret.yaml": "steps: [{hide: {patterns: !file patterns.csv}}]",
        "patterns.csv": "a -> b",
        "order.yaml": "steps: [{k_anonymize: {k: 2}}, {hide: {patterns: ['a -> b within 1h']}}]",
        "nowhere.yaml": "steps: [{hide: {patterns: !file nowhere.txt}}]",
        "bad.toml": "[[steps]]\nhyde = {}\n",
        "cycle.yaml": "steps: &all [*all]",
        "empty.txt": "\n",
        "damaged.parquet": "not a table",
        "old.html": "an old page",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    pdseqpriv.write_parquet(generated.head(50), "old.parquet")
    (folder / "many").mkdir()
    (folder / "folder.html").mkdir()
    pdseqpriv.write_parquet(generated, folder / "many" / "a.parquet")
    return folder


def content_of(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("words", "code", "said"), BAD.values(), ids=BAD)
def test_bad_use_is_one_sentence_and_changes_nothing(words, code, said, troubled, run):
    before = content_of(troubled)
    ran = run(*words)
    assert ran.exit_code == code, ran
    assert said in " ".join(ran.err.replace("│", " ").split())
    assert content_of(troubled) == before
    assert "Traceback" not in ran.err


def test_a_promise_that_fails_writes_nothing(troubled, run):
    (troubled / "broken.yaml").write_text(
        "steps:\n  - k_anonymize: {k: 2, guarantee: identical, seed: 1}\n"
        "  - hide: {patterns: [a -> a], marking: random, seed: 1}\n",
        encoding="utf-8",
    )
    rows = "".join(f"{visit},a,{time}\n" for visit in range(4) for time in range(3))
    (troubled / "alike.csv").write_text(f"seq_id,event,time\n{rows}", encoding="utf-8")
    before = content_of(troubled)
    outs = ["--key", "key.parquet", "--manifest", "out.json", "--report", "out.html"]
    ran = run("run", "broken.yaml", "alike.csv", "out.parquet", *outs, "--json")
    assert ran.exit_code == 1
    assert ran.json["exit_code"] == 1
    assert (
        "step 1, k_anonymize, does not hold on the final table because of step 2, hide" in ran.json["error"]
    )
    assert content_of(troubled) == before


@pytest.mark.usefixtures("troubled")
def test_force_replaces(run):
    ran = run("hide", "visits.parquet", "old.parquet", *HIDE[3:], "--force")
    assert ran.exit_code == 0
    assert len(pdseqpriv.read_parquet("old.parquet")) > 50


def test_what_is_not_ours_is_told_without_its_text(monkeypatch, run):
    def fail(*_):
        raise RuntimeError("top-secret")

    monkeypatch.setattr("pdseqpriv.command_line.auditing.read_table", fail)
    ran = run("describe", "visits.parquet")
    assert (ran.exit_code, "top-secret" in ran.err + ran.out) == (1, False)
    assert "please report it" in ran.err


def test_a_manifest_tells_what_the_record_may_tell(folder, run):
    text = (folder / "recipe.yaml").read_text(encoding="utf-8")
    told = []
    for turn, seed in enumerate(("seed: 1", "seed: 123456789")):
        (folder / "recipe.yaml").write_text(text.replace("seed: 1", seed), encoding="utf-8")
        words = ["run", "recipe.yaml", "visits.parquet", f"{turn}.parquet", "--manifest", f"{turn}.json"]
        assert run(*words, *(["--hash-input"] if turn else [])).exit_code == 0
        told.append(json.loads((folder / f"{turn}.json").read_text(encoding="utf-8")))
    first, second = told
    assert set(first) == {"format", "versions", "recipe_sha256", "applied", "verdicts", "output"}
    assert set(second) - set(first) == {"input"}
    assert second["input"]["bytes"] == (folder / "visits.parquet").stat().st_size
    assert first["recipe_sha256"] == second["recipe_sha256"]  # a seed is a secret
    assert set(first["versions"]) >= {"pdseqpriv", "python", "pandas", "numpy", "pyarrow", "numba"}
    released = pdseqpriv.read_parquet("0.parquet")
    assert first["output"]["rows"] == len(released)
    assert first["output"]["sequences"] == released["seq_id"].nunique()
    assert [set(one) for one in first["verdicts"]] == [{"step", "operation", "check", "holds"}] * 2
    written = (folder / "0.json").read_text(encoding="utf-8")
    assert not [line for line in (folder / "patterns.txt").read_text().splitlines() if line in written]
    assert "120" not in written  # how many sequences there were
    (folder / "patterns.txt").write_text("x -> y\n", encoding="utf-8")
    assert run(*words, "--force").exit_code == 0
    assert json.loads((folder / "1.json").read_text())["recipe_sha256"] == first["recipe_sha256"]


COMMAND = [
    sys.executable,
    "-m",
    "pdseqpriv",
    "run",
    "recipe.yaml",
    "visits.parquet",
    "out.parquet",
    "--force",
]
COMMAND += ["--key", "key.parquet", "--manifest", "out.json", "--report", "out.html", "--quiet"]


def started(stderr=subprocess.DEVNULL, **options):
    # Where files may not grow, Python would leave half a module behind.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(COMMAND, stderr=stderr, env=environment, **options)


def leftovers(folder):
    return [path.name for path in folder.iterdir() if path.name.endswith(".part")]


def test_killed_at_any_moment_it_leaves_the_old_files_or_the_new_ones(folder):
    begun = time.monotonic()
    assert started().wait(300) == 0
    whole = time.monotonic() - begun
    names = ("out.parquet", "key.parquet", "out.json", "out.html")
    complete = {name: (folder / name).read_bytes() for name in names}
    for how, share in product((signal.SIGINT, signal.SIGKILL), (0.6, 0.9, 1.0)):
        for name in names:
            (folder / name).write_bytes(b"old")
        process = started()
        time.sleep(whole * share)
        process.send_signal(how)
        process.wait(300)
        for name in names:
            assert (folder / name).read_bytes() in (b"old", complete[name])
        if how == signal.SIGINT:
            assert leftovers(folder) == []
    (folder / f".out.parquet.{'0' * 16}.part").write_bytes(b"left by a process that was killed")
    assert started().wait(300) == 0
    assert leftovers(folder) == []
    assert {name: (folder / name).read_bytes() for name in names} == complete


def test_no_space_left_is_one_sentence_and_leaves_nothing(folder):
    def little_space():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    process = started(subprocess.PIPE, preexec_fn=little_space)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 1
    assert b"error: " in told
    assert b"cannot write" in told
    assert {path.name for path in folder.iterdir()} == {
        "events.txt",
        "patterns.txt",
        "recipe.yaml",
        "visits.parquet",
    }
