# Plain venv and pip; needs only python3 (3.11 or newer), make and git.
# Paths are relative, so the folder's own name may hold spaces.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/.installed

BENCH_VENV := .venv-bench
BENCH_STAMP := $(BENCH_VENV)/.installed

OLDEST_VENV := .venv-oldest
OLDEST_STAMP := $(OLDEST_VENV)/.installed

DASK_VENV := .venv-dask
DASK_STAMP := $(DASK_VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo demo-dask test oldest lint types hooks docs schemas stubs card bench clean

help:  ## list what there is
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*##/\t/' | sort | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-9s %s\n' "$$name" "$$text"; done

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $(STAMP)

$(BENCH_STAMP): pyproject.toml
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	@touch $(BENCH_STAMP)

$(OLDEST_STAMP): pyproject.toml tests/floors.py
	$(PYTHON) -m venv --clear $(OLDEST_VENV)
	$(PYTHON) tests/floors.py > $(OLDEST_VENV)/floors.txt
	$(OLDEST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(OLDEST_VENV)/floors.txt --editable ".[dev]"
	@touch $(OLDEST_STAMP)

$(DASK_STAMP): pyproject.toml
	$(PYTHON) -m venv $(DASK_VENV)
	$(DASK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[dask]"
	@touch $(DASK_STAMP)

demo: $(STAMP)  ## a short tour of the library on generated data
	@$(RUN) examples/tour.py

demo-dask: $(DASK_STAMP)  ## the same calls on pandas, on a folder of Parquet files and on Dask
	@$(DASK_VENV)/bin/python examples/dask_frames.py

test: lint types $(STAMP)  ## everything: lint, types, doctests, tests, and which lines no test ran
	$(RUN) -m pytest -n 2 -q -p tests.lines_run

# Its compiled code is kept apart, so that the two environments do not compile in turns.
oldest: $(OLDEST_STAMP)  ## the tests on the lowest version of every dependency that pyproject.toml allows
	NUMBA_CACHE_DIR="$(CURDIR)/$(OLDEST_VENV)/compiled" $(OLDEST_VENV)/bin/python -m pytest -n 2 -q

lint: $(STAMP)  ## ruff: rules and format
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: $(STAMP)  ## mypy, strict
	$(RUN) -m mypy

hooks: $(STAMP)  ## have git run lint, types and freshness before every commit
	$(VENV)/bin/pre-commit install

docs: $(STAMP)  ## run the examples inside docstrings
	$(RUN) -m pytest -q pdseqpriv

schemas: $(STAMP)  ## write schemas/ from pdseqpriv/schemas.py
	$(RUN) -m pdseqpriv.schema_files schemas

stubs: $(STAMP)  ## write pdseqpriv/*.pyi, from which editors know the public names
	$(RUN) -m tests.stubs

card: $(STAMP)  ## write docs/types.md, which types come in and go out
	$(RUN) -m tests.type_card

bench: $(BENCH_STAMP)  ## time everything side by side and write benchmarks/RESULTS.md
	$(BENCH_VENV)/bin/python -m benchmarks.run

clean:  ## remove the venv and everything generated
	rm -rf $(VENV) $(BENCH_VENV) $(OLDEST_VENV) $(DASK_VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis demo-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
