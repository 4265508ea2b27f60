package library

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/release"
)

// Released returns the library as API servers have it: without what is only
// documented.
func (l Library) Released() Library {
	functions := make([]Function, 0, len(l.Functions))
	for _, f := range l.Functions {
		overloads := make([]Overload, 0, len(f.Overloads))
		for _, o := range f.Overloads {
			if o.DocumentedOnly {
				continue
			}
			if o.released.binding != nil {
				o.Impl = o.released
			}
			overloads = append(overloads, o)
		}
		if len(overloads) > 0 {
			f.Overloads = overloads
			functions = append(functions, f)
		}
	}
	l.Functions = functions
	return l
}

// EnvOption returns the cel-go option that adds the library to an environment. An
// environment that gets it twice has the library once. The option brings types,
// functions, documentation and prices. Env.EstimateCost uses the prices; a program
// does if cel.CostTracking is among its options. Two prices cannot be told to cel-go
// by an option: that of a call whose overload is only known during evaluation, and
// that of == on the library's types.
func (l Library) EnvOption() cel.EnvOption { return cel.Lib(celLibrary{l}) }

// Prices returns the prices of the library on an API server of a release. They
// are defined even if the server lacks the library.
func (l Library) Prices(server release.Release) pricing.Prices {
	p := pricing.Prices{
		Overloads: map[string]cost.Model{},
		Functions: map[string]cost.Model{},
		Equality:  map[string]cost.Model{},
	}
	for _, t := range l.Types {
		if !t.EqualCost.IsZero() && !server.Before(t.equalSince) {
			p.Equality[t.CEL.TypeName()] = t.EqualCost
		}
	}
	for _, f := range l.Functions {
		dynamic := f.DynamicCost
		for _, o := range f.Overloads {
			price := o.costOn(server)
			p.Overloads[o.ID] = price
			if dynamic.IsZero() {
				dynamic = price
			}
		}
		p.Functions[f.Name] = dynamic
	}
	return p
}

// celLibrary is a library in the form in which cel-go takes it.
type celLibrary struct{ Library }

func (l celLibrary) LibraryName() string { return l.Name }

func (l celLibrary) CompileOptions() []cel.EnvOption {
	options := append([]cel.EnvOption{}, l.Options...)
	for _, t := range l.Types {
		if t.Named {
			options = append(options, cel.Types(t.CEL))
		}
	}
	for _, f := range l.Functions {
		if opts := f.options(); len(opts) > 0 {
			options = append(options, cel.Function(f.Name, append(opts, cel.FunctionDocs(f.Doc))...))
		}
		for _, o := range f.Overloads {
			options = append(options, cel.CostEstimatorOptions(checker.OverloadCostEstimate(o.ID, pricing.OverloadEstimator(o.Cost))))
		}
	}
	return options
}

func (l celLibrary) ProgramOptions() []cel.ProgramOption {
	var options []cel.ProgramOption
	for _, p := range l.regexes {
		options = append(options, cel.OptimizeRegex(&interpreter.RegexOptimization{
			Function: p.Function, RegexIndex: p.Index,
			Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
				impl, err := p.Compile(pattern)
				if err != nil {
					return nil, err
				}
				return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), impl), nil
			},
		}))
	}
	for _, f := range l.Functions {
		for _, o := range f.Overloads {
			options = append(options, cel.CostTrackerOptions(interpreter.OverloadCostTracker(o.ID, pricing.OverloadTracker(o.Cost))))
		}
	}
	return options
}

// options declares the overloads that have an implementation.
func (f Function) options() []cel.FunctionOpt {
	var options []cel.FunctionOpt
	for _, o := range f.Overloads {
		if o.Impl.binding == nil {
			continue
		}
		declare := cel.Overload
		if o.Member {
			declare = cel.MemberOverload
		}
		options = append(options, declare(o.ID, o.Args, o.Result, o.Impl.binding, cel.OverloadExamples(o.examples()...)))
	}
	return options
}

func (o Overload) examples() []string {
	lines := make([]string, len(o.Examples))
	for i, e := range o.Examples {
		if e.Err != "" {
			lines[i] = e.Expr + " // error: " + strings.ReplaceAll(e.Err, "\n", " ")
		} else {
			lines[i] = e.Expr + " // " + e.Want
		}
	}
	return lines
}
