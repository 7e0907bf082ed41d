# %% [markdown]
# # Which method when
#
# The same cases, every method, one table: what is promised, what attackers find, and what is left.

# %%
import tempfile
import warnings
from html import escape
from pathlib import Path

import pandas as pd
from IPython.display import HTML

import pdseqpriv

folder = tempfile.TemporaryDirectory()
log = pdseqpriv.datasets.make_event_log(1_500, seed=3)[["seq_id", "event", "time"]]
K = 10

# %% [markdown]
# What is sensitive here: that somebody went from intensive care to death, and how often somebody had
# surgery. Wards are the categories that rare events may become.

# %%
wards = pdseqpriv.Taxonomy(
    {
        "front desk": ["register", "triage", "cancel", "return visit"],
        "diagnosis": ["blood test", "x-ray", "consultation"],
        "treatment": ["prescription", "surgery", "admission", "intensive care"],
        "end": ["discharge", "death"],
    }
)
secret = ['"intensive care" -> death']
rare = ["surgery"]

# %% [markdown]
# ## Seven releases
#
# Each is made with its key, where ids are new, so that we can attack it. What the operations tell the
# owner while they work is left out here; it says how many cases were dropped.

# %%
warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)

releases = {
    "hide": (log.seqpriv.hide(secret), None),
    "sanitize": (log.seqpriv.sanitize(0.2, events=rare), None),
    "k_anonymize, contained": log.seqpriv.k_anonymize(K, with_key=True, seed=1),
    "k_anonymize, mutual": log.seqpriv.k_anonymize(K, guarantee="mutual", with_key=True, seed=1),
    "k_anonymize, identical": log.seqpriv.k_anonymize(K, guarantee="identical", with_key=True, seed=1),
    "k_anonymize, identical, wards": log.seqpriv.k_anonymize(
        K, guarantee="identical", taxonomy=wards, with_key=True, seed=1
    ),
    "generalize": log.seqpriv.generalize(wards, k=K, time="since_start", with_key=True, seed=1),
}

# %% [markdown]
# ## Guarantees
#
# One sentence for each promise, and the verdict of its check.

# %%
verify = pdseqpriv.verify
contained, mutual, equal, coarse = (releases[name][0] for name in list(releases)[2:6])
generalized, groups = releases["generalize"]
verdicts = {
    "hide": verify.is_hidden(releases["hide"][0], secret),
    "sanitize": verify.is_sanitized(releases["sanitize"][0], 0.2, events=rare),
    "k_anonymize, contained": verify.is_k_anonymous(log, contained, K),
    "k_anonymize, mutual": verify.is_k_anonymous(log, mutual, K, guarantee="mutual"),
    "k_anonymize, identical": verify.is_k_anonymous(log, equal, K, guarantee="identical"),
    "k_anonymize, identical, wards": verify.is_k_anonymous(
        log, coarse, K, guarantee="identical", taxonomy=wards
    ),
    "generalize": verify.is_generalized(log, generalized, groups, k=K, taxonomy=wards, time="since_start"),
}
pd.Series({name: str(verdict) for name, verdict in verdicts.items()}, name="verdict").to_frame()

# %% [markdown]
# ## Attacks
#
# Somebody knows all events of a case and takes the record that fits best. How often are they right? In
# `generalize` the times are attacked, too.

# %%
start = log.groupby("seq_id")["time"].transform("min")
since_start = log.assign(time=(log["time"] - start).dt.total_seconds())


def attacked(name: str) -> float:
    """Return how likely patients are to be found, on average over 300 of them."""
    released, key = releases[name]
    options = {
        "original": since_start if name == "generalize" else log,
        "key": key,
        "taxonomy": wards if name.endswith(("wards", "generalize")) else None,
    }
    found = pdseqpriv.risk(released, attack="linkage", knows="whole", k=K, sample=300, **options)
    return found["mean_probability"].max()


found = {name: attacked(name) for name in releases}

# %% [markdown]
# `hide` and `sanitize` also release times as they are. Who knows one event and its time finds the case:

# %%
with_times = {
    name: releases[name][0].seqpriv.risk(known=1)["mean_with_times"].item() for name in ("hide", "sanitize")
}
with_times

# %% [markdown]
# ## What is left


# %%
def kept(name: str) -> float:
    """Return the share of events that are released with their own name."""
    released = releases[name][0]
    return released["event"].isin(log["event"].unique()).sum() / len(log)


left = {name: kept(name) for name in releases}
rows = {name: len(released) / len(log) for name, (released, _) in releases.items()}
times = {"hide": "exact", "sanitize": "exact", "generalize": "intervals"}

# %% [markdown]
# ## One table

# %%
promised = {
    "hide": "no case shows the pattern",
    "sanitize": "surgery stays below 20 % of each case so far",
    "k_anonymize, contained": f"{K} cases contain what is released",
    "k_anonymize, mutual": f"and {K} records, too",
    "k_anonymize, identical": f"{K} records are equal",
    "k_anonymize, identical, wards": f"{K} records are equal, some with categories",
    "generalize": f"{K} records have the same intervals and categories",
}
table = pd.DataFrame(
    {
        "promise": promised,
        "holds": {name: bool(verdict) for name, verdict in verdicts.items()},
        "found by events": found,
        "found by times": found | with_times,
        "rows released": rows,
        "events with their own name": left,
        "times": {name: times.get(name, "positions") for name in releases},
    }
)
table.round(3)

# %% [markdown]
# "Found by events" is for attackers who know what happened, "found by times" for those who also know when.
# The releases of `k_anonymize` have no times to look for. How to read it:
#
# - `hide` and `sanitize` protect **what** is said about people, not who they are. They keep nearly
#   everything, times included, and whoever knows a case finds it.
# - `"contained"` protects against somebody who counts the records that contain all they know. Somebody who
#   takes the best fit finds more.
# - `"identical"` protects against any linking. It costs events. With categories more rows are
#   released, some of them less exact.
# - `generalize` keeps times as intervals, which nothing else does.

# %%
axes = table["found by times"].iloc[::-1].plot.barh(color="#0072B2", figsize=(7, 3))
axes.axvline(1 / K, color="black", linestyle="--")
shown = axes.set(xlabel="how likely a patient is found, if times are known, too", xlim=(0, 1))

# %% [markdown]
# ## Both kinds together
#
# Somebody may neither be found nor be seen to go from intensive care to death. A `Pipeline` runs both and
# checks both promises at the end.

# %%
result = pdseqpriv.Pipeline().hide(secret).k_anonymize(K, guarantee="identical", seed=1).run(log)
result

# %% [markdown]
# ## The report

# %%
path = Path(folder.name, "report.html")
named = {f"Step {one.step}, {one.operation}": one.verdict for one in result.verdicts}
pdseqpriv.report(log, result.table, path, audience="owner", key=result.key, verdicts=named)
page = path.read_text(encoding="utf-8")
HTML(f'<div><iframe title="report" srcdoc="{escape(page)}" width="100%" height="600"></iframe></div>')
