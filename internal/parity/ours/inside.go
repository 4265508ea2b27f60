package ours

import (
	"context"
	"encoding/json"

	"github.com/google/cel-go/common/decls"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/explain"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/report"
)

// What follows goes past the façade, which does not show it.
//
// Expressions over self stand where rules stand: self and oldSelf have one type,
// and the sizes of all paths are looked up below its schema, as the server does
// with the paths of computed values too. In an Env each variable has a type and
// sizes of its own, and a rule of a RuleSet gives only a bool.

// ruleScope is the scope of the rules of a schema, with values of self and oldSelf.
type ruleScope struct {
	*compile.Scope
	document *typesystem.OpenAPI
	schema   *typesystem.Schema
	values   map[string]any
}

func (s *ruleScope) ResolveName(name string) (any, bool) {
	v, ok := s.values[name]
	return v, ok
}

func (i *Implementation) ruleScope(e *parity.Environment) (*ruleScope, error) {
	if s, ok := i.scopes[e]; ok {
		return s, nil
	}
	env, err := compile.ForServer(server.StoredIn(i.release))
	if err != nil {
		return nil, err
	}
	document, schema, err := compileSchema(e.Self)
	if err != nil {
		return nil, err
	}
	p := env.Provider(env.CEL().CELTypeProvider(), schema, "selfType1")
	s := &ruleScope{document: document, schema: schema, values: map[string]any{}}
	s.Scope, err = env.Scope(p, env.Sizes(schema), decls.NewVariable("self", p.Type()), decls.NewVariable("oldSelf", p.Type()))
	if err != nil {
		return nil, err
	}
	first := e.Self.Objects[0]
	s.values["self"] = schema.WithObjectMeta().Value(first.New)
	if first.Old != nil {
		s.values["oldSelf"] = schema.WithObjectMeta().Value(first.Old)
	}
	i.scopes[e] = s
	return s, nil
}

func compileSchema(c *parity.SchemaCase) (*typesystem.OpenAPI, *typesystem.Schema, error) {
	data, err := json.Marshal(c.Schema)
	if err != nil {
		return nil, nil, err
	}
	document, err := typesystem.ParseOpenAPI(data)
	if err != nil {
		return nil, nil, err
	}
	schema, err := typesystem.Compile(document, c.Root)
	return document, schema, err
}

// expressionOverSelf is Expression in the scope of a rule.
func (i *Implementation) expressionOverSelf(c parity.ExprCase) (o parity.ExprOutcome) {
	s, err := i.ruleScope(c.Env)
	if err != nil {
		o.CompileError = "environment: " + err.Error()
		return o
	}
	x, failed := s.Compile(c.Expr)
	if failed != nil {
		refused(&o, failed)
		return o
	}
	o.Type, o.Estimate = x.Type().String(), [2]uint64{x.Estimate.Min, x.Estimate.Max}
	result := x.Program.Eval(context.Background(), s, cost.PerCallLimit)
	o.Cost = result.Cost
	if result.Err != nil {
		o.Error = result.Err.Error()
	} else {
		o.Result = parity.Print(result.Value)
	}
	return o
}

// reportOverSelf is the report of an expression in the scope of a rule with what
// its evaluation cost, nil if it does not compile.
func (i *Implementation) reportOverSelf(c parity.ExprCase) (*report.Expression, uint64, error) {
	s, err := i.ruleScope(c.Env)
	if err != nil {
		return nil, 0, err
	}
	x, failed := s.Compile(c.Expr)
	if failed != nil {
		return nil, 0, nil
	}
	bounds := func(path []string) (typesystem.Bound, bool) { return s.schema.Bound(s.document, path, i.release) }
	r := explain.Expression(x, bounds, report.Limits{})
	result, record := x.Program.Record(context.Background(), s, cost.PerCallLimit)
	explain.Evaluated(r, result, record.Nodes)
	return r, result.Cost, nil
}

// inside is what a server computes of a rule and the façade does not show: how often
// it runs if only what fits into a request bounds it, and its normalised fieldPath.
type inside struct {
	cardinality uint64
	fieldPath   string
}

// insides are in the order of RuleSet.Rules.
func insides(v *crd.Validator) (all []inside) {
	for _, info := range v.Rules() {
		in := inside{fieldPath: info.FieldPath}
		if info.Err == nil {
			in.cardinality = info.Unbounded
		}
		all = append(all, in)
	}
	return all
}

// validator compiles the rules of a schema a second time, for insides and for
// objects that are no mappings, which the façade does not take.
func (i *Implementation) validator(c *parity.SchemaCase) (*crd.Validator, error) {
	document, _, err := compileSchema(c)
	if err != nil {
		return nil, err
	}
	env, err := compile.ForServer(server.StoredIn(i.release))
	if err != nil {
		return nil, err
	}
	return crd.NewValidator(document, c.Root, env.Rules())
}

// validateInside validates an object that is no mapping.
func validateInside(v *crd.Validator, object parity.Object, units uint64) (violations, warnings []diag.Violation, left uint64, exhausted bool, err error) {
	budget := crd.NewBudget(units)
	result, err := v.Validate(context.Background(), object.New, object.Old, crd.Options{Budget: budget})
	return result.Violations, result.Warnings, budget.Left(), result.Exhausted, err
}
