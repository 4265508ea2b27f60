package library_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

func TestDeclarationsAreComplete(t *testing.T) {
	owner := map[string]library.Library{}
	for _, l := range library.All() {
		if l.Name == "" || l.Doc == "" {
			t.Errorf("library %q: name or doc is missing", l.Name)
		}
		for _, ty := range l.Types {
			if ty.Doc == "" || ty.CEL == nil {
				t.Errorf("type %v: doc or type is missing", ty.CEL)
			}
		}
		for _, f := range l.Functions {
			if f.Doc == "" || len(f.Overloads) == 0 {
				t.Errorf("function %s: doc or overloads are missing", f.Name)
			}
			for _, o := range f.Overloads {
				if other, ok := owner[o.ID]; ok && other.Name != l.Name {
					t.Errorf("overload %s is in %s and in %s", o.ID, l.Name, other.Name)
				}
				owner[o.ID] = l
				if o.ID == "" || o.Result == nil || len(o.Examples) == 0 || o.Member && len(o.Args) == 0 {
					t.Errorf("overload %q of %s: id, signature or examples are missing", o.ID, f.Name)
				}
				if o.CostText(release.Newest()) == "" {
					t.Errorf("overload %s: its price has no text", o.ID)
				}
				// What cel-go supplies has the price of cel-go if it has none here.
				if supplied := len(l.Options) > 0; !supplied && (o.Cost.Estimate == nil || o.Cost.Runtime == nil) {
					t.Errorf("overload %s has no price", o.ID)
				}
			}
		}
		for _, m := range l.Macros {
			if m.Name == "" || m.Doc == "" || len(m.Usage) == 0 || len(m.Examples) == 0 {
				t.Errorf("macro %q: name, doc, usage or examples are missing", m.Name)
			}
		}
	}
}

// TestExamples evaluates each example in the environment of the version that
// introduced it, with what is beyond any release.
func TestExamples(t *testing.T) {
	for _, l := range library.All() {
		first, server := l.Releases()
		if server.IsZero() {
			server = release.Newest()
		}
		version := first.Add(-1)
		if oldest := release.Minor(28).Add(-1); version.Before(oldest) {
			version = oldest
		}
		s := newServer(t, version)
		var options []cel.EnvOption
		for _, other := range append(library.For(server, version), library.JSONPatch()) {
			options = append(options, other.EnvOption())
		}
		env, err := cel.NewEnv(append(options, cel.Variable("authorizer", library.AuthorizerType()))...)
		if err != nil {
			t.Fatalf("%s: %v", l.Name, err)
		}
		s.env = env
		var examples []library.Example
		for _, f := range l.Functions {
			for _, o := range f.Overloads {
				examples = append(examples, o.Examples...)
			}
		}
		for _, m := range l.Macros {
			examples = append(examples, m.Examples...)
		}
		for _, e := range examples {
			s.example(t, e)
		}
	}
}

func (s server) example(t *testing.T, e library.Example) {
	t.Helper()
	if (e.Want == "") == (e.Err == "") {
		t.Errorf("%s: want exactly one of Want and Err", e.Expr)
		return
	}
	tree, issues := s.env.Compile(e.Expr)
	if err := issues.Err(); err != nil {
		if e.Err == "" || !strings.Contains(err.Error(), e.Err) {
			t.Errorf("%s: %v", e.Expr, err)
		}
		return
	}
	out, err := s.run(t, tree)
	switch {
	case err != nil || e.Err != "":
		if err == nil || e.Err == "" || !strings.Contains(err.Error(), e.Err) {
			t.Errorf("%s: error %v, want %q", e.Expr, err, e.Err)
		}
	case !s.same(t, out, e.Want):
		t.Errorf("%s: %v, want %s", e.Expr, out, e.Want)
	}
}

func TestReleasedLeavesOutWhatNoServerHas(t *testing.T) {
	for _, l := range library.All() {
		for _, f := range l.Released().Functions {
			if len(f.Overloads) == 0 {
				t.Errorf("%s: no overloads", f.Name)
			}
			for _, o := range f.Overloads {
				if o.DocumentedOnly {
					t.Errorf("%s is beyond what was released", o.ID)
				}
			}
		}
	}
	env, err := cel.NewEnv(named(t, "kubernetes.net.ip").Released().EnvOption())
	if err != nil {
		t.Fatal(err)
	}
	if _, issues := env.Compile(`ip('::1').isCanonical()`); issues.Err() == nil {
		t.Error("the member isCanonical compiles")
	}
	// The spelling must not matter for the keys of a map, which Go compares.
	ast, issues := env.Compile(`ip('0::1') in {ip('::1'): 1}`)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	if out, _, err := program.Eval(cel.NoVars()); err != nil || out != types.True {
		t.Errorf("got %v, %v, want true", out, err)
	}
}

func named(t testing.TB, name string) library.Library {
	t.Helper()
	libraries := library.Newest()
	i := slices.IndexFunc(libraries, func(l library.Library) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("no library %s", name)
	}
	return libraries[i]
}

// TestLibrariesAreNewValues changes what one call returns, and compares what the
// next one does.
func TestLibrariesAreNewValues(t *testing.T) {
	render := func() string {
		var b strings.Builder
		for _, l := range library.All() {
			fmt.Fprintln(&b, l.Name, len(l.Options))
			for _, f := range l.Functions {
				for _, o := range f.Overloads {
					fmt.Fprintln(&b, f.Signature(o), o.Examples)
				}
			}
			for _, m := range l.Macros {
				fmt.Fprintln(&b, m)
			}
			for _, ty := range l.Types {
				fmt.Fprintln(&b, ty.CEL, ty.Doc)
			}
		}
		return b.String()
	}
	before := render()
	for _, l := range library.All() {
		for _, f := range l.Functions {
			for _, o := range f.Overloads {
				clear(o.Args)
				clear(o.Examples)
			}
			clear(f.Overloads)
		}
		for _, m := range l.Macros {
			clear(m.Usage)
			clear(m.Examples)
		}
		clear(l.Functions)
		clear(l.Macros)
		clear(l.Types)
		clear(l.Options)
	}
	if render() != before {
		t.Error("a change of one result changes the next")
	}
}

// TestReleasesOfLibraries holds that For gives each library by one version, and the
// libraries that are written to a server of each release.
func TestReleasesOfLibraries(t *testing.T) {
	for _, server := range release.All() {
		for _, version := range []release.Release{server.Add(-1), server} {
			names := map[string]bool{}
			for _, l := range library.For(server, version) {
				if names[l.Name] {
					t.Errorf("%v, version %v: two libraries %s", server, version, l.Name)
				}
				names[l.Name] = true
			}
		}
		if server.Before(release.Minor(28)) {
			continue
		}
		for _, l := range library.Newest() {
			first, last := l.Releases()
			has := slices.ContainsFunc(library.For(server, server.Add(-1)), func(o library.Library) bool { return o.Name == l.Name })
			for _, other := range library.All() {
				if f, _ := other.Releases(); other.Name == l.Name && f.Before(first) {
					first = f
				}
			}
			want := !server.Before(first) && (last.IsZero() || !last.Before(server)) && l.Name != library.JSONPatch().Name
			if has != want {
				t.Errorf("%v has %s: %v, want %v", server, l.Name, has, want)
			}
		}
	}
}
