package admission

import (
	"slices"

	"github.com/kubecel/kubecel/internal/policy"
	"github.com/kubecel/kubecel/internal/server"
)

// Policy is a ValidatingAdmissionPolicy of admissionregistration.k8s.io: of v1, or of
// v1beta1 or v1alpha1, which differ in nothing else. The zero value is empty: its
// methods return errors.
type Policy struct {
	name    string
	version string
	unknown []string
	spec    policySpec
}

// ParsePolicy reads the one policy in a YAML or JSON document. The error is an
// *InputError.
func ParsePolicy(data []byte) (*Policy, error) {
	fields, err := parse(data)
	if err != nil {
		return nil, unreadable(policyKind, err)
	}
	return NewPolicy(fields)
}

// NewPolicy takes a policy from unstructured data, or from a value of k8s.io/api that
// has its apiVersion and kind. The error is an *InputError.
func NewPolicy(object any) (*Policy, error) {
	var d policyDocument
	version, unknown, err := read(object, policyKind, &d)
	if err != nil {
		return nil, err
	}
	d.Spec.MatchConstraints.defaulted()
	return &Policy{name: nameOf(d.Metadata), version: version, unknown: unknown, spec: d.Spec}, nil
}

// Name returns the name of the policy.
func (p *Policy) Name() string {
	if p == nil {
		return ""
	}
	return p.name
}

func (p *Policy) isZero() bool { return p == nil || p.version == "" }

// Binding is a ValidatingAdmissionPolicyBinding.
type Binding struct {
	name    string
	version string
	unknown []string
	spec    bindingSpec
}

// ParseBinding reads the one binding in a YAML or JSON document. The error is an
// *InputError.
func ParseBinding(data []byte) (*Binding, error) {
	fields, err := parse(data)
	if err != nil {
		return nil, unreadable(bindingKind, err)
	}
	return NewBinding(fields)
}

// NewBinding takes a binding from unstructured data, or from a value of k8s.io/api that
// has its apiVersion and kind. The error is an *InputError.
func NewBinding(object any) (*Binding, error) {
	var d bindingDocument
	version, unknown, err := read(object, bindingKind, &d)
	if err != nil {
		return nil, err
	}
	d.Spec.MatchResources.defaulted()
	return &Binding{name: nameOf(d.Metadata), version: version, unknown: unknown, spec: d.Spec}, nil
}

// Name returns the name of the binding.
func (b *Binding) Name() string {
	if b == nil {
		return ""
	}
	return b.name
}

// PolicyName returns the name of the policy that it binds.
func (b *Binding) PolicyName() string {
	if b == nil {
		return ""
	}
	return b.spec.PolicyName
}

func (b *Binding) isZero() bool { return b == nil || b.version == "" }

// ParseAll reads the policies and bindings among the documents of a YAML or JSON stream.
// It leaves other documents out. The error is an *InputError of the first document that
// cannot be used, with its number and line.
func ParseAll(data []byte) (policies []*Policy, bindings []*Binding, err error) {
	return parseAll(data, policyKind, NewPolicy, bindingKind, NewBinding)
}

// program is a compiled policy.
type program struct {
	variables        []*policy.Expression
	matchConditions  []*policy.Expression
	validations      []*policy.Expression
	messages         []*policy.Expression
	auditAnnotations []*policy.Expression

	matching, validating, messaging, auditing *policy.Group
}

// compile compiles all expressions, in the order of a server.
func (p *Policy) compile(s server.Environment) (*program, error) {
	return p.compileAs(policy.Config{Server: s, Params: p.spec.ParamKind != nil})
}

func (p *Policy) compileAs(config policy.Config) (*program, error) {
	c, err := policy.NewCompiler(config)
	if err != nil {
		return nil, err
	}
	compiled := &program{}
	for _, v := range p.spec.Variables {
		x, err := c.Variable(v.Name, v.Expression)
		if err != nil {
			return nil, err
		}
		compiled.variables = append(compiled.variables, x)
	}
	var matchConditions, validations, messages, auditAnnotations []string
	for _, m := range p.spec.MatchConditions {
		matchConditions = append(matchConditions, m.Expression)
	}
	for _, v := range p.spec.Validations {
		validations, messages = append(validations, v.Expression), append(messages, v.MessageExpression)
	}
	for _, a := range p.spec.AuditAnnotations {
		auditAnnotations = append(auditAnnotations, a.ValueExpression)
	}
	for _, part := range []struct {
		kind    policy.Kind
		sources []string
		to      *[]*policy.Expression
		group   **policy.Group
	}{
		{policy.MatchCondition, matchConditions, &compiled.matchConditions, &compiled.matching},
		{policy.Validation, validations, &compiled.validations, &compiled.validating},
		{policy.AuditAnnotation, auditAnnotations, &compiled.auditAnnotations, &compiled.auditing},
		{policy.MessageExpression, messages, &compiled.messages, &compiled.messaging},
	} {
		for _, source := range part.sources {
			var x *policy.Expression
			if source != "" || part.kind != policy.MessageExpression {
				if x, err = c.Compile(part.kind, source); err != nil {
					return nil, err
				}
			}
			*part.to = append(*part.to, x)
		}
		*part.group = c.Group(part.kind, *part.to)
	}
	return compiled, nil
}

// failurePolicy is Fail by default.
func (p *Policy) failurePolicy() string { return or(p.spec.FailurePolicy, fail) }

// byName sorts what has a name.
func byName[T interface{ Name() string }](all []T) []T {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b T) int {
		switch {
		case a.Name() < b.Name():
			return -1
		case a.Name() > b.Name():
			return 1
		}
		return 0
	})
	return all
}
