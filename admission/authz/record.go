package authz

import (
	"context"
	"slices"
	"sync"

	"github.com/kubecel/kubecel/library"
)

// Question is what an authorizer was asked, and what it answered.
type Question struct {
	// Attributes are the question.
	Attributes library.Attributes
	// Decision is the answer.
	Decision library.Decision
	// Reason came with the answer.
	Reason string
	// Err says why the authorizer could not decide.
	Err error
}

// Recorder notes what an authorizer is asked. The zero value has no authorizer: it answers each
// question with an error.
type Recorder struct {
	authorizer library.Authorizer
	mu         sync.Mutex
	asked      []Question
}

// NewRecorder returns a recorder in front of an authorizer. Its method Authorize is the
// authorizer to use.
func NewRecorder(a library.Authorizer) *Recorder { return &Recorder{authorizer: a} }

// Authorize asks the authorizer and notes question and answer. It is a [library.Authorizer].
// A panic of the authorizer is an error.
func (r *Recorder) Authorize(ctx context.Context, question library.Attributes) (library.Decision, string, error) {
	got := ask(ctx, r.authorizer, question)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, Question{question, got.decision, got.reason, got.err})
	return got.parts()
}

// Asked returns what was asked so far, in the order of the answers.
func (r *Recorder) Asked() []Question {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}
