package eval

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/declare"
)

// Price is the runtime cost of a call in cost units. Both the arguments and the
// result may be error values. It must not keep the slice.
type Price = func(args []ref.Val, result ref.Val) uint64

// Config is what a planner is built from.
type Config struct {
	// Functions are the declared functions by name, with their bindings.
	Functions map[string]*decls.FunctionDecl
	// Adapter makes CEL values of native values. It returns a CEL value as it is, but
	// for pointers to values of basic types.
	Adapter types.Adapter
	// Price returns the price of the calls of an overload, or of a function where the
	// overload id is empty.
	Price func(function, overloadID string) Price
	// Sized returns the price of such calls by the sizes of their first two arguments, for
	// arguments of the types of JSON; nil if it depends on more. It may be nil itself.
	Sized func(function, overloadID string) func(x, y uint64) uint64
	// Regexes are the functions whose constant regular expressions are
	// compiled while planning, apart from matches.
	Regexes []declare.Regex
	// Eager computes the first value of an accumulator whether or not it is needed.
	Eager bool
}

// Planner makes programs of checked expressions. It is read-only and safe for
// concurrent use, as are its programs.
type Planner struct {
	config    Config
	overloads map[string]*functions.Overload
	regexes   map[string]declare.Regex
	// optionals is true if or() and orValue() are the functions of optionals.
	optionals bool
	// odd is true if the adapter does not make of JSON what cel-go's makes of it.
	odd    bool
	frames *sync.Pool
}

// NewPlanner returns a planner for an environment. It fails if functions have no
// consistent implementations.
func NewPlanner(config Config) (*Planner, error) {
	p := &Planner{
		config:    config,
		overloads: map[string]*functions.Overload{},
		regexes:   map[string]declare.Regex{},
		odd:       isOdd(config.Adapter),
		frames:    &sync.Pool{New: func() any { return &frame{} }},
	}
	return p, p.add(slices.Sorted(maps.Keys(config.Functions)))
}

// Extend returns a planner for an environment that declares more. Changed are the names
// of the functions that it declares otherwise or in addition, sorted. It evaluates
// eagerly what this planner does.
func (p *Planner) Extend(config Config, changed []string) (*Planner, error) {
	x := *p
	config.Eager = p.config.Eager
	x.odd = isOdd(config.Adapter)
	x.config, x.overloads, x.regexes = config, maps.Clone(p.overloads), maps.Clone(p.regexes)
	for _, name := range changed {
		if before, ok := p.config.Functions[name]; ok {
			bindings, err := before.Bindings()
			if err != nil {
				return nil, err
			}
			for _, o := range bindings {
				delete(x.overloads, o.Operator)
			}
		}
	}
	return &x, x.add(changed)
}

// add notes the implementations of functions, and what else depends on them.
func (p *Planner) add(functions []string) error {
	for _, name := range functions {
		bindings, err := p.config.Functions[name].Bindings()
		if err != nil {
			return err
		}
		for _, o := range bindings {
			if _, found := p.overloads[o.Operator]; found {
				return fmt.Errorf("overload already exists '%s'", o.Operator)
			}
			p.overloads[o.Operator] = o
		}
	}
	for _, r := range p.config.Regexes {
		p.regexes[r.Function] = r
	}
	p.regexes[overloads.Matches] = declare.Regex{Index: 1, Compile: compileMatches}
	if or, ok := p.config.Functions["or"]; ok {
		p.optionals = slices.ContainsFunc(or.OverloadDecls(), func(o *decls.OverloadDecl) bool {
			return o.ID() == optionalOverloads["or"]
		})
	}
	return nil
}

// isOdd asks an adapter for values of the types of JSON.
func isOdd(adapter types.Adapter) bool {
	return adapter.NativeToValue("a") != types.String("a") || adapter.NativeToValue(int64(7)) != types.Int(7) ||
		adapter.NativeToValue(true) != types.True || adapter.NativeToValue(nil) != types.NullValue
}

// Plan makes a program of a checked expression. The provider knows the types of the
// expression. Plan fails where an API server does: at conversions of constants that
// fail, regular expressions that do not compile, and names without meaning.
func (p *Planner) Plan(checked *celast.AST, provider types.Provider) (prog *Program, err error) {
	// Constants are folded by the code that evaluates them, and a value may
	// panic: bytes cannot be the key of a map.
	defer func() {
		switch r := recover().(type) {
		case nil:
		case planFailed:
			prog, err = nil, r.error
		default:
			prog, err = nil, internalError(r)
		}
	}()
	prog = &Program{provider: provider, adapter: p.config.Adapter, odd: p.odd, frames: p.frames, positions: positionsOf(checked)}
	b := &builder{Planner: p, prog: prog, checked: checked, seen: map[int64]bool{}}
	prog.root = b.plan(checked.Expr())
	l := linker{}
	for _, n := range b.linked {
		n.link(l)
	}
	prog.slots, prog.inputs = len(l), len(b.inputs)
	return prog, nil
}

// planFailed is the panic by which a builder gives up.
type planFailed struct{ error }

// linker numbers the ids once all of them are final.
type linker map[int64]int32

func (l linker) slot(id int64) int32 {
	if _, ok := l[id]; !ok {
		l[id] = int32(len(l))
	}
	return l[id]
}
