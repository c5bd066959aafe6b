# make quickstart   everything from nothing to a first result table
# make test         the tests
# make lint         format, lint, types, import contracts
# make docs         the pages of docs/, in site/
# make dist         wheel and source archive in dist/, installed and tried in an empty environment
#
# PYTHON=python3.12            another Python (3.11 or later)
# CONSTRAINTS=FILE             pip constraints, for instance a certain torch
# ARGS="--data-root FOLDER"    words for pytest

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?=
WORKERS ?= 3
ARGS ?=

BIN := $(VENV)/bin
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))

.PHONY: quickstart install-dev test lint docs dist clean

quickstart: $(VENV)/.installed
	$(BIN)/pdf-search quickstart

install-dev: $(VENV)/.installed-dev

# Tests that start Ray run in two of the processes, one after another in each. They wait more than they
# compute, so there is one process more than a small machine has cores.
test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

dist: $(VENV)/.installed-dev
	rm -rf dist
	$(BIN)/python -m build
	CONSTRAINTS="$(CONSTRAINTS)" PYTHON="$(PYTHON)" .ci/wheel dist/*.whl

clean:
	rm -rf $(VENV) site dist

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml $(CONSTRAINTS)
	$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.made pyproject.toml $(CONSTRAINTS)
	$(PIP_INSTALL) --editable '.[dev]'
	@touch $(VENV)/.installed $@

$(VENV)/.installed-docs: $(VENV)/.made pyproject.toml $(CONSTRAINTS)
	$(PIP_INSTALL) --editable '.[docs]'
	@touch $(VENV)/.installed $@
