# The few commands of this repository. Each sets up what it needs; ARGS is passed on.
.DEFAULT_GOAL := help
.PHONY: help setup networks evaluate collect-demo test test-unit nightly test-nightly test-chaos soak test-mutants images test-containers test-cluster test-platforms test-kernels test-attacks test-load test-training test-clients test-wheels wheels docs in-debian lint format lock references clean bench

MODEL ?=
DATA ?= examples
PROFILE ?= paper
SUITE ?= trixie
RUN ?= make evaluate
OUT ?= runs/$(notdir $(DATA))-$(shell date +%Y%m%d-%H%M%S)
BENCH_SAMPLES ?= 20000
I2S_SOAK_JOBS ?= 1000
I2S_SOAK_SEED ?= 7
I2S_SOAK_ACTIONS ?= 100
ARGS ?=

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo '  Variables: MODEL (oracle and baseline/ocr where none is named), DATA, PROFILE and OUT for evaluate; ARGS for options of the command behind.'
	@echo '  make evaluate MODEL=replay:examples/try/replay.jsonl ARGS="--task latex"'

setup:  ## install what is missing, and nothing else
	@scripts/bootstrap dev

networks:  ## add PyTorch and VGG16's weights, which the metrics lpips and cis need
	@scripts/bootstrap run
	@scripts/networks

evaluate:  ## evaluate a model on the bundled examples, services included
	@scripts/bootstrap run
	@.venv/bin/i2s-sdk evaluate $(if $(MODEL),--model "$(MODEL)",--model oracle --model baseline/ocr) --out "$(OUT)" --data "$(DATA)" --profile "$(PROFILE)" $(ARGS)

collect-demo:  ## collect three small data sets from stand-ins of arXiv and GitHub, and evaluate two models on them
	@scripts/bootstrap dev
	@PYTHONPATH=tests/support .venv/bin/python tests/support/collect_demo.py "$(OUT)"

bench:  ## measure a whole run beside the reference-style procedure, a run of many samples (BENCH_SAMPLES), and waiting times of clients
	@scripts/bootstrap dev
	@code=0; \
	.venv/bin/python -m benchmarks.whole_run --output benchmarks/results/whole_run.json $(ARGS) || code=$$?; \
	.venv/bin/python -m benchmarks.runs --samples $(BENCH_SAMPLES) --output benchmarks/results/runs.json || code=$$?; \
	.venv/bin/python -m benchmarks.fairness || code=$$?; \
	exit $$code

test:  ## lint, type-check and run every suite
	@scripts/bootstrap dev $(if $(I2S_REQUIRE_DOCKER),containers) $(if $(I2S_REQUIRE_PLATFORMS),platforms) $(if $(I2S_REQUIRE_KERNELS),kernels)
	@scripts/check lint types+unit integration security containers+kernels+fidelity+wheels platforms -- $(ARGS)

test-unit:  ## run the unit tests only, less the slow ones
	@scripts/bootstrap dev
	@scripts/check unit -- -m "not slow" $(ARGS)

nightly:  ## run test-nightly, test-mutants, test-attacks and test-load, and say at the end which failed; hours, for a schedule
	@scripts/nightly

test-nightly:  ## run what make test leaves out: a thousand examples of each property, and slow repetitions
	@scripts/bootstrap dev
	@I2S_NIGHTLY=1 I2S_HYPOTHESIS_PROFILE=nightly I2S_TIMEOUT_FACTOR=40 I2S_CHAOS_ACTIONS=$${I2S_CHAOS_ACTIONS:-60} scripts/check unit integration -- $(ARGS)

test-chaos:  ## kill and stop 60 processes (I2S_CHAOS_ACTIONS) during a run of 120 samples, which is to change no byte of its results
	@scripts/bootstrap dev
	@.venv/bin/i2s-render-latex index --once
	@I2S_NIGHTLY=1 I2S_CHAOS_ACTIONS=$${I2S_CHAOS_ACTIONS:-60} .venv/bin/pytest tests/integration/sdk/evaluation/test_chaos.py -s $(ARGS)

