# The daily commands. Everything is built under build/; `make help` lists what there is.

SHELL := /bin/bash
export PATH := $(PATH):$(HOME)/.cargo/bin
# Parallel tests, one more than there are cores: some of them wait. Each suite is a process of its own.
JOBS ?= $(shell expr $$(nproc) + 1)
CARGO := cargo
CRATE := --manifest-path engine/Cargo.toml --target-dir build/engine --locked

.NOTPARALLEL: # setup comes before what needs it
.PHONY: help setup build install install-files dev demo tour live test test-long hostile petri-dev bench bench-peers coverage format check tidy clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

setup: ## install what is missing on Debian 12
	@tools/setup

build: build/release/build.ninja ## build the command, build/release/bin/petri
	@cmake --build --preset release --target petri_command

install: ## build and install command, library, headers, docs, manual, completions (PREFIX=/usr/local)
	@DESTDIR="$(DESTDIR)" tools/install "$(PREFIX)"

install-files: setup build
	@cmake --build --preset release --target petri petri_manual

dev: build/dev/build.ninja
	@cmake --build --preset dev

build/%/build.ninja:
	@cmake --preset $*

demo: setup build ## build, evolve a sorting network from random wasm, verify its records, make a page of it
	@cmake --build --preset release --target evolve
	@./examples/evolve/demo.sh build/release/bin build/demo

tour: setup build ## build, then a tour of guests being run and stopped
	@./examples/tour/run.sh build/release/bin/petri

live: setup build ## build, then a service that is changed ten times under load and loses nothing
	@cmake --build --preset release --target live_service
	@build/release/bin/live_service

test: setup dev ## build and run all tests and checks
	@$(CARGO) test --release --quiet $(CRATE)
	@ctest --test-dir build/dev --schedule-random --parallel $(JOBS) --progress --output-on-failure --no-tests=error \
	  --label-exclude '^(check|long)$$'
	@$(MAKE) --no-print-directory check

test-long: setup dev ## the tests that take minutes
	@ctest --test-dir build/dev --output-on-failure --no-tests=error --label-regex '^long$$'

hostile: setup build ## guests that mean harm, in every setting and tier; makes docs/hostile.md (SEEDS=20)
	@cmake --build --preset release --target hostile_suite
	@build/release/tests/hostile_suite docs/hostile.md --seeds $(or $(SEEDS),20)

check: ## the rules of the house: sleeps, includes, paths, format, clippy, lines
	@tools/check/all

tidy: ## clang-tidy over what changed since it was last clean (FILES='src/base/*.cpp' for some)
	@tools/tidy $(FILES)

petri-dev: build/release/build.ninja ## build the program for petri's developers, build/release/bin/petri-dev
	@cmake --build --preset release --target petri_dev

bench: setup petri-dev ## all benchmarks, as a table
	@cmake --build --preset release --target evolve bench_ordinary_module bench_five_lines
	@build/release/bin/petri-dev bench

bench-peers: setup petri-dev ## petri beside DEAP, V8, QuickJS, wasm3, fork and process, as a table
	@bench/peers/run build/release/bin/petri-dev

coverage: ## which lines of C++ the tests reach, as a page in build/coverage/report
	@tools/setup --coverage
	@tools/coverage

format: ## format C++ and Rust sources in place
	@tools/check/format --fix

clean: ## remove everything that was built
	@rm -rf build
