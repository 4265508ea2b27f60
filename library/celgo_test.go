package library_test

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// TestExtensionsDescribeWhatCelGoDeclares compares the descriptions of what
// cel-go declares itself with its declarations.
func TestExtensionsDescribeWhatCelGoDeclares(t *testing.T) {
	for _, minor := range []int{0, 28, 37} {
		env := newServer(t, release.Minor(minor)).env
		described := map[string]bool{}
		for _, l := range serverLibraries(release.Minor(minor)) {
			for _, f := range l.Functions {
				for _, o := range f.Overloads {
					described[o.ID] = true
					declared, ok := env.Functions()[f.Name]
					if !ok {
						t.Errorf("1.%d: function %s is not declared", minor, f.Name)
						break
					}
					found := false
					for _, d := range declared.OverloadDecls() {
						if d.ID() == o.ID {
							found = true
							if d.IsMemberFunction() != o.Member || !sameTypes(d.ArgTypes(), o.Args) || d.ResultType().String() != o.Result.String() {
								t.Errorf("1.%d: %s: declared %v -> %v", minor, o.ID, d.ArgTypes(), d.ResultType())
							}
						}
					}
					if !found {
						t.Errorf("1.%d: overload %s is not declared", minor, o.ID)
					}
				}
			}
		}
		standard, err := cel.NewEnv()
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range env.Functions() {
			known := map[string]bool{}
			if s, ok := standard.Functions()[name]; ok {
				for _, d := range s.OverloadDecls() {
					known[d.ID()] = true
				}
			}
			for _, d := range f.OverloadDecls() {
				if !known[d.ID()] && !described[d.ID()] {
					t.Errorf("1.%d: overload %s of %s is not described", minor, d.ID(), name)
				}
			}
		}
	}
}

func sameTypes(x, y []*cel.Type) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].String() != y[i].String() {
			return false
		}
	}
	return true
}

// TestSettings shows what each setting changes, at the version before it and at
// its own.
func TestSettings(t *testing.T) {
	compiles := func(minor int, expr string) bool {
		_, issues := newServer(t, release.Minor(minor)).env.Compile(expr)
		return issues.Err() == nil
	}
	for _, tt := range []struct {
		expr  string
		minor int
		from  bool // compiles from the version on, or until then
	}{
		{`1 < 1.5`, 28, true},
		{`[1].first() == optional.of(1)`, 28, true},
		{`duration('x') == duration('1s')`, 29, false},
		{`timestamp('x') == timestamp('y')`, 29, false},
		{`'a'.matches('(')`, 29, false},
		{`'%d'.format([1])`, 29, true},
		{`sets.contains([1], [1])`, 29, true},
		{`format.uuid().validate('x').hasValue()`, 31, true},
		{`authorizer.group('').resource('pods').fieldSelector('a=b').check('x').allowed()`, 31, true},
		{`[1].all(i, x, i == x)`, 32, true},
		{`[1].distinct()`, 34, true},
		{`[1].includes(1)`, 37, true},
	} {
		if before, since := compiles(tt.minor-1, tt.expr), compiles(tt.minor, tt.expr); before == tt.from || since != tt.from {
			t.Errorf("%s compiles at 1.%d: %v, and at 1.%d: %v", tt.expr, tt.minor-1, before, tt.minor, since)
		}
	}
	if compiles(0, `[1, 'a'] == []`) {
		t.Error("a list of two types compiles")
	}
}

func FuzzFormats(f *testing.F) {
	for _, seed := range []string{"", "a-", "-", "https://[::1", "2021-02-30", "aGVsbG8=", "\xff\xfe-", "a/b/c", strings.Repeat("a.", 200)} {
		f.Add(seed)
	}
	s := newServer(f, release.Minor(37))
	var programs []cel.Program
	for _, fn := range named(f, "kubernetes.format").Functions {
		if len(fn.Overloads[0].Args) > 0 {
			continue
		}
		env, err := s.env.Extend(cel.Variable("s", cel.StringType))
		if err != nil {
			f.Fatal(err)
		}
		tree, issues := env.Compile(fn.Name + `().validate(s)`)
		if issues.Err() != nil {
			f.Fatal(issues.Err())
		}
		program, err := env.Program(tree, cel.CostTracking(s.prices))
		if err != nil {
			f.Fatal(err)
		}
		programs = append(programs, program)
	}
	f.Fuzz(func(t *testing.T, str string) {
		for _, p := range programs {
			out, _, err := p.Eval(map[string]any{"s": str})
			if err != nil {
				t.Fatalf("%q: %v", str, err) // a panic is an internal error here
			}
			o := out.(*types.Optional)
			if o.HasValue() && o.GetValue().Equal(types.NewStringList(types.DefaultTypeAdapter, nil)) == types.True {
				t.Fatalf("%q: no messages", str)
			}
		}
	})
}

// TestPlainCELGo holds that libraries work in environments of cel-go, as options and as
// libraries of cel-go, with their functions and prices.
func TestPlainCELGo(t *testing.T) {
	asOption := func(l library.Library) cel.EnvOption { return l.EnvOption() }
	asLibrary := func(l library.Library) cel.EnvOption { return cel.Lib(l) }
	for name, option := range map[string]func(library.Library) cel.EnvOption{"EnvOption": asOption, "cel.Lib": asLibrary} {
		for _, set := range [][]library.Library{library.Newest(), library.For(release.Newest(), release.Newest())} {
			var opts []cel.EnvOption
			for _, l := range append(set, set...) { // twice is once
				opts = append(opts, option(l))
			}
			env, err := cel.NewEnv(opts...)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			// includes is only in the newest version of the library of lists.
			tree, issues := env.Compile(`[1, 2].includes(2) && ip('::1').family() == 6`)
			if issues.Err() != nil {
				t.Fatalf("%s: %v", name, issues.Err())
			}
			program, err := env.Program(tree, cel.EvalOptions(cel.OptTrackCost))
			if err != nil {
				t.Fatal(err)
			}
			value, details, err := program.Eval(cel.NoVars())
			if err != nil || value != types.True {
				t.Errorf("%s: %v, %v", name, value, err)
			}
			estimate, err := env.EstimateCost(tree, unsized{})
			if err != nil || estimate.Max != *details.ActualCost() || estimate.Max < 5 {
				t.Errorf("%s: estimate %v, cost %d, %v", name, estimate, *details.ActualCost(), err)
			}
		}
	}
}

// unsized knows no sizes.
type unsized struct{}

func (unsized) EstimateSize(checker.AstNode) *checker.SizeEstimate { return nil }
func (unsized) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// TestOneVersion holds that no environment takes two versions of a library, of which
// cel-go would keep the first in silence.
func TestOneVersion(t *testing.T) {
	var opts []cel.EnvOption
	names := map[string]bool{}
	for _, l := range library.All() {
		opts = append(opts, l.EnvOption())
		if names[l.LibraryName()] {
			t.Errorf("two libraries are called %s", l.LibraryName())
		}
		names[l.LibraryName()] = true
	}
	_, err := cel.NewEnv(opts...)
	if err == nil || !strings.Contains(err.Error(), "another version") || !strings.Contains(err.Error(), "library.Newest") {
		t.Errorf("%v", err)
	}
}
