# The commands of the README. Only Go, make and git are needed.
GO ?= go

.PHONY: test matrix oracle record goldens releases demo bench bench-peer fuzz generate

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

# The whole suite with newer releases of cel-go than go.mod requires.
CELGO ?= v0.30.0 v0.31.0
matrix:
	@mkdir -p .matrix
	@set -e; for release in $(CELGO); do for module in . internal/parity; do \
	  echo "== cel-go $$release: $$module"; \
	  mod=$(CURDIR)/.matrix/$$release.mod; \
	  cd $(CURDIR)/$$module; \
	  $(GO) mod edit -print -require=github.com/google/cel-go@$$release > $$mod; \
	  cat go.sum $(CURDIR)/testdata/matrix.sum > $${mod%.mod}.sum; \
	  GOFLAGS="$$($(GO) env GOFLAGS) -modfile=$$mod -mod=mod" $(GO) test -timeout $(TIMEOUT) ./...; \
	done; done

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

# Validates HTTPRoutes by the Gateway API's own CRD, tells which releases accept
# its rules and those of a CRD that needs newer ones, and explains why a rule is
# rejected for its cost.
demo:
	$(GO) run ./examples/httproute
	$(GO) run ./examples/releases
	$(GO) run ./examples/costreport

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
