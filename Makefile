# The commands of the README. Only Go, make and git are needed.
GO ?= go

.PHONY: test controller matrix matrix-sums oracle record goldens releases demo bench bench-peer fuzz generate

# No test takes a minute on a quiet machine. The limit only ends what hangs.
TIMEOUT ?= 30m

# Every check that needs no network once the modules are downloaded. Allocations
# cannot be counted under the race detector, and the comparisons with the API
# server have one goroutine for each release: both run without it.
test:
	$(GO) vet ./...
	cd internal/parity && $(GO) vet ./...
	@test -z "$$(gofmt -l .)" || { echo "not formatted:"; gofmt -l .; exit 1; }
	$(GO) test -race -timeout $(TIMEOUT) ./...
	$(GO) test -timeout $(TIMEOUT) -run 'Alloc|Exhaustive' ./...
	cd internal/parity && $(GO) test -timeout $(TIMEOUT) ./...
	cd internal/parity && $(GO) test -race -timeout $(TIMEOUT) -run Concurrent ./ours

# The tests with the releases of apimachinery, cel-go and Go that users have, and a
# program with each minor of controller-runtime: a line for each combination.
# ONLY='v0.35' runs those whose line matches. matrix-sums writes testdata/matrix.sum.
ONLY ?=
matrix:
	$(GO) run ./internal/matrix -only '$(ONLY)'
matrix-sums:
	$(GO) run ./internal/matrix -record

# Live comparison with the API server's own modules.
oracle:
	cd internal/oracle && $(GO) vet ./... && $(GO) test -count=1 -v -timeout $(TIMEOUT) ./...

# Records every golden again: first what the newest release answers (a minute),
# then what every release answers, from its own modules (half an hour).
record: goldens releases
goldens:
	cd internal/oracle && $(GO) run . record
releases:
	cd internal/oracle && $(GO) run . releases

# The example that needs controller-runtime, which is a module of its own.
controller:
	cd examples/controller && $(GO) vet ./... && $(GO) test -timeout $(TIMEOUT) ./...

# Validates HTTPRoutes by the Gateway API's own CRD, tells which releases accept
# its rules and those of a CRD that needs newer ones, explains why a rule is
# rejected for its cost, lints a CRD that is rejected, and denies, warns and audits
# by an admission policy.
demo:
	$(GO) run ./examples/httproute
	$(GO) run ./examples/releases
	$(GO) run ./examples/costreport
	$(GO) run ./examples/lint -lowest < examples/lint/crd.yaml || test $$? = 1
	$(GO) run ./examples/template
	$(GO) run ./examples/admission

# Benchmarks of this library alone.
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Ratios against the API server's validator, measured in one run.
bench-peer:
	cd internal/oracle && $(GO) test -run '^TestPeer' -count=1 -v -timeout $(TIMEOUT) .

# Every fuzz target, FUZZTIME each.
FUZZTIME ?= 2m
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100ms $$pkg; \
	  done; \
	done

# Rewrites what is derived from the registry of functions.
generate:
	$(GO) run ./internal/docs/generate
