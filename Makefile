# Everything here calls `dropzero`, which explains itself: .venv/bin/dropzero --help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:
.DELETE_ON_ERROR:
.PHONY: help run check test coverage bench experiments conformance chaos docs stop clean setup p4

# The options of `dropzero run` that README shows; ARGS has others, and those of other commands.
WORKERS ?=
RACKS   ?=
COMPRESS ?=
LOSS    ?=
KILL    ?=
STEPS   ?=
PCAP    ?=
PAGE    ?=
ARGS    ?=
TORCH   ?=
option  = $(if $($(1)),--$(2) '$($(1))')
OPTIONS = $(call option,WORKERS,workers) $(call option,RACKS,racks) $(call option,COMPRESS,compress) $(call option,LOSS,loss) \
  $(foreach target,$(KILL),--kill $(target)) $(call option,STEPS,steps) $(if $(filter-out 0 no,$(PCAP)),--pcap) \
  $(if $(filter 0 no,$(PAGE)),--no-page) $(ARGS)

# Debian's Python, because Debian's Mininet is installed for no other.
PYTHON := /usr/bin/python3

# A misspelt name would otherwise be ignored.
SETTINGS := WORKERS RACKS COMPRESS LOSS KILL STEPS PCAP PAGE ARGS TORCH TARGET P4C_TOFINO PARTS VENV PYTHON SUDO BMV2_SWITCH_EXE
GIVEN := $(foreach name,$(.VARIABLES),$(if $(findstring command,$(origin $(name))),$(name)))
UNKNOWN := $(filter-out $(SETTINGS) -% MAKE%,$(GIVEN))
NEAREST = $(shell $(PYTHON) -c 'import sys, difflib; near = difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1); \
  print("(did you mean " + near[0] + "?)") if near else print("(these are: " + " ".join(sys.argv[2:]) + ")")' $(firstword $(UNKNOWN)) $(SETTINGS))
$(if $(UNKNOWN),$(error $(firstword $(UNKNOWN)) is not a setting $(NEAREST). Options are passed on as in ARGS="--rate 20"))
# With these, error messages name settings, not the options that they become.
NAMED = $(if $(ARGS),,env DROPZERO_SETTINGS='$(SETTINGS)')

PARTS   ?= switch collectives latency load compressors

VENV   ?= .venv
BIN    := $(VENV)/bin
SUDO   := $(if $(filter 0,$(shell id -u)),,sudo)
# Emulated networks: nothing for root, nor for others if they may have namespaces of their own; else sudo, and a line why.
NETWORKS := run test bench experiments chaos conformance stop clean
NETWORK := $(if $(and $(SUDO),$(filter $(NETWORKS),$(MAKECMDGOALS))),$(shell $(PYTHON) -B -m dropzero.linux.rootless $(SUDO)))
$(if $(filter false,$(NETWORK)),$(error networks cannot be emulated here))
# Ordinary users do not have the folders of tc and ethtool.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin

# Every worker is a process. Without its modules' bytecode it takes four times as long to start.
unexport PYTHONDONTWRITEBYTECODE

# PACKAGE:COMMAND, one that the package brings.
TOOLS := mininet:mnexec iproute2:ip iproute2:tc ethtool:ethtool iputils-ping:ping util-linux:setpriv util-linux:nsenter

# What an environment is made for: a Python, a platform, and a checkout, by its path from the environment.
MADE_FOR := $(shell $(PYTHON) -IS -c 'import os, sys, sysconfig; print(sys.implementation.cache_tag, \
  sysconfig.get_platform(), os.path.relpath(os.path.realpath("dropzero"), os.path.realpath(sys.argv[1])))' '$(VENV)')
ifneq ($(MADE_FOR),$(file <$(VENV)/.run))
.PHONY: $(VENV)/.run
endif

# Without warnings of p4runtime-shell's requirements, which are known (below); tests/test_requirements.py checks all.
# Scripts then start the Python next to them, not the one at the path where they were installed: a copied or moved checkout
# runs its own code.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-warn-conflicts $(1) && \
  find $(BIN) -type f -exec grep -qI . {} \; -exec sed -Ei "$$RELOCATE" {} +
