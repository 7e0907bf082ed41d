# Plain venv and pip; needs only python3 (3.11 or newer), make and git.
# Paths are relative, so the folder's own name may hold spaces.
PYTHON ?= python3
# Processes that are started by tests need not compile every module again.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/.installed
# Compiled code is kept until a kernel changes.
WARM := $(VENV)/.warm
KERNELS := $(shell find pdseqpriv -path '*/kernels/*.py') $(wildcard pdseqpriv/compiled*.py) pdseqpriv/all_operations.py

BENCH_VENV := .venv-bench
BENCH_STAMP := $(BENCH_VENV)/.installed

AHEAD := pdseqpriv/compiled_kernels.json
WHEEL_VENV := .venv-wheel

OLDEST_VENV := .venv-oldest
OLDEST_STAMP := $(OLDEST_VENV)/.installed

DASK_VENV := .venv-dask
DASK_STAMP := $(DASK_VENV)/.installed

SPARK_VENV := .venv-spark
SPARK_STAMP := $(SPARK_VENV)/.installed

BROWSER_VENV := .venv-browser
BROWSER_STAMP := $(BROWSER_VENV)/.installed

# Notebooks as they were run; the tests run them and leave them here.
SITE_STAMP := $(VENV)/.installed-docs
SHOWN := $(patsubst examples/notebooks/%.py,build/notebooks/%.ipynb,$(wildcard examples/notebooks/*.py))

.DEFAULT_GOAL := help
.PHONY: help install demo demo-dask demo-spark test test-browser test-spark site wheel test-wheel oldest lint types hooks docs schemas stubs card bench bench-clusters bench-large clean

help:  ## list what there is
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*##/\t/' | sort | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done

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

# Another process opens pages in a browser, so the library itself need not be installed beside it.
$(BROWSER_STAMP): tests/browser/install.sh
	sh tests/browser/install.sh $(PYTHON) $(BROWSER_VENV)
	@test ! -x $(BROWSER_VENV)/bin/playwright || touch $(BROWSER_STAMP)

$(SITE_STAMP): $(STAMP)
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $(SITE_STAMP)

# Only Spark is installed there; all else is found in the environment of the other tests.
PACKAGES := -c "import sysconfig; print(sysconfig.get_path('purelib'))"
$(SPARK_STAMP): $(STAMP)
	$(RUN) -m venv $(SPARK_VENV)
	$(RUN) $(PACKAGES) > "$$($(SPARK_VENV)/bin/python $(PACKAGES))/other_tests.pth"
	$(SPARK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[spark]"
	@touch $(SPARK_STAMP)

$(WARM): $(STAMP) $(KERNELS)
	@echo "The last step of installing: every operation is compiled once, on all cores, which takes about three minutes."
	$(RUN) -m pdseqpriv warmup
	@touch $(WARM)

install: $(WARM)  ## a virtual environment with the library and its tools, everything compiled once

demo: $(WARM)  ## a short tour of the library on generated data
	@$(RUN) examples/tour.py

demo-dask: $(DASK_STAMP)  ## the same calls on pandas, on a folder of Parquet files and on Dask
	@$(DASK_VENV)/bin/python examples/dask_frames.py

demo-spark: $(SPARK_STAMP)  ## the same calls on pandas and on Spark; needs Java
	@PYSPARK_PYTHON="$(CURDIR)/$(SPARK_VENV)/bin/python" $(SPARK_VENV)/bin/python examples/spark_frames.py

test: lint types $(WARM)  ## everything: lint, types, doctests, tests, which lines no test ran, and the site
	$(RUN) -m pytest -n 2 --dist worksteal -q -p tests.lines_run
	@$(MAKE) --no-print-directory site

build/notebooks/%.ipynb: examples/notebooks/%.py $(WARM)
	@rm -rf build/running/$* && mkdir -p build/running/$*/here
	$(RUN) -m tests.notebooks $* "$(CURDIR)/build/running/$*/here"
	@rm -r build/running/$*

# Needs no network. A warning is an error.
site: $(SITE_STAMP) $(SHOWN)  ## the documentation as a site: build/site/html/index.html
	$(RUN) docs/build.py
	$(RUN) -m pytest -q tests/check_site.py

# Where the browser or npm is missing and cannot be installed, it says so and does nothing.
test-browser: $(WARM) $(BROWSER_STAMP)  ## pages about releases in a real browser: on a phone and a desktop, light and dark, printed
	$(RUN) tests/browser/pages.py $(BROWSER_VENV)/pages
	$(BROWSER_VENV)/bin/python tests/browser/look.py $(BROWSER_VENV)

# A session of Spark is large and slow to start, so these tests are not part of the others. Java compiles
# quickly rather than well, because no query runs twice.
test-spark: $(SPARK_STAMP)  ## the answers of Spark beside those of a table that is here; needs Java
	JDK_JAVA_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" $(SPARK_VENV)/bin/python -m pytest -q tests/engines/test_spark.py "tests/test_documents.py::test_every_block_runs_and_prints_what_is_shown[docs/bigger_than_memory.md]"

# Its compiled code is kept apart, so that the two environments do not compile in turns.
oldest: $(OLDEST_STAMP)  ## the tests on the lowest version of every dependency that pyproject.toml allows
	NUMBA_CACHE_DIR="$(CURDIR)/$(OLDEST_VENV)/compiled" $(OLDEST_VENV)/bin/python -m pytest -n 2 --dist worksteal -q

# Needs a C compiler, for this platform and version of Python.
wheel: $(STAMP)  ## a wheel with compiled kernels in dist/, with which no call ever compiles
	rm -rf dist
	PDSEQPRIV_COMPILE=1 $(RUN) -m hatchling build -t wheel

test-wheel: wheel  ## install that wheel elsewhere, and see that no function compiles anything
	$(PYTHON) -m venv --clear $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[plot,report]"
	$(WHEEL_VENV)/bin/python -P tests/shipped.py

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

# Beside the sources, where they are used as from a wheel until a kernel changes.
$(AHEAD): $(BENCH_STAMP) $(KERNELS)
	$(BENCH_VENV)/bin/python -m pdseqpriv.build_ahead

bench: $(BENCH_STAMP) $(AHEAD)  ## time everything side by side and write benchmarks/RESULTS.md
	$(BENCH_VENV)/bin/python -m benchmarks.run

# Where Dask and Spark are installed; bench-clusters ROWS=40000000 measures what the documentation tells.
bench-clusters: $(SPARK_STAMP)  ## hide on a table here, on a folder, on Dask and on Spark, side by side; needs Java
	$(SPARK_VENV)/bin/python -m benchmarks.clusters $(ROWS)

bench-large: $(SPARK_STAMP)  ## a folder that does not fit into memory beside a tenth of it in one piece; ROWS=100000000 for the most
	$(SPARK_VENV)/bin/python -m benchmarks.large_folders $(ROWS)

clean:  ## remove the venv and everything generated
	rm -rf $(VENV) $(BENCH_VENV) $(WHEEL_VENV) $(OLDEST_VENV) $(DASK_VENV) $(BROWSER_VENV) $(SPARK_VENV) dist pdseqpriv/compiled_kernels* .mypy_cache .pytest_cache .ruff_cache .hypothesis demo-output build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
