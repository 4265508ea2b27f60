package policy

import (
	"maps"
	"slices"

	celast "github.com/google/cel-go/common/ast"
)

// variablesOf returns the names of the variables that an expression selects, and
// whether it uses `variables` in another way: then it may compute any.
func variablesOf(checked *celast.AST) (names []string, dynamic bool) {
	selected, known := map[int64]bool{}, map[string]bool{}
	references := checked.ReferenceMap()
	isVariables := func(e celast.Expr) bool {
		ref := references[e.ID()]
		return e.Kind() == celast.IdentKind && ref != nil && ref.Name == VariablesName
	}
	celast.PostOrderVisit(checked.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.SelectKind && isVariables(e.AsSelect().Operand()) {
			selected[e.AsSelect().Operand().ID()] = true
			known[e.AsSelect().FieldName()] = true
		}
	}))
	celast.PostOrderVisit(checked.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		dynamic = dynamic || isVariables(e) && !selected[e.ID()]
	}))
	return slices.Sorted(maps.Keys(known)), dynamic
}
