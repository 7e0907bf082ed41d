# %% [markdown]
# # Publish patterns
#
# Often nobody needs the sequences, only what usually follows what. A table of patterns and their supports
# looks harmless: each number counts hundreds of people. Two numbers together can still speak of one.

# %%
import tempfile
from html import escape
from pathlib import Path

from IPython.display import HTML

import pdseqpriv

folder = tempfile.TemporaryDirectory()
log = pdseqpriv.datasets.make_event_log(2_000, seed=1)[["seq_id", "event", "time"]]

# %% [markdown]
# ## What usually follows what
#
# `mine` finds every pattern that is in at least a fifth of the cases, with exact supports.

# %%
patterns = log.seqpriv.mine(0.2)
print(f"{len(patterns)} patterns")
patterns.head()

# %% [markdown]
# ## Two numbers, one small group
#
# `inference_channels` lists the pairs of supports that tell too much: a difference that is smaller than
# `k` people, or a longer pattern that is almost certain (`alpha`) for whoever has the shorter one.

# %%
channels = pdseqpriv.inference_channels(patterns, k=10, alpha=0.95)
channels["channel"].value_counts()

# %%
channels.head()

# %% [markdown]
# ## Two ways to mend it
#
# By default supports are raised, as little as is needed. All patterns stay, but the numbers are no longer
# exact.

# %%
raised = log.seqpriv.release_patterns(0.2, k=10, alpha=0.95)

# %% [markdown]
# `method="suppress"` leaves patterns out instead. What is left is true.

# %%
true_ones = log.seqpriv.release_patterns(0.2, k=10, alpha=0.95, method="suppress")
print(f"{len(patterns)} patterns, of which {len(true_ones)} can be published with their true supports.")

# %% [markdown]
# Which of the two is better depends on the use: for a ranking the raised ones, for arithmetic the true
# ones.

# %%
pdseqpriv.compare(patterns, raised)[["measure", "value", "meaning"]]

# %%
chart = pdseqpriv.plot.patterns(true_ones)

# %% [markdown]
# ## Does it hold?
#
# The check compares all pairs of patterns.

# %%
verdict = pdseqpriv.verify.are_patterns_safe(true_ones, k=10, alpha=0.95)
verdict

# %% [markdown]
# The table as it was mined does not pass:

# %%
unsafe = pdseqpriv.verify.are_patterns_safe(patterns, k=10, alpha=0.95)
unsafe

# %% [markdown]
# ## The report

# %%
path = Path(folder.name, "report.html")
pdseqpriv.report(patterns, true_ones, path, audience="public")
page = path.read_text(encoding="utf-8")
HTML(f'<div><iframe title="report" srcdoc="{escape(page)}" width="100%" height="600"></iframe></div>')
