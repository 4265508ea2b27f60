package compile

import (
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/release"
)

// Expression is a compiled expression. It holds its syntax tree: whoever keeps
// many expressions keeps their programs instead.
type Expression struct {
	// Source is the text.
	Source string
	// Checked is the syntax tree with its types.
	Checked *celast.AST
	// Estimate is what one evaluation may cost, in cost units.
	Estimate cost.Range
	// Program evaluates the expression.
	Program *eval.Program

	scope *Scope
}

// Type returns the type of the result.
func (x *Expression) Type() *types.Type { return x.Checked.GetType(x.Checked.Expr().ID()) }

// Again compiles another text in the place of the expression.
func (x *Expression) Again(text string) (*Expression, *diag.CompileError) {
	return x.scope.Compile(text)
}

// RefersTo tells whether the expression refers to a variable.
func (x *Expression) RefersTo(name string) bool {
	for _, ref := range x.Checked.ReferenceMap() {
		if ref.Name == name {
			return true
		}
	}
	return false
}

// Release returns the release of the server that compiles the expression.
func (x *Expression) Release() release.Release { return x.scope.env.server.Release }

// Prices are those by which the server estimates and charges.
func (x *Expression) Prices() *pricing.Table { return x.scope.env.prices }

// Words are what an API server puts before the error of each stage.
type Words struct{ check, plan string }

// The words for a rule or any other expression, and for a messageExpression.
var (
	RuleWords    = Words{"compilation failed: ", "program instantiation failed: "}
	MessageWords = Words{"messageExpression compilation failed: ", "messageExpression instantiation failed: "}
)

// Put returns an error with the words for its stage before the server's text.
func (w Words) Put(err *diag.CompileError) *diag.CompileError {
	before := map[diag.Stage]string{diag.StageCheck: w.check, diag.StagePlan: w.plan}
	worded := *err
	worded.Server = before[err.Stage] + err.Server
	return &worded
}
