package kubecel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// The type of an option says which calls take it. An option that one call takes is
// often one of another call too, as its type says. A nil option does nothing.
type (
	// EnvOption is an option of [NewEnv] and [Env.Extend].
	EnvOption interface{ applyEnv(*envConfig) }
	// CheckOption is an option of [CRD.Check] and [CRD.CheckUpdate].
	CheckOption interface{ applyCheck(*checkConfig) }
	// CRDOption is an option of [CRD.Compile] and [Schema.Compile], and also one of
	// checks, of environments and of reports of CRDs.
	CRDOption interface {
		EnvOption
		CheckOption
		CRDReportOption
		applyCRD(*serverConfig)
	}
	// ValidateOption is an option of [RuleSet.Validate].
	ValidateOption interface{ applyValidate(*crd.Options) }
	// EvalOption is an option of [Expression.Eval], and also one of validations.
	EvalOption interface {
		ValidateOption
		applyEval(*evalConfig)
	}
	// LimitOption is an option of environments, evaluations and validations.
	LimitOption interface {
		EnvOption
		EvalOption
	}
	// ValidationReportOption is an option of [CRD.ReportValidation].
	ValidationReportOption interface{ applyValidationReport(*crdReportConfig) }
	// EvalReportOption is an option of [Env.ReportEval].
	EvalReportOption interface{ applyEvalReport(*reportConfig) }
	// CRDReportOption is an option of [CRD.Report] and [CRD.ReportValidation].
	CRDReportOption interface {
		ValidationReportOption
		applyCRDReport(*crdReportConfig)
	}
	// ReportOption is an option of [Env.Report] and [Env.ReportEval], and also one
	// of reports of CRDs.
	ReportOption interface {
		CRDReportOption
		EvalReportOption
		applyReport(*reportConfig)
	}
	// ObjectOption is an option of validations and of [CRD.ReportValidation].
	ObjectOption interface {
		ValidateOption
		ValidationReportOption
	}
	// DataOption is an option of evaluations and validations, and of [Env.ReportEval]
	// and [CRD.ReportValidation].
	DataOption interface {
		EvalOption
		ObjectOption
		EvalReportOption
	}
)

// option is every option: what it does where.
type option struct {
	env       func(*envConfig)
	eval      func(*evalConfig)
	server    func(*serverConfig)
	validate  func(*crd.Options)
	report    func(*reportConfig)
	crdReport func(*crdReportConfig)
	check     func(*checkConfig)
}

func (o option) applyEnv(c *envConfig)                    { o.env(c) }
func (o option) applyEval(c *evalConfig)                  { o.eval(c) }
func (o option) applyCRD(c *serverConfig)                 { o.server(c) }
func (o option) applyValidate(c *crd.Options)             { o.validate(c) }
func (o option) applyReport(c *reportConfig)              { o.report(c) }
func (o option) applyEvalReport(c *reportConfig)          { o.report(c) }
func (o option) applyValidationReport(c *crdReportConfig) { o.crdReport(c) }
func (o option) applyCRDReport(c *crdReportConfig)        { o.crdReport(c) }
func (o option) applyCheck(c *checkConfig)                { o.check(c) }

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

// SchemaVariable declares a variable by a schema. Its fields are type-checked, and
// the bounds of the schema bound the estimates. Its values are unstructured data:
// map[string]any, []any, string, bool, int64, float64 and nil.
//
// In the metadata of resources, expressions see name, generateName and what the schema
// declares. With [ServerExact] or [ForRelease] they see what they see in an API server:
// name and generateName, or if the schema declares both of these, what it declares.
func SchemaVariable(name string, schema *Schema) EnvOption {
	return option{env: func(c *envConfig) {
		switch {
		case name == "" || schema.isZero():
			c.fail("variable %q: it needs a name and a schema", name)
		case !schema.in(true).Exposed():
			c.fail("variable %q: expressions cannot see data of its schema", name)
		default:
			c.variables = append(c.variables, variable{name: name, source: schema})
		}
	}}
}

