# Each target makes what it needs from nothing: Python >= 3.11 and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CPU_TORCH ?= torch==2.13.0
# Processes that run tests, whole files each; every one loads the models once.
WORKERS ?= 2

.PHONY: demo install test lint types contracts format bench docs reference audit clean

$(BIN)/graphmem: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(BIN)/graphmem
	$(BIN)/python -m pip install --quiet "$(CPU_TORCH)"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	@touch $@

$(VENV)/.docs: pyproject.toml $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

install: $(BIN)/graphmem

demo: $(BIN)/graphmem
	sh tools/demo.sh $(BIN)/graphmem

test: $(VENV)/.dev lint types contracts
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

reference: $(VENV)/.dev
	$(BIN)/python tools/reference.py

docs: $(VENV)/.docs reference
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# In a virtual environment of its own: the tool must not stand among what it looks at.
audit: $(VENV)/.dev
	$(PYTHON) tools/audit.py $(BIN)/python $(VENV)-audit

bench: $(VENV)/.dev
	$(BIN)/graphmem bench

clean:
	rm -rf $(VENV) $(VENV)-audit .demo site
