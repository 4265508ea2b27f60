package accept

import (
	"slices"
	"testing"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// sharedScope declares what the examples of the libraries use.
func sharedScope(env *compile.Env) (*compile.Scope, error) {
	doc, err := typesystem.ParseOpenAPI([]byte(`{"type": "object", "properties": {"namespace": {"type": "string"}, "xs": {"type": "array", "items": {"type": "string"}}}}`))
	if err != nil {
		return nil, err
	}
	schema, err := typesystem.Compile(doc, false)
	if err != nil {
		return nil, err
	}
	provider := env.Provider(env.CEL().CELTypeProvider(), schema, "selfType")
	return env.Scope(provider, nil, decls.NewVariable("authorizer", library.AuthorizerType()),
		decls.NewVariable("d", types.DynType), decls.NewVariable("self", provider.Type()))
}

// TestExhaustiveSharing holds that what environments share is what each gives
// alone: the same error text, type and estimate.
func TestExhaustiveSharing(t *testing.T) {
	query, err := NewQuery(compile.Addition{}, sharedScope)
	if err != nil {
		t.Fatal(err)
	}
	expressions := []string{
		"", "(", "1", "nosuch(1)", "self.namespace", "has(self.namespace)", "self.__namespace__", "self.xs.all(x, x == '')", "self.xs.all(i, x, x == '')",
		"type(d) == net.IP", "net", "net.IP", "kubernetes.Quantity", "optional_type", "self.?xs", "self.xs[?0]", "[?d]", "{?'a': d}", "d ? 1 : 2", "d.`a-b`", "'`?'",
		"1 < 1.5", "d < 1", "[1, 'a']", "{'a': 1, 'b': 'c'}", "duration('x')", "duration(1)", "duration(size('a'))", "duration(d)", "timestamp('x')", "'a'.matches('[')", "matches(d, '[')",
		"d.transformList(i, x, x)", "d.sortBy(x, x)", "d.optMap(x, x)", "d.optMap(1, x)", "d.sort()", "d.first()", "d.transformList(x)", "transformList(d)", "d.all(d)", "d.exists_one(i, x, x)", "d.existsOne(i, x, x)", "d.existsOne(x, x)",
		"'%s'.format([d])", "'%d'.format(['a'])", "d.format([d])", "self.__namespace__.format(d)", "'%s'.format(d)", "string(d)", "d.indexOf(1)", "sets.contains(d, d)", "d.sets.contains(d)", "ip.isCanonical(d)", "d.ip.isCanonical(d)", "d.isCanonical()", "d.map(format, format)", "self.xs.map(ip, ip)", "[1].map(net, net)",
	}
	for _, lib := range library.All() {
		for _, fn := range lib.Functions {
			for _, o := range fn.Overloads {
				for _, e := range o.Examples {
					expressions = append(expressions, e.Expr)
				}
			}
		}
		for _, m := range lib.Macros {
			for _, e := range m.Examples {
				expressions = append(expressions, e.Expr)
			}
		}
	}
	for _, expr := range race.Sample(expressions, 4) {
		verdicts, _ := query.Expression(expr)
		newestFirst, shared := map[server.Environment]string{}, compile.NewShared()
		for _, r := range slices.Backward(release.All()) {
			s := server.WrittenTo(r)
			_, err := query.scopes[s].CompileShared(expr, shared)
			newestFirst[s] = text(err)
		}
		for i, r := range release.All() {
			s := server.WrittenTo(r)
			alone, err := query.scopes[s].Compile(expr)
			if reversed := newestFirst[s]; reversed != text(err) {
				t.Errorf("%v: %s: newest first %v, alone %v", r, expr, reversed, text(err))
			}
			got := verdicts[i]
			switch {
			case got.Release != r || (got.Err == nil) != (err == nil):
				t.Errorf("%v: %s: shared %v, alone %v", r, expr, got.Err, text(err))
			case err != nil:
				if got.Err.Server != compile.RuleWords.Put(err).Server {
					t.Errorf("%v: %s: shared %v, alone %v", r, expr, got.Err.Server, text(err))
				}
			case got.Estimate != alone.Estimate || !got.Type.IsExactType(alone.Type()):
				t.Errorf("%v: %s: shared %v %v, alone %v %v", r, expr, got.Estimate, got.Type, alone.Estimate, alone.Type())
			}
		}
	}
}

func text(err *diag.CompileError) string {
	if err == nil {
		return ""
	}
	return string(err.Stage) + ": " + err.Server
}
