package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// Check says what an API server says of the policy when it is created, as [Policy.Check]
// does. The error is an *InputError.
func (p *MutatingPolicy) Check(opts ...Option) ([]diag.Finding, error) {
	if p.isZero() {
		return nil, errZeroMutating()
	}
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	compiled, err := p.compile(c.written())
	if err != nil {
		return nil, optionError(err)
	}
	f := &findings{}
	f.unknown(p.unknown)
	f.name(p.name)
	f.mutating(p)
	p.each(compiled, f.expression)
	return f.found, nil
}

func errZeroMutating() error {
	return argumentError("the policy is empty: ParseMutatingPolicy reads one")
}

// each visits the expressions of a policy in the order in which a server checks them.
func (p *MutatingPolicy) each(c *mutatingProgram, visit func(part)) {
	spec := field.NewPath("spec")
	for i, x := range c.variables {
		visit(part{spec.Child("variables").Index(i).Child("expression"), p.spec.Variables[i].Name, x})
	}
	for i, x := range c.matchConditions {
		visit(part{spec.Child("matchConditions").Index(i).Child("expression"), p.spec.MatchConditions[i].Name, x})
	}
	for i, x := range c.mutations {
		if x != nil {
			visit(part{spec.Child("mutations").Index(i).Child(p.spec.Mutations[i].field(), "expression"), "", x})
		}
	}
}

// field is the name of the field that has the expression.
func (m mutation) field() string {
	if m.PatchType == patchJSON {
		return "jsonPatch"
	}
	return "applyConfiguration"
}

// mutating checks what is no expression.
func (f *findings) mutating(p *MutatingPolicy) {
	// What both kinds of policies have, with something to do.
	f.policy(&Policy{name: p.name, version: p.version, spec: policySpec{
		ParamKind: p.spec.ParamKind, MatchConstraints: p.spec.MatchConstraints, FailurePolicy: p.spec.FailurePolicy,
		MatchConditions: p.spec.MatchConditions, Variables: p.spec.Variables, Validations: []validation{{}},
	}})
	spec := field.NewPath("spec")
	if p.spec.ReinvocationPolicy == "" {
		f.add(field.Required(spec.Child("reinvocationPolicy"), ""))
	} else {
		f.oneOf(spec.Child("reinvocationPolicy"), p.spec.ReinvocationPolicy, reinvokeIfNeeded, reinvokeNever)
	}
	if len(p.spec.Mutations) == 0 {
		f.add(field.Required(spec.Child("mutations"), "must contain at least one item"))
	}
	for i, m := range p.spec.Mutations {
		at := spec.Child("mutations").Index(i)
		f.oneOf(at.Child("patchType"), m.PatchType, patchApply, patchJSON)
		if _, _, ok := m.source(); !ok && (m.PatchType == patchApply || m.PatchType == patchJSON) {
			f.add(field.Required(at.Child(m.field()), ""))
		}
		if m.PatchType == patchApply && m.JSONPatch != nil || m.PatchType == patchJSON && m.ApplyConfiguration != nil {
			f.add(field.Forbidden(at, "only the field of its patchType may be set"))
		}
	}
}

// servedMutating are the releases that serve the versions of the API of mutating policies,
// see APILifecycleIntroduced in k8s.io/api v0.37.2.
var servedMutating = map[string]release.Release{
	"v1": release.Minor(36), "v1beta1": release.Minor(34), "v1alpha1": release.Minor(32),
}

// AcceptedBy says which releases accept the policy, as [Policy.AcceptedBy] does.
func (p *MutatingPolicy) AcceptedBy() (*Acceptance, error) {
	if p.isZero() {
		return nil, errZeroMutating()
	}
	all := &Acceptance{}
	for _, r := range release.All() {
		v := ReleaseVerdict{Release: r, Served: !r.Before(servedMutating[p.version])}
		if v.Served {
			compiled, err := p.compile(server.WrittenTo(r))
			if err != nil {
				return nil, optionError(err)
			}
			f := &findings{}
			p.each(compiled, f.expression)
			v.Findings, v.Accepted = f.found, len(f.found) == 0
		}
		all.Verdicts = append(all.Verdicts, v)
	}
	return all, nil
}
