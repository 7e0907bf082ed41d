#!/bin/sh
# A nightly job: a folder of Parquet comes in, a release that anybody may have goes out, or nothing does.
# Usage: nightly_job.sh FOLDER
set -eu
cd "$1"

# What the day brought. Here it is generated; another job would leave one partition for each day.
mkdir -p "visits/day=2024-05-01" "visits/day=2024-05-02"
pdseqpriv demo "visits/day=2024-05-01/part.parquet" --sequences 300 --seed 1
pdseqpriv demo "visits/day=2024-05-02/part.parquet" --sequences 300 --seed 2

# What nobody may see is beside the recipe, and readable by the owner only: the recipe can be committed.
umask 077
mkdir -p secret
echo "sport/0 -> news/0" > secret/patterns.txt
echo 20240501 > secret/seed.txt
cat > recipe.yaml <<'RECIPE'
steps:
  - hide:
      patterns: !file secret/patterns.txt
      max_support: 5
      seed: !file secret/seed.txt
  - k_anonymize:
      k: 5
      guarantee: identical
      seed: !file secret/seed.txt
RECIPE

echo "What would be done:"
pdseqpriv run recipe.yaml visits release.parquet --dry-run

pdseqpriv run recipe.yaml visits release.parquet --key secret/key.parquet --manifest release.json --report release.html --force --quiet
echo "Written: release.parquet, release.json, a page about it for anybody, and the key for the owner."

# Another process checks what was written, and does not believe the first one.
pdseqpriv verify hidden release.parquet --patterns @secret/patterns.txt --max-support 5
pdseqpriv verify k-anonymous visits release.parquet --k 5 --guarantee identical --key secret/key.parquet

# The table that came in does not pass: exit code 1, on which a job stops.
code=0
pdseqpriv verify hidden visits --patterns @secret/patterns.txt --max-support 5 || code=$?
test "$code" -eq 1
echo "The visits themselves do not pass: exit code $code."

# The same recipe, input and seed make the same bytes.
pdseqpriv run recipe.yaml visits again.parquet --manifest again.json --report again.html --quiet
cmp release.parquet again.parquet
cmp release.json again.json
cmp release.html again.html
echo "A second run made the same bytes."
