package kubecel

import (
	"fmt"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/environment"
	"github.com/kubecel/kubecel/internal/explain"
	"github.com/kubecel/kubecel/report"
	"github.com/kubecel/kubecel/typesystem"
)

// reportRelease is the release whose estimates reports show.
const reportRelease = "1.37"

type reportConfig struct {
	limits report.Limits
}

// ReportOption configures a report.
type ReportOption func(*reportConfig)

// ReportLimits judges estimates by limits of the caller's own, beside those of an
// API server: suggestions of bounds aim at them. The default are the limits of
// an API server.
func ReportLimits(limits report.Limits) ReportOption {
	return func(c *reportConfig) { c.limits = limits }
}

func newReportConfig(opts []ReportOption) reportConfig {
	config := reportConfig{limits: report.ServerLimits()}
	for _, opt := range opts {
		if opt != nil {
			opt(&config)
		}
	}
	return config
}

// ReportCRD says where the estimated cost of the rules in one version of a
// CustomResourceDefinition comes from, node by node and bound by bound, what an
// API server of Kubernetes 1.37 says when the CRD is created, and which bounds
// would bring a rule under its limit. An empty version stands for the version
// that is stored.
//
// The error is a *SchemaError as that of [CompileCRD]. A rule that does not compile
// and a schema that a server rejects are no errors: the report says so. As in a
// server, no rule is estimated in a schema that is not structural.
func ReportCRD(document []byte, version string, opts ...ReportOption) (*report.Schema, error) {
	definition, err := crd.Read(document)
	if err != nil {
		return nil, schemaError(err)
	}
	index, err := versionIndex(definition, version)
	if err != nil {
		return nil, err
	}
	env, err := environment.Written()
	if err != nil {
		return nil, err
	}
	v := definition.Versions[index]
	r := explain.Schema(explain.Document{
		Schema: v.Schema,
		Path:   definition.SchemaPath(index),
		Status: definition.HasStatus(index),
		Env:    func() crd.Environment { return environment.ExplainedRules(env) },
	}, newReportConfig(opts).limits)
	r.Name, r.Version, r.Release = definition.Name, v.Name, reportRelease
	return r, nil
}

// Report says where the estimated cost of an expression comes from. Bounds come
// from the schemas of variables; of a variable with a CEL type nothing is known.
// The error of an expression that does not compile is a *CompileError.
func (e *Env) Report(expression string, opts ...ReportOption) (*report.Expression, error) {
	if e.isZero() {
		return nil, errZeroEnv
	}
	checked, err := e.scope.Compile(expression)
	if err != nil {
		return nil, compileError(expression, "compilation failed: "+err.Error(), err)
	}
	roots := variableSizes{}
	for _, v := range e.config.variables {
		if v.schema != nil {
			roots[v.name] = v.schema
		}
	}
	bound := func(path []string) (typesystem.Bound, bool) {
		if len(path) == 0 || roots[path[0]] == nil {
			return typesystem.Bound{}, false
		}
		b, ok := roots[path[0]].BoundOf(nil, path)
		b.Place = append(typesystem.Place{{Keyword: "variable", Name: path[0]}}, b.Place...)
		return b, ok
	}
	x := explain.Expression(expression, e.scope.Explain(checked), bound, newReportConfig(opts).limits)
	if x.Error != "" {
		return nil, fmt.Errorf("report: %s", x.Error)
	}
	return x, nil
}
