# Every target is a command of tools/run.py, which works without make too:
#   python tools/run.py book
# PYTHON=  the Python to use; without it python3, then python.
# PORT=    the port of `make book` and `make lab`.
# HOST=    the address of `make book`; 0.0.0.0 serves all who can reach this machine.
# NOTEBOOK= the beginning of a name, for `make execute`.
# ARGS=    more words for pytest, the benchmarks, `make execute` or JupyterLab.

PORT ?= 8000
HOST ?=
NOTEBOOK ?=
ARGS ?=
PYTHON ?=

ifeq ($(strip $(PYTHON)),)
FOUND := $(shell command -v python3 2>/dev/null || command -v python 2>/dev/null)
else
FOUND := $(shell command -v $(PYTHON) 2>/dev/null)
endif

ifeq ($(strip $(FOUND)),)
RUN = @echo "error: no Python found: install Python 3.11 or newer, or name one with PYTHON=" >&2; exit 2; :
else
RUN = @"$(FOUND)" tools/run.py
endif

.DEFAULT_GOAL := help
.PHONY: help book lab build lite pdf test contract slow planted execute bench lint format screenshot lock clean

help:
	@echo "make book        build the site and serve it on this machine (PORT=8000)"
	@echo "make lab         open JupyterLab with copies of the labs (PORT=8000)"
	@echo "make build       build the site into _build/html"
	@echo "make lite        build the site with JupyterLite and every lab in it"
	@echo "make pdf         print the book and its exercises into _build/pdf"
	@echo "make test        prove the book (ARGS='tests/fast -k clock' selects)"
	@echo "make contract    run the tests that touch the world"
	@echo "make slow        run the slow ones of these, before a release"
	@echo "make planted     plant faults, and see which the fast tests miss"
	@echo "make execute     run the notebooks again, refresh outputs (NOTEBOOK=04 selects)"
	@echo "make bench       run the benchmarks"
	@echo "make lint        check style and types; make format fixes the style"
	@echo "make screenshot  take the README's picture of the site"
	@echo "make lock        resolve requirements.in into requirements.txt"
	@echo "make clean       remove the environment and everything built"

book:
	$(RUN) book --port "$(PORT)" --host "$(HOST)"

lab:
	$(RUN) lab --port "$(PORT)" $(ARGS)

build lite pdf lint format screenshot lock clean:
	$(RUN) $@

test contract slow planted:
	$(RUN) $@ $(ARGS)

execute:
	$(RUN) execute $(NOTEBOOK) $(ARGS)

bench:
	$(RUN) bench $(ARGS)
