# Everything from a fresh clone: make play (PORT=8080 for another port), make test, make check. Needs git, make and Python 3.11 or newer.

VENV := .venv
BIN := $(VENV)/bin

.PHONY: play test check clean install-service uninstall-service

play: $(VENV)/.play
	$(BIN)/tiltboard sim $(if $(PORT),--port $(PORT))

test: $(VENV)/.dev
	sh .ci/system-packages $(BIN)
	$(BIN)/python -m pytest

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/docs

# docs/service.md. ROOT=DIR stages the files under DIR and changes nothing else.
install-service:
	sh systemd/install $(if $(ROOT),--root $(ROOT))

# Games stay: docs/service.md says how to remove them too.
uninstall-service:
	sh systemd/uninstall $(if $(ROOT),--root $(ROOT))

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	sh .ci/make-venv $(VENV)

# A complete development installation also serves play.
$(VENV)/.play: pyproject.toml | $(BIN)/python
	test -e $(VENV)/.dev && test ! pyproject.toml -nt $(VENV)/.dev || $(BIN)/python -m pip install --quiet --editable '.[sim]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.play
