package admission

import (
	"github.com/kubecel/kubecel/internal/policy"
	"github.com/kubecel/kubecel/internal/server"
)

const (
	mutatingPolicyKind  = "MutatingAdmissionPolicy"
	mutatingBindingKind = "MutatingAdmissionPolicyBinding"

	patchJSON  = "JSONPatch"
	patchApply = "ApplyConfiguration"

	reinvokeNever    = "Never"
	reinvokeIfNeeded = "IfNeeded"
)

// The types below have what this package reads of mutating policies and their bindings,
// with the names and meanings of v1.
type (
	mutatingDocument struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   map[string]any `json:"metadata"`
		Spec       mutatingSpec   `json:"spec"`
	}

	mutatingSpec struct {
		ParamKind          *paramKind       `json:"paramKind"`
		MatchConstraints   *matchResources  `json:"matchConstraints"`
		Variables          []variable       `json:"variables"`
		Mutations          []mutation       `json:"mutations"`
		FailurePolicy      *string          `json:"failurePolicy"`
		MatchConditions    []MatchCondition `json:"matchConditions"`
		ReinvocationPolicy string           `json:"reinvocationPolicy"`
	}

	mutation struct {
		PatchType          string       `json:"patchType"`
		ApplyConfiguration *patchSource `json:"applyConfiguration"`
		JSONPatch          *patchSource `json:"jsonPatch"`
	}

	patchSource struct {
		Expression string `json:"expression"`
	}

	mutatingBindingDocument struct {
		APIVersion string              `json:"apiVersion"`
		Kind       string              `json:"kind"`
		Metadata   map[string]any      `json:"metadata"`
		Spec       mutatingBindingSpec `json:"spec"`
	}

	mutatingBindingSpec struct {
		PolicyName     string          `json:"policyName"`
		ParamRef       *paramRef       `json:"paramRef"`
		MatchResources *matchResources `json:"matchResources"`
	}
)

// source returns the expression of a mutation, and false if it has none of its type.
func (m mutation) source() (kind policy.Kind, expression string, ok bool) {
	switch {
	case m.PatchType == patchJSON && m.JSONPatch != nil:
		return policy.JSONPatch, m.JSONPatch.Expression, true
	case m.PatchType == patchApply && m.ApplyConfiguration != nil:
		return policy.ApplyConfiguration, m.ApplyConfiguration.Expression, true
	}
	return "", "", false
}

// MutatingPolicy is a MutatingAdmissionPolicy of admissionregistration.k8s.io: of v1, or
// of v1beta1 or v1alpha1, which differ in nothing else. The zero value is empty: its
// methods return errors.
type MutatingPolicy struct {
	name    string
	version string
	unknown []string
	spec    mutatingSpec
}

// ParseMutatingPolicy reads the one policy in a YAML or JSON document. The error is an
// *InputError.
func ParseMutatingPolicy(data []byte) (*MutatingPolicy, error) {
	fields, err := parse(data)
	if err != nil {
		return nil, unreadable(mutatingPolicyKind, err)
	}
	return NewMutatingPolicy(fields)
}

// NewMutatingPolicy takes a policy from unstructured data, or from a value of k8s.io/api
// that has its apiVersion and kind. The error is an *InputError.
func NewMutatingPolicy(object any) (*MutatingPolicy, error) {
	var d mutatingDocument
	version, unknown, err := read(object, mutatingPolicyKind, &d)
	if err != nil {
		return nil, err
	}
	d.Spec.MatchConstraints.defaulted()
	return &MutatingPolicy{name: nameOf(d.Metadata), version: version, unknown: unknown, spec: d.Spec}, nil
}

// Name returns the name of the policy.
func (p *MutatingPolicy) Name() string {
	if p == nil {
		return ""
	}
	return p.name
}

// APIVersion returns the group and version of the document.
func (p *MutatingPolicy) APIVersion() string {
	if p.isZero() {
		return ""
	}
	return apiGroup + "/" + p.version
}

func (p *MutatingPolicy) isZero() bool { return p == nil || p.version == "" }

func (p *MutatingPolicy) failurePolicy() string { return or(p.spec.FailurePolicy, fail) }

// MutatingBinding is a MutatingAdmissionPolicyBinding.
type MutatingBinding struct {
	name    string
	version string
	unknown []string
	spec    mutatingBindingSpec
}

// ParseMutatingBinding reads the one binding in a YAML or JSON document. The error is an
// *InputError.
func ParseMutatingBinding(data []byte) (*MutatingBinding, error) {
	fields, err := parse(data)
	if err != nil {
		return nil, unreadable(mutatingBindingKind, err)
	}
	return NewMutatingBinding(fields)
}

// NewMutatingBinding takes a binding from unstructured data, or from a value of
// k8s.io/api that has its apiVersion and kind. The error is an *InputError.
func NewMutatingBinding(object any) (*MutatingBinding, error) {
	var d mutatingBindingDocument
	version, unknown, err := read(object, mutatingBindingKind, &d)
	if err != nil {
		return nil, err
	}
	d.Spec.MatchResources.defaulted()
	return &MutatingBinding{name: nameOf(d.Metadata), version: version, unknown: unknown, spec: d.Spec}, nil
}

// Name returns the name of the binding.
func (b *MutatingBinding) Name() string {
	if b == nil {
		return ""
	}
	return b.name
}

// PolicyName returns the name of the policy that it binds.
func (b *MutatingBinding) PolicyName() string {
	if b == nil {
		return ""
	}
	return b.spec.PolicyName
}

func (b *MutatingBinding) isZero() bool { return b == nil || b.version == "" }

// ParseAllMutating reads the mutating policies and their bindings among the documents of
// a YAML or JSON stream. It leaves other documents out. The error is an *InputError of
// the first document that cannot be used, with its number and line.
func ParseAllMutating(data []byte) (policies []*MutatingPolicy, bindings []*MutatingBinding, err error) {
	return parseAll(data, mutatingPolicyKind, NewMutatingPolicy, mutatingBindingKind, NewMutatingBinding)
}

// mutatingProgram is a compiled policy.
type mutatingProgram struct {
	variables       []*policy.Expression
	matchConditions []*policy.Expression
	// mutations are nil where a mutation has no expression of its type.
	mutations []*policy.Expression

	matching *policy.Group
	// mutating has a group for each mutation that has an expression: they share neither
	// variables nor a budget.
	mutating []*policy.Group
}

// compile compiles all expressions, in the order of a server.
func (p *MutatingPolicy) compile(s server.Environment) (*mutatingProgram, error) {
	c, err := policy.NewCompiler(policy.Config{Server: s, Params: p.spec.ParamKind != nil})
	if err != nil {
		return nil, err
	}
	compiled := &mutatingProgram{}
	for _, v := range p.spec.Variables {
		x, err := c.Variable(v.Name, v.Expression)
		if err != nil {
			return nil, err
		}
		compiled.variables = append(compiled.variables, x)
	}
	for _, m := range p.spec.MatchConditions {
		x, err := c.Compile(policy.MatchCondition, m.Expression)
		if err != nil {
			return nil, err
		}
		compiled.matchConditions = append(compiled.matchConditions, x)
	}
	compiled.matching = c.Group(policy.MatchCondition, compiled.matchConditions)
	for _, m := range p.spec.Mutations {
		var x *policy.Expression
		if kind, source, ok := m.source(); ok {
			if x, err = c.Compile(kind, source); err != nil {
				return nil, err
			}
			compiled.mutating = append(compiled.mutating, c.Group(kind, []*policy.Expression{x}))
		}
		compiled.mutations = append(compiled.mutations, x)
	}
	return compiled, nil
}
