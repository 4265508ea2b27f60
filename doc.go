// Package kubecel is Kubernetes' CEL without the API server.
//
// It gives controllers, admission plugins, operators, linters and test suites
// what kube-apiserver does with the Common Expression Language: the function
// libraries, the type system of OpenAPI schemas, the cost model with its limits
// and budgets, and the validation of objects by the rules of a
// CustomResourceDefinition, with the verdicts, messages and costs of an API
// server of Kubernetes 1.37.
//
// To validate objects by the rules of a CRD, compile the CRD once and validate
// as many objects as needed:
//
//	rules, err := kubecel.CompileCRD(crd, "v1")
//	report, err := rules.Validate(ctx, rules.Complete(object), oldObject)
//
// To learn what an API server says of the CRD itself, use [CheckCRD]. To
// evaluate expressions of your own, build an [Env].
//
// All of this is also there for older releases of the server, see [ForRelease].
// [CRDAcceptedBy] and [Env.AcceptedBy] say which releases accept a CRD or an
// expression, and why the others do not.
//
// There are three errors, one for each phase: a [*InputError] when a document or
// a schema cannot be used, a [*CompileError] when an expression does not compile,
// an [*EvalError] when its evaluation fails. Violations of rules are not errors:
// they are what a validation reports. Each has a [Code].
//
// Everything but a [Budget] is read-only after construction and safe for
// concurrent use. Nothing depends on clocks, randomness or the order of maps:
// the same input gives the same output in the same order.
package kubecel
