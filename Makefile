# Everything from a fresh clone: make play (PORT=8080 for another port), make test, make check, and make quick
# after an edit. Needs git, make and Python 3.11 or newer.

VENV := .venv
BIN := $(VENV)/bin
# By a path and not by setuptools' finder, which imports a good deal before our first line is reached.
EDITABLE := --config-settings editable_mode=compat --editable
# What stands beside the table in a distribution of its own, and comes with it.
BESIDE := $(addprefix --editable ./packages/,online plans)
KERNELS := --editable ./packages/kernels

# Tools for the page's JavaScript, in versions that package-lock.json pins. They are for checks only, nothing of them is shipped.
JAVASCRIPT := .ci/javascript
NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
ESLINT := $(NODE) $(JAVASCRIPT)/node_modules/.bin/eslint --config $(JAVASCRIPT)/eslint.config.js \
	$(JAVASCRIPT)/eslint.config.js firmware_host/web/static tests

.PHONY: play test quick style format check lowest docs film gallery lock languages kernel-test pico-test plans-check pictures release clean install-service uninstall-service

play: $(VENV)/.play $(VENV)/.languages
	$(BIN)/tiltboard sim --open $(if $(PORT),--port $(PORT))

test: $(VENV)/.dev $(VENV)/.languages
	sh .ci/system-packages $(BIN)
	TILTBOARD_TARGET="make test" $(BIN)/python -m pytest -n auto

# Rules, drivers, chips, perception, referee, journal: no browser, no worlds, nothing compiled, few other programs started.
quick: $(VENV)/.dev $(VENV)/.languages
	TILTBOARD_TARGET="make quick" $(BIN)/python -m pytest -q -n auto tests/games tests/drivers \
		$(addprefix tests/hw_sim/,buses chips) $(addprefix tests/firmware_host/,config journal perception referee table) \
		$(addprefix --ignore tests/,drivers/node/test_node_micropython.py firmware_host/journal/test_journal_crashes.py \
			firmware_host/referee/test_seat_bots.py)

# Style, format and types, of Python and of the page's JavaScript.
style: $(VENV)/.dev $(JAVASCRIPT)/node_modules/.package-lock.json
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(ESLINT)
	$(BIN)/mypy
	$(BIN)/python $(JAVASCRIPT)/wire.py
	$(NODE) $(JAVASCRIPT)/node_modules/.bin/tsc --project $(JAVASCRIPT)

format: $(VENV)/.dev $(JAVASCRIPT)/node_modules/.package-lock.json
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(ESLINT) --fix

check: style $(VENV)/.languages
	TILTBOARD_ASK_INDEX=1 $(BIN)/python -m pytest -q tests/docs tests/service/test_install.py
	sh .ci/audit $(BIN)

# With the lowest versions that pyproject.toml allows: whether they are true.
lowest:
	python3 -m venv build/lowest
	build/lowest/bin/python -m pip install --quiet uv
	build/lowest/bin/uv pip install --quiet --python build/lowest/bin/python --resolution lowest-direct '.[sim,dev]' './packages/plans[make]' ./packages/kernels './packages/online[club]'
	build/lowest/bin/python -m pytest -q -n auto tests/drivers tests/hw_sim tests/firmware_host tests/games \
		$(addprefix tests/web/test_web_,api.py server.py words.py visitors.py)

# The documents as a site, in build/site; the man page and the shells' completion, in build/share.
docs: $(VENV)/.dev $(VENV)/.languages
	$(BIN)/python .ci/site.py
	$(BIN)/python .ci/terminal.py build/share

# README's film, from the page in a browser of Debian's.
film: $(VENV)/.dev $(VENV)/.languages
	$(BIN)/python -m pip install --quiet pillow
	$(BIN)/python .ci/film.py chromium-headless-shell

# docs/gallery.md: every screen, as the tests see it.
gallery: $(VENV)/.dev $(VENV)/.languages
	$(BIN)/python -m pip install --quiet pillow
	TILTBOARD_GALLERY=docs/images/gallery $(BIN)/python -m pytest -q tests/web/test_web_axe.py

# docs/dependencies.md: what the service installs, anew from pyproject.toml. One numpy for every Python: pip chooses wheels
# for another Python by the markers of its own.
lock: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet uv
	{ sed '/^#/!d' requirements.lock; { sed -n 's/^requires = \[\(.*\)\]/\1/p' pyproject.toml | tr -d '" ' | tr , '\n'; \
		sed -n '/^dependencies/,/^]/{/tiltboard/!s/^    "\(.*\)",$$/\1/p}' packages/online/pyproject.toml; } | \
		$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11 --extra pi \
		pyproject.toml -; } > requirements.new
	mv requirements.new requirements.lock
	{ sed '/^#/!d' requirements-fast.lock; { echo 'numpy<2.5'; sed -n '/tiltboard/!s/^    "\(.*\)",$$/\1/p' packages/kernels/pyproject.toml; } | \
		$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11 -; } > requirements.new
	mv requirements.new requirements-fast.lock

# docs/languages.md: after a change of texts, and of translations.
languages: $(VENV)/.dev
	$(BIN)/python .ci/languages.py

