# %% [markdown]
# # A first look: how exposed are they?
#
# Names are gone, ids are random numbers. Is the table safe to share? This notebook looks at 2,000 hospital
# cases and at what somebody finds out who knows a few things about a patient.

# %%
import tempfile
from html import escape
from pathlib import Path

import matplotlib.pyplot as plt
from IPython.display import HTML

import pdseqpriv

folder = tempfile.TemporaryDirectory()

# %% [markdown]
# A sequence table has one event per row: whose it is (`seq_id`), what happened (`event`) and when
# (`time`). This one is generated, so nobody is in it.

# %%
log = pdseqpriv.datasets.make_event_log(2_000, seed=1)[["seq_id", "event", "time"]]
log.head()

# %% [markdown]
# Each strip is a patient, each colour an event. Most begin alike; then many go a way of their own.

# %%
chart = log.seqpriv.plot.sequences(40)

# %% [markdown]
# `describe` counts. `unique_sequence_share` is the share of cases whose sequence of events nobody else
# has.

# %%
facts = log.seqpriv.describe()
facts

# %% [markdown]
# ## A neighbour knows a few things
#
# Nobody knows all that happened to a patient. But a neighbour may know two or three events. `risk` tries
# everything that could be known and counts whom it leads to.

# %%
risk = log.seqpriv.risk(known=[1, 2, 3])
risk[["known", "unique_share", "below_k_share", "mean_probability", "unique_with_times"]].round(3)

# %% [markdown]
# Without dates, few are singled out. The last column is for somebody who also knows *when*: a single event
# and its time are enough for nearly everybody. Even days are: two events and their days single out most.

# %%
by_day = log.seqpriv.risk(known=[1, 2, 3], with_time=True, resolution="day")
chart = pdseqpriv.plot.risk(by_day)

# %% [markdown]
# ## What it takes
#
# `k_anonymize` releases only what at least k patients share, with new ids, and with positions in the place
# of times. How much is left depends on k, and so does what an attacker finds who knows a **whole** case
# and takes the record that fits best.

# %%
sweep = log.seqpriv.sweep("k_anonymize", k=[2, 5, 10, 25], guarantee="identical")
sweep[["k", "linkage_worst_probability", "linkage_mean_probability", "events_kept"]].round(3)

# %%
chart = pdseqpriv.plot.trade_off(sweep)

# %% [markdown]
# With `k=10`, nobody is found with more than 1 in 10.

# %%
released, key = log.seqpriv.k_anonymize(10, guarantee="identical", with_key=True)
verdict = pdseqpriv.verify.is_k_anonymous(log, released, 10, guarantee="identical")
verdict

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
pdseqpriv.plot.kept(log, released, ax=axes[0])
chart = pdseqpriv.plot.kept(log, released, what="lengths", ax=axes[1])

# %% [markdown]
# ## The report
#
# One page for the owner, with everything above. It shows the original's numbers: keep it where the data
# are. `audience="public"` writes the page that can go with the release.

# %%
path = Path(folder.name, "report.html")
pdseqpriv.report(log, released, path, audience="owner", key=key)
page = path.read_text(encoding="utf-8")
HTML(f'<div><iframe title="report" srcdoc="{escape(page)}" width="100%" height="600"></iframe></div>')
