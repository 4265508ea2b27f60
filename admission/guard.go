package admission

import (
	"context"
	"fmt"

	"github.com/kubecel/kubecel/library"
)

type answer struct {
	decision library.Decision
	reason   string
	err      error
}

// guarded makes the panics of an authorizer errors, and does not wait for it once the
// context is done. Neither is ever an allowance.
func guarded(a library.Authorizer) library.Authorizer {
	return func(ctx context.Context, attributes library.Attributes) (library.Decision, string, error) {
		if ctx.Err() != nil {
			return library.NoOpinion, "", context.Cause(ctx)
		}
		if ctx.Done() == nil {
			got := ask(ctx, a, attributes)
			return got.decision, got.reason, got.err
		}
		answers := make(chan answer, 1)
		go func() { answers <- ask(ctx, a, attributes) }()
		select {
		case got := <-answers:
			return got.decision, got.reason, got.err
		case <-ctx.Done():
			return library.NoOpinion, "", context.Cause(ctx)
		}
	}
}

func ask(ctx context.Context, a library.Authorizer, attributes library.Attributes) (got answer) {
	defer func() {
		if r := recover(); r != nil {
			got = answer{library.NoOpinion, "", fmt.Errorf("the authorizer panicked: %v", r)}
		}
	}()
	got.decision, got.reason, got.err = a(ctx, attributes)
	return got
}
