# The daily commands. Everything is built under build/; `make help` lists what there is.
#
# Each asks tools/setup for what it needs and no more (SETUP=off leaves that out), and tools/build builds.

SHELL := /bin/bash
export PREFIX DESTDIR # as they are: the shell would read quotes and dollars in them
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)
# Parallel tests, more than there are cores: many of them wait. Each suite is a process of its own.
JOBS ?= $(shell expr $$(nproc) + 3)
# Labels of tests that `make test` runs after the suite: they build, install, start a browser or Erlang, fuzz, churn, weigh what the
# allocator gave, burn until they are ended, repeat lifecycles and reloads in the other tiers, or let every guest of the
# hostile suite loose, alone and beside neighbours.
SLOWER := languages|setup|package|browser|examples|fuzz|soak|accounts|ends|otp|hostile|neighbours|tiers
CARGO := cargo
CRATE := --manifest-path engine/Cargo.toml --target-dir build/engine --locked

.NOTPARALLEL: # setup comes before what needs it
.PHONY: help setup build install install-files dev demo tour live test test-long hostile nightly petri-dev bench bench-peers
.PHONY: coverage mutants format check reference tidy fresh clean setup-demo setup-test setup-dev

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

setup: setup-dev ## install all that any of these commands needs, on Debian 12 or 13

setup-demo setup-test setup-dev:
	@tools/setup $(@:setup-%=%)

build: setup-demo ## build the command, build/release/bin/petri
	@tools/build release petri_command

install: ## build and install command, library, headers, docs, manual, completions (PREFIX=/usr/local)
	@tools/install "$$PREFIX"

install-files: setup-demo
	@tools/build release petri_command petri petri_manual

dev: setup-test ## build everything, with the tests, in build/dev
	@tools/build dev all

demo: setup-demo ## build, evolve a sorting network from random wasm, verify its records, make a page of it
	@tools/build release petri_command evolve
	@./examples/evolve/demo.sh build/release/bin build/demo

tour: build ## build, then a tour of guests being run and stopped
	@./examples/tour/run.sh build/release/bin/petri

live: setup-demo ## build, then a service that is changed ten times under load and loses nothing
	@tools/build release live_service
	@build/release/bin/live_service

test: dev ## build and run all tests and checks
	@$(CARGO) test --lib --test engine --release --quiet --offline $(CRATE)
	@ctest --test-dir build/dev --schedule-random --parallel $(JOBS) --progress --output-on-failure --no-tests=error \
	  --label-exclude '^(check|long|$(SLOWER))$$'
	@ctest --test-dir build/dev --schedule-random --parallel $(JOBS) --progress --output-on-failure --no-tests=error \
	  --label-regex '^($(SLOWER))$$'
	@tools/check/all

test-long: dev ## the tests that take minutes, or the machine for themselves
	@$(CARGO) test --lib --test engine --release --quiet --offline $(CRATE) -- --ignored --test-threads=1
	@ctest --test-dir build/dev --output-on-failure --no-tests=error --label-regex '^long$$'

hostile: setup-test ## guests that mean harm, in every setting and tier; makes docs/hostile.md (SEEDS=20)
	@tools/build -D PETRI_TESTS=ON release hostile_suite
	@build/release/tests/hostile_suite docs/hostile.md --seeds $(or $(SEEDS),20)

nightly: setup-test ## what takes two hours: the search for expensive modules, the fuzzers, 20 seeds of the hostile suite
	@tools/nightly

check: setup-test ## the rules of the house: sleeps, includes, paths, format, clippy, lines
	@tools/check/all

reference: setup-test ## the reference of the C++ API, from its headers, build/reference/html
	@tools/reference/make

tidy: setup-dev ## clang-tidy over what changed since it was last clean (FILES='src/base/*.cpp' for some)
	@tools/tidy $(FILES)

petri-dev: setup-demo ## build the program for petri's developers, build/release/bin/petri-dev
	@tools/build release petri_dev

bench: setup-test ## all benchmarks, as a table
	@tools/build -D PETRI_BENCH_FILES=ON release petri_dev evolve bench_ordinary_module bench_five_lines
	@build/release/bin/petri-dev bench

bench-peers: setup-dev petri-dev ## petri beside DEAP, V8, QuickJS, wasm3, fork and process, as a table
	@bench/peers/run build/release/bin/petri-dev

coverage: setup-dev ## which lines of C++ the tests reach: a table by module, and a page in build/coverage/report
	@tools/coverage

mutants: setup-test ## break the product on purpose, one line at a time, and see which tests notice; takes an hour or two
	@nice --adjustment=19 tools/mutants

fresh: ## both commands of the README on a machine that has nothing, with times (SUITE=trixie, STAGES="demo test")
	@tools/fresh

format: ## format C++ and Rust sources in place
	@tools/check/format --fix

clean: ## remove everything that was built
	@tools/clean
