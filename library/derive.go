package library

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// Released returns the library as API servers have it: without the overloads
// that only the documentation describes, and what serves only them.
func (l Library) Released() Library {
	functions := make([]Function, 0, len(l.Functions))
	for _, f := range l.Functions {
		overloads := make([]Overload, 0, len(f.Overloads))
		for _, o := range f.Overloads {
			if o.Beyond {
				continue
			}
			if o.Released.binding != nil {
				o.Impl = o.Released
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

// EnvOption returns the cel-go option that adds the library to an environment,
// once however often it is given. It brings the types, functions and their
// documentation, and the cost formulas: Env.EstimateCost uses them as they are,
// a program if cel.CostTracking is among its options. What cel-go cannot be told
// by an option is the price of a call whose overload is only decided during
// evaluation, and that of == on the library's types; [Library.Prices] has both.
func (l Library) EnvOption() cel.EnvOption { return cel.Lib(celLibrary{l}) }

// Prices returns the cost models of the library in the newest release.
func (l Library) Prices() cost.Prices { return l.PricesOf(release.Newest()) }

// PricesOf returns the cost models that the library has on an API server of a
// release, whether or not that has the library.
func (l Library) PricesOf(server release.Release) cost.Prices {
	p := cost.Prices{
		Overloads: map[string]cost.Model{},
		Functions: map[string]cost.Model{},
		Equality:  map[string]cost.Model{},
	}
	for _, t := range l.Types {
		if priced(t.EqualCost) && !server.Before(t.EqualSince) {
			p.Equality[t.CEL.TypeName()] = t.EqualCost
		}
	}
	for _, f := range l.Functions {
		dynamic := f.DynamicCost
		for _, o := range f.Overloads {
			price := o.costOn(server)
			p.Overloads[o.ID] = price
			if !priced(dynamic) {
				dynamic = price
			}
		}
		p.Functions[f.Name] = dynamic
	}
	return p
}

func priced(m cost.Model) bool { return m.Estimate != nil || m.Runtime != nil }

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
			options = append(options, cel.CostEstimatorOptions(checker.OverloadCostEstimate(o.ID, estimator(o.Cost))))
		}
	}
	return options
}

func (l celLibrary) ProgramOptions() []cel.ProgramOption {
	var options []cel.ProgramOption
	for _, p := range l.Patterns {
		options = append(options, cel.OptimizeRegex(&interpreter.RegexOptimization{
			Function: p.Function, OverloadID: p.OverloadID, RegexIndex: p.Index,
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
			options = append(options, cel.CostTrackerOptions(interpreter.OverloadCostTracker(o.ID, tracker(o.Cost))))
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

func estimator(m cost.Model) checker.FunctionEstimator {
	return func(sizes checker.CostEstimator, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
		if m.Estimate == nil {
			return nil
		}
		var operands []cost.Operand
		if target != nil {
			operands = append(operands, operand{*target, sizes})
		}
		for _, a := range args {
			operands = append(operands, operand{a, sizes})
		}
		e := m.Estimate(operands)
		call := &checker.CallEstimate{CostEstimate: checker.CostEstimate(e.Cost)}
		if e.Result != nil {
			call.ResultSize = &checker.SizeEstimate{Min: e.Result.Min, Max: e.Result.Max}
		}
		return call
	}
}

func tracker(m cost.Model) interpreter.FunctionTracker {
	return func(args []ref.Val, result ref.Val) *uint64 {
		if m.Fault != nil {
			if err := m.Fault(args); err != nil {
				// The one way in which a tracker can end an evaluation; the
				// program makes an error of it.
				panic(interpreter.EvalCancelledError{Message: "internal error: " + err.Error()})
			}
		}
		if m.Runtime == nil {
			return nil
		}
		c := m.Runtime(args, result)
		return &c
	}
}

// operand shows a node of cel-go's cost estimation to a cost model.
type operand struct {
	checker.AstNode
	sizes checker.CostEstimator
}

func (o operand) Known() (cost.Range, bool) {
	size := o.ComputedSize()
	if size == nil && o.sizes != nil {
		size = o.sizes.EstimateSize(o.AstNode)
	}
	if size == nil {
		return cost.Range{}, false
	}
	return cost.Range(*size), true
}

func (o operand) Size() cost.Range {
	if size, ok := o.Known(); ok {
		return size
	}
	return cost.Unbounded()
}

func (o operand) Elem() cost.Operand {
	params := o.Type().Parameters()
	if len(params) == 0 {
		return nil
	}
	var path []string
	if p := o.Path(); p != nil {
		path = append(append(path, p...), "@items")
	}
	return operand{element{path, params[0]}, o.sizes}
}

func (o operand) Literal() ref.Val {
	if e := o.Expr(); e != nil {
		return e.AsLiteral()
	}
	return nil
}

// element is a node that stands for any element of a list.
type element struct {
	path []string
	typ  *types.Type
}

func (e element) Path() []string                      { return e.path }
func (e element) Type() *types.Type                   { return e.typ }
func (e element) Expr() ast.Expr                      { return nil }
func (e element) ComputedSize() *checker.SizeEstimate { return nil }