# docs/kernel-tests.md. As root; GUESTS="um bookworm pi4,arm64 bookworm pi4" for others than the usual.
kernel-test: $(VENV)/.dev $(VENV)/.languages
	TILTBOARD_KERNEL_TEST=1 $(if $(GUESTS),TILTBOARD_KERNEL_GUESTS="$(GUESTS)") \
		$(BIN)/python -m pytest -rPs -o faulthandler_timeout=0 tests/campaigns/kernel

# docs/hardware-in-the-loop.md. FIRMWARE is MicroPython for the Pico, as micropython.org/download/RPI_PICO has it.
pico-test: $(VENV)/.dev $(VENV)/.languages
	test -n "$(FIRMWARE)" || { echo "make: name MicroPython for the Pico: make pico-test FIRMWARE=RPI_PICO.uf2" >&2; exit 2; }
	$(BIN)/python -m pip install --quiet $(EDITABLE) '.[pico]'
	TILTBOARD_PICO_FIRMWARE="$(FIRMWARE)" $(BIN)/python -m pytest -q -o faulthandler_timeout=0 tests/campaigns/pico

# docs/plans.md. As root, where KiCad 9 is not installed.
plans-check: $(VENV)/.dev $(VENV)/.languages
	sh .ci/plans-check $(BIN)

# docs/images of the plans, by a headless Chromium and from what plans-check has left: make pictures CHROMIUM=chromium
pictures: $(VENV)/.dev
	$(BIN)/python .ci/pictures.py $(or $(CHROMIUM),chromium) $(wildcard build/plans)

# docs/update.md: what is committed, as files to install, into build/release. WHEELS=no leaves out others' wheels, which
# an installation then asks an index for; SIGN=KEY signs the update with that key of ssh-keygen's.
release: $(VENV)/.dev $(VENV)/.languages
	$(BIN)/python .ci/languages.py --complete
	$(BIN)/python -m pip install --quiet $(EDITABLE) '.[release]'
	rm -rf build/wheels
	test "$(WHEELS)" = no || for python in 3.11 3.13; do for lock in requirements.lock requirements-fast.lock; do \
		$(BIN)/python -m pip download --quiet --only-binary :all: --implementation cp --python-version $$python \
			--platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 --platform manylinux_2_36_aarch64 \
			--require-hashes -r $$lock -d build/wheels || exit 1; done; done
	$(BIN)/python .ci/release.py build/release $(if $(filter no,$(WHEELS)),,--wheels build/wheels)
	test -z "$(SIGN)" || sh .ci/sign "$(abspath $(SIGN))" build/release

# docs/service.md. PROFILE: of the table that is wired here. ROOT=DIR stages the files under DIR and changes nothing else.
install-service:
	sh systemd/install $(if $(PROFILE),--profile "$(PROFILE)") $(if $(ROOT),--root $(ROOT))

# Games stay: docs/service.md says how to remove them too.
uninstall-service:
	sh systemd/uninstall $(if $(ROOT),--root $(ROOT))

clean:
	rm -rf $(VENV) build $(JAVASCRIPT)/node_modules *.egg-info packages/*/build packages/*/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	sh .ci/make-venv $(VENV)

# A complete development installation also serves play. Physics and compiled computer players where there are wheels for
# this machine.
$(VENV)/.play: pyproject.toml $(wildcard packages/*/pyproject.toml) | $(BIN)/python
	test -e $(VENV)/.dev && test -z "$$(find pyproject.toml packages/*/pyproject.toml -newer $(VENV)/.dev)" || \
		$(BIN)/python -m pip install --quiet --only-binary mujoco-core,numpy,numba,llvmlite $(EDITABLE) '.[physics]' $(BESIDE) $(KERNELS) 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --only-binary mujoco-core,numpy $(EDITABLE) '.[physics]' $(BESIDE) 2>/dev/null || \
		$(BIN)/python -m pip install --quiet $(EDITABLE) '.[sim]' $(BESIDE)
	touch $@

$(VENV)/.dev: pyproject.toml $(wildcard packages/*/pyproject.toml) setup.py | $(BIN)/python
	$(BIN)/python -m pip install --quiet $(EDITABLE) '.[dev]' --editable './packages/online[club]' --editable './packages/plans[make]' $(KERNELS) --editable ./packages/lab
	touch $@ $(VENV)/.play

# npm writes this file last.
$(JAVASCRIPT)/node_modules/.package-lock.json: $(JAVASCRIPT)/package-lock.json | $(BIN)/python
	sh .ci/node $(BIN) || { echo "make: the checks of JavaScript need node 20.19 or newer, and npm" >&2; exit 1; }
	$(NODE) npm ci --prefix $(JAVASCRIPT) --silent --no-audit --no-fund
	touch $@

# An installation compiles them; after that a change of a catalogue does. Without babel, as in an
# installation for play alone, by installing again.
$(VENV)/.languages: $(wildcard firmware_host/messages/*.po) | $(VENV)/.play
	$(BIN)/python .ci/catalogues.py 2>/dev/null || $(BIN)/python -m pip install --quiet --no-deps $(EDITABLE) .
	touch $@
