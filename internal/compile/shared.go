package compile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/operators"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/server"
)

// Shared is what the scopes of one place in several environments have in common
// when they compile one expression. The scopes have the same variables. It is not
// safe for concurrent use.
//
// What type checking and planning give depends on the expression as it is
// parsed, on the declarations of the functions that it may call, on the types
// that it may name and on a few settings. Where these are the same for two
// environments, so is what they give. The estimate is not among it: it depends
// on the prices of the environment.
type Shared struct {
	// parsed is by grammar.
	parsed map[string]parsedExpression
	// planned is by the grammar and what the expression uses.
	planned map[string]plannedExpression
}

// NewShared returns what has compiled nothing yet.
func NewShared() *Shared {
	return &Shared{parsed: map[string]parsedExpression{}, planned: map[string]plannedExpression{}}
}

// parsedExpression is an expression as one grammar has it.
type parsedExpression struct {
	// text is the expression without what is no UTF-8.
	text string
	ast  *celast.AST
	uses uses
	err  *diag.CompileError
}

// plannedExpression is a compile result without its estimate. The error of
// planning stands beside what was checked.
type plannedExpression struct {
	checked *celast.AST
	program *eval.Program
	err     *diag.CompileError
}

// plan parses, checks and plans an expression; shared may be nil.
func (s *Scope) plan(expr string, shared *Shared) plannedExpression {
	if shared == nil {
		text, parsed, err := s.parse(expr)
		if err != nil {
			return plannedExpression{err: err}
		}
		return s.planParsed(text, parsed)
	}
	grammar := plainGrammar
	parsed, ok := shared.parsed[grammar]
	if !ok {
		grammar = s.env.grammar
		parsed, ok = shared.parsed[grammar]
	}
	if !ok {
		parsed.text, parsed.ast, parsed.err = s.parse(expr)
		if parsed.err == nil {
			parsed.uses = usesOf(expr, parsed.ast)
			if parsed.uses.plain {
				grammar = plainGrammar
			}
		}
		shared.parsed[grammar] = parsed
	}
	if parsed.err != nil {
		return plannedExpression{err: parsed.err}
	}
	key := grammar + s.env.cacheKey(parsed.uses)
	planned, ok := shared.planned[key]
	if !ok {
		planned = s.planParsed(parsed.text, celast.Copy(parsed.ast))
		shared.planned[key] = planned
	}
	return planned
}

// planParsed checks and plans what was parsed, which it changes.
func (s *Scope) planParsed(expr string, parsed *celast.AST) (p plannedExpression) {
	if p.checked, p.err = s.check(expr, parsed); p.err != nil {
		return p
	}
	var err error
	if p.program, err = s.program(p.checked); err != nil {
		p.err = failed(expr, diag.StagePlan, diag.PlanFailed, err)
	}
	return p
}

// plainGrammar is that of expressions that every environment parses alike.
const plainGrammar = "plain"

// uses is what the outcome of an expression may depend on.
type uses struct {
	// plain tells whether every environment parses the expression alike.
	plain bool
	// names are the names of the functions that it may call and of what else it
	// may need, sorted.
	names []string
}

// Names in uses that are no names of functions.
const (
	typesUsed    = "types "    // names a type of a library
	numbersUsed  = "numbers "  // compares
	keywordsUsed = "keywords " // selects fields by reserved words
	literalsUsed = "literals " // has literals that are checked
)

func usesOf(expr string, parsed *celast.AST) uses {
	// Not in every grammar are names in backquotes, optional types, and macros
	// that have a name that no standard one has, or two variables.
	plain := !strings.Contains(expr, "`")
	used := map[string]bool{}
	celast.PostOrderVisit(parsed.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		switch e.Kind() {
		case celast.CallKind:
			call := e.AsCall()
			name := call.FunctionName()
			used[name] = true
			if call.IsMemberFunction() {
				if of, ok := containers.ToQualifiedName(call.Target()); ok {
					used[strings.TrimPrefix(of, ".")+"."+name] = true
				}
			}
			used[numbersUsed] = used[numbersUsed] || server.Comparisons[name]
			used[literalsUsed] = used[literalsUsed] || checkedLiterals[name]
			plain = plain && !server.All().MacroNames[name] && name != operators.OptSelect && name != operators.OptIndex
		case celast.ComprehensionKind:
			plain = plain && !e.AsComprehension().HasIterVar2()
		case celast.IdentKind:
			used[typesUsed] = used[typesUsed] || server.All().TypeRoots[server.RootName(e.AsIdent())]
		case celast.SelectKind:
			used[keywordsUsed] = used[keywordsUsed] || escaping.IsReserved(e.AsSelect().FieldName())
		case celast.ListKind:
			used[literalsUsed] = true
			plain = plain && len(e.AsList().OptionalIndices()) == 0
		case celast.MapKind:
			used[literalsUsed] = true
			for _, entry := range e.AsMap().Entries() {
				plain = plain && !entry.AsMapEntry().IsOptional()
			}
		case celast.StructKind:
			plain = false
		}
	}))
	for name := range server.All().MacroNames {
		plain = plain && (standardMacros[name] || !strings.Contains(expr, name))
	}
	maps.DeleteFunc(used, func(_ string, used bool) bool { return !used })
	return uses{plain, slices.Sorted(maps.Keys(used))}
}

// standardMacros have the names of macros of every environment.
var standardMacros = map[string]bool{"has": true, "all": true, "exists": true, "exists_one": true, "map": true, "filter": true}

// checkedLiterals are the functions whose literal arguments are checked.
var checkedLiterals = map[string]bool{"duration": true, "timestamp": true, "matches": true, "format": true}

// cacheKey returns a key: equal keys, equal compilation.
func (e *Env) cacheKey(u uses) string {
	var b strings.Builder
	for _, name := range u.names {
		b.WriteString(" " + name + ":" + e.signatures()[name])
	}
	return b.String()
}

// signaturesOf are the overloads of each function of an environment, and what it has
// of what else expressions may need. An overload id stands for one signature.
func signaturesOf(e *Env) map[string]string {
	all := map[string]string{
		numbersUsed:  strconv.FormatBool(e.settings.numbers),
		keywordsUsed: strconv.FormatBool(e.traits[declare.Keywords]),
	}
	for name, fn := range e.cel.Functions() {
		var ids []string
		for _, o := range fn.OverloadDecls() {
			ids = append(ids, o.ID())
		}
		slices.Sort(ids)
		all[name] = strings.Join(ids, ",")
	}
	var names []string
	for _, lib := range e.libraries {
		for _, t := range lib.Types {
			names = append(names, t.CEL.TypeName())
		}
		if lib.Trait() == declare.Optionals {
			names = append(names, server.OptionalType)
		}
	}
	slices.Sort(names)
	all[typesUsed] = strings.Join(names, ",")
	literals := fmt.Sprint(e.traits[declare.Formats], e.server.Release == server.FormatPanics)
	for _, v := range e.cel.Validators() {
		literals += "," + v.Name()
	}
	all[literalsUsed] = literals
	return all
}
