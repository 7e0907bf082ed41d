# %% [markdown]
# # Hand an event log to a partner
#
# A hospital hands its cases to a laboratory, which wants to know what happens after a blood test. But the
# laboratory knows **when** it tested whom. It could look for these times in the log, find its patients,
# and read what else happened to them.
#
# `generalize` is for this: what the partner knows becomes intervals that several cases share. All else
# stays as it is.

# %%
import tempfile
from html import escape
from pathlib import Path

from IPython.display import HTML

import pdseqpriv

folder = tempfile.TemporaryDirectory()
log = pdseqpriv.datasets.make_event_log(1_500, seed=2)[["seq_id", "event", "time"]]
known = ["blood test", "x-ray"]

# %% [markdown]
# ## What the partner could do
#
# The laboratory knows the times of its own events. Among the cases that have any, nearly all are the only
# one with these times:

# %%
tested = log[log["event"].isin(known)]
found = tested.seqpriv.risk(known=1, with_time=True)
found[["known", "people", "unique_share", "mean_probability"]].round(3)

# %% [markdown]
# ## Intervals that five cases share
#
# Calendar dates do not matter for the question, so times are counted from the first event of each case.
# Intervals are then much shorter.

# %%
released, key = log.seqpriv.generalize(k=5, monitored=known, time="since_start", with_key=True, seed=7)
released.head(8)

# %% [markdown]
# A group is a row. Its members have the same intervals for what the laboratory knows; points are events
# that it does not know, and they are true.

# %%
chart = released.seqpriv.plot.intervals(12)

# %% [markdown]
# ## Does it hold?
#
# The check looks at every row with code of its own. It needs the key, which stays with the hospital.

# %%
verdict = pdseqpriv.verify.is_generalized(log, released, key, k=5, monitored=known, time="since_start")
verdict

# %% [markdown]
# ## What is left for the question
#
# How long after the start are patients discharged, if they were tested at all? Discharges are not
# monitored, so the times are exact.

# %%
first_test = tested.groupby("seq_id")["time"].min()
start = log.groupby("seq_id")["time"].min()
discharged = log[log["event"] == "discharge"].groupby("seq_id")["time"].min()
before = (discharged - start)[first_test.index.intersection(discharged.index)].dt.total_seconds() / 3600

with_test = released.loc[released["event"].isin([*known, "ALL"]), "seq_id"].unique()
is_discharge = (released["event"] == "discharge") & released["seq_id"].isin(with_test)
after = released[is_discharge].groupby("seq_id")["time_from"].min() / 3600
print(f"Median hours to discharge: {before.median():.1f} in the log, {after.median():.1f} in the release.")

# %% [markdown]
# ## The next delivery
#
# In a month the same cases go out again. Two releases can be compared with each other, so the new one has
# to know the key of the first: `previous` makes groups of which every intersection is large enough.

# %%
again, second_key = log.seqpriv.generalize(
    k=5, monitored=known, time="since_start", with_key=True, previous=[key], seed=8
)
compatible = pdseqpriv.verify.are_compatible([key, second_key], 5)
compatible

# %% [markdown]
# ## The report
#
# This page is for the partner. It says what was done, that it was checked and what is not protected, and
# shows nothing that the release does not show.

# %%
path = Path(folder.name, "report.html")
sentence = "At least 5 cases have the same intervals for the blood tests and x-rays"
pdseqpriv.report(log, released, path, audience="public", verdicts={sentence: verdict})
page = path.read_text(encoding="utf-8")
HTML(f'<div><iframe title="report" srcdoc="{escape(page)}" width="100%" height="600"></iframe></div>')
