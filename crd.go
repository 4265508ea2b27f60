package kubecel

import (
	"context"
	"io"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/data"
	"github.com/kubecel/kubecel/internal/explain"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// CRD is a CustomResourceDefinition of apiextensions.k8s.io/v1, read by [ParseCRD] or
// [ReadCRDs].
// Its methods do for the rules of the document what those of [Env] do for an
// expression: check and compile them, report on their costs, ask which releases
// accept them. It is read-only and safe for concurrent use. The zero value is empty:
// its methods return errors.
//
// Several methods take the name of a version. An empty name stands for the version
// with storage: true.
type CRD struct {
	definition *crd.Definition
}

// ParseCRD reads the one CRD in a YAML or JSON document. The error is an
// *InputError. So are the errors of all methods of CRD, unless they say otherwise.
func ParseCRD(document []byte) (*CRD, error) {
	definition, err := crd.Read(document)
	if err != nil {
		return nil, err
	}
	return &CRD{definition}, nil
}

// ReadCRDs reads all CRDs of a stream of YAML or JSON documents, in their order, and
// passes over other objects. They may stand in a List. The error is an *InputError: if
// reading fails, a document is neither YAML nor JSON or no object, or a CRD has another
// version than v1. It names the number of the document and the line where that begins.
func ReadCRDs(r io.Reader) ([]*CRD, error) {
	if r == nil {
		return nil, argumentError("the reader is nil")
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, &InputError{Code: diag.DocumentUnreadable, Detail: "reading the documents: " + err.Error(), Cause: err}
	}
	definitions, err := crd.ReadAll(data)
	if err != nil {
		return nil, err
	}
	crds := make([]*CRD, len(definitions))
	for i, definition := range definitions {
		crds[i] = &CRD{definition}
	}
	return crds, nil
}

func (c *CRD) isZero() bool { return c == nil || c.definition == nil }

func errZeroCRD() error { return argumentError("the CRD is empty: ParseCRD reads one") }

// Name returns the name of the CRD, such as widgets.example.com.
func (c *CRD) Name() string {
	if c.isZero() {
		return ""
	}
	return c.definition.Name
}

// Versions returns the names of the versions, in the order of the document.
func (c *CRD) Versions() []string {
	if c.isZero() {
		return nil
	}
	var names []string
	for _, v := range c.definition.Versions {
		names = append(names, v.Name)
	}
	return names
}

// version finds the version of a name with a schema.
func (c *CRD) version(name string) (int, error) {
	if c.isZero() {
		return 0, errZeroCRD()
	}
	return c.definition.Version(name)
}

type checkConfig struct {
	server serverConfig
	all    bool
}

func newCheckConfig(opts []CheckOption) (config checkConfig) {
	each(opts, func(opt CheckOption) { opt.applyCheck(&config) })
	return config
}

// Check says what an API server says of the schemas and rules when the CRD is
// created. No findings mean that the server accepts them. Its release is the newest,
// or another with [ForRelease]. It judges estimates by cost.EstimateLimit and
// cost.SchemaEstimateLimit.
//
// Check does not look at default values in schemas, nor at anything outside of
// schemas: names, scope, conversion, printer columns, selectable fields.
func (c *CRD) Check(opts ...CheckOption) ([]Finding, error) {
	if c.isZero() {
		return nil, errZeroCRD()
	}
	config := newCheckConfig(opts)
	env, err := config.server.written()
	if err != nil {
		return nil, err
	}
	check := crd.Check
	if config.all {
		check = crd.CheckAll
	}
	return c.definition.Locate(check(c.definition, env.Rules())), nil
}

// CheckUpdate says what an API server says of the schemas and rules when the CRD
// replaces an old one, as [CRD.Check] does for a new one. An update may keep what it
// could not bring in:
//
//   - Expressions that the old CRD has anywhere may use all that the server knows.
//   - In a version whose schema is as it was, no expression is too expensive by itself
//     (since Kubernetes 1.29).
//   - A missing schema, a schema that is not structural, an unknown type, a set whose
//     elements are not atomic, and keys of a list that may be missing or null are
//     accepted if the old CRD has one like it, whichever its place.
//
// The old CRD itself is not judged.
func (c *CRD) CheckUpdate(old *CRD, opts ...CheckOption) ([]Finding, error) {
	if c.isZero() || old.isZero() {
		return nil, errZeroCRD()
	}
	config := newCheckConfig(opts)
	written, err := config.server.written()
	if err != nil {
		return nil, err
	}
	evaluating, err := config.server.evaluating()
	if err != nil {
		return nil, err
	}
	stored := crd.NewStored(old.definition, evaluating.Rules(), config.server.of())
	return c.definition.Locate(crd.CheckUpdate(c.definition, stored, written.Rules(), config.all)), nil
}

// Compile compiles the x-kubernetes-validations rules of a version, as an API
// server does to validate objects. Its release is the newest, or another with
// [ForRelease].
//
// A rule that does not compile is not an error here: a server keeps serving such a
// CRD, and rejects the objects that the rule is about. [RuleSet.Rules] tells which
// rules do not compile. Use [CRD.Check] to know what a server says when the CRD is
// created.
func (c *CRD) Compile(version string, opts ...CRDOption) (*RuleSet, error) {
	i, err := c.version(version)
	if err != nil {
		return nil, err
	}
	return compileRules(c.definition.Versions[i].Schema, true, opts)
}

// Schema returns the schema of a version. [SchemaVariable] declares a variable of
// that type.
func (c *CRD) Schema(version string) (*Schema, error) {
	i, err := c.version(version)
	if err != nil {
		return nil, err
	}
	return newSchema(c.definition.Versions[i].Schema, true)
}

type crdReportConfig struct {
	server   serverConfig
	limits   report.Limits
	releases bool
	data     crd.DataOptions
}

func newCRDReportConfig[O ValidationReportOption](opts []O) crdReportConfig {
	var config crdReportConfig
	each(opts, func(opt O) { opt.applyValidationReport(&config) })
	return config
}

// Report says where the estimated cost of the rules of a version comes from, node
// by node and bound by bound, and which bounds would bring a rule under its limit.
// It also has the findings of [CRD.Check]. The release is the newest, or another
// with [ForRelease].
//
// A rule that does not compile and a schema that a server rejects are not errors:
// the report says so. As in a server, no rule is estimated in a schema that is not
// structural.
func (c *CRD) Report(version string, opts ...CRDReportOption) (*report.CRD, error) {
	i, err := c.version(version)
	if err != nil {
		return nil, err
	}
	return c.report(i, newCRDReportConfig(opts))
}

func (c *CRD) report(version int, config crdReportConfig) (*report.CRD, error) {
	env, err := config.server.written()
	if err != nil {
		return nil, err
	}
	v := c.definition.Versions[version]
	path, status := c.definition.Schema(version)
	in := func(env *compile.Env) explain.Document {
		return explain.Document{Schema: v.Schema, Path: path, Status: status, Env: env.Rules}
	}
	r := explain.CRD(in(env), config.limits)
	r.Name, r.Version, r.Release = c.definition.Name, v.Name, config.server.of()
	c.definition.Locate(r.Findings)
	if !config.releases {
		return r, nil
	}
	for _, each := range release.All() {
		env, err := serverConfig{release: each, libraries: config.server.libraries}.written()
		if err != nil {
			return nil, err
		}
		outcome := explain.Outcome(in(env))
		outcome.Release = each
		r.Releases = append(r.Releases, outcome)
	}
	return r, nil
}

// ReportValidation is [CRD.Report], and adds what the rules spend on an object, rule
// by rule and node by node. It takes objects and evaluates the rules as
// [RuleSet.Validate] does. If the context is done before the end, the error is an
// *EvalError that unwraps to that of the context.
func (c *CRD) ReportValidation(ctx context.Context, version string, object, old any, opts ...ValidationReportOption) (*report.CRD, error) {
	i, err := c.version(version)
	switch {
	case err != nil:
		return nil, err
	case ctx == nil:
		return nil, errNilContext()
	case data.Content(object) == nil:
		return nil, errNilObject()
	}
	config := newCRDReportConfig(opts)
	r, err := c.report(i, config)
	if err != nil {
		return nil, err
	}
	env, err := config.server.evaluating()
	if err != nil {
		return nil, err
	}
	validator, err := crd.NewValidator(c.definition.Versions[i].Schema, true, env.Rules())
	if err != nil {
		return nil, err
	}
	o, err := prepare(validator, object, old, config.data)
	if err != nil {
		return nil, err
	}
	if err := spend(ctx, r, validator, o); err != nil {
		return nil, err
	}
	return r, nil
}

// spend adds to a report what the rules spend on an object.
func spend(ctx context.Context, r *report.CRD, validator *crd.Validator, o objects) error {
	ledger := explain.Ledger{}
	result, err := validator.Validate(ctx, o.object, o.old, crd.Options{
		Budget: crd.NewBudget(cost.Budget),
		Spent: func(s crd.Spending) {
			kind := report.KindRule
			if s.Message {
				kind = report.KindMessageExpression
			}
			ledger.Add(s.Rule.Place()+"."+kind, s)
		},
	})
	if err != nil {
		return cancelled(ctx, err)
	}
	ledger.Close(r)
	r.Validation.Cost, r.Validation.Budget, r.Validation.Exhausted = result.Spent, cost.Budget, result.Exhausted
	return nil
}
