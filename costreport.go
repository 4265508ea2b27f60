package kubecel

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/environment"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/explain"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

type reportConfig struct {
	server      serverConfig
	limits      report.Limits
	object, old map[string]any
	vars        map[string]any
	evaluate    bool
	releases    bool
	ctx         context.Context
}

// ReportOption configures a report. A nil option does nothing. [ForRelease] and
// [Compatibility] are options of [ReportCRD], too.
type ReportOption interface{ applyReport(*reportConfig) }

type reportOption func(*reportConfig)

func (o reportOption) applyReport(c *reportConfig) { o(c) }

func (o ReleaseOption) applyReport(c *reportConfig) {
	if o.apply != nil {
		o.apply(&c.server)
	}
}

// ReportLimits judges estimates by limits of the caller's own, beside those of an
// API server: suggestions of bounds aim at them. The default are the limits of
// an API server.
func ReportLimits(limits report.Limits) ReportOption {
	return reportOption(func(c *reportConfig) { c.limits = limits })
}

// ReportObject adds to a report of a CRD what its rules spend on an object that is
// validated, rule by rule and node by node. Old is nil for an object that is new.
// The object should be complete, see [RuleSet.Complete]; rules are evaluated as by
// [RuleSet.Validate]. If the context ends before, the report is an error.
func ReportObject(ctx context.Context, object, old map[string]any) ReportOption {
	return reportOption(func(c *reportConfig) { c.ctx, c.object, c.old = ctx, object, old })
}

// ReportEvaluation adds to a report of an expression what one evaluation costs, node
// by node. Variables are as in [Expression.Eval].
func ReportEvaluation(ctx context.Context, vars map[string]any) ReportOption {
	return reportOption(func(c *reportConfig) { c.ctx, c.vars, c.evaluate = ctx, vars, true })
}

// ReportReleases adds to a report of a CRD what each release says of it when it is
// written to that release, and what it estimates.
func ReportReleases() ReportOption {
	return reportOption(func(c *reportConfig) { c.releases = true })
}

func newReportConfig(opts []ReportOption) reportConfig {
	config := reportConfig{limits: explain.ServerLimits()}
	for _, opt := range opts {
		if opt != nil {
			opt.applyReport(&config)
		}
	}
	return config
}

// ReportCRD says where the estimated cost of the rules in one version of a
// CustomResourceDefinition comes from, node by node and bound by bound, what an
// API server of Kubernetes 1.37, or of another release with [ForRelease], says when
// the CRD is created, and which bounds
// would bring a rule under its limit. An empty version stands for the version
// that is stored.
//
// The error is a *InputError as that of [CompileCRD]. A rule that does not compile
// and a schema that a server rejects are no errors: the report says so. As in a
// server, no rule is estimated in a schema that is not structural.
func ReportCRD(document []byte, version string, opts ...ReportOption) (*report.CRD, error) {
	definition, err := crd.Read(document)
	if err != nil {
		return nil, err
	}
	index, err := definition.Version(version)
	if err != nil {
		return nil, err
	}
	config := newReportConfig(opts)
	env, err := config.server.written()
	if err != nil {
		return nil, err
	}
	asked := config.server.release
	if asked.IsZero() {
		asked = release.Newest()
	}
	v := definition.Versions[index]
	in := func(compile func() crd.Environment) explain.Document {
		return explain.Document{
			Schema: v.Schema, Path: definition.SchemaPath(index), Status: definition.HasStatus(index), Env: compile,
		}
	}
	r, found := explain.CRD(in(func() crd.Environment { return environment.ExplainedRules(env) }), config.limits)
	r.Name, r.Version, r.Release, r.Findings = definition.Name, v.Name, asked, findings(found)
	if config.releases {
		for _, each := range release.All() {
			server := serverConfig{release: each}
			env, err := server.written()
			if err != nil {
				return nil, err
			}
			outcome, found := explain.Outcome(in(func() crd.Environment { return environment.Rules(env) }))
			outcome.Release, outcome.Findings = each, findings(found)
			r.Releases = append(r.Releases, outcome)
		}
	}
	if config.object != nil {
		if err := spend(r, v.Schema, config); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// spend adds to a report what the rules spend on an object.
func spend(r *report.CRD, schema *typesystem.OpenAPI, config reportConfig) error {
	if config.ctx == nil {
		return ErrNilContext
	}
	env, err := config.server.evaluating()
	if err != nil {
		return err
	}
	validator, err := crd.NewValidator(schema, true, environment.Rules(env))
	if err != nil {
		return err
	}
	var old any
	if config.old != nil {
		old = config.old
	}
	ledger := explain.Ledger{}
	result, err := validator.Validate(config.ctx, config.object, old, crd.Options{
		Budget: crd.NewBudget(cost.Budget),
		Spent: func(s crd.Spending) {
			kind := report.KindRule
			if s.Message {
				kind = report.KindMessageExpression
			}
			ledger.Add(rulePath(s.Rule)+"."+kind, s)
		},
	})
	if err != nil {
		return interrupted(config.ctx, err)
	}
	ledger.Close(r)
	r.Validation.Cost, r.Validation.Budget, r.Validation.Exhausted = result.Spent, cost.Budget, result.Exhausted
	return nil
}

// Report says where the estimated cost of an expression comes from. Bounds come
// from the schemas of variables; of a variable with a CEL type nothing is known.
// The error of an expression that does not compile is a *CompileError.
func (e *Env) Report(expression string, opts ...ReportOption) (*report.Expression, error) {
	if e.isZero() {
		return nil, errZeroEnv
	}
	config := newReportConfig(opts)
	if config.server != (serverConfig{}) {
		return nil, errors.New("report: the release is that of the environment")
	}
	checked, err := e.scope.Compile(expression)
	if err != nil {
		return nil, compileError(expression, "compilation failed: "+err.Error(), err)
	}
	roots := map[string]*typesystem.Schema{}
	for _, v := range e.config.variables {
		if v.schema != nil {
			roots[v.name] = v.schema
		}
	}
	explained := e.scope.Explain(checked)
	bound := func(path []string) (typesystem.Bound, bool) {
		if len(path) == 0 || roots[path[0]] == nil {
			return typesystem.Bound{}, false
		}
		b, ok := roots[path[0]].Bound(nil, path, explained.Release())
		b.Place = append(typesystem.Place{{Keyword: "variable", Name: path[0]}}, b.Place...)
		return b, ok
	}
	x := explain.Expression(expression, explained, bound, config.limits)
	if x.Error != "" {
		return nil, fmt.Errorf("report: %s", x.Error)
	}
	if !config.evaluate {
		return x, nil
	}
	if config.ctx == nil {
		return nil, ErrNilContext
	}
	program, err := e.scope.Plan(checked)
	if err != nil {
		return nil, fmt.Errorf("report: program instantiation failed: %w", err)
	}
	result, record := program.Record(config.ctx, variables{env: e, values: config.vars}, e.config.limit)
	if result.Kind == eval.KindInterrupted {
		return nil, interrupted(config.ctx, result.Err)
	}
	explain.Evaluated(x, result, record.Nodes)
	return x, nil
}
