package admission

import (
	"context"

	"github.com/kubecel/kubecel/admission"
)

// MutatingOurs holds mutating policies compiled by package admission.
type MutatingOurs struct {
	set     *admission.MutatingSet
	cluster *admission.Cluster
}

// NewMutatingOurs compiles policies.
func NewMutatingOurs(c Case, w *World, schemas *admission.MergeSchemas) (*MutatingOurs, error) {
	var policies []*admission.MutatingPolicy
	var bindings []*admission.MutatingBinding
	for _, d := range c.Policies {
		p, err := admission.NewMutatingPolicy(d)
		if err != nil {
			return nil, err
		}
		policies = append(policies, p)
	}
	for _, d := range c.Bindings {
		b, err := admission.NewMutatingBinding(d)
		if err != nil {
			return nil, err
		}
		bindings = append(bindings, b)
	}
	set, err := admission.NewMutatingSet(policies, bindings)
	cluster := w.cluster()
	cluster.Schemas = schemas
	return &MutatingOurs{set: set, cluster: cluster}, err
}

// Mutate evaluates the policies on a request.
func (o *MutatingOurs) Mutate(ctx context.Context, r *Request) (Mutated, *admission.Mutation, error) {
	m, err := o.set.Mutate(ctx, r.ours(), o.cluster)
	if err != nil {
		return Mutated{}, nil, err
	}
	out := Mutated{Object: m.Object}
	out.Allowed = m.Allowed
	if s := m.Status; s != nil {
		out.Message, out.Reason, out.Code = s.Message, s.Reason, s.Code
		if s.Details != nil {
			for _, c := range s.Details.Causes {
				out.Causes = append(out.Causes, c.Message)
			}
		}
	}
	return out, m, nil
}
