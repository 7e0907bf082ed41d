# %% [markdown]
# # A nightly Parquet job with a recipe
#
# Every night a folder of Parquet files comes in, and a release goes out that anybody may have, or nothing
# does. What is done stands in a recipe that can be committed; what is secret stands beside it.

# %%
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from IPython.display import HTML

import pdseqpriv

work = tempfile.TemporaryDirectory()
folder = Path(work.name)

# %% [markdown]
# ## What the day brought
#
# Two partitions, one for each day. Here they are generated.

# %%
for day, seed in (("2024-05-01", 1), ("2024-05-02", 2)):
    partition = folder / "visits" / f"day={day}"
    partition.mkdir(parents=True)
    visits = pdseqpriv.datasets.make_clickstream(500, n_pages=40, seed=seed)
    visits["seq_id"] = day + "/" + visits["seq_id"].astype("str")
    pdseqpriv.write_parquet(visits, partition / "part.parquet")
sorted(str(path.relative_to(folder)) for path in folder.rglob("*.parquet"))

# %% [markdown]
# ## The recipe
#
# Two steps: few visits may go from sport to news, which is what a competitor asks for, and no visit may be
# found.

# %%
(folder / "patterns.txt").write_text("sport/0 -> news/0\n")
(folder / "recipe.yaml").write_text("""\
steps:
  - hide:
      patterns: !file patterns.txt
      max_support: 5
  - k_anonymize:
      k: 5
      guarantee: identical
""")
recipe = pdseqpriv.Pipeline.load(folder / "recipe.yaml")
recipe

# %% [markdown]
# A dry run says what would be done, and does nothing. A mistake in the recipe would be found here.

# %%
recipe.dry_run(folder / "visits")

# %% [markdown]
# ## The run
#
# After the last step, the promise of **every** step is checked on the final table. If one does not hold
# and cannot be repaired, the run ends with one sentence and gives nothing.

# %%
result = recipe.run(folder / "visits")
result

# %% [markdown]
# `result.record` is what may be told: it is written into the file. The patterns are not in it.

# %%
result.record

# %% [markdown]
# ## The files
#
# The release goes out; the key stays, readable by its owner only. Each is written completely or not at
# all.

# %%
pdseqpriv.write_parquet(result.table, folder / "release.parquet")
pdseqpriv.write_parquet(result.key, folder / "key.parquet")
print(oct((folder / "key.parquet").stat().st_mode & 0o777))

# %% [markdown]
# ## Another process looks again
#
# Whoever puts the file on the server does not need to believe the job: the file and the folder are enough.

# %%
original = pdseqpriv.read_parquet(folder / "visits")
released = pdseqpriv.read_parquet(folder / "release.parquet")
hidden = pdseqpriv.verify.is_hidden(released, ["sport/0 -> news/0"], max_support=5)
same = pdseqpriv.verify.is_k_anonymous(original, released, 5, guarantee="identical")
print(hidden, same, sep="\n")

# %%
chart = pdseqpriv.plot.kept(original, released)

# %% [markdown]
# In a shell, all of this is one line (`examples/nightly_job.sh` is a whole job). Here, it is run from Python.

# %%
line = "pdseqpriv run recipe.yaml visits/ nightly.parquet --key nightly_key.parquet --manifest nightly.json"
command = [sys.executable, "-m", *line.split()]
job = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
print(job.stdout, job.stderr)

# %% [markdown]
# ## The report
#
# It goes to the server beside the file. The sentences are ours; the patterns are not named.

# %%
path = folder / "report.html"
sentences = {
    "Patterns that the owner named are in at most 5 visits": hidden,
    "Every visit is equal to at least 4 others": same,
}
pdseqpriv.report(original, released, path, audience="public", verdicts=sentences)
page = path.read_text(encoding="utf-8")
HTML(f'<div><iframe title="report" srcdoc="{escape(page)}" width="100%" height="600"></iframe></div>')
