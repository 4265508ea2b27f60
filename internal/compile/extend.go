package compile

import (
	"maps"
	"math/bits"
	"reflect"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/data"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/library"
)

// Addition is what a caller adds to an environment.
type Addition struct {
	// Libraries are added in order.
	Libraries []library.Library
	// Options are cel-go options.
	Options []cel.EnvOption
	// ExpressionSize is the limit of an expression in code points; zero means that of
	// the environment.
	ExpressionSize int
}

// IsZero tells whether nothing is added.
func (a Addition) IsZero() bool {
	return len(a.Libraries) == 0 && len(a.Options) == 0 && a.ExpressionSize == 0
}

// settings are those of cel-go that no library of a server has, and that options of a
// caller may change.
type settings struct {
	// numbers tells whether numbers of different types compare.
	numbers bool
	// jsonNames tells whether fields of messages have the names that they have in JSON.
	jsonNames bool
	// ownParser tells whether limits and other options set up cel-go's parser.
	ownParser bool
	// backquotes tells whether the caller asked for names in backquotes.
	backquotes bool
}

// Extend returns an environment with an addition. It shares with this one what the
// addition does not touch.
func (e *Env) Extend(a Addition) (*Env, error) {
	if a.IsZero() {
		return e, nil
	}
	x := *e
	x.priced, x.traits = maps.Clone(e.priced), maps.Clone(e.traits)
	x.libraries, x.regexes = slices.Clip(e.libraries), slices.Clip(e.regexes)
	opts, prices := x.add(a.Libraries)
	x.prices = e.prices.With(prices...)
	if a.ExpressionSize > 0 {
		opts = append(opts, cel.ParserExpressionSizeLimit(a.ExpressionSize))
		x.size = a.ExpressionSize
	}
	// The options of the caller come last, so that they win.
	opts = append(append(opts, cel.Lib(programOptions{cel.CostTracking(x.prices)})), a.Options...)
	var err error
	if x.cel, err = e.cel.Extend(opts...); err != nil {
		return nil, err
	}
	if err := x.honour(e, a); err != nil {
		return nil, err
	}
	x.signatures = sync.OnceValue(func() map[string]string { return signaturesOf(&x) })
	if err := x.setParser(); err != nil {
		return nil, err
	}
	changed := x.changed(e)
	if err := x.extendChecker(e, changed); err != nil {
		return nil, err
	}
	x.setChecker(a)
	x.planner, err = e.planner.Extend(eval.Config{
		Functions: x.cel.Functions(),
		Adapter:   x.adapter(),
		Price:     x.prices.Runtime,
		Regexes:   x.regexes,
	}, slices.Sorted(maps.Keys(changed)))
	return &x, err
}

// honour finds out what the addition to an environment changes beside declarations.
func (e *Env) honour(from *Env, a Addition) error {
	opts := a.Options
	for _, lib := range a.Libraries {
		opts = append(slices.Clip(lib.Options), opts...)
	}
	if len(opts) == 0 {
		return nil
	}
	own, err := apart(from.cel, opts)
	if err != nil {
		return err
	}
	is := flags()
	e.settings = settings{
		numbers:    e.cel.HasFeature(is.numbers),
		jsonNames:  e.cel.HasFeature(is.jsonNames),
		backquotes: e.settings.backquotes || own.HasFeature(is.backquotes),
		ownParser: e.settings.ownParser || length(own, "limits") != 0 || length(own, "prsrOpts") != 0 ||
			e.cel.HasFeature(is.macroCalls),
	}
	e.foreign = e.foreign || length(own, "progOpts") != 0 || e.settings.jsonNames || e.cel.HasFeature(is.presence)
	if length(own, "costOptions") == 0 {
		return nil
	}
	foreign, presence, err := foreignEstimates(e.cel, own)
	if err == nil {
		e.prices = e.prices.With(foreign)
		if presence {
			e.prices = e.prices.WithPresence()
		}
	}
	return err
}

// adapter makes CEL values of Go values. What an adapter of the caller knows it decides.
func (e *Env) adapter() types.Adapter {
	own := e.cel.CELTypeAdapter()
	if _, ok := own.(*types.Registry); ok {
		return data.Adapter(own)
	}
	return callersAdapter{own, data.Adapter(own)}
}

type callersAdapter struct{ own, other types.Adapter }

// NativeToValue is part of types.Adapter.
func (a callersAdapter) NativeToValue(value any) ref.Val {
	if val := a.own.NativeToValue(value); !types.IsError(val) {
		return val
	}
	return a.other.NativeToValue(value)
}

// changed are the functions that another environment declares otherwise or not at all.
func (e *Env) changed(from *Env) map[string]*decls.FunctionDecl {
	before, after := from.cel.Functions(), e.cel.Functions()
	maps.DeleteFunc(after, func(name string, fn *decls.FunctionDecl) bool { return before[name] == fn })
	return after
}

// extendChecker declares what another environment lacks.
func (e *Env) extendChecker(from *Env, changed map[string]*decls.FunctionDecl) (err error) {
	for _, fn := range changed {
		if fn.IsDeclarationDisabled() {
			// What is declared cannot be taken back.
			e.checker, err = e.baseChecker()
			return err
		}
	}
	if e.checker, err = e.newChecker(e.cel.CELTypeProvider(), from.checker); err != nil {
		return err
	}
	if err := e.checker.AddIdents(e.cel.Variables()...); err != nil {
		return err
	}
	return addFunctions(e.checker, changed)
}

// apart applies options to an environment without anything but the names of the
// libraries of another, so that they do there what they do in the other. It has
// only what the options bring.
func apart(env *cel.Env, opts []cel.EnvOption) (*cel.Env, error) {
	var names []cel.EnvOption
	for _, name := range env.Libraries() {
		names = append(names, cel.Lib(named(name)))
	}
	return cel.NewCustomEnv(append(names, opts...)...)
}

// named is a library that has only a name.
type named string

func (n named) LibraryName() string               { return string(n) }
func (named) CompileOptions() []cel.EnvOption     { return nil }
func (named) ProgramOptions() []cel.ProgramOption { return nil }

// length is the length of a list or map that cel-go keeps to itself. If a release of cel-go
// has no such field it is -1, which means that there may be something in it.
func length(env *cel.Env, field string) int {
	list := reflect.ValueOf(env).Elem().FieldByName(field)
	if list.Kind() != reflect.Slice && list.Kind() != reflect.Map {
		return -1
	}
	return list.Len()
}

// flagIDs are the numbers that cel-go gives to settings.
type flagIDs struct{ numbers, jsonNames, presence, backquotes, macroCalls int }

// flags finds the numbers, which cel-go keeps to itself.
var flags = sync.OnceValue(func() flagIDs {
	of := func(set cel.EnvOption) int {
		env, err := cel.NewCustomEnv(set)
		for flag := range bits.UintSize {
			if err == nil && env.HasFeature(flag) {
				return flag
			}
		}
		return -1
	}
	return flagIDs{
		numbers:    of(cel.CrossTypeNumericComparisons(true)),
		jsonNames:  of(cel.JSONFieldNames(true)),
		presence:   of(cel.EnableErrorOnBadPresenceTest(true)),
		backquotes: of(cel.EnableIdentifierEscapeSyntax()),
		macroCalls: of(cel.EnableMacroCallTracking()),
	}
})
