package authz

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kubecel/kubecel/library"
)

// Memoize returns an authorizer that asks another one each question once and gives its answer
// again afterwards, also if it is an error. Questions of several goroutines wait for one answer. The
// authorizer is guarded as [Guard] does.
//
// It is made for one request: make another for the next, because permissions change. Nothing is
// ever forgotten, except answers that a context cut short. Questions are the same if all their
// attributes are; the order of the groups of a user does not count.
func Memoize(a library.Authorizer) library.Authorizer {
	m := &memo{authorizer: Guard(a), answers: map[string]*pending{}}
	return m.authorize
}

// memo holds answers by question.
type memo struct {
	authorizer library.Authorizer
	mu         sync.Mutex
	answers    map[string]*pending
}

// pending is an answer that is there once done is closed. If it is cut, the context of who asked
// had ended, and it counts for nobody else.
type pending struct {
	done   chan struct{}
	answer answer
	cut    bool
}

func (m *memo) authorize(ctx context.Context, question library.Attributes) (library.Decision, string, error) {
	key := keyOf(question)
	for {
		p, mine := m.claim(key)
		if mine {
			m.fill(ctx, key, p, question)
			return p.answer.parts()
		}
		select {
		case <-p.done:
			if !p.cut {
				return p.answer.parts()
			}
		case <-ctx.Done():
			return failed(ended(ctx)).parts()
		}
	}
}

// claim returns the answer to a question, and whether the caller has to find it.
func (m *memo) claim(key string) (p *pending, mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p = m.answers[key]; p != nil {
		return p, false
	}
	p = &pending{done: make(chan struct{})}
	m.answers[key] = p
	return p, true
}

func (m *memo) fill(ctx context.Context, key string, p *pending, question library.Attributes) {
	defer close(p.done)
	p.answer.decision, p.answer.reason, p.answer.err = m.authorizer(ctx, question)
	if p.cut = p.answer.err != nil && ctx.Err() != nil; p.cut {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.answers, key)
	}
}

// keyOf returns equal texts for equal questions, and no others. Quotes keep the parts apart.
func keyOf(a library.Attributes) string {
	groups := slices.Clone(a.User.Groups)
	slices.Sort(groups)
	var selectors [][]string
	for _, r := range a.FieldSelector {
		selectors = append(selectors, []string{"field", r.Field, string(r.Operator), r.Value})
	}
	for _, r := range a.LabelSelector {
		selectors = append(selectors, append([]string{"label", r.Key(), string(r.Operator())}, r.ValuesUnsorted()...))
	}
	for kind, err := range map[string]error{"field error": a.FieldSelectorError, "label error": a.LabelSelectorError} {
		if err != nil {
			selectors = append(selectors, []string{kind, err.Error()})
		}
	}
	slices.SortFunc(selectors, slices.Compare)
	request := []string{a.Verb, a.Path, a.Group, a.APIVersion, a.Resource, a.Subresource, a.Namespace, a.Name}
	return fmt.Sprintf("%q %q %q %q %q %q", a.User.Name, a.User.UID, groups, a.User.Extra, request, selectors)
}
