package admission

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/third_party/forked/golang/reflect"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/policy"
)

// mutating is the evaluation of all mutating policies for one request. Its request has
// the object as the rounds before leave it.
type mutating struct {
	matcher
	result Mutation
	// round is 0, and 1 when policies are invoked again.
	round int
	// needed tells whether another round is needed.
	needed bool
	// written tells whether the object is another one than that of the request.
	written bool
	// invoked are the invocations that may be needed again if something changes later, and
	// again are those that are.
	invoked, again map[invocationKey]bool
	// versions are the object by the kind that policies see it as.
	versions map[GroupVersionKind]*version
}

// invocationKey identifies an invocation in both rounds.
type invocationKey struct{ policy, binding, param string }

// version is the object of the request as one kind.
type version struct {
	as     target
	in     *policy.Inputs
	object map[string]any
	// dirty tells whether a mutation succeeded.
	dirty bool
}

// invocation is a policy with a binding and a parameter.
type invocation struct {
	mutatingHook
	binding *MutatingBinding
	as      target
	param   param
}

func (i invocation) key() invocationKey {
	return invocationKey{i.policy.name, i.binding.name, i.param.name}
}

// run does one round. The error has a status, and ends the evaluation.
func (d *mutating) run(ctx context.Context, hooks []mutatingHook) error {
	d.versions = map[GroupVersionKind]*version{}
	var invocations []invocation
	// What policies match is known before the first of them is invoked.
	for _, h := range hooks {
		invocations = append(invocations, d.invocations(ctx, h)...)
	}
	if len(invocations) == 0 {
		return nil
	}
	namespace, err := d.requestNamespace(ctx)
	if err != nil {
		return err
	}
	for _, v := range d.versions {
		v.in.Namespace = namespace
	}
	var last *version
	for _, i := range invocations {
		invoked, err := d.invoke(ctx, i)
		if err != nil {
			return err
		}
		if invoked && len(i.policy.spec.Mutations) > 0 {
			last = d.versions[i.as.kind]
		}
	}
	// Only what the last policy sees counts.
	if last == nil || last.object == nil || !last.dirty {
		return nil
	}
	d.require()
	d.needed = true
	object, err := d.restored(last)
	if err != nil {
		return internalError(fmt.Errorf("failed to convert object: %w", err))
	}
	d.request.Object, d.written = object, true
	return nil
}

// require has everything invoked again that was invoked so far, and may be again.
func (d *mutating) require() {
	for key := range d.invoked {
		d.again[key] = true
	}
	clear(d.invoked)
}

// restored is the object of a version as the kind of the request.
func (d *mutating) restored(v *version) (map[string]any, error) {
	if v.as.kind == d.request.Kind {
		return v.object, nil
	}
	if d.cluster != nil && d.cluster.Equivalents != nil {
		for _, other := range d.cluster.Equivalents(v.as.resource, d.request.SubResource) {
			if other.Kind == d.request.Kind {
				return target{convert: other.Convert}.converted(v.object)
			}
		}
	}
	return nil, fmt.Errorf("Cluster.Equivalents has no conversion from %v to %v", v.as.kind, d.request.Kind)
}

// invocations are those of a policy that the request matches.
func (d *mutating) invocations(ctx context.Context, h mutatingHook) (all []invocation) {
	p := h.policy
	if p.spec.MatchConstraints == nil {
		d.configError(errors.New("policy contained no match constraints, a required field"), p, nil)
		return nil
	}
	as, matched, err := d.matches(ctx, p.spec.MatchConstraints)
	if err == nil && matched {
		err = d.unknownKind(p.spec.ParamKind)
	}
	if err != nil {
		d.configError(err, p, nil)
	}
	if err != nil || !matched {
		return nil
	}
	for _, b := range h.bindings {
		if b.spec.MatchResources != nil {
			_, matched, err := d.matches(ctx, b.spec.MatchResources)
			if err != nil {
				d.configError(err, p, b)
			}
			if err != nil || !matched {
				continue
			}
		}
		if err := d.version(ctx, as); err != nil {
			d.configError(err, p, nil)
			continue
		}
		params, err := d.params(ctx, p.spec.ParamKind, b.spec.ParamRef)
		if err != nil {
			d.configError(err, p, b)
			continue
		}
		for _, param := range params {
			all = append(all, invocation{h, b, as, param})
		}
	}
	return all
}

// configError is one of a policy or binding that cannot be used.
func (d *mutating) configError(err error, p *MutatingPolicy, b *MutatingBinding) {
	if b == nil {
		d.deny(p, "", "", fmt.Sprintf("failed to configure policy: %v", err), -1, err)
		return
	}
	d.deny(p, b.name, "", fmt.Sprintf("failed to configure binding: %v", err), -1, err)
}

func (d *mutating) deny(p *MutatingPolicy, binding, reason, message string, index int, err error) {
	if p.failurePolicy() != ignore {
		d.result.Denials = append(d.result.Denials, Denial{
			Policy: p.name, Binding: binding, Message: message, Reason: reason, Index: index, Err: err,
		})
	}
}

