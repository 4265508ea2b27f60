package environment

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// sharedScope declares what the examples of the libraries use.
func sharedScope(env *Env) (*Scope, error) {
	doc, err := typesystem.ParseOpenAPI([]byte(`{"type": "object", "properties": {"namespace": {"type": "string"}, "xs": {"type": "array", "items": {"type": "string"}}}}`))
	if err != nil {
		return nil, err
	}
	schema, err := typesystem.Compile(doc, false)
	if err != nil {
		return nil, err
	}
	provider := env.Provider(nil, schema, "selfType")
	return env.Scope(provider, nil, decls.NewVariable("authorizer", library.AuthorizerType()),
		decls.NewVariable("d", types.DynType), decls.NewVariable("self", provider.Type()))
}

// TestExhaustiveSharing holds that what environments share is what each gives
// alone: the same error text, type and estimate.
func TestExhaustiveSharing(t *testing.T) {
	query, err := NewQuery(New, sharedScope)
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
		newestFirst, common := map[Server]Verdict{}, newShared()
		for _, server := range slices.Backward(query.servers[:]) {
			newestFirst[server] = query.scopes[server].verdict(expr, common)
		}
		for i, server := range query.servers {
			alone := query.scopes[server].verdict(expr, newShared())
			alone.Release = release.All()[i]
			if reversed := newestFirst[server]; text(reversed.Err) != text(alone.Err) {
				t.Errorf("%v: %s: newest first %v, alone %v", alone.Release, expr, reversed.Err, alone.Err)
			}
			got := verdicts[i]
			if got.Release != alone.Release || got.Estimate != alone.Estimate || text(got.Err) != text(alone.Err) ||
				(got.Type == nil) != (alone.Type == nil) || got.Type != nil && !got.Type.IsExactType(alone.Type) {
				t.Errorf("%v: %s: shared %v %v, alone %v %v", alone.Release, expr, got.Estimate, got.Err, alone.Estimate, alone.Err)
			}
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestOverloadIDsHaveOneSignature holds what the comparison of environments
// rests on.
func TestOverloadIDsHaveOneSignature(t *testing.T) {
	signatures := map[string]string{}
	for server := range environments {
		env, err := server.Env()
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range env.CEL().Functions() {
			for _, o := range fn.OverloadDecls() {
				signature := fmt.Sprint(o.ArgTypes(), o.ResultType(), o.IsMemberFunction())
				if known, ok := signatures[o.ID()]; ok && known != signature {
					t.Errorf("%s: %s and %s", o.ID(), known, signature)
				}
				signatures[o.ID()] = signature
			}
		}
	}
	if len(environments) < 50 || len(signatures) < 300 {
		t.Errorf("%d environments, %d overloads", len(environments), len(signatures))
	}
}
