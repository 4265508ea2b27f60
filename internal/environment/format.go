package environment

import (
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/release"
)

var (
	// formatPanics is the server that cannot compile a call of format on a text
	// that is no literal: the check of these calls panics. It came with cel-go
	// v0.20 and was mended in v0.22.
	formatPanics = release.Minor(31)
	// formatUnchecked is the last server that checks no calls of format.
	formatUnchecked = release.Minor(30)
)

// formatsUnknown tells whether an expression has such a call.
func formatsUnknown(checked *celast.AST) (found bool) {
	celast.PostOrderVisit(checked.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		ref := checked.ReferenceMap()[e.ID()]
		if e.Kind() == celast.CallKind && ref != nil && slices.Contains(ref.OverloadIDs, overloads.ExtFormatString) {
			found = found || e.AsCall().Target().Kind() != celast.LiteralKind
		}
	}))
	return found
}

// formatValidator checks calls of format. It is the only validator that comes
// with cel-go's library of strings; a test holds that it is there.
var formatValidator = sync.OnceValue(func() cel.ASTValidator {
	env, err := cel.NewCustomEnv(ext.Strings(ext.StringsVersion(2)))
	if err != nil || len(env.Validators()) != 1 {
		return nil
	}
	return env.Validators()[0]
})

func isFormatValidator(v cel.ASTValidator) bool {
	format := formatValidator()
	return format != nil && v.Name() == format.Name()
}

// findFormats finds the calls of format that newer servers reject for their
// literals. What they reject of other literals cannot be planned, so that no
// server accepts it.
func (f *finder) findFormats() {
	format := formatValidator()
	if format == nil {
		return
	}
	defer func() { _ = recover() }() // as in validate; then no server accepts it
	issues := cel.NewIssues(common.NewErrors(common.NewTextSource(string(f.source))))
	format.Validate(f.scope.env.cel, validatorConfig{}, f.ast, issues)
	for _, err := range issues.Errors() {
		line, column := f.place(f.offset(err.ExprID), "")
		f.found = append(f.found, Requirement{Feature: err.Message, Line: line, Column: column, Since: release.Oldest(), Until: formatUnchecked})
	}
}
