package library

import (
	"fmt"
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

// EnvOption returns the cel-go option that adds the library to an environment, which is
// cel.Lib of the library. An environment that gets it twice has the library once; one
// that gets two versions of a library is an error. The option brings types, functions,
// documentation and prices. Env.EstimateCost uses the prices; a program does if
// cel.CostTracking is among its options. Two prices cannot be told to cel-go by an option:
// that of a call whose overload is only known during evaluation, and that of == on the
// library's types.
func (l Library) EnvOption() cel.EnvOption { return cel.Lib(l) }

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

// LibraryName is part of cel.SingletonLibrary. It tells the versions of a library apart,
// so that cel-go does not take one for another.
func (l Library) LibraryName() string {
	since := l.since
	if since.Before(l.firstServer) {
		since = l.firstServer
	}
	if since.IsZero() {
		return l.Name
	}
	return fmt.Sprintf("%s of Kubernetes %v", l.Name, since)
}

// CompileOptions is part of cel.Library.
func (l Library) CompileOptions() []cel.EnvOption {
	options := append([]cel.EnvOption{l.alone}, l.Options...)
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

// alone refuses a second version of the library.
func (l Library) alone(env *cel.Env) (*cel.Env, error) {
	version := name("a version of " + l.Name)
	if env.HasLibrary(string(version)) {
		return nil, fmt.Errorf("library %q: the environment has another version of it; library.For and library.Newest return one of each", l.Name)
	}
	return cel.Lib(version)(env)
}

// name is a library that has only a name.
type name string

// LibraryName is part of cel.SingletonLibrary.
func (n name) LibraryName() string { return string(n) }

// CompileOptions is part of cel.Library.
func (name) CompileOptions() []cel.EnvOption { return nil }

// ProgramOptions is part of cel.Library.
func (name) ProgramOptions() []cel.ProgramOption { return nil }

// ProgramOptions is part of cel.Library.
func (l Library) ProgramOptions() []cel.ProgramOption {
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
