package admission

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/policy"
)

// Check says what an API server says of the policy when it is created: each expression
// that does not compile, each field that is missing or has a value that is not allowed,
// and each field that no policy has. No findings mean that the server accepts it. Its
// release is the newest, or another with [ForRelease]. The error is an *InputError.
//
// Messages of expressions are those of k8s.io/apiserver v0.37.2. The checks of the other
// fields are in a package of Kubernetes that cannot be imported: their messages were not
// compared with it. Not checked are names of resources, groups and versions in rules,
// and whether the paramKind exists. Variables with one name, which a server takes, are a
// finding: the last one counts for all.
func (p *Policy) Check(opts ...Option) ([]diag.Finding, error) {
	if p.isZero() {
		return nil, errZeroPolicy()
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
	f.policy(p)
	p.each(compiled, func(e part) { f.expression(e) })
	return f.found, nil
}

func errZeroPolicy() error { return argumentError("the policy is empty: ParsePolicy reads one") }

func optionError(err error) error {
	return &diag.InputError{Code: diag.OptionInvalid, Detail: err.Error(), Cause: err}
}

// part is one expression of a policy.
type part struct {
	path *field.Path
	// name is that of a variable or a match condition, or the key of an annotation.
	name string
	*policy.Expression
}

// each visits the expressions of a policy in the order in which a server checks them.
func (p *Policy) each(c *program, visit func(part)) {
	spec := field.NewPath("spec")
	for i, x := range c.variables {
		visit(part{spec.Child("variables").Index(i).Child("expression"), p.spec.Variables[i].Name, x})
	}
	for i, x := range c.matchConditions {
		visit(part{spec.Child("matchConditions").Index(i).Child("expression"), p.spec.MatchConditions[i].Name, x})
	}
	for i, x := range c.validations {
		at := spec.Child("validations").Index(i)
		visit(part{at.Child("expression"), "", x})
		if c.messages[i] != nil {
			visit(part{at.Child("messageExpression"), "", c.messages[i]})
		}
	}
	for i, x := range c.auditAnnotations {
		visit(part{spec.Child("auditAnnotations").Index(i).Child("valueExpression"), p.spec.AuditAnnotations[i].Key, x})
	}
}

// findings collects what is wrong.
type findings struct{ found []diag.Finding }

func (f *findings) add(errs ...*field.Error) {
	for _, err := range errs {
		f.found = append(f.found, diag.Finding{Code: diag.PolicyInvalid, Path: err.Field, Message: err.ErrorBody(), Server: err})
	}
}

// expression reports an expression that does not compile; an empty one is missing.
func (f *findings) expression(e part) {
	switch {
	case e.Err == nil:
	case strings.TrimSpace(e.Source) == "":
		f.add(field.Required(e.path, ""))
	default:
		err := field.Invalid(e.path, e.Source, e.Err.Server)
		f.found = append(f.found, diag.Finding{
			Code: diag.ExpressionInvalid, Path: err.Field, Message: err.ErrorBody(), Rule: e.Source, Err: e.Err, Server: err,
		})
	}
}

func (f *findings) unknown(paths []string) {
	for _, path := range paths {
		f.add(field.Forbidden(field.NewPath(path), fmt.Sprintf("unknown field %q", path)))
	}
}

func (f *findings) required(path *field.Path, value string) {
	if strings.TrimSpace(value) == "" {
		f.add(field.Required(path, ""))
	}
}

func (f *findings) oneOf(path *field.Path, value string, supported ...string) {
	if !slices.Contains(supported, value) {
		f.add(field.NotSupported(path, value, supported))
	}
}
