package compile

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
	"github.com/kubecel/kubecel/internal/declare"
)

// setParser finds the grammar of the environment: its macros and its syntax.
// cel-go's environments always take names in backquotes, older servers do not.
func (e *Env) setParser() (err error) {
	macros := e.cel.Macros()
	var keys []string
	for _, m := range macros {
		keys = append(keys, m.MacroKey())
	}
	slices.Sort(keys)
	if e.traits[declare.Optionals] {
		keys = append(keys, "?")
	}
	if e.traits[declare.Backquotes] {
		keys = append(keys, "`")
	} else {
		e.parser, err = parser.NewParser(parser.Macros(macros...),
			parser.EnableOptionalSyntax(e.traits[declare.Optionals]), parser.EnableIdentEscapeSyntax(false))
	}
	e.grammar = strings.Join(keys, " ")
	return err
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
