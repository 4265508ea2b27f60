package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// compileError makes the error of issues of cel-go. Its text is the API server's.
func compileError(expr string, issues *cel.Issues, describe func(*common.Error) diag.Issue) *diag.CompileError {
	f := &diag.CompileError{Expression: expr, Stage: diag.StageCheck, Server: issues.String()} // sorts the errors by place
	for _, err := range issues.Errors() {
		issue := describe(err)
		issue.Message = err.Message
		if err.Location.Line() > 0 {
			// An empty expression fails before its first column.
			issue.Position.Line, issue.Position.Column = err.Location.Line(), max(err.Location.Column(), 0)+1
		}
		f.Issues = append(f.Issues, issue)
	}
	return f
}

func panicError(expr string, reason any) *diag.CompileError {
	return failed(expr, diag.StageCheck, diag.CompilerPanicked, fmt.Errorf("internal error: %v", reason))
}

// failed is an error without a place in the expression.
func failed(expr string, stage diag.Stage, code diag.Code, err error) *diag.CompileError {
	return &diag.CompileError{
		Expression: expr, Stage: stage, Server: err.Error(),
		Issues: []diag.Issue{{Code: code, Message: err.Error()}},
	}
}

// tokens that the grammar knows are the only reserved words that cannot follow
// a dot.
var grammarWords = [...]string{"in", "true", "false", "null"}

func (s *Scope) syntaxError(source common.Source, issues *cel.Issues) *diag.CompileError {
	later := s.env.laterSyntax(source.Content())
	return compileError(source.Content(), issues, func(err *common.Error) diag.Issue {
		issue := diag.Issue{Code: diag.SyntaxError, Hint: later}
		before, after := around(source, err.Location)
		for _, word := range grammarWords {
			if ident, ok := escaping.Escape(word); ok && strings.HasSuffix(before, ".") && hasWord(after, word) {
				issue.Hint = fmt.Sprintf("the property %q is written %s", word, ident)
			}
		}
		if issue.Hint == "" {
			issue.Hint = syntaxSlip(before, after)
		}
		return issue
	})
}

// checkError tells the classes of type errors apart by the node that an
// issue belongs to. The tree has the types that the checker found, and missing the fields that it did
// not find.
func (s *Scope) checkError(tree *celast.AST, source common.Source, issues *cel.Issues, missing map[string][]string) *diag.CompileError {
	nodes := map[int64]celast.Expr{}
	celast.PostOrderVisit(tree.Expr(), celast.NewExprVisitor(func(e celast.Expr) { nodes[e.ID()] = e }))
	typeOf := tree.TypeMap()
	return s.reword(compileError(source.Content(), issues, func(err *common.Error) diag.Issue {
		node, ok := nodes[err.ExprID]
		if !ok {
			return diag.Issue{Code: diag.TypeMismatch}
		}
		switch node.Kind() {
		case celast.IdentKind:
			return diag.Issue{Code: diag.UndeclaredReference, Hint: cmp.Or(s.env.laterName(node, nodes), s.nameSlip(node.AsIdent()))}
		case celast.SelectKind:
			return s.selectIssue(source, node, err, missing)
		case celast.CallKind:
			return s.callIssue(node, typeOf)
		}
		return diag.Issue{Code: diag.TypeMismatch}
	}))
}

// reword names types in the messages by where they stand: self.spec.items[*] for what an API
// server calls selfType1.spec.items.@idx. The text of the server stays.
func (s *Scope) reword(e *diag.CompileError) *diag.CompileError {
	if p, ok := s.provider.(*typesystem.Provider); ok {
		for i := range e.Issues {
			e.Issues[i].Message = p.Reword(e.Issues[i].Message)
		}
	}
	return e
}

func (s *Scope) callIssue(node celast.Expr, typeOf map[int64]*types.Type) diag.Issue {
	call := node.AsCall()
	name := call.FunctionName()
	if _, declared := s.env.functions()[name]; declared {
		hint := s.env.laterOverload(call)
		if name == operators.Index {
			hint = indexHint(call)
		}
		return diag.Issue{Code: diag.NoMatchingOverload, Hint: cmp.Or(hint, s.overloadSlip(call, typeOf))}
	}
	return diag.Issue{Code: diag.UndeclaredFunction, Hint: cmp.Or(s.env.laterFunction(call), s.functionSlip(call))}
}

