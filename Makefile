# The few commands of this repository. Each sets up what it needs; ARGS is passed on.
.DEFAULT_GOAL := help
.PHONY: help setup networks evaluate collect-demo test test-unit nightly bench images deploy docs lint format lock

MODEL ?=
DATA ?= examples
PROFILE ?= paper
OUT ?= runs/$(notdir $(DATA))-$(shell date +%Y%m%d-%H%M%S)
SUITE ?= default
BENCH_SAMPLES ?= 20000
ARGS ?=
CHECK = .venv/bin/python scripts/check.py

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo '  Variables: MODEL (two sets of recorded answers to the examples where none is named), DATA, PROFILE and OUT for evaluate; ARGS for options of the command behind;'
	@echo '  SUITE for test: default, all, nightly, or some of unit, integration, security, containers, … (docs/testing.md).'
	@echo '  make evaluate MODEL=replay:examples/try/replay.jsonl ARGS="--task latex"'

setup:  ## install what is missing, and nothing else
	@scripts/bootstrap dev

networks:  ## add PyTorch and VGG16's weights, which the metrics lpips and cis need
	@scripts/bootstrap run
	@scripts/networks

evaluate:  ## evaluate a model on the bundled examples, services included
	@scripts/bootstrap run
	@.venv/bin/i2s-sdk evaluate $(if $(MODEL),--model "$(MODEL)",$(if $(filter examples,$(DATA)),--model replay:examples/answers/full-size.jsonl --model replay:examples/answers/small-images.jsonl,--model oracle)) --out "$(OUT)" --data "$(DATA)" --profile "$(PROFILE)" $(ARGS)

collect-demo:  ## collect three small data sets from stand-ins of arXiv and GitHub on this machine, and evaluate two baselines on them
	@scripts/bootstrap dev
	@.venv/bin/python tests/support/collect_demo.py $(if $(filter file,$(origin OUT)),runs/collect-demo-$(shell date +%Y%m%d-%H%M%S),"$(OUT)")

test:  ## lint, type-check and test, in a quarter of an hour; SUITE="security containers" runs other suites, SUITE=all all
	@scripts/bootstrap dev
	@$(CHECK) $(SUITE) -- $(ARGS)

test-unit:  ## run the unit tests only, less the slow ones
	@scripts/bootstrap dev
	@$(CHECK) unit -- -m "not slow" $(ARGS)

nightly:  ## run every suite, complete, and say at the end which failed; hours, for a schedule
	@scripts/bootstrap dev
	@$(CHECK) nightly

bench:  ## measure a whole run beside the reference-style procedure, a run of many samples (BENCH_SAMPLES), waiting times of clients, and the ladder of metrics
	@scripts/bootstrap dev
	@code=0; \
	.venv/bin/python -m benchmarks.whole_run --output benchmarks/results/whole_run.json $(ARGS) || code=$$?; \
	.venv/bin/python -m benchmarks.runs --samples $(BENCH_SAMPLES) --output benchmarks/results/runs.json || code=$$?; \
	.venv/bin/python -m benchmarks.fairness || code=$$?; \
	.venv/bin/python -m benchmarks.ladder --output benchmarks/results/ladder.json || code=$$?; \
	.venv/bin/python -m benchmarks.ladder --documents --output benchmarks/results/ladder_documents.json || code=$$?; \
	exit $$code

images:  ## build the container images of the services and the SDK
	@scripts/bootstrap images
	@deploy/images/build $(ARGS)

deploy:  ## write the files of deploy/ that follow from its templates and the table of renderers
	@scripts/bootstrap dev
	@.venv/bin/python scripts/deployment.py

docs:  ## build the documentation site into build/docs, and check every link
	@scripts/bootstrap dev
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build
	@echo 'The site is build/docs/index.html; its search needs a server: .venv/bin/python -m http.server -d build/docs'

lint:  ## check style and types
	@scripts/bootstrap dev
	@$(CHECK) lint types

format:  ## format the code and mend what ruff can mend
	@scripts/bootstrap dev
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix .

lock:  ## resolve requirements/*.txt anew (ARGS="--upgrade" moves every pin)
	@scripts/bootstrap dev
	@scripts/lock $(ARGS)
