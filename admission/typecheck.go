package admission

import (
	"strings"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/policy"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// TypeSchema is the schema of a kind, for [Policy.TypeCheck].
type TypeSchema struct {
	kind   GroupVersionKind
	schema *typesystem.Schema
}

// NewTypeSchema reads the schema of a kind in YAML or JSON, as openAPIV3Schema of a CRD
// has it. If partial, fields that it does not declare are dyn where it preserves them; as
// in an API server, they are otherwise undefined. The error is an *InputError.
func NewTypeSchema(kind GroupVersionKind, document []byte, partial bool) (*TypeSchema, error) {
	parsed, err := typesystem.ParseOpenAPI(document)
	if err != nil {
		return nil, err
	}
	compiled, err := typesystem.CompileAs(parsed, typesystem.Options{Root: true, UnknownAsDyn: partial})
	if err != nil {
		return nil, err
	}
	return &TypeSchema{kind, compiled}, nil
}

// TypeWarning is an expression that does not fit a schema. The policy is accepted, and the
// expression fails when an object of that kind comes.
type TypeWarning struct {
	// Kind is the kind of object and oldObject.
	Kind GroupVersionKind `json:"kind"`
	// Path is the place of the expression, such as spec.validations[0].expression.
	Path string `json:"path"`
	// Message is what a server says of it in the status of the policy.
	Message string `json:"message"`
	// Err has the issues with their positions and hints.
	Err *diag.CompileError `json:"error"`
}

// TypeCheck compiles every expression with object and oldObject of the type of each
// schema, and params of the type of another, or dyn if that is nil. Unlike a server,
// which checks validations and messages against the first ten kinds of the rules, it
// checks all expressions against all schemas, each with the variables that its kind of
// expression has. What [Policy.Check] finds without schemas, such as a pattern that is no
// regular expression, is no warning. Warnings come schema by schema, in the order of the policy. The error is
// an *InputError.
//
// A variable that does not fit is dyn to the expressions that use it, as in a server.
func (p *Policy) TypeCheck(objects []*TypeSchema, params *TypeSchema, opts ...Option) ([]TypeWarning, error) {
	if p.isZero() {
		return nil, errZeroPolicy()
	}
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	var warnings []TypeWarning
	for _, s := range objects {
		if s == nil {
			return nil, argumentError("a schema is nil: NewTypeSchema reads one")
		}
		config := policy.Config{Server: c.stored(), Params: p.spec.ParamKind != nil, AnyResult: true}
		own := policy.Typed{Name: s.kind.Kind, Schema: s.schema}
		config.Types = map[string]policy.Typed{policy.ObjectName: own, policy.OldObjectName: own}
		if params != nil {
			config.Types[policy.ParamsName] = policy.Typed{Name: params.kind.Kind + "Params", Schema: params.schema}
		}
		compiled, err := p.compileAs(config)
		if err != nil {
			return nil, optionError(err)
		}
		p.each(compiled, func(x part) {
			if x.Err != nil && x.Err.Stage == diag.StageCheck {
				text := s.kind.String() + ": " + strings.TrimPrefix(x.Err.Server, "compilation failed: ")
				warnings = append(warnings, TypeWarning{Kind: s.kind, Path: x.path.String(), Message: text, Err: x.Err})
			}
		})
	}
	return warnings, nil
}
