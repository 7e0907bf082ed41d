# %% [markdown]
# # Check-ins with a taxonomy and times
#
# A day of check-ins in a city. Anybody may have seen anybody anywhere, so every place and every time can
# give somebody away. Times become intervals, and places become kinds of places.

# %%
import tempfile
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
from IPython.display import HTML

import pdseqpriv

folder = tempfile.TemporaryDirectory()

# %% [markdown]
# ## The city
#
# Five kinds of places. The `Taxonomy` says which place is of which kind.

# %%
kinds = {
    "Transport": (10, 8.0),
    "Work": (40, 9.5),
    "Food": (25, 13.0),
    "Outdoors": (8, 17.5),
    "Bars": (15, 21.0),
}
places = pdseqpriv.Taxonomy(
    {kind: [f"{kind} {i}" for i in range(number)] for kind, (number, _) in kinds.items()}
)
places

# %% [markdown]
# ## A day
#
# 600 people go to some of these places, at about the usual hour. Few places are popular.

# %%
chance = np.random.default_rng(1)
parts = []
for kind, (number, hour) in kinds.items():
    who = np.flatnonzero(chance.random(600) < 0.6)
    place = (number * chance.random(who.size) ** 3).astype(int)
    minute = pd.to_timedelta((60 * chance.normal(hour, 0.5, who.size)).astype(int), unit="min")
    parts.append(pd.DataFrame({"who": who, "place": [f"{kind} {i}" for i in place], "at": minute}))
day = pd.concat(parts, ignore_index=True)
day["at"] += pd.Timestamp("2024-05-01")
day.head()

# %% [markdown]
# Our columns have other names, so we say which is which, once.

# %%
visits = day.seqpriv.using(seq_id="who", event="place", time="at")
chart = visits.plot.sequences(30, over="time")

# %% [markdown]
# A single check-in, with its minute, singles out nearly everybody:

# %%
risk = visits.risk(known=[1, 2], with_time=True)
risk[["known", "unique_share", "mean_probability"]].round(2)

# %% [markdown]
# ## Five who look the same

# %%
released, key = visits.generalize(places, k=5, with_key=True, seed=3)
chart = released.seqpriv.using(seq_id="who", event="place").plot.intervals(15)

# %% [markdown]
# Is the place more important, or the time? `event_weight` says so. A high one keeps narrow kinds of places
# in long intervals.

# %%
rows = []
for weight in (0.1, 1, 10):
    table = visits.generalize(places, k=5, event_weight=weight, seed=3)
    hours = (table["time_to"] - table["time_from"]).dt.total_seconds() / 3600
    exact, kind = table["place"].isin(places.leaves), table["place"].isin(list(kinds))
    rows.append({"event_weight": weight, "hours": hours.mean(), "place": exact.mean(), "kind": kind.mean()})
weights = pd.DataFrame(rows)
weights.round(2)

# %% [markdown]
# ## Does it hold, and what do attackers find?
#
# The check counts. The attack takes what is known of somebody, all of it or half, and looks which records
# could be theirs.

# %%
verdict = pdseqpriv.verify.is_generalized(visits, released, key, k=5, taxonomy=places)
verdict

# %%
attack = pdseqpriv.risk(released, original=visits, key=key, taxonomy=places, attack="linkage", k=5)
attack[["knows", "attacked", "unique_share", "worst_probability", "mean_probability"]].round(3)

# %% [markdown]
# ## The report

# %%
path = Path(folder.name, "report.html")
pdseqpriv.report(visits, released, path, audience="owner", key=key, taxonomy=places)
page = path.read_text(encoding="utf-8")
HTML(f'<div><iframe title="report" srcdoc="{escape(page)}" width="100%" height="600"></iframe></div>')
