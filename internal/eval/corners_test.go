package eval

import (
	"fmt"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// TestCorners compares what no random expression has found by itself.
func TestCorners(t *testing.T) {
	e := newEngines(t, newEnv(t), fingerprint)
	for _, text := range []string{
		// Each reading of a variable makes a new optional, and a map finds such a key
		// by identity.
		`[optional.of('a')].all(o, o in {o: 1})`, `[optional.of('a')].map(o, {o: 1}[o])`, `[none].all(o, o in {o: 1})`,
		`oi in {oi: 1}`, `none in {none: 1}`, `cel.bind(v, oi, v in {v: 1})`, `[oi].exists(o, (b ? o : oi) in {o: 1})`,
		`[oi].all(o, {o: 1, o: 2}.size() == 2)`, `[oi].map(o, [o, o])`, `[oi].map(o, o == o)`, `oi in [oi]`, `{optional.of(1): 2}[optional.of(1)]`,
		// Native values of rare types are asked as CEL values.
		`li[0]`, `li[?9]`, `li[9]`, `dyn(li)[0.0]`, `li['a' == s ? 1 : 0]`, `mi[1]`, `mi[2]`, `dyn(mi)[1u]`, `dyn(mi)[1.0]`, `dyn(mi)[1.5]`, `dyn(mi)['a']`, `mb[true]`, `mb[false]`, `mu[4u]`, `dyn(mu)[4]`,
		`mu[?5u]`, `has(m.one)`, `has(m.two)`, `m.one`, `m.two`, `m.?two`, `dyn(m)[1]`, `dyn(m).one.two`, `dyn(y)[0]`, `dyn(y).a`, `ls[1]`, `ls[3]`, `ls[?3]`, `dyn(ls)['1']`, `dyn(ls)[true]`,
		`dyn(self)[1]`, `dyn(self)[true]`, `self[dyn(null)]`, `dyn(ld)[1u]`, `dyn(ld)[-1]`, `ld[?dyn(-1)]`, `dyn(ld)[4.0].a`,
	} {
		ast := compile(e.env, text)
		if ast == nil {
			t.Errorf("%s does not compile", text)
			continue
		}
		e.compareAST(t, text, ast, nativeVars(), 10)
		e.compareAST(t, text, ast, valueVars(e.env.CELTypeAdapter()), 10)
	}
}

// TestStableErrors holds that errors are the same at every run where cel-go prints
// an address of memory, or one key of several in random order.
func TestStableErrors(t *testing.T) {
	e := newEngines(t, newEnv(t), standard)
	for text, want := range map[string]string{
		`[1, 2].transformMapEntry(k, v, {'a': v})`:                             "insert failed: key a already exists",
		`[1, 2].transformMapEntry(k, v, {[1]: v})`:                             "insert failed: key of type list already exists",
		`[1, 2].transformMapEntry(k, v, {{'a': 1}: v})`:                        "insert failed: key of type map already exists",
		`[ls, ls].transformMapEntry(k, v, {ls: v})`:                            "<nil>",
		`[1, 2].transformMapEntry(k, v, {'d': v, 'c': v, 'b': v, 'a': v})`:     "insert failed: key a already exists",
		`[1, 2].transformMapEntry(k, v, {'k' + string(k): v, 'b': 1, 'a': 1})`: "insert failed: key a already exists",
		`[1, 2].transformMapEntry(k, v, {})`:                                   "<nil>",
		`[1, 2].transformMapEntry(k, v, {dyn(1): v, dyn(2u): v})`:              "insert failed: key 1 already exists",
		`[1, 2].transformMapEntry(k, v, {ts: v})`:                              "insert failed: key 2023-11-14 22:13:20 +0000 UTC already exists",
		`eval.Thing{?Name: dyn(ld)}`:                                           "cannot initialize optional entry 'Name' from non-optional value of type list",
	} {
		prog := mustPlan(t, e, text)
		for range 10 {
			if res := prog.Eval(t.Context(), nativeVars(), Unlimited); fmt.Sprint(res.Err) != want {
				t.Errorf("%s: %v, want %s", text, res.Err, want)
				break
			}
		}
	}
}

// TestKindsOfTexts holds that a function can choose the text of its errors without
// being mistaken for the evaluation. Only "no such overload" is told by its text, as
// in API servers.
func TestKindsOfTexts(t *testing.T) {
	for text, want := range map[string]Kind{
		"no such overload":                                KindNoSuchOverload,
		"no such overload: mine":                          KindNoSuchOverload,
		"there is no such overload":                       KindError,
		"no such key: no such overload":                   KindError,
		"operation interrupted":                           KindError,
		"operation cancelled: actual cost limit exceeded": KindError,
		"internal error: crashed":                         KindError,
	} {
		fail := func(ref.Val) ref.Val { return types.NewErr("%s", text) }
		e := newEngines(t, newEnv(t, cel.Function("fail", cel.Overload("fail_dyn", []*cel.Type{cel.DynType}, cel.DynType, cel.UnaryBinding(fail)))), standard)
		res := mustPlan(t, e, `fail(i)`).Eval(t.Context(), nativeVars(), Unlimited)
		if res.Kind != want || res.Err.Error() != text {
			t.Errorf("%q: kind %v, %v, want %v", text, res.Kind, res.Err, want)
		}
	}
}
