package admission

import (
	"context"
	"fmt"
	"slices"
)

// MutatingSet is mutating policies with their bindings, compiled. It is read-only and
// safe for concurrent use.
type MutatingSet struct{ hooks []mutatingHook }

// mutatingHook is a mutating policy with its bindings.
type mutatingHook = bound[*MutatingPolicy, *MutatingBinding, *mutatingProgram]

// NewMutatingSet compiles policies with their bindings, as [NewSet] does.
func NewMutatingSet(policies []*MutatingPolicy, bindings []*MutatingBinding, opts ...Option) (*MutatingSet, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	hooks, err := bind(policies, bindings, mutatingPolicyKind, mutatingBindingKind, "ParseMutatingPolicy and ParseMutatingBinding",
		func(p *MutatingPolicy) (*mutatingProgram, error) { return p.compile(c.stored()) })
	if err != nil {
		return nil, err
	}
	return &MutatingSet{hooks: hooks}, nil
}

// Mutation is what mutating policies make of a request.
type Mutation struct {
	// Allowed tells whether no policy denies the request: policies deny what they fail to
	// mutate, if their failurePolicy is Fail.
	Allowed bool `json:"allowed"`
	// Status says why the request is denied, nil if it is allowed.
	Status *Status `json:"status,omitempty"`
	// Object is the object as policies leave it, nil if the request is denied or has none. It
	// is that of the request if no policy changes it, and shares nothing with it otherwise.
	Object map[string]any `json:"object,omitempty"`
	// Denials are all reasons to deny the request. A server reports them all.
	Denials []Denial `json:"denials,omitempty"`
	// Invocations are those of the policies that the rules select, with the bindings and
	// parameters, in their order.
	Invocations []Invocation `json:"invocations,omitempty"`
}

// Invocation is what a policy does with a request, as one binding with one parameter has
// it.
type Invocation struct {
	// Policy is the name of the policy.
	Policy string `json:"policy"`
	// Binding is the name of the binding.
	Binding string `json:"binding"`
	// Param is the name of the parameter, with its namespace and a slash if it has one.
	Param string `json:"param,omitempty"`
	// Reinvocation tells whether it is one of the second round.
	Reinvocation bool `json:"reinvocation,omitempty"`
	// Matched is false if a match condition is false.
	Matched bool `json:"matched"`
	// Condition is the name of the match condition that is false.
	Condition string `json:"condition,omitempty"`
	// Skipped tells whether the policy matches but is not invoked again.
	Skipped bool `json:"skipped,omitempty"`
	// Mutations are empty if the policy does not match or is skipped.
	Mutations []MutationResult `json:"mutations,omitempty"`
	// MatchCost is what match conditions cost, in cost units.
	MatchCost uint64 `json:"matchCost"`
}

// MutationResult is what one mutation does.
type MutationResult struct {
	// Index counts the mutations from 0.
	Index int `json:"index"`
	// Changed tells whether the object is another one than before.
	Changed bool `json:"changed"`
	// Error is the server's text, empty if the mutation succeeds.
	Error string `json:"error,omitempty"`
	// Err says why the mutation fails: an *EvalError or a *CompileError if that is because of
	// the expression.
	Err error `json:"-"`
	// Cost is what the evaluation cost with the variables that it computed, in cost units.
	Cost uint64 `json:"cost"`
}

// Mutate evaluates all policies on a request, as a server does that has no other plugins
// that mutate: in one round, and in a second if a mutation succeeds. In the second, only
// policies with the reinvocationPolicy IfNeeded are invoked.
//
// A policy that fails denies the request or not as failurePolicy says. So does the end of
// the context; the error is then an *EvalError that unwraps to that of the context. Any
// other error is an *InputError, without a result.
func (s *MutatingSet) Mutate(ctx context.Context, r *Request, cluster *Cluster) (*Mutation, error) {
	switch {
	case ctx == nil:
		return nil, argumentError("the context is nil")
	case s == nil:
		return nil, argumentError("the set is nil: NewMutatingSet makes one")
	case r == nil:
		return nil, argumentError("the request is nil")
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	current := *r
	d := &mutating{matcher: newMatcher(&current, cluster), invoked: map[invocationKey]bool{}, again: map[invocationKey]bool{}}
	// Plugins that mutate get no requests that delete.
	if r.Operation != Delete && (r.Resource.Group != apiGroup || !slices.Contains(exempt, r.Resource.Resource)) {
		for d.round = range 2 {
			d.needed = false
			if err := d.run(ctx, s.hooks); err != nil {
				d.result.Status, d.result.Denials = statusOf(err), nil
				return &d.result, cancelled(ctx)
			}
			if len(d.result.Denials) > 0 {
				d.result.Status = r.refused(d.result.Denials)
				return &d.result, cancelled(ctx)
			}
			if !d.needed {
				break
			}
		}
	}
	d.result.Allowed, d.result.Object = true, r.Object
	if d.written {
		d.result.Object = copied(current.Object).(map[string]any)
	}
	return &d.result, cancelled(ctx)
}

// refused is the status of a request that policies deny.
func (r *Request) refused(denials []Denial) *Status {
	status := &Status{
		Status: "Failure", Reason: "Forbidden", Code: 403,
		Details: &StatusDetails{Name: r.shownName(), Group: r.Resource.Group, Kind: r.Resource.Resource},
	}
	for i, denial := range denials {
		text := fmt.Sprintf("policy '%s' with binding '%s' denied request: %s", denial.Policy, denial.Binding, denial.Message)
		if denial.Binding == "" {
			text = fmt.Sprintf("policy %q denied request: %s", denial.Policy, denial.Message)
		}
		if i == 0 {
			status.Message = text
			if denial.Reason != "" {
				status.Reason = denial.Reason
			}
		}
		status.Details.Causes = append(status.Details.Causes, StatusCause{text})
	}
	return status
}

// copied copies unstructured data.
func copied(data any) any {
	switch value := data.(type) {
	case map[string]any:
		all := make(map[string]any, len(value))
		for name, elem := range value {
			all[name] = copied(elem)
		}
		return all
	case []any:
		if value == nil {
			return value
		}
		all := make([]any, len(value))
		for i, elem := range value {
			all[i] = copied(elem)
		}
		return all
	}
	return data
}
