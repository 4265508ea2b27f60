package crd

import (
	"context"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// Environment compiles the expressions of rules.
type Environment interface {
	// Scope prepares for the expressions of one node of a schema: self and
	// oldSelf have the type of the schema.
	Scope(self *typesystem.Schema) (Scope, error)
}

// Scope compiles the expressions of one node of a schema.
type Scope interface {
	// Compile compiles an expression. With optionalOldSelf, oldSelf is an
	// optional. The error is a *CompileError; the expression is returned beside
	// it if it was checked.
	Compile(expr string, optionalOldSelf bool) (*Expression, error)
}

// Expression is a compiled expression.
type Expression struct {
	// Type is the type of its result.
	Type *cel.Type
	// OldSelf tells whether it refers to oldSelf.
	OldSelf bool
	// Cost is what one evaluation is estimated to cost, in cost units.
	Cost cost.Range
	// Program evaluates it.
	Program Program
	// Explain is what a report needs, nil in an environment that does not keep it.
	Explain Explainer
}

// Explainer explains an expression.
type Explainer interface {
	// Checked is the expression.
	Checked() *ast.AST
	// Release is the release of the API server that estimates it.
	Release() release.Release
	// Estimate is what one evaluation is estimated to cost by other sizes.
	Estimate(sizes pricing.Sizer) (cost.Range, error)
	// Trace is an estimate with its parts.
	Trace(sizes pricing.Sizer, bounds pricing.Bounds) (*report.Node, error)
	// TraceSound is a trace that is not a server's, see pricing.Table.TraceSound.
	TraceSound(sizes pricing.Sizer) (*report.Node, []pricing.Doubt, error)
}

// Program evaluates an expression.
type Program interface {
	// Eval evaluates the expression, and stops when it has cost more than limit.
	Eval(ctx context.Context, vars eval.Vars, limit uint64) eval.Result
	// Position finds a node of the expression in its source: line and column,
	// both from 1 and 0 if the node has no place.
	Position(source string, node int64) (line, column int)
}

// Stage is a stage of compilation, as an API server tells them apart in errors.
type Stage int

const (
	// StageCheck is parsing and type checking.
	StageCheck Stage = iota
	// StagePlan is planning the evaluation.
	StagePlan
	// StageEstimate is estimating the cost.
	StageEstimate
)

// CompileError is the error of compiling an expression.
type CompileError struct {
	// Stage is the stage that failed.
	Stage Stage
	// Err says why. Its text is what an API server quotes.
	Err error
}

func (e *CompileError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *CompileError) Unwrap() error { return e.Err }
