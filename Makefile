.DEFAULT_GOAL := help
.PHONY: help install demo test soak fuzz check format bench bench-check readme clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

install: $(STAMP)  ## Make .venv and install mlbench and its tools into it

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "mlbench needs Python 3.11 or newer; set PYTHON=... to one"; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) \
	  || { echo "no venv module: on Debian or Ubuntu, apt-get install python3-venv"; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev,bench,dask]"
	@touch $(STAMP)

demo: install  ## Run the main job on embedded data, print its table
	$(BIN)/mlbench run quickstart --results build/demo
	$(BIN)/mlbench report quickstart --results build/demo

test: install  ## All tests (set MLBENCH_DATA for those on real data)
	$(BIN)/pytest -q -rs

check: test  ## Everything a change must pass
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install  ## Rewrite the code in the house format
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

soak: install  ## The tests that take minutes
	$(BIN)/pytest -q -m soak

fuzz: install  ## Mutated files for every reader, 20,000 a format
	$(BIN)/python -m tests.fuzz

bench: install  ## Measure speed against what people would use instead
	$(BIN)/python -m tests.bench

bench-check: install  ## Fail if a ratio fell below 70 % of the committed one
	$(BIN)/python -m tests.bench --check

readme: install  ## Renew the tables of the README from results and catalogue
	$(BIN)/python -m tests.readme

clean:  ## Remove what was built
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache
