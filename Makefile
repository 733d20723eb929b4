# Every command of the project. Node 20 on the machine is enough: npm brings Node 24 into node_modules.
# Variables: CLUSTER=existing uses the cluster of $KUBECONFIG; KEEP=1 leaves the cluster of `make test` running;
# PUSH=<registry>/<path> pushes the images of `make images`; TARGET=linux-amd64,… limits `make cli`.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
export CLUSTER KEEP PUSH

# $(call need,PROGRAMS,REASON): one clear sentence instead of a stack of errors.
need = @for program in $(1); do command -v "$$program" >/dev/null || { echo "make: $$program is missing; $(2). See CONTRIBUTING.md, Set up." >&2; exit 1; }; done

installed := node_modules/.package-lock.json

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: $(installed) ## From nothing to green builds: cluster, chart, sample pipeline, first commit
	$(call need,go gcc git,the cluster and the programs are built here)
	@node tools/demo/main.ts

.PHONY: test
test: $(installed) ## Every test, end-to-end included; ends with "N passed, N failed"
	$(call need,go gcc git,the cluster and the programs are built here)
	@node tools/test/main.ts

# Property tests have a quarter of the random runs that `make test` has.
.PHONY: check
check: $(installed) ## The fast gates: types, lint, dead code, folders, names, formatting, commit messages, unit tests
	@RUNS=250 MORE_RUNS=0.25 node tools/test/main.ts types domain-types lint dead-code folders names formatting commits unit

.PHONY: cluster
cluster: $(installed) ## Start a real Kubernetes on this machine, built from Go modules
	$(call need,go gcc git,the cluster is built here)
	@node tools/cluster/main.ts up

.PHONY: cluster-down
cluster-down: $(installed) ## Stop it and leave nothing behind
	@node tools/cluster/main.ts down

.PHONY: dist
dist: $(installed) ## Build the program: bundles, shim, HCL engine
	$(call need,go,the shim and the HCL engine are Go programs)
	@node tools/dist/main.ts

# The program stays in the checkout: what is installed only starts it.
PREFIX ?= /usr/local
.PHONY: install
install: dist ## Install the commands `millrace` and `kubectl millrace` into PREFIX/bin (PREFIX=/usr/local)
	@mkdir -p "$(PREFIX)/bin"
	@printf '#!/bin/sh\nexec "%s" "%s" "$$@"\n' "$(CURDIR)/node_modules/.bin/node" "$(CURDIR)/dist/millrace.js" > "$(PREFIX)/bin/millrace"
	@chmod 755 "$(PREFIX)/bin/millrace"
	@cp "$(PREFIX)/bin/millrace" "$(PREFIX)/bin/kubectl-millrace"
	@echo "installed $(PREFIX)/bin/millrace and kubectl-millrace; they start the program in $(CURDIR)"

.PHONY: cli
cli: dist ## Build the command line alone: executables for Linux and macOS, and an npm package, in dist/cli
	$(call need,npm,Node for each platform comes from there)
	@node tools/cli/main.ts $(if $(TARGET),--target $(TARGET))

.PHONY: images
images: dist ## Build the images without a container engine (PUSH=<registry>/<path> pushes them)
	$(call need,go,the shim and the HCL engine are Go programs)
	@node tools/images/main.ts $(if $(PUSH),--push $(PUSH))

.PHONY: bench
bench: $(installed) ## Measure, beside bare Pods on the same cluster (BENCH_ONLY=part,part)
	$(call need,go gcc git,the cluster and the programs are built here)
	@KEEP=1 node tools/test/main.ts install
	@eval "$$(node tools/cluster/main.ts env)" && node bench/builds/main.ts

.PHONY: bench-language
bench-language: $(installed) ## Measure reading a pipeline of 1,000 lines, beside hcl2-parser, and memory over 10,000 readings
	$(call need,go,the HCL engine is a Go program)
	@node bench/language/language.ts

.PHONY: fuzz-language
fuzz-language: $(installed) ## Read generated and broken texts (MINUTES=10)
	$(call need,go,the HCL engine is a Go program)
	@node bench/language/fuzz-language.ts --minutes $(or $(MINUTES),10)

.PHONY: bench-graph
bench-graph: $(installed) ## Measure pictures of pipelines: time, memory, event loop
	@node bench/graphs/graphs.ts

.PHONY: bench-live-graph
bench-live-graph: $(installed) ## Measure how soon the page of 500 jobs answers a key
	@node bench/graphs/live-graph.ts

.PHONY: bench-agent
bench-agent: dist ## Measure the agent's memory and start, without a cluster
	@node bench/logs/agent-memory.ts

.PHONY: bench-masking
bench-masking: $(installed) ## Measure masking of secrets in logs, beside a plain copy
	@node bench/logs/masking.ts

.PHONY: bench-log-viewer
bench-log-viewer: $(installed) dist ## Measure how a log of 100,000 lines scrolls in a browser, and how a page grows
	@node bench/logs/viewer.ts

.PHONY: bench-clones
bench-clones: $(installed) ## Measure later gets of a repository of 1 GB, with and without a cache
	@node bench/clones/second-clone.ts

.PHONY: bench-scheduling
bench-scheduling: $(installed) ## Measure a scheduling decision over up to 1,000,000 builds, beside a bare round trip
	@node bench/scheduling/scheduling.ts
	@node bench/scheduling/flood.ts

.PHONY: bench-checks
bench-checks: dist ## Measure the operator with 1,000 idle pipelines, and how late 300 checks every 10 s are
	$(call need,go,the API server is built here)
	@node bench/pods/checks.ts

.PHONY: bench-pods
bench-pods: dist ## Measure checks and builds in simulated Pods (kwok), and 1,000 idle pipelines (12 minutes)
	$(call need,go,the control plane and kwok are built here)
	@node bench/pods/simulated-pods.ts checks
	@node bench/pods/simulated-pods.ts checks --per-pipeline 1
	@node bench/pods/simulated-pods.ts builds
	@node bench/pods/simulated-pods.ts idle

.PHONY: bench-gateway
bench-gateway: dist ## Measure the public gateway: webhooks, pictures, sign-in (ONLY=part,part)
	@node bench/gateway/main.ts $(if $(ONLY),--only $(ONLY))

.PHONY: soak
soak: $(installed) ## Long, seeded runs under faults (SEED=…, MINUTES=…)
	$(call need,go gcc git,the cluster and the programs are built here)
	@KEEP=1 node tools/test/main.ts install
	@eval "$$(node tools/cluster/main.ts env)" && node e2e/soak/main.ts

.PHONY: format
format: $(installed) ## Rewrite files in the house's format
	@oxfmt

.PHONY: clean
clean: ## Remove what make made in the checkout (caches outside it stay)
	@rm -rf dist coverage node_modules

# Not `npm ci`: it demands that the lock file names the binaries of every platform, and registries need not have them all. This keeps to
# the lock file as well, with its checksums, and does not write it.
$(installed): package-lock.json
	$(call need,node npm git,install Node 20 or newer and git)
	@echo "Installing the packages of package-lock.json (about a minute, once)"
	@npm install --no-save --no-audit --no-fund --loglevel=error --prefer-offline --fetch-retries=5
	@touch $@
