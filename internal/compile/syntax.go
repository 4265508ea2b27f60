package compile

import (
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/parse"
)

// setParser finds the grammar of the environment: its macros and its syntax.
// cel-go's environments always take names in backquotes, older servers do not.
func (e *Env) setParser() (err error) {
	macros := e.cel.Macros()
	syntax := parse.Syntax{Macros: macros, Optionals: e.traits[declare.Optionals], Backquotes: e.traits[declare.Backquotes] || e.settings.backquotes}
	var keys []string
	for _, m := range macros {
		keys = append(keys, m.MacroKey())
	}
	slices.Sort(keys)
	if syntax.Optionals {
		keys = append(keys, "?")
	}
	e.parser = nil
	if syntax.Backquotes {
		keys = append(keys, "`")
	} else {
		e.parser, err = parser.NewParser(parser.Macros(macros...),
			parser.EnableOptionalSyntax(syntax.Optionals), parser.EnableIdentEscapeSyntax(false))
	}
	e.grammar = strings.Join(keys, " ")
	e.fast = sync.OnceValue(func() *parse.Parser {
		if e.settings.ownParser {
			return nil
		}
		return parse.New(syntax)
	})
	return err
}

// parse parses an expression, and returns it as cel-go has it: without what is no UTF-8.
func (s *Scope) parse(expr string) (string, *celast.AST, *diag.CompileError) {
	if parsed := s.env.parseFast(expr); parsed != nil {
		return expr, parsed, nil
	}
	source := common.NewTextSource(expr)
	parsed, issues := s.env.parseSource(source)
	switch {
	case tooLarge(issues):
		return "", nil, compileError(expr, issues, func(*common.Error) diag.Issue { return diag.Issue{Code: diag.ExpressionTooLarge} })
	case issues.Err() != nil:
		return "", nil, s.syntaxError(source, issues)
	}
	return source.Content(), parsed, nil
}

// parseFast parses an expression, and returns nil if only cel-go can tell about it.
func (e *Env) parseFast(expr string) *celast.AST {
	fast := e.fast()
	if fast == nil || len(expr) > e.size {
		return nil
	}
	parsed, _ := fast.Parse(expr)
	return parsed
}

// parseSource parses with cel-go. Limits and other options hold for its own parser, so
// that of older servers only looks at what they do not know.
func (e *Env) parseSource(source common.Source) (*celast.AST, *cel.Issues) {
	parsed, issues := e.cel.ParseSource(source)
	if e.parser != nil && strings.Contains(source.Content(), "`") && !tooLarge(issues) {
		if again, errs := e.parser.Parse(source); len(errs.GetErrors()) > 0 {
			return nil, cel.NewIssuesWithSourceInfo(errs, again.SourceInfo())
		}
	}
	if issues.Err() != nil {
		return nil, issues
	}
	return parsed.NativeRep(), issues
}

// tooLarge tells whether an expression was not parsed because of its size. That error
// has a node and no place; expressions that nest too deeply have neither.
func tooLarge(issues *cel.Issues) bool {
	return slices.ContainsFunc(issues.Errors(), func(e *common.Error) bool { return e.Location == common.NoLocation && e.ExprID != 0 })
}