// version prepares the object as a kind.
func (d *mutating) version(ctx context.Context, as target) error {
	if d.versions[as.kind] != nil {
		return nil
	}
	object, err := as.converted(d.request.Object)
	if err != nil {
		return err
	}
	in, err := d.inputs(ctx, as)
	if err == nil {
		d.versions[as.kind] = &version{as: as, in: in, object: as.kind.of(object)}
	}
	return err
}

// of returns an object as one of the kind, which a patch may have changed.
func (k GroupVersionKind) of(object map[string]any) map[string]any {
	if object == nil || object["apiVersion"] == k.apiVersion() && object["kind"] == k.Kind {
		return object
	}
	object = maps.Clone(object)
	object["apiVersion"], object["kind"] = k.apiVersion(), k.Kind
	return object
}

// requestNamespace is the namespace of the request. A namespace is in none.
func (d *mutating) requestNamespace(ctx context.Context) (map[string]any, error) {
	return (&dispatch{matcher: d.matcher}).requestNamespace(ctx)
}

// equal compares unstructured data; what is empty equals nil.
var equal = reflect.Equalities{}

// invoke invokes a policy. It is not invoked if a match condition is false, or if it was
// invoked and need not be again.
func (d *mutating) invoke(ctx context.Context, i invocation) (bool, error) {
	p := i.policy
	if want, have := len(p.spec.Mutations), len(i.program.mutating); want != have {
		return false, internalError(fmt.Errorf("expected %v compiled evaluators for policy %v, got %v", want, p.name, have))
	}
	v := d.versions[i.as.kind]
	in := *v.in
	in.Object, in.Params = policy.Value(v.object), policy.Value(i.param.content)
	in.Request = d.request.shown(i.as)
	d.result.Invocations = append(d.result.Invocations, Invocation{
		Policy: p.name, Binding: i.binding.name, Param: i.param.name, Reinvocation: d.round > 0, Matched: true,
	})
	result := &d.result.Invocations[len(d.result.Invocations)-1]
	if len(i.program.matchConditions) > 0 {
		matching := in
		matching.Request = d.request.shown(target{resource: d.request.Resource, kind: i.as.kind})
		outcome := i.program.matching.Evaluate(ctx, &matching, policy.Limits{Call: cost.PerCallLimit, Budget: MatchBudget})
		result.MatchCost = spent(outcome)
		matched := match(outcome, p.spec.MatchConditions, p.failurePolicy())
		if matched.Err != nil {
			result.Matched = false
			d.deny(p, i.binding.name, "Invalid", matched.text, -1, matched.Err)
			return false, nil
		}
		if result.Matched, result.Condition = matched.Matches, matched.Condition; !result.Matched {
			return false, nil
		}
	}
	if d.round > 0 && !d.again[i.key()] {
		result.Skipped = true
		return false, nil
	}
	before := v.object
	for index := range p.spec.Mutations {
		if v.object == nil {
			continue
		}
		mutated := d.mutate(ctx, i, index, v, in)
		result.Mutations = append(result.Mutations, mutated)
		var status *statusError
		if errors.As(mutated.Err, &status) {
			return true, status
		}
		if mutated.Err != nil {
			d.deny(p, i.binding.name, "Invalid", mutated.Error, index, mutated.Err)
		}
	}
	if !equal.DeepEqual(before, v.object) {
		d.require()
		d.needed = true
	}
	if p.spec.ReinvocationPolicy == reinvokeIfNeeded {
		d.invoked[i.key()] = true
	}
	return true, nil
}

// mutate evaluates one mutation, and changes the object.
func (d *mutating) mutate(ctx context.Context, i invocation, index int, v *version, in policy.Inputs) MutationResult {
	result := MutationResult{Index: index}
	failed := func(text string, err error) MutationResult {
		result.Error, result.Err = text, err
		return result
	}
	merging, known := d.cluster.merging(i.as.kind)
	if !known {
		err := &statusError{503, "ServiceUnavailable", fmt.Sprintf("Resource kind %s not found. "+
			"There can be a delay between when CustomResourceDefinitions are created and when they are available.", i.as.kind), nil}
		return failed(err.text, err)
	}
	in.Object = policy.Value(v.object)
	outcome := i.program.mutating[index].Evaluate(ctx, &in, policy.Limits{Call: cost.PerCallLimit, Budget: cost.Budget})
	result.Cost = spent(outcome)
	if outcome.Err != nil {
		return failed(outcome.Err.Server, outcome.Err)
	}
	evaluation := outcome.Evaluations[0]
	switch {
	case evaluation.Expression.Err != nil:
		return failed(evaluation.Expression.Err.Server, evaluation.Expression.Err)
	case evaluation.Err != nil:
		return failed(evaluation.Err.Server, evaluation.Err)
	}
	patched, err := guardedPatch(func() (map[string]any, error) {
		if evaluation.Expression.Kind == policy.JSONPatch {
			return applyJSONPatch(evaluation.Value, v.object)
		}
		return applyConfiguration(evaluation.Value, v.object, merging)
	})
	if err != nil {
		return failed(err.Error(), err)
	}
	result.Changed = !equal.DeepEqual(v.object, patched)
	v.object, v.dirty = patched, true
	return result
}
