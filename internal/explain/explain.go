package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/report"
)

// Document is a schema to report on.
type Document struct {
	Schema *typesystem.OpenAPI
	// Path is the path of the schema in the CRD, Status whether the status
	// subresource is enabled.
	Path   *field.Path
	Status bool
	// Env makes an environment that explains its expressions. An environment
	// remembers what it has compiled.
	Env func() *compile.Rules
}

// CRD reports all rules of a schema.
func CRD(d Document, limits report.Limits) *report.CRD {
	limits = complete(limits)
	findings, sites, total := crd.InspectSchema(d.Schema, d.Path, d.Status, d.Env())
	r := &report.CRD{
		Outcome:     outcome(findings, total),
		Server:      judge(schemaName, total, cost.SchemaEstimateLimit),
		Caller:      judge(schemaName, total, limits.Schema),
		Expressions: make([]report.Expression, 0, len(sites)),
	}
	subjects := map[string]*subject{}
	for i := range sites {
		r.Expressions = append(r.Expressions, d.site(sites[i], limits, subjects)...)
	}
	if total > limits.Schema {
		r.Advice = d.advise(r, subjects, limits)
	}
	for i := range r.Expressions {
		if total > 0 {
			r.Expressions[i].Share = float64(r.Expressions[i].Total) / float64(total)
		}
	}
	slices.SortStableFunc(r.Expressions, func(a, b report.Expression) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Path, b.Path))
	})
	return r
}

// Outcome is CRD without the rules.
func Outcome(d Document) report.Outcome {
	findings, _, total := crd.InspectSchema(d.Schema, d.Path, d.Status, d.Env())
	return outcome(findings, total)
}

func outcome(findings []diag.Finding, total uint64) report.Outcome {
	return report.Outcome{Accepted: len(findings) == 0, Total: total, Findings: append([]diag.Finding{}, findings...)}
}

// complete puts the limit of a server in the place of zero.
func complete(l report.Limits) report.Limits {
	return report.Limits{Expression: cmp.Or(l.Expression, cost.EstimateLimit), Schema: cmp.Or(l.Schema, cost.SchemaEstimateLimit)}
}

// The names that servers use in errors about cost.
const (
	schemaName  = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
	ruleName    = "estimated rule cost"
	messageName = "estimated messageExpression cost"
)

// judge compares an estimate with a limit. Name is what the message says costs too much.
func judge(name string, estimate, limit uint64) report.Judgement {
	v := report.Judgement{Limit: limit, Within: estimate <= limit}
	if !v.Within {
		v.Message = pricing.ExceedsMessage(name, estimate, limit)
	}
	return v
}

