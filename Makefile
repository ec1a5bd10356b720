# Everything a newcomer needs starts here; each target does its own set-up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench soak clean

$(BIN)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(BIN)/.installed
	$(BIN)/python benchmarks/demo.py

test: $(BIN)/.installed
	$(BIN)/pytest -n 2

lint: $(BIN)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(BIN)/.installed
	$(BIN)/python -m benchmarks

soak: $(BIN)/.installed
	$(BIN)/pytest -n 2 --soak

clean:
	rm -rf $(VENV) build dist *.egg-info
