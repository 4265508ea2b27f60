package compile

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/library"
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
	source common.Source
	ast    *celast.AST
	uses   *uses
	err    *diag.CompileError
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
		source, parsed, err := s.parse(expr)
		if err != nil {
			return plannedExpression{err: err}
		}
		return s.planParsed(source, parsed)
	}
	grammar := plainGrammar
	parsed, ok := shared.parsed[grammar]
	if !ok {
		grammar = s.env.grammar
		parsed, ok = shared.parsed[grammar]
	}
	if !ok {
		parsed.source, parsed.ast, parsed.err = s.parse(expr)
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
		planned = s.planParsed(parsed.source, celast.Copy(parsed.ast))
		shared.planned[key] = planned
	}
	return planned
}

// planParsed checks and plans what was parsed, which it changes.
func (s *Scope) planParsed(source common.Source, parsed *celast.AST) (p plannedExpression) {
	if p.checked, p.err = s.check(source, parsed); p.err != nil {
		return p
	}
	var err error
	if p.program, err = s.env.planner.Plan(p.checked, s.provider); err != nil {
		p.err = failed(source.Content(), diag.StagePlan, err)
	}
	return p
}

// plainGrammar is that of expressions that every environment parses alike.
const plainGrammar = "plain"

// uses is what the outcome of an expression may depend on.
type uses struct {
	// plain tells whether every environment parses the expression alike.
	plain bool
	// functions are the names of the functions that it may call, sorted.
	functions []string
	// types, numbers, keywords and literals tell whether it may name a type of a
	// library, compares, selects fields by reserved words, and has literals that
	// are checked.
	types, numbers, keywords, literals bool
}

func usesOf(expr string, parsed *celast.AST) *uses {
	// Not in every grammar are names in backquotes, optional types, and macros
	// that have a name that no standard one has, or two variables.
	u := &uses{plain: !strings.Contains(expr, "`")}
	functions := map[string]bool{}
	celast.PostOrderVisit(parsed.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		switch e.Kind() {
		case celast.CallKind:
			u.call(e.AsCall(), functions)
		case celast.ComprehensionKind:
			u.plain = u.plain && !e.AsComprehension().HasIterVar2()
		case celast.IdentKind:
			u.types = u.types || server.All().TypeRoots[server.RootName(e.AsIdent())]
		case celast.SelectKind:
			u.keywords = u.keywords || escaping.IsReserved(e.AsSelect().FieldName())
		case celast.ListKind:
			u.literals, u.plain = true, u.plain && len(e.AsList().OptionalIndices()) == 0
		case celast.MapKind:
			u.literals = true
			for _, entry := range e.AsMap().Entries() {
				u.plain = u.plain && !entry.AsMapEntry().IsOptional()
			}
		case celast.StructKind:
			u.plain = false
		}
	}))
	for name := range server.All().MacroNames {
		u.plain = u.plain && (standardMacros[name] || !strings.Contains(expr, name))
	}
	u.functions = slices.Sorted(maps.Keys(functions))
	return u
}

func (u *uses) call(call celast.CallExpr, functions map[string]bool) {
	name := call.FunctionName()
	functions[name] = true
	if call.IsMemberFunction() {
		if of, ok := Qualified(call.Target()); ok {
			functions[strings.TrimPrefix(of, ".")+"."+name] = true
		}
	}
	u.numbers = u.numbers || comparisons[name]
	u.literals = u.literals || checkedLiterals[name]
	u.plain = u.plain && !server.All().MacroNames[name] && name != operators.OptSelect && name != operators.OptIndex
}

// standardMacros have the names of macros of every environment.
var standardMacros = map[string]bool{"has": true, "all": true, "exists": true, "exists_one": true, "map": true, "filter": true}

// checkedLiterals are the functions whose literal arguments are checked.
var checkedLiterals = map[string]bool{"duration": true, "timestamp": true, "matches": true, "format": true}

// cacheKey returns a key: equal keys, equal compilation.
func (e *Env) cacheKey(u *uses) string {
	var b strings.Builder
	signatures := e.signatures()
	for _, name := range u.functions {
		b.WriteString(" " + name + ":" + signatures[name])
	}
	if u.types {
		b.WriteString(" types:" + signatures[""])
	}
	if u.literals {
		b.WriteString(" validators:" + signatures[validatorsKey])
	}
	for _, setting := range []struct{ used, on bool }{
		{u.numbers, e.traits[declare.Numbers]}, {u.keywords, e.traits[declare.Keywords]},
	} {
		b.WriteString(" " + strconv.FormatBool(setting.used && setting.on))
	}
	return b.String()
}

// validatorsKey is no name of a function.
const validatorsKey = "validators "

// signaturesOf are the overloads of each function of an environment, under
// the empty name the types that its libraries have, and under validatorsKey what
// it checks of literals. An overload id stands for one signature.
func signaturesOf(e *Env, libraries []library.Library) map[string]string {
	all := map[string]string{}
	for name, fn := range e.cel.Functions() {
		var ids []string
		for _, o := range fn.OverloadDecls() {
			ids = append(ids, o.ID())
		}
		slices.Sort(ids)
		all[name] = strings.Join(ids, ",")
	}
	var names []string
	for _, lib := range libraries {
		for _, t := range lib.Types {
			names = append(names, t.CEL.TypeName())
		}
		if lib.Trait() == declare.Optionals {
			names = append(names, server.OptionalType)
		}
	}
	slices.Sort(names)
	all[""] = strings.Join(names, ",")
	var validators []string
	for _, v := range e.cel.Validators() {
		validators = append(validators, v.Name())
	}
	validators = append(validators, strconv.FormatBool(e.traits[declare.Formats]))
	if e.server.Release == server.FormatPanics {
		validators = append(validators, "format panics")
	}
	all[validatorsKey] = strings.Join(validators, ",")
	return all
}
