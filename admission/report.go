package admission

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/policy"
	"github.com/kubecel/kubecel/release"
)

// Report says what the expressions of a policy may cost. A server does not estimate
// policies: it only limits what they spend.
type Report struct {
	// Policy is the name of the policy.
	Policy string `json:"policy"`
	// Release is the release whose prices these are.
	Release release.Release `json:"release"`
	// Expressions are all of them, in the order of the policy: variables first.
	Expressions []ExpressionReport `json:"expressions"`
	// Parts are the groups of expressions that share a budget.
	Parts []PartReport `json:"parts"`
}

// ExpressionReport says what one expression may cost, in cost units. Data without bounds
// makes an estimate math.MaxUint64; one evaluation never costs much more than
// cost.PerCallLimit, where it ends.
type ExpressionReport struct {
	// Path is the place, such as spec.validations[0].expression.
	Path string `json:"path"`
	// Name is that of a variable or a match condition, or the key of an annotation.
	Name string `json:"name,omitempty"`
	// Source is the text.
	Source string `json:"source"`
	// Estimate is the least and the most of one evaluation alone.
	Estimate cost.Range `json:"estimate"`
	// Variables are the variables that it may compute, also those that others need,
	// sorted.
	Variables []string `json:"variables,omitempty"`
	// WithVariables is the estimate with these variables, if none of them was computed
	// before.
	WithVariables cost.Range `json:"withVariables"`
	// Err says why the expression does not compile. It costs nothing then.
	Err *diag.CompileError `json:"error,omitempty"`
}

// PartReport says what expressions that are evaluated together may cost. Each variable
// counts once: a server computes it again for every part, and for every binding and
// parameter.
type PartReport struct {
	// Name says which expressions these are: matchConditions, validations,
	// messageExpressions or auditAnnotations.
	Name string `json:"name"`
	// Estimate is for all of them with their variables.
	Estimate cost.Range `json:"estimate"`
	// Budget is what a server grants them. Messages get what validations leave.
	Budget uint64 `json:"budget"`
}

// Report says what the expressions of the policy may cost. The release is the newest, or
// another with [ForRelease]. The error is an *InputError.
func (p *Policy) Report(opts ...Option) (*Report, error) {
	if p.isZero() {
		return nil, errZeroPolicy()
	}
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	compiled, err := p.compile(c.stored())
	if err != nil {
		return nil, optionError(err)
	}
	e := estimator{variables: map[string]*policy.Expression{}, names: p.variableNames()}
	for i, x := range compiled.variables {
		e.variables[p.spec.Variables[i].Name] = x
	}
	r := &Report{Policy: p.name, Release: c.release}
	p.each(compiled, func(x part) {
		used := e.closure(x.Expression)
		r.Expressions = append(r.Expressions, ExpressionReport{
			Path: x.path.String(), Name: x.name, Source: x.Source, Estimate: x.Estimate,
			Variables: used, WithVariables: e.with(x.Estimate, used), Err: x.Err,
		})
	})
	for _, part := range []struct {
		name        string
		expressions []*policy.Expression
		budget      uint64
	}{
		{"matchConditions", compiled.matchConditions, MatchBudget},
		{"validations", compiled.validations, cost.Budget},
		{"messageExpressions", compiled.messages, cost.Budget},
		{"auditAnnotations", compiled.auditAnnotations, cost.Budget},
	} {
		if estimate, any := e.part(part.expressions); any {
			r.Parts = append(r.Parts, PartReport{part.name, estimate, part.budget})
		}
	}
	return r, nil
}

func (p *Policy) variableNames() []string {
	names := map[string]bool{}
	for _, v := range p.spec.Variables {
		names[v.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// estimator adds up what expressions and their variables may cost.
type estimator struct {
	variables map[string]*policy.Expression
	names     []string
}

// closure are the variables that an expression may compute, sorted.
func (e *estimator) closure(x *policy.Expression) []string {
	reached := map[string]bool{}
	var visit func(*policy.Expression)
	visit = func(x *policy.Expression) {
		next := x.Variables
		if x.Dynamic {
			next = e.names
		}
		for _, name := range next {
			if v := e.variables[name]; v != nil && !reached[name] {
				reached[name] = true
				visit(v)
			}
		}
	}
	visit(x)
	return slices.Sorted(maps.Keys(reached))
}

// with adds the most of variables: that of the least is zero, as an expression may not
// come to need them.
func (e *estimator) with(own cost.Range, variables []string) cost.Range {
	for _, name := range variables {
		own = own.Add(cost.Range{Max: e.variables[name].Estimate.Max})
	}
	return own
}

func (e *estimator) part(expressions []*policy.Expression) (total cost.Range, any bool) {
	reached := map[string]bool{}
	for _, x := range expressions {
		if x == nil {
			continue
		}
		any, total = true, total.Add(x.Estimate)
		for _, name := range e.closure(x) {
			reached[name] = true
		}
	}
	return e.with(total, slices.Sorted(maps.Keys(reached))), any
}

// Text writes the report for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, estimates of Kubernetes %v in cost units\n", r.Policy, r.Release)
	for _, x := range r.Expressions {
		fmt.Fprintf(&b, "  %s: ", x.Path)
		switch {
		case x.Err != nil:
			fmt.Fprintf(&b, "does not compile")
		case len(x.Variables) == 0:
			b.WriteString(units(x.Estimate))
		default:
			fmt.Fprintf(&b, "%s, with %s %s", units(x.Estimate), strings.Join(x.Variables, ", "), units(x.WithVariables))
		}
		b.WriteString("\n")
	}
	for _, part := range r.Parts {
		fmt.Fprintf(&b, "  all %s: %s, of a budget of %d\n", part.Name, units(part.Estimate), part.Budget)
	}
	return b.String()
}

func units(r cost.Range) string {
	if r.Max == math.MaxUint64 {
		return fmt.Sprintf("%d or more, no bound is known", r.Min)
	}
	if r.Min == r.Max {
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}
