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
	"github.com/kubecel/kubecel/library"
)

// setParser finds the grammar of the environment: its macros and its syntax.
// cel-go's environments always take names in backquotes, older servers do not.
func (e *Env) setParser(cfg Config) (err error) {
	macros := e.cel.Macros()
	syntax := parse.Syntax{Macros: macros, Optionals: e.traits[declare.Optionals], Backquotes: e.traits[declare.Backquotes]}
	var keys []string
	for _, m := range macros {
		keys = append(keys, m.MacroKey())
	}
	slices.Sort(keys)
	if syntax.Optionals {
		keys = append(keys, "?")
	}
	if syntax.Backquotes {
		keys = append(keys, "`")
	} else {
		e.parser, err = parser.NewParser(parser.Macros(macros...),
			parser.EnableOptionalSyntax(syntax.Optionals), parser.EnableIdentEscapeSyntax(false))
	}
	e.grammar = strings.Join(keys, " ")
	e.fast = sync.OnceValue(func() *parse.Parser {
		if e.parser == nil && cfg.hasOptions() && !standardParser(e.cel) {
			return nil
		}
		return parse.New(syntax)
	})
	return err
}

// hasOptions tells whether there are options that may set up cel-go's parser.
func (c Config) hasOptions() bool {
	own := map[string]bool{}
	for _, lib := range library.All() {
		own[lib.Name] = true
	}
	return len(c.Options) > 0 || slices.ContainsFunc(c.Libraries, func(lib library.Library) bool {
		return len(lib.Options) > 0 && !own[lib.Name]
	})
}

// standardParser tells whether the parser of a cel-go environment has the limits that it has without
// options, and makes the trees that it makes without: a call of || has two arguments, the variable of a
// comprehension is hidden, and the calls of macros are not kept. It asks the parser, because an
// environment does not tell.
func standardParser(env *cel.Env) bool {
	config, err := env.ToConfig("")
	if err != nil || len(config.Limits) > 0 {
		return false
	}
	parsed, issues := env.Parse("[a].all(b, c || d || e)")
	if issues.Err() != nil {
		return false
	}
	tree := parsed.NativeRep()
	if tree.Expr().Kind() != celast.ComprehensionKind || len(tree.SourceInfo().MacroCalls()) > 0 {
		return false
	}
	all := tree.Expr().AsComprehension()
	or := all.LoopStep().AsCall().Args()[1]
	return all.AccuVar() == parser.HiddenAccumulatorName && len(or.AsCall().Args()) == 2
}

// parse parses an expression, and returns it as cel-go has it: without what is no UTF-8.
func (s *Scope) parse(expr string) (string, *celast.AST, *diag.CompileError) {
	if parsed := s.env.parseFast(expr); parsed != nil {
		return expr, parsed, nil
	}
	source, err := common.NewTextSourceWithLimit(expr, s.env.size)
	if err != nil {
		issues := cel.ErrorAsIssues(err)
		return "", nil, compileError(expr, issues, func(*common.Error) diag.Issue { return diag.Issue{Code: diag.ExpressionTooLarge} })
	}
	parsed, issues := s.env.parseSource(source)
	if issues.Err() != nil {
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

func (e *Env) parseSource(source common.Source) (*celast.AST, *cel.Issues) {
	if e.parser == nil {
		parsed, issues := e.cel.ParseSource(source)
		if issues.Err() != nil {
			return nil, issues
		}
		return parsed.NativeRep(), nil
	}
	parsed, errs := e.parser.Parse(source)
	return parsed, cel.NewIssuesWithSourceInfo(errs, parsed.SourceInfo())
}
