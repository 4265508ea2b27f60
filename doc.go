// Package kubecel is Kubernetes' CEL without the API server.
//
// It gives controllers, admission plugins, operators, linters and test suites
// what kube-apiserver does with the Common Expression Language: the function
// libraries, the type system of OpenAPI schemas, the cost model with its limits
// and budgets, and the validation of objects by the rules of a
// CustomResourceDefinition. Verdicts, messages, costs and estimates are those of
// an API server of the newest release in package release.
//
// # CRDs
//
// [ParseCRD] reads a CustomResourceDefinition. What a server says when the CRD is
// created:
//
//	crd, err := kubecel.ParseCRD(document)
//	findings, err := crd.Check() // none: the server accepts its schemas and rules
//
// To validate objects by its rules, compile a version once and validate as many
// objects as needed:
//
//	rules, err := crd.Compile("v1")
//	result, err := rules.Validate(ctx, object, oldObject)
//	if !result.Valid() {
//		return result.ErrorList().ToAggregate()
//	}
//
// Validation completes objects by their defaults and evaluates rules, and nothing
// else: types, required fields, patterns and the like are not checked.
//
// # Expressions
//
// [NewEnv] builds an environment. It compiles, prices and evaluates expressions:
//
//	env, err := kubecel.NewEnv(kubecel.Variable("name", cel.StringType))
//	expression, err := env.Compile("name.size() <= 63")
//	estimate := expression.Estimate() // the least and the most that it may cost
//	result, err := expression.Eval(ctx, map[string]any{"name": "a"})
//	fmt.Println(result.Bool(), "for", result.Cost, "cost units")
//
// [Result.Unstructured], [Result.JSON] and [Result.As] make data of any value.
//
// [SchemaVariable] declares a variable by a [Schema], whose bounds make the
// estimate finite. [Env.CEL] is the environment for cel-go.
//
// # Releases and costs
//
// All of this is there for older releases of the server too, see [ForRelease].
// [Env.AcceptedBy] and [CRD.AcceptedBy] say which releases accept an expression or
// a CRD, and why the others do not. [Capabilities] lists what a release has.
//
// [Env.Report] and [CRD.Report] say where an estimate comes from and which bounds
// would lower it. [Env.ReportEval] and [CRD.ReportValidation] add what was spent.
// Costs are in cost units, see package cost.
//
// # Errors
//
// There are three errors, one for each phase:
//
//   - *[InputError]: a document, an option or an argument cannot be used.
//   - *[CompileError]: an expression does not compile.
//   - *[EvalError]: an evaluation gave no value, or its context was done.
//
// A [Finding] in a CRD and a [Violation] of an object are not errors but results.
// All of them have a code, see package diag.
//
// # Concurrency
//
// Everything but a [Budget] is read-only after construction and safe for
// concurrent use. Nothing depends on clocks, on randomness or on the order of
// maps: the same input gives the same output in the same order.
package kubecel