// Libraries adds function libraries of the caller's own to those of Kubernetes.
// Their functions are type-checked, estimated and charged in the same way. Each
// library needs a name that no other has.
//
// For a CRD or a schema, rules may use the libraries too. No API server has them: it
// rejects a CRD with such rules. They are for programs that validate by themselves.
func Libraries(libs ...library.Library) CRDOption {
	add := func(c *serverConfig) { c.libraries = append(slices.Clip(c.libraries), libs...) }
	return option{
		env: func(c *envConfig) {
			c.libraries = append(c.libraries, libs...)
			c.rebuild = true
		},
		server:    add,
		crdReport: func(c *crdReportConfig) { add(&c.server) },
		check:     func(c *checkConfig) { add(&c.server) },
	}
}

// CELOptions adds options of cel-go: types, functions, macros, settings. Compile, Eval and
// Estimate honour them as programs of [Env.CEL] do. A call of a function that is declared
// so costs one unit, unless cel.CostEstimatorOptions and cel.CostTrackerOptions say otherwise.
//
// Options for programs (those that a cel.Library returns from ProgramOptions, such as
// cel.Globals), cel.EnableErrorOnBadPresenceTest and cel.JSONFieldNames make cel-go's
// interpreter evaluate the expressions of the environment. It takes longer, and
// [Env.ReportEval] is not to be had. What cannot be honoured is an error of [NewEnv].
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

// TypeProvider adds types of the caller: struct types and their fields, constants and names
// of types. The types of Kubernetes come first. If several providers know a name, the first
// one that was added counts. Values of the types are CEL values (ref.Val), unless an adapter
// among [CELOptions] makes CEL values of others.
func TypeProvider(provider types.Provider) EnvOption {
	return option{env: func(c *envConfig) {
		if provider == nil {
			c.fail("a type provider is nil")
			return
		}
		c.providers = append(c.providers, provider)
	}}
}

// ServerExact makes the environment in which a server of the newest release compiles
// new expressions, as ForRelease(release.Newest()) does. It leaves out what is only
// documented: what the documentation of Kubernetes describes and no released API server
// has. [StoredExpressions] chooses what the server evaluates instead.
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

// StoredExpressions makes the environment that in which a server evaluates stored
// expressions: with everything that the server knows. It has accepted them earlier,
// or a newer release had accepted them before a rollback.
func StoredExpressions() EnvOption {
	return option{env: func(c *envConfig) { c.server.stored, c.rebuild = true, true }}
}

// ForRelease chooses the release of the API server:
//
//   - An environment compiles expressions that are written to that server, new or
//     changed, without what is only documented.
//   - [CRD.Check] and [CRD.Report] say what that server says of a new CRD.
//   - [CRD.Compile] compiles the rules of a CRD that the server has stored.
//
// For an older release, compile verdicts, estimates and costs match that server.
// Texts and values are those of the newest.
func ForRelease(r release.Release) CRDOption {
	return releaseOption(func(c *serverConfig) { c.release, c.err = r, errors.Join(c.err, r.Check()) })
}

// Compatibility sets the release with which a server stays compatible: in new
// expressions, the server accepts what that release evaluates. The default is the
// release before its own. A server that emulates an older version is compatible with
// the release before that version. A server that will not be rolled back is
// compatible with its own release.
func Compatibility(r release.Release) CRDOption {
	return releaseOption(func(c *serverConfig) { c.compatible, c.err = r, errors.Join(c.err, r.Check()) })
}

func releaseOption(apply func(*serverConfig)) option {
	return option{
		env:       func(c *envConfig) { apply(&c.server); c.rebuild = true },
		server:    apply,
		crdReport: func(c *crdReportConfig) { apply(&c.server) },
		check:     func(c *checkConfig) { apply(&c.server) },
	}
}

// AllFindings adds to the findings those that a server comes to later, when others are
// mended. It compiles no rule of a schema that is wrong there or below, and no
// messageExpression of a rule that does not compile. These findings stand behind the
// others, or behind that of their rule, and have Later set.
func AllFindings() CheckOption {
	return option{check: func(c *checkConfig) { c.all = true }}
}

