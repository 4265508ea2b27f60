package kubecel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// Options say by their type where they apply. A nil option does nothing.
type (
	// EnvOption is an option of [NewEnv] and [Env.Extend].
	EnvOption interface{ applyEnv(*envConfig) }
	// EvalOption is an option of [Expression.Eval].
	EvalOption interface{ applyEval(*evalConfig) }
	// CRDOption is an option of [CRD.Check], [CRD.Compile] and [Schema.Compile].
	CRDOption interface{ applyCRD(*serverConfig) }
	// ValidateOption is an option of [RuleSet.Validate].
	ValidateOption interface{ applyValidate(*validateConfig) }
	// ReportOption is an option of [Env.Report] and [Env.ReportEval].
	ReportOption interface{ applyReport(*reportConfig) }
	// CRDReportOption is an option of [CRD.Report] and [CRD.ReportValidation].
	CRDReportOption interface{ applyCRDReport(*crdReportConfig) }

	// ReleaseOption is an option of environments, CRDs and reports of CRDs.
	ReleaseOption interface {
		EnvOption
		CRDOption
		CRDReportOption
	}
	// LimitOption is an option of environments, evaluations and validations.
	LimitOption interface {
		EnvOption
		EvalOption
		ValidateOption
	}
	// BudgetOption is an option of evaluations and validations.
	BudgetOption interface {
		EvalOption
		ValidateOption
	}
	// ReportLimitsOption is an option of all reports.
	ReportLimitsOption interface {
		ReportOption
		CRDReportOption
	}
)

// option is every option: what it does where.
type option struct {
	env       func(*envConfig)
	eval      func(*evalConfig)
	server    func(*serverConfig)
	validate  func(*validateConfig)
	report    func(*reportConfig)
	crdReport func(*crdReportConfig)
}

func (o option) applyEnv(c *envConfig)             { o.env(c) }
func (o option) applyEval(c *evalConfig)           { o.eval(c) }
func (o option) applyCRD(c *serverConfig)          { o.server(c) }
func (o option) applyValidate(c *validateConfig)   { o.validate(c) }
func (o option) applyReport(c *reportConfig)       { o.report(c) }
func (o option) applyCRDReport(c *crdReportConfig) { o.crdReport(c) }

// Variable declares a variable of a CEL type.
func Variable(name string, t *cel.Type) EnvOption {
	return option{env: func(c *envConfig) {
		if name == "" || t == nil {
			c.fail("variable %q: it needs a name and a type", name)
			return
		}
		c.variables = append(c.variables, variable{name: name, typ: t})
	}}
}

// SchemaVariable declares a variable whose type a schema gives. Its fields are
// type-checked, the bounds of the schema bound the estimates, and its values are
// unstructured data: map[string]any, []any, string, bool, int64, float64 and nil.
func SchemaVariable(name string, schema *Schema) EnvOption {
	return option{env: func(c *envConfig) {
		switch {
		case name == "" || schema.isZero():
			c.fail("variable %q: it needs a name and a schema", name)
		case !schema.compiled.Exposed():
			c.fail("variable %q: expressions cannot see data of its schema", name)
		default:
			c.variables = append(c.variables, variable{name: name, schema: schema.compiled})
		}
	}}
}

// Libraries adds function libraries to those of Kubernetes: the caller's own,
// declared as [library.Library] values, with the same cost tracking and
// documentation. Each needs a name of its own.
func Libraries(libs ...library.Library) EnvOption {
	return option{env: func(c *envConfig) {
		c.libraries = append(c.libraries, libs...)
		c.rebuild = true
	}}
}

// CELOptions adds options of cel-go: types, functions, macros.
func CELOptions(opts ...cel.EnvOption) EnvOption {
	return option{env: func(c *envConfig) {
		if slices.ContainsFunc(opts, func(o cel.EnvOption) bool { return o == nil }) {
			c.fail("an option of cel-go is nil")
			return
		}
		c.options = append(c.options, opts...)
		c.rebuild = true
	}}
}

// ServerExact leaves out what the documentation of Kubernetes describes and no
// released API server has, so that the environment rejects what a server of
// the newest release rejects.
func ServerExact() EnvOption {
	return option{env: func(c *envConfig) { c.exact, c.rebuild = true, true }}
}

