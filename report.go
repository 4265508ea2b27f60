package kubecel

import (
	"context"

	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/explain"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/report"
)

type reportConfig struct {
	limits      report.Limits
	jsonNumbers bool
}

func newReportConfig[O EvalReportOption](opts []O) (config reportConfig) {
	each(opts, func(opt O) { opt.applyEvalReport(&config) })
	return config
}

// Report says where the estimated cost of an expression comes from, node by node.
// Bounds come from the schemas of variables. A variable of a CEL type has none. The
// error of an expression that does not compile is a *CompileError.
func (e *Env) Report(expression string, opts ...ReportOption) (*report.Expression, error) {
	r, _, err := e.report(expression, newReportConfig(opts))
	return r, err
}

// ReportEval is [Env.Report], and adds what one evaluation costs, node by node.
// Variables are as in [Expression.Eval]. An evaluation that fails is not an error: the
// report says so. If the context is done before the end, the error is an *EvalError
// that unwraps to that of the context. Where cel-go's interpreter evaluates, see
// [CELOptions], there is no such report, and the error is an *InputError.
func (e *Env) ReportEval(ctx context.Context, expression string, vars map[string]any, opts ...EvalReportOption) (*report.Expression, error) {
	if ctx == nil {
		return nil, errNilContext()
	}
	config := newReportConfig(opts)
	r, compiled, err := e.report(expression, config)
	switch {
	case err != nil:
		return nil, err
	case e.base.Interpreted():
		return nil, argumentError("options of cel-go decide how this environment evaluates, so what each node costs is not known")
	}
	result, record := compiled.Program.Record(ctx, &variables{env: e, values: vars, jsonNumbers: config.jsonNumbers}, e.config.limit)
	if result.Kind == eval.KindInterrupted {
		return nil, cancelled(ctx, result.Err)
	}
	explain.Evaluated(r, result, record.Nodes)
	return r, nil
}

func (e *Env) report(expression string, config reportConfig) (*report.Expression, *compile.Expression, error) {
	if e.isZero() {
		return nil, nil, errZeroEnv()
	}
	compiled, failed := e.scope.Compile(expression)
	if failed != nil {
		return nil, nil, compile.RuleWords.Put(failed)
	}
	return explain.Expression(compiled, e.bounds(compiled), config.limits), compiled, nil
}

// bounds finds what bounds the data at a path of an expression.
func (e *Env) bounds(x *compile.Expression) func(path []string) (typesystem.Bound, bool) {
	roots := map[string]*typesystem.Schema{}
	for _, v := range e.config.variables {
		if v.schema != nil {
			roots[v.name] = v.schema
		}
	}
	return func(path []string) (typesystem.Bound, bool) {
		if len(path) == 0 || roots[path[0]] == nil {
			return typesystem.Bound{}, false
		}
		b, ok := roots[path[0]].Bound(nil, path, x.Release())
		b.Place = append(typesystem.Place{{Keyword: "variable", Name: path[0]}}, b.Place...)
		return b, ok
	}
}