// CostLimit bounds the cost of each evaluation, in cost units. The default is that
// of an API server, cost.PerCallLimit: 1,000,000. The limit of an environment holds
// for its expressions, unless an evaluation has another.
func CostLimit(units uint64) LimitOption {
	return option{
		env:      func(c *envConfig) { c.limit = units },
		eval:     func(c *evalConfig) { c.limit = units },
		validate: func(c *crd.Options) { c.CallLimit = &units },
	}
}

// WithBudget charges an evaluation or a validation to a budget. An evaluation that
// the budget does not cover fails with diag.BudgetExhausted, and so do all that
// follow. As in an API server, only [CostLimit] cuts an evaluation short: its cost is
// compared with the budget afterwards.
//
// Without this option, a validation has the budget that an API server grants one
// object, cost.Budget: 10,000,000 units. An evaluation has none.
func WithBudget(budget *Budget) EvalOption {
	return option{
		eval: func(c *evalConfig) { c.budget = budget },
		validate: func(c *crd.Options) {
			if budget != nil {
				c.Budget = &budget.inner
			}
		},
	}
}

// WithoutRatcheting turns warnings into violations: an API server forgives a
// violation if its value is as in the old object.
func WithoutRatcheting() ValidateOption {
	return option{validate: func(c *crd.Options) { c.NoRatcheting = true }}
}

// AtPath puts a path in front of the paths of violations, for an object that is part
// of another.
func AtPath(path *field.Path) ValidateOption {
	return option{validate: func(c *crd.Options) { c.Path = path }}
}

// AlreadyDefaulted takes objects as they are: they were read from a server, or
// completed by [RuleSet.ApplyDefaults]. A map or an unstructured object must hold
// unstructured data all through, as [ParseObject] gives it: nobody looks into more of it than
// the rules do, which makes a large object with few rules cheap.
func AlreadyDefaulted() ObjectOption {
	return option{
		validate:  func(c *crd.Options) { c.Data.Defaulted = true },
		crdReport: func(c *crdReportConfig) { c.data.Defaulted = true },
	}
}

// JSONNumbers takes data as encoding/json decodes it, where all numbers are float64:
// those that are whole are integers where the schema or the type of a variable has
// integers. Without it, they are not, as in an API server: 1.0 is no integer there. A
// json.Number needs no option.
func JSONNumbers() DataOption {
	return option{
		eval:      func(c *evalConfig) { c.jsonNumbers = true },
		validate:  func(c *crd.Options) { c.Data.JSONNumbers = true },
		report:    func(c *reportConfig) { c.jsonNumbers = true },
		crdReport: func(c *crdReportConfig) { c.data.JSONNumbers = true },
	}
}

// ReportLimits judges estimates by limits of the caller, beside those of an API
// server. Suggestions of bounds aim at the caller's limits. A limit that is zero is that
// of an API server, which is also the default.
func ReportLimits(limits report.Limits) ReportOption {
	return option{
		report:    func(c *reportConfig) { c.limits = limits },
		crdReport: func(c *crdReportConfig) { c.limits = limits },
	}
}

// EveryRelease adds to a report what each release says of the CRD when it is
// created there, and what each estimates.
func EveryRelease() CRDReportOption {
	return option{crdReport: func(c *crdReportConfig) { c.releases = true }}
}

// each applies the options that are not nil.
func each[O any](opts []O, apply func(O)) {
	for _, opt := range opts {
		if any(opt) != nil {
			apply(opt)
		}
	}
}

// optionError is the error of options that cannot be had, nil if err is nil.
func optionError(err error) error {
	if err == nil {
		return nil
	}
	e := &InputError{Code: diag.OptionInvalid, Detail: "environment: " + err.Error(), Cause: err}
	if unknown := (*release.Error)(nil); errors.As(err, &unknown) {
		e.Code, e.Detail = diag.ReleaseUnknown, unknown.Error()
	}
	return e
}

// argumentError is the error of an argument that no call can use.
func argumentError(format string, args ...any) error {
	return &InputError{Code: diag.ArgumentInvalid, Detail: fmt.Sprintf(format, args...)}
}
