package admission

import (
	"fmt"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
)

// Limits of a server.
const (
	maxMatchConditions = 64
	maxAnnotations     = 20
	maxValueExpression = 5 << 10 // bytes
)

func (f *findings) name(name string) {
	path := field.NewPath("metadata", "name")
	if name == "" {
		f.add(field.Required(path, ""))
		return
	}
	for _, problem := range apivalidation.IsDNS1123Subdomain(name) {
		f.add(field.Invalid(path, name, problem))
	}
}

// policy checks what is no expression.
func (f *findings) policy(p *Policy) {
	spec := field.NewPath("spec")
	f.oneOf(spec.Child("failurePolicy"), p.failurePolicy(), fail, ignore)
	if kind := p.spec.ParamKind; kind != nil {
		f.required(spec.Child("paramKind", "apiVersion"), kind.APIVersion)
		f.required(spec.Child("paramKind", "kind"), kind.Kind)
		if strings.Count(kind.APIVersion, "/") > 1 {
			f.add(field.Invalid(spec.Child("paramKind", "apiVersion"), kind.APIVersion, "unexpected GroupVersion string"))
		}
	}
	constraints := spec.Child("matchConstraints")
	if p.spec.MatchConstraints == nil {
		f.add(field.Required(constraints, ""))
	} else {
		f.matchResources(constraints, p.spec.MatchConstraints)
		if len(p.spec.MatchConstraints.ResourceRules) == 0 {
			f.add(field.Required(constraints.Child("resourceRules"), ""))
		}
	}
	if len(p.spec.Validations) == 0 && len(p.spec.AuditAnnotations) == 0 {
		text := "validations or auditAnnotations must contain at least one item"
		f.add(field.Required(spec.Child("validations"), text), field.Required(spec.Child("auditAnnotations"), text))
	}
	f.variables(spec.Child("variables"), p.spec.Variables)
	f.matchConditions(spec.Child("matchConditions"), p.spec.MatchConditions)
	f.validations(spec.Child("validations"), p.spec.Validations)
	f.annotations(spec.Child("auditAnnotations"), p)
}

func (f *findings) variables(path *field.Path, all []variable) {
	first := map[string]int{}
	for i, v := range all {
		at := path.Index(i).Child("name")
		f.required(at, v.Name)
		if v.Name != "" && !identifier(v.Name) {
			f.add(field.Invalid(at, v.Name, "name is not a valid CEL identifier"))
		}
		if _, ok := first[v.Name]; ok && v.Name != "" {
			err := field.Duplicate(at, v.Name)
			f.found = append(f.found, diag.Finding{
				Code: diag.VariableDuplicate, Path: err.Field, Server: err,
				Message: fmt.Sprintf("%s: %s is the variable already", err.ErrorBody(), path.Index(first[v.Name])),
			})
			continue
		}
		first[v.Name] = i
	}
}

// identifier tells whether a name is one of CEL that is not reserved.
func identifier(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != "" && !slices.Contains([]string{"true", "false", "null", "in"}, name)
}

func (f *findings) matchConditions(path *field.Path, all []MatchCondition) {
	if len(all) > maxMatchConditions {
		f.add(field.TooMany(path, len(all), maxMatchConditions))
	}
	known := map[string]bool{}
	for i, m := range all {
		at := path.Index(i).Child("name")
		f.required(at, m.Name)
		if m.Name != "" {
			for _, problem := range apivalidation.IsQualifiedName(m.Name) {
				f.add(field.Invalid(at, m.Name, problem))
			}
			if known[m.Name] {
				f.add(field.Duplicate(at, m.Name))
			}
		}
		known[m.Name] = true
	}
}

func (f *findings) validations(path *field.Path, all []validation) {
	for i, v := range all {
		at := path.Index(i)
		if trimmed := strings.TrimSpace(v.Message); v.Message != "" && trimmed == "" {
			f.add(field.Invalid(at.Child("message"), v.Message, "message must be non-empty if specified"))
		} else if strings.Contains(trimmed, "\n") {
			f.add(field.Invalid(at.Child("message"), v.Message, "message must not contain line breaks"))
		} else if v.Message == "" && strings.Contains(strings.TrimSpace(v.Expression), "\n") {
			f.add(field.Required(at.Child("message"), "message must be specified if expression contains line breaks"))
		}
		if v.Reason != nil {
			f.oneOf(at.Child("reason"), *v.Reason, "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized")
		}
	}
}