// ExpressionSizeLimit bounds the size of an expression in code points. The
// default, that of an API server, is 100,000.
func ExpressionSizeLimit(codePoints int) EnvOption {
	return option{env: func(c *envConfig) {
		if codePoints <= 0 {
			c.fail("expression size limit %d: it must be positive", codePoints)
			return
		}
		c.size, c.rebuild = codePoints, true
	}}
}

// StoredExpressions gives the environment in which a server evaluates what it
// has accepted earlier, or what a newer release had accepted before a rollback:
// everything that it knows.
func StoredExpressions() EnvOption {
	return option{env: func(c *envConfig) { c.server.stored, c.rebuild = true, true }}
}

// ForRelease gives what an API server of a release gives, without what is only
// documented. An environment is that of expressions that are written to the
// server, new or changed. [CRD.Check] says what the server says of a new CRD, and
// [CRD.Compile] compiles the rules of one that it has stored.
//
// For older releases, verdicts of compilation and costs match that server; texts
// are those of the newest.
func ForRelease(r release.Release) ReleaseOption {
	return releaseOption(func(c *serverConfig) { c.release, c.err = r, errors.Join(c.err, r.Check()) })
}

// Compatibility sets with which older release a server stays compatible: it
// accepts on write what that release evaluates. By default it is the release
// before its own. A server that emulates an older version is compatible with the
// one before that, and one that will not be rolled back with its own release.
func Compatibility(r release.Release) ReleaseOption {
	return releaseOption(func(c *serverConfig) { c.compatible, c.err = r, errors.Join(c.err, r.Check()) })
}

func releaseOption(apply func(*serverConfig)) option {
	return option{
		env:       func(c *envConfig) { apply(&c.server); c.rebuild = true },
		server:    apply,
		crdReport: func(c *crdReportConfig) { apply(&c.server) },
	}
}

// CostLimit bounds the cost of each evaluation in cost units. The default, that
// of an API server, is cost.PerCallLimit, 1,000,000.
func CostLimit(units uint64) LimitOption {
	return option{
		env:      func(c *envConfig) { c.limit = units },
		eval:     func(c *evalConfig) { c.limit = units },
		validate: func(c *validateConfig) { c.CallLimit = &units },
	}
}

// WithBudget charges an evaluation or a validation to a budget. An evaluation that
// the budget does not cover fails with diag.BudgetExhausted, and so do all that
// follow. As in an API server, only [CostLimit] cuts an evaluation short: what it
// cost is compared with the budget afterwards.
//
// Without it, a validation has the cost.Budget units that an API server grants for
// one object, and an evaluation has no budget.
func WithBudget(budget *Budget) BudgetOption {
	return option{
		eval:     func(c *evalConfig) { c.budget = budget },
		validate: func(c *validateConfig) { c.budget = budget },
	}
}

// WithoutRatcheting makes violations count where nothing has changed since the
// old object, which an API server forgives.
func WithoutRatcheting() ValidateOption {
	return option{validate: func(c *validateConfig) { c.NoRatcheting = true }}
}

// AtPath names violations as those of an object that is part of another.
func AtPath(path *field.Path) ValidateOption {
	return option{validate: func(c *validateConfig) { c.Path = path }}
}

// ReportLimits judges estimates by limits of the caller's own, beside those of an
// API server: suggestions of bounds aim at them. The default are the limits of an
// API server.
func ReportLimits(limits report.Limits) ReportLimitsOption {
	return option{
		report:    func(c *reportConfig) { c.limits = limits },
		crdReport: func(c *crdReportConfig) { c.limits = limits },
	}
}

// EveryRelease adds to a report what each release says of the CRD when it is
// written to that release, and what it estimates.
func EveryRelease() CRDReportOption {
	return option{crdReport: func(c *crdReportConfig) { c.releases = true }}
}

// optionError is the error of options that cannot be had.
func optionError(err error) error {
	e := &InputError{Code: diag.OptionInvalid, Detail: "environment: " + err.Error(), Cause: err}
	if unknown, ok := errors.AsType[*release.Error](err); ok {
		e.Code, e.Detail = diag.ReleaseUnknown, unknown.Error()
	}
	return e
}

// argumentError is the error of an argument that no call can use.
func argumentError(format string, args ...any) error {
	return &InputError{Code: diag.ArgumentInvalid, Detail: fmt.Sprintf(format, args...)}
}
