// Package policy compiles and evaluates the expressions of admission policies and of
// the match conditions of webhooks as an API server does.
//
// A [Compiler] compiles the expressions of one policy: first its variables, in their
// order, then all others. [Kinds] says which variables each kind of expression has, and
// of which types its result may be. [Group.Evaluate] evaluates expressions of one kind
// together: they share the variables that they compute, and a budget.
//
// The environments are those of k8s.io/apiserver v0.37.2, pkg/admission/plugin/cel.
package policy