func (f *findings) annotations(path *field.Path, p *Policy) {
	if n := len(p.spec.AuditAnnotations); n > maxAnnotations {
		f.add(field.Invalid(path, n, fmt.Sprintf("must not have more than %d auditAnnotations", maxAnnotations)))
	}
	known := map[string]bool{}
	for i, a := range p.spec.AuditAnnotations {
		at := path.Index(i)
		f.required(at.Child("key"), a.Key)
		if a.Key != "" {
			for _, problem := range apivalidation.IsQualifiedName(p.name + "/" + a.Key) {
				f.add(field.Invalid(at.Child("key"), a.Key, problem))
			}
			if known[a.Key] {
				f.add(field.Duplicate(at.Child("key"), a.Key))
			}
		}
		known[a.Key] = true
		if len(a.ValueExpression) > maxValueExpression {
			f.add(field.TooLong(at.Child("valueExpression"), a.ValueExpression, maxValueExpression))
		}
	}
}

func (f *findings) matchResources(path *field.Path, m *matchResources) {
	f.selector(path.Child("namespaceSelector"), m.NamespaceSelector)
	f.selector(path.Child("objectSelector"), m.ObjectSelector)
	f.oneOf(path.Child("matchPolicy"), or(m.MatchPolicy, equivalent), exact, equivalent)
	f.rules(path.Child("resourceRules"), m.ResourceRules)
	f.rules(path.Child("excludeResourceRules"), m.ExcludeResourceRules)
}

func (f *findings) selector(path *field.Path, s *labelSelector) {
	if s == nil {
		return
	}
	if _, err := s.compiled(); err != nil {
		f.add(field.Invalid(path, "", err.Error()))
	}
}

func (f *findings) rules(path *field.Path, rules []namedRule) {
	for i, rule := range rules {
		at := path.Index(i)
		for _, list := range []struct {
			name   string
			values []string
			alone  bool
		}{
			{"operations", rule.Operations, true}, {"apiGroups", rule.APIGroups, true},
			{"apiVersions", rule.APIVersions, true}, {"resources", rule.Resources, false},
		} {
			if len(list.values) == 0 {
				f.add(field.Required(at.Child(list.name), ""))
			}
			if list.alone && len(list.values) > 1 && slices.Contains(list.values, "*") {
				f.add(field.Invalid(at.Child(list.name), list.values, "if '*' is present, must not specify others"))
			}
		}
		for j, operation := range rule.Operations {
			f.oneOf(at.Child("operations").Index(j), operation, "*", string(Connect), string(Create), string(Delete), string(Update))
		}
		f.oneOf(at.Child("scope"), or(rule.Scope, anyScope), anyScope, "Cluster", "Namespaced")
	}
}

// denyAndWarn is what a server says of a binding that does both.
const denyAndWarn = "must not contain both Deny and Warn " +
	"(repeating the same validation failure information in the API response and headers serves no purpose)"

// Check says what an API server says of the binding when it is created, as [Policy.Check]
// does.
func (b *Binding) Check() ([]diag.Finding, error) {
	if b.isZero() {
		return nil, argumentError("the binding is empty: ParseBinding reads one")
	}
	f, spec := &findings{}, field.NewPath("spec")
	f.unknown(b.unknown)
	f.name(b.name)
	f.required(spec.Child("policyName"), b.spec.PolicyName)
	if r := b.spec.ParamRef; r != nil {
		f.paramRef(spec.Child("paramRef"), r)
	}
	if b.spec.MatchResources != nil {
		f.matchResources(spec.Child("matchResources"), b.spec.MatchResources)
	}
	actions := spec.Child("validationActions")
	if len(b.spec.ValidationActions) == 0 {
		f.add(field.Required(actions, ""))
	}
	for i, action := range b.spec.ValidationActions {
		f.oneOf(actions.Index(i), action, audit, deny, warn)
		if slices.Index(b.spec.ValidationActions, action) < i {
			f.add(field.Duplicate(actions.Index(i), action))
		}
	}
	if slices.Contains(b.spec.ValidationActions, deny) && slices.Contains(b.spec.ValidationActions, warn) {
		f.add(field.Invalid(actions, b.spec.ValidationActions, denyAndWarn))
	}
	return f.found, nil
}

func (f *findings) paramRef(path *field.Path, r *paramRef) {
	switch {
	case r.Name == "" && r.Selector == nil:
		f.add(field.Required(path, "one of name or selector must be specified"))
	case r.Name != "" && r.Selector != nil:
		f.add(field.Forbidden(path.Child("name"), "name and selector are mutually exclusive"))
	}
	f.selector(path.Child("selector"), r.Selector)
	if r.ParameterNotFoundAction == nil {
		f.add(field.Required(path.Child("parameterNotFoundAction"), ""))
	} else {
		f.oneOf(path.Child("parameterNotFoundAction"), *r.ParameterNotFoundAction, allow, deny)
	}
}