// with is the document with bounds in it.
func (d Document) with(set []setting) (*typesystem.OpenAPI, error) {
	doc := d.Schema
	for _, b := range set {
		var err error
		if doc, err = doc.WithBound(b.Place, b.Keyword, b.to); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// site reports a rule and its messageExpression, and keeps their subjects by path.
func (d Document) site(s *crd.Site, limits report.Limits, subjects map[string]*subject) (all []report.Expression) {
	path := strings.TrimPrefix(strings.TrimPrefix(s.Path.String(), d.Path.String()), ".")
	for _, e := range []struct {
		kind, source, name string
		compiled           *compile.Expression
		err                *diag.CompileError
	}{
		{report.KindRule, s.Rule.Expr, ruleName, s.Expr, s.Err},
		{report.KindMessageExpression, s.Rule.MessageExpression, messageName, s.Message, s.MessageErr},
	} {
		x := report.Expression{Kind: e.kind, Path: path + "." + e.kind, Place: s.Place.Data(), Source: e.source}
		switch {
		case e.err != nil:
			x.Error = e.err.Server
			return append(all, x)
		case e.compiled == nil: // there is none, or it is empty
			return all
		}
		sub, message := d.subject(s, e.compiled), e.kind == report.KindMessageExpression
		if !message { // a server judges a message by one evaluation
			sub.chain, sub.fallback, sub.minSize = s.Chain, s.Fallback, s.Self.MinSize()
		}
		subjects[x.Path] = sub
		describe(&x, sub, e.name, limits, func(set []setting) (uint64, bool) { return d.prove(s, set, message) })
		all = append(all, x)
	}
	return all
}

func (d Document) subject(s *crd.Site, explain *compile.Expression) *subject {
	return &subject{
		explain: explain,
		cache:   map[string]*answer{},
		bound: func(path []string) (typesystem.Bound, bool) {
			b, ok := s.Self.Bound(s.Doc, path, explain.Release())
			if ok {
				b.Place = append(slices.Clone(s.Place), b.Place...)
			}
			return b, ok
		},
	}
}

// describe completes the report of an expression that compiles.
func describe(x *report.Expression, s *subject, name string, limits report.Limits, prove func([]setting) (uint64, bool)) {
	root := s.explain.Prices().Trace(s.explain.Checked, sizes{s, nil}, s.bounds)
	x.Root, x.Estimate, s.estimate = root, root.Total, root.Total.Max
	text := newSource(x.Source)
	text.place(root, s.explain.Checked.SourceInfo())
	x.Evaluations = s.describeEvaluations()
	x.Total = pricing.Repeated(s.estimate, x.Evaluations.Count)
	x.Server = judge(name, x.Total, cost.EstimateLimit)
	x.Caller = judge(name, x.Total, limits.Expression)
	for _, path := range slices.Sorted(maps.Keys(s.cache)) {
		a := s.cache[path]
		if a != nil && !slices.ContainsFunc(x.Bounds, func(b cost.Bound) bool { return b.Schema == a.Schema && b.Kind == a.Kind }) {
			x.Bounds = append(x.Bounds, a.Bound.Bound)
		}
	}
	a := adviser{total: s.total, limit: limits.Expression, bounds: s.adjustables(), prove: prove}
	x.Advice = a.advise(x.Total)
	if x.Advice.Note != "" {
		if x.Advice.Causes = causes(root, limits.Expression); len(x.Advice.Causes) > 0 {
			x.Advice.Note = "no bounds suffice, because estimates take for unbounded:"
		}
		x.Advice.Rewrite = s.rewrite(root, text, limits.Expression)
	}
	x.Sound = s.sound(root)
}

func (s *subject) describeEvaluations() report.Evaluations {
	e := report.Evaluations{Count: s.evaluations(nil), Bounded: true, MinSize: s.minSize}
	for _, b := range s.around() {
		e.Bounded = e.Bounded && b.Value != nil
		e.Chain = append(e.Chain, b.Bound.Bound)
	}
	return e
}

// prove estimates an expression anew with bounds in the document.
func (d Document) prove(s *crd.Site, set []setting, message bool) (total uint64, ok bool) {
	doc, err := d.with(set)
	if err != nil {
		return 0, false
	}
	_, sites, _ := crd.InspectSchema(doc, d.Path, d.Status, d.Env().Only(s.Rule.Expr, s.Rule.MessageExpression))
	for _, o := range sites {
		switch {
		case o.Path.String() != s.Path.String():
		case message && o.Message != nil:
			return o.Message.Estimate.Max, true
		case !message && o.Expr != nil:
			return pricing.Repeated(o.Expr.Estimate.Max, o.Cardinality), true
		}
	}
	return 0, false
}

// Expression reports an expression that stands for itself. Bound finds what bounds
// the data at a path, with a place that begins with the variable.
func Expression(compiled *compile.Expression, bound func(path []string) (typesystem.Bound, bool), limits report.Limits) *report.Expression {
	x := &report.Expression{Kind: report.KindExpression, Source: compiled.Source, Share: 1}
	s := &subject{explain: compiled, bound: bound, cache: map[string]*answer{}}
	describe(x, s, "estimated cost", complete(limits), func([]setting) (uint64, bool) { return 0, false })
	return x
}