soak:  ## render 1000 good and 1000 hostile jobs (I2S_SOAK_JOBS) while 100 processes (I2S_SOAK_ACTIONS) are killed or stopped
	@scripts/bootstrap dev
	@.venv/bin/i2s-render-latex index --once
	@PYTHONPATH=tests/support .venv/bin/python tests/soak/run.py --jobs $(I2S_SOAK_JOBS) --actions $(I2S_SOAK_ACTIONS) --seed $(I2S_SOAK_SEED) $(ARGS)

test-mutants:  ## say which one-line changes to retries, resuming and accounting no unit test finds
	@scripts/bootstrap dev
	@.venv/bin/python tests/mutants/run.py $(ARGS)

images:  ## build the container images of the services and the SDK
	@scripts/bootstrap images
	@deploy/images/build $(ARGS)

test-containers:  ## build the images, bring the system up by Compose, and test it
	@scripts/bootstrap containers
	@scripts/check containers -- $(ARGS)

test-cluster:  ## run the commands of docs/kubernetes.md on the cluster of I2S_KUBECONFIG with I2S_CLUSTER_OVERLAY
	@scripts/bootstrap dev
	@scripts/check cluster -- $(ARGS)

test-platforms:  ## run the README's command from nothing in bare roots of Debian 12 and 13 (root, debootstrap)
	@scripts/bootstrap platforms
	@I2S_REQUIRE_PLATFORMS=$${I2S_REQUIRE_PLATFORMS:-1} scripts/check platforms -- $(ARGS)

in-debian:  ## run RUN in a bare root of the Debian release SUITE, as in: make in-debian SUITE=trixie RUN="make test"
	@scripts/bootstrap platforms
	@.venv/bin/python tests/support/debian_root.py $(SUITE) $(RUN)

test-kernels:  ## boot other Linux kernels under QEMU, and test the sandbox and the renderers on each
	@scripts/bootstrap kernels
	@I2S_REQUIRE_KERNELS=$${I2S_REQUIRE_KERNELS:-1} scripts/check kernels -- $(ARGS)

test-attacks:  ## make the attacks of the security suite once more by services of an ordinary user and in containers
	@scripts/bootstrap containers
	@I2S_REQUIRE_ATTACKS=$${I2S_REQUIRE_ATTACKS:-1} scripts/check attacks -- $(ARGS)

test-load:  ## run attacks and examples on a machine kept eight times as busy as it has processors
	@scripts/bootstrap dev
	@I2S_REQUIRE_LOAD=1 scripts/check load -- $(ARGS)

test-wheels:  ## build the wheels, install them with pip from nothing, and evaluate with them (needs a package index)
	@scripts/bootstrap dev
	@I2S_REQUIRE_WHEELS=1 scripts/check wheels -- $(ARGS)

docs:  ## build the documentation site into build/docs, and check every link
	@scripts/bootstrap dev
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict
	@echo 'The site is build/docs/index.html; its search needs a server: .venv/bin/python -m http.server -d build/docs'

wheels:  ## build the wheels of all packages into dist
	@scripts/bootstrap dev
	@scripts/wheels

test-training:  ## test rewards and the annotator against TRL, verl, OpenRLHF, verifiers and HELM, installed for it
	@scripts/bootstrap dev
	@scripts/training $(ARGS)

test-clients:  ## test the example in Node.js against real services; needs npm
	@scripts/bootstrap dev
	@.venv/bin/pytest tests/clients $(ARGS)

lint:  ## check style and types
	@scripts/bootstrap dev
	@scripts/check lint types

format:  ## format the code and mend what ruff can mend
	@scripts/bootstrap dev
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix .

lock:  ## resolve requirements/*.txt anew (ARGS="--upgrade" moves every pin)
	@scripts/bootstrap dev
	@scripts/lock $(ARGS)

references:  ## draw all reference pictures of the examples anew (each script in examples/ can draw some)
	@scripts/bootstrap dev
	@.venv/bin/python examples/make_latex_references.py
	@.venv/bin/python examples/make_site_references.py
	@.venv/bin/python examples/make_score_references.py

clean:  ## remove caches and build outputs; .venv and runs stay
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .i2s build dist
	@find protos sdk services tests examples benchmarks -name __pycache__ -prune -exec rm -rf {} +
