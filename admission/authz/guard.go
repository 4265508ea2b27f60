package authz

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubecel/kubecel/library"
)

// answer is what an authorizer returns.
type answer struct {
	decision library.Decision
	reason   string
	err      error
}

// failed is the answer of an authorizer that could not decide. Expressions see it as
// errored and not allowed.
func failed(err error) answer { return answer{library.NoOpinion, "", err} }

func (a answer) parts() (library.Decision, string, error) { return a.decision, a.reason, a.err }

// errMissing is of an authorizer or a function that is nil.
var errMissing = errors.New("there is no authorizer to ask")

// Guard makes an authorizer fail closed: whatever keeps it from deciding becomes an error, which
// expressions see as errored(), and nothing that comes with an error is an allowance.
//
// A panic is an error. If the context ends before the authorizer answers, the error is that of
// the context; what the authorizer does then goes on unseen. A context without deadline
// waits as long as the authorizer does.
func Guard(a library.Authorizer) library.Authorizer {
	return func(ctx context.Context, question library.Attributes) (library.Decision, string, error) {
		if ctx.Err() != nil {
			return failed(ended(ctx)).parts()
		}
		if ctx.Done() == nil {
			return ask(ctx, a, question).parts()
		}
		answers := make(chan answer, 1) // buffered: nobody may be waiting
		go func() { answers <- ask(ctx, a, question) }()
		select {
		case got := <-answers:
			return got.parts()
		case <-ctx.Done():
			return failed(ended(ctx)).parts()
		}
	}
}

// ended is the error of a context that is done. It unwraps to ctx.Err(), whatever the cause is.
func ended(ctx context.Context) error {
	err := ctx.Err()
	if cause := context.Cause(ctx); !errors.Is(cause, err) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return fmt.Errorf("the authorizer did not decide: %w", err)
}

func ask(ctx context.Context, a library.Authorizer, question library.Attributes) (got answer) {
	if a == nil {
		return failed(errMissing)
	}
	defer func() {
		if r := recover(); r != nil {
			got = failed(fmt.Errorf("the authorizer panicked: %v", r))
		}
	}()
	got.decision, got.reason, got.err = a(ctx, question)
	if got.err != nil && got.decision == library.Allow {
		got.decision = library.NoOpinion
	}
	return got
}