// indexHint helps those who index an object by the name of a property.
func indexHint(call celast.CallExpr) string {
	name, literal := call.Args()[1].AsLiteral().(types.String)
	if ident, ok := escaping.Escape(string(name)); ok && literal {
		return fmt.Sprintf("if %q is a property of an object, select it: .%s", string(name), ident)
	}
	return ""
}

func (s *Scope) selectIssue(source common.Source, node celast.Expr, err *common.Error, missing map[string][]string) diag.Issue {
	field := node.AsSelect().FieldName()
	properties, undefined := missing[field]
	if !undefined {
		return diag.Issue{Code: diag.TypeMismatch}
	}
	issue := diag.Issue{Code: diag.UndefinedField}
	if escaping.IsReserved(field) && !s.env.traits[declare.Keywords] {
		issue.Hint = server.All().Keyword(field).Needs()
	}
	// The error is at the dot, and the field may be on a line below.
	_, after := around(source, err.Location)
	_, written, _ := strings.Cut(after, field)
	written = field + written
	best := ""
	for _, name := range properties {
		ident, ok := escaping.Escape(name)
		if ok && ident != name && hasWord(written, name) && len(name) > len(best) {
			best = name
			issue.Hint = fmt.Sprintf("the property %q is written .%s", name, ident)
		}
	}
	if best == "" {
		if near := nearest(field, properties); near != "" {
			issue.Hint = fmt.Sprintf("did you mean .%s?", near)
		}
	}
	return issue
}

// What makes a name be taken for a misspelt one.
const (
	maxEdits       = 2  // and no more than half of the letters
	maxNameCompare = 64 // bytes: longer names are not compared
)

// nearest returns the identifier of the property that differs in case alone or
// whose spelling is nearest, the first of several, and none if all are too far.
func nearest(field string, properties []string) string {
	best, least := "", min(maxEdits, len(field)/2)+1
	if len(field) > maxNameCompare {
		return best
	}
	// No identifier is shorter than its name.
	short := slices.DeleteFunc(slices.Clone(properties), func(name string) bool { return len(name) > len(field)+maxEdits })
	slices.Sort(short)
	for _, name := range short {
		ident, ok := escaping.Escape(name)
		if !ok || len(ident) > len(field)+maxEdits || len(field) > len(ident)+maxEdits {
			continue
		}
		if strings.EqualFold(field, ident) {
			return ident
		}
		if d := edits(field, ident); d < least {
			best, least = ident, d
		}
	}
	return best
}

// edits counts the letters to insert, leave out, replace or swap with the next
// to make one word of another (optimal string alignment).
func edits(a, b string) int {
	var before, above, row []int
	for i := range len(a) + 1 {
		before, above, row = above, row, make([]int, len(b)+1)
		for j := range row {
			switch {
			case i == 0 || j == 0:
				row[j] = i + j
				continue
			case a[i-1] == b[j-1]:
				row[j] = above[j-1]
			default:
				row[j] = 1 + min(above[j-1], above[j], row[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// fieldRecorder records which fields are looked up in vain, and the properties of the objects that lack
// them.
type fieldRecorder struct {
	types.Provider
	missing map[string][]string
}

func (r *fieldRecorder) FindStructFieldType(structType, field string) (*types.FieldType, bool) {
	t, ok := r.Provider.FindStructFieldType(structType, field)
	if !ok {
		var names []string
		if p, ok := r.Provider.(interface{ PropertyNames(string) []string }); ok {
			names = p.PropertyNames(structType)
		}
		r.missing[field] = append(r.missing[field], names...)
	}
	return t, ok
}

// around splits a source at a place.
func around(source common.Source, at common.Location) (before, after string) {
	text := []rune(source.Content())
	offset, _ := source.LocationOffset(at)
	offset = max(min(offset, int32(len(text))), 0)
	return string(text[:offset]), string(text[offset:])
}

// hasWord tells whether text begins with a word.
func hasWord(s, word string) bool {
	rest, ok := strings.CutPrefix(s, word)
	return ok && (rest == "" || !strings.ContainsAny(rest[:1], "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
}