define RELOCATE
1s|^#!.*/python[0-9.]*$$|#!/bin/sh\n'''exec' $(NEXT_TO_IT)\n' '''|
2s|^'''exec' .*|'''exec' $(NEXT_TO_IT)|
s|^( *)(export )?VIRTUAL_ENV=["']?/.*|\1export VIRTUAL_ENV="$$(cd "$$(dirname "$${BASH_SOURCE:-$$0}")/.." \&\& pwd)"|
endef
NEXT_TO_IT = "$$(dirname "$$(readlink -f "$$0")")/python" "$$0" "$$@"
$(VENV)/.%: export RELOCATE := $(RELOCATE)

define SETTINGS_OF_RUN
The settings of make run, such as make run WORKERS=8 LOSS=0.02:
  WORKERS=4        hosts, each with one worker
  RACKS=1          racks that share the hosts; a spine joins several
  COMPRESS=        another compression, such as 'topk(0.1,block=32)+ef'
  LOSS=0           probability that a link loses a packet
  KILL=            worker, switch, controller: killed during training
  STEPS=200        training steps
  PCAP=1           capture all packets
  PAGE=0           without the page in the browser
  ARGS=            other options, as in ARGS="--rate 20 --seed 7": $(BIN)/dropzero run --help explains them
ARGS= also has the options of test, bench, experiments, chaos, conformance and stop.
endef
export SETTINGS_OF_RUN

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-12s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "$$SETTINGS_OF_RUN"
	@echo "The first one of run and test sets up what is missing: Debian packages and $(VENV)."

run: $(VENV)/.run ## Train on an emulated rack and show what came of it
	@$(NETWORK) $(NAMED) $(BIN)/dropzero run $(OPTIONS)

CHECK = $(BIN)/ruff check && $(BIN)/ruff format --check --quiet && $(BIN)/python -m mypy && $(BIN)/python -m lab.lines

check: $(VENV)/.test ## Lint, types and the budget of lines
	@$(CHECK)

test: $(VENV)/.test $(if $(filter-out 0 no,$(TORCH)),$(VENV)/.torch) ## Lint, types and tests; TORCH=1: also those of the PyTorch backend
	@{ $(CHECK); } & checked=$$!
	@$(NETWORK) $(BIN)/python -m tests.support.rehearsal
	@wait $$checked
	@# Four, also on two cores: tests wait for processes, links and clocks more than they compute.
	@# As they come: sorted by how many tests they have, files of few and long ones would be left for the end.
	@$(NETWORK) $(BIN)/python -m pytest --quiet --numprocesses 4 --dist loadfile --no-loadscope-reorder $(ARGS)

coverage: $(VENV)/.test ## Which branches of the protocol and of the controller's jobs their tests leave out
	@mkdir --parents build
	@$(BIN)/python -m coverage run -m pytest --quiet tests/protocol tests/controller/jobs
	@$(BIN)/python -m coverage report

bench: $(VENV)/.run ## How fast everything is, next to what others need; PARTS= for some of it
	@for part in $(PARTS); do $(NETWORK) $(BIN)/python -m lab.bench.$$part $(ARGS); done

experiments: $(VENV)/.run ## What the papers claim, tried through the switch; ARGS= has the names of some
	@$(NETWORK) $(BIN)/dropzero experiment $(or $(ARGS),all)

chaos: $(VENV)/.run ## Break real processes at random while they reduce, and check every result
	@$(NETWORK) $(BIN)/python -m lab.chaos $(ARGS)

conformance: $(VENV)/.test ## Suites that others wrote: those that are here, and a line for each that is not
	@$(if $(NETWORK),$(NETWORK) --preserve-env env PATH="$$PATH") $(BIN)/python -m lab.conformance $(or $(ARGS),all)

docs: $(VENV)/.docs ## The documentation as a site, in build/site
	@# Without the theme's announcement. With --quiet, --strict would see no warnings.
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "The site is in build/site; begin with index.html."

stop: ## End this checkout's runs and take away what crashed ones left; ARGS=--all: the machine's
	@if [[ -x $(BIN)/dropzero ]]; then $(NETWORK) $(BIN)/dropzero stop $(ARGS); fi

clean: stop ## Also delete the runs and the caches here; the set-up stays (it is in .venv)
	@# Some may be root's, if sudo was used.
	@delete() { rm -rf "$$@" 2>/dev/null || $(SUDO) rm -rf "$$@"; }
	@delete runs build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@readarray -d '' caches < <(find . -path ./$(VENV) -prune -o -name __pycache__ -type d -print0)
	@delete "$${caches[@]}"

setup: $(VENV)/.run ## Only set up what `make run` needs

$(VENV)/.run: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
	  echo "Dropzero needs Python 3.11 or newer, which $(PYTHON) is not: Debian 12 and Ubuntu 24.04 have it, PYTHON= names another" >&2
	  exit 2
	}
	mkdir --parents $(VENV) || { echo "VENV=~/dropzero-venv, for example, makes the environment elsewhere" >&2; exit 2; }
	missing=""
	for tool in $(TOOLS); do command -v "$${tool#*:}" >/dev/null || missing+=" $${tool%:*}"; done
	$(PYTHON) -c "import ensurepip" 2>/dev/null || missing+=" python3-venv"
	missing=$$(tr ' ' '\n' <<<"$$missing" | sort -u | xargs)
	if [[ -n $$missing ]]; then
	  command -v apt-get >/dev/null || { echo "missing here: $$missing (or what brings the same commands)" >&2; exit 2; }
	  [[ -z "$(SUDO)" ]] || command -v $(firstword $(SUDO)) >/dev/null || {
	    echo "as root, run this once: apt-get install --no-install-recommends $$missing" >&2; exit 2
	  }
	  echo "Installing Debian packages (once): $$missing"
	  log=$$(mktemp)
	  apt="$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes"
	  { $$apt update && $$apt install --no-install-recommends $$missing; } >"$$log" 2>&1 || { cat "$$log" >&2; exit 1; }
	  rm "$$log"
	fi
	if [[ -s $@ && $$(<$@) != '$(MADE_FOR)' ]]; then
	  echo "Setting up $(VENV) again: it was made for another Python or another checkout"
	  rm -rf $(VENV)
	else
	  echo "Setting up $(VENV) (once, less than a minute)"
	fi
	$(PYTHON) -m venv --system-site-packages $(VENV)
	$(call INSTALL,--no-deps -r requirements.txt)
	$(call INSTALL,--no-deps --no-build-isolation --editable .)
	site=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
	@# pip notes the absolute path of this folder.
	rm "$$site"/__editable__*dropzero*
	realpath --relative-to="$$site" . >"$$site/dropzero.pth"
	@# For p4runtime-shell. PyPI's p4runtime, which earlier set-ups brought, works only with protobuf before 4; that is in
	@# Python alone, and slow to start.
	$(BIN)/python -m pip uninstall --quiet --quiet --yes p4runtime
	ln --symbolic --force --relative dropzero/p4 "$$site"
	echo '$(MADE_FOR)' >$@

$(VENV)/.test: $(VENV)/.run requirements-test.txt
	@echo "Adding the test tools to $(VENV) (once)"
	$(call INSTALL,-r requirements-test.txt)
	touch $@

# PyPI has builds for GPUs only, of several GB.
$(VENV)/.torch: $(VENV)/.test
	@echo "Adding PyTorch for CPUs to $(VENV) (once)"
	$(call INSTALL,torch==2.13.0+cpu) || echo "pip finds no PyTorch for CPUs, so its tests are skipped: docs/pytorch.md says where it is"
	touch $@

$(VENV)/.docs: $(VENV)/.run requirements-docs.txt
	@echo "Adding MkDocs to $(VENV) (once)"
	$(call INSTALL,-r requirements-docs.txt)
	touch $@

p4: $(if $(TARGET),$(VENV)/.run) ## Compile p4src/ with p4c, where it is installed; TARGET=tofino: place it with P4C_TOFINO=
	@$(if $(TARGET),P4C_TOFINO='$(P4C_TOFINO)' $(BIN)/python -m lab.tofino resources --target $(TARGET) $(ARGS),p4src/compile)
