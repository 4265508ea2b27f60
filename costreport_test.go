package kubecel_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// listeners is a schema whose rule a server rejects: maxItems is put where it is
// missing, and maxLength.
func listeners(items, length string) string {
	return fmt.Sprintf(`{type: object, properties: {spec: {type: object, properties: {
	listeners: {type: array, %s items: {type: object, required: [name],
		properties: {name: {type: string, %s}, hosts: {type: array, maxItems: 64, items: {type: string, %[2]s}}},
		x-kubernetes-validations: [{rule: "self.hosts.all(h, h.contains(self.name))", messageExpression: "'bad ' + self.name"}]}}}}}}`, items, length)
}

func mustReport(t testing.TB, schema string, opts ...kubecel.CRDReportOption) *report.CRD {
	t.Helper()
	r, err := reportCRD(crdOf(schema), "v1", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReportCRD(t *testing.T) {
	r := mustReport(t, listeners("", ""))
	if len(r.Expressions) != 2 || r.Accepted || r.Release != release.Newest() || r.Version != "v1" {
		t.Fatalf("%d expressions, accepted %v, version %q of %q", len(r.Expressions), r.Accepted, r.Version, r.Release)
	}
	x, message := r.Expressions[0], r.Expressions[1]
	// Both strings may have 3,145,726 bytes: 2 + 64 × (2 + 1 + 3 + 314,573²) + 1.
	const evaluation = 2 + 64*(2+1+3+314_573*314_573) + 1
	if x.Estimate.Max != evaluation {
		t.Errorf("one evaluation is estimated at %d, want %d", x.Estimate.Max, uint64(evaluation))
	}
	// {"name":""} has 12 bytes by the reference's count, and a comma.
	if e := x.Evaluations; e.Count != 3<<20/13 || e.Bounded || e.MinSize != 12 || len(e.Chain) != 1 || e.Chain[0].Data != "spec.listeners" || e.Chain[0].Kind != "missing" {
		t.Errorf("evaluations are %+v", e)
	}
	if x.Total != evaluation*(3<<20/13) || x.Share < 0.999 || x.Server.Within || x.Server.Message == "" || x.Place != "spec.listeners[*]" {
		t.Errorf("total %d, share %v, verdict %+v", x.Total, x.Share, x.Server)
	}
	if message.Kind != report.KindMessageExpression || message.Evaluations.Count != 1 || message.Total != message.Estimate.Max || !message.Server.Within {
		t.Errorf("the message expression is reported as %+v", message)
	}
	if r.Total != x.Total+message.Total {
		t.Errorf("the schema's total is %d, its expressions have %d and %d", r.Total, x.Total, message.Total)
	}
	var contains *report.Node
	x.Root.Each(func(n *report.Node) {
		if n.Name == "contains" {
			contains = n
		}
	})
	want := report.Span{Start: 18, End: 39, Position: diag.Position{Line: 1, Column: 19}}
	if contains == nil || contains.At != want || contains.Text != "h.contains(self.name)" || contains.Count != 64 || contains.Own.Max != 314_573*314_573 {
		t.Fatalf("contains is %+v", contains)
	}
	name := contains.Operands[1]
	if name.Source != "missing" || name.Bound.Schema != "properties[spec].properties[listeners].items.properties[name]" || name.Bound.Keyword != "maxLength" || name.Size.Max != 3<<20-2 {
		t.Errorf("the name's size is %+v of %+v", name, name.Bound)
	}
	if a := x.Advice; len(a.Together) != 3 || !a.Proven || a.TogetherTotal > cost.EstimateLimit {
		t.Errorf("the advice is %+v", a)
	}
	again, _ := json.Marshal(mustReport(t, listeners("", "")))
	if first, _ := json.Marshal(r); !bytes.Equal(first, again) {
		t.Error("a second report differs")
	}
}

// TestReportOwnLimits holds that suggestions aim at the caller's limit, beside the
// server's verdict.
func TestReportOwnLimits(t *testing.T) {
	schema := listeners("maxItems: 16,", "maxLength: 20,")
	r := mustReport(t, schema, kubecel.ReportLimits(report.Limits{Expression: 10_000, Schema: 20_000}))
	x := r.Expressions[0]
	if !r.Accepted || !x.Server.Within || x.Caller.Within || r.Caller.Within || x.Caller.Limit != 10_000 || r.Caller.Limit != 20_000 {
		t.Fatalf("server %+v, own %+v, schema %+v", x.Server, x.Caller, r.Caller)
	}
	for _, limits := range []report.Limits{{Expression: 20}, {Schema: 20}, {}} {
		r := mustReport(t, schema, kubecel.ReportLimits(limits))
		if x := r.Expressions[0]; x.Caller.Limit != cmp.Or(limits.Expression, x.Server.Limit) || r.Caller.Limit != cmp.Or(limits.Schema, r.Server.Limit) {
			t.Errorf("limits %+v: %+v and %+v", limits, x.Caller, r.Caller)
		}
	}
	if len(x.Advice.Alone) == 0 || len(x.Advice.Growth) != 0 {
		t.Fatalf("advice %+v", x.Advice)
	}
	for _, c := range x.Advice.Alone {
		if c.Fits && (c.Total > 10_000 || !c.Proven || c.Value == nil || c.To >= *c.Value) {
			t.Errorf("advice %+v", c)
		}
	}
	growth := mustReport(t, schema).Expressions[0].Advice.Growth
	if len(growth) != 4 {
		t.Fatalf("growth %+v", growth)
	}
	for _, c := range growth {
		if c.To <= *c.Value || c.Total > cost.EstimateLimit {
			t.Errorf("growth %+v", c)
		}
	}
}

func TestReportBadInput(t *testing.T) {
	for name, test := range map[string]struct{ document, version string }{
		"nothing":        {"", "v1"},
		"no CRD":         {"kind: Pod\napiVersion: v1", "v1"},
		"no version":     {string(crdOf("{type: object}")), "v9"},
		"no such schema": {"kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: {versions: [{name: v1}]}", "v1"},
	} {
		_, err := reportCRD([]byte(test.document), test.version)
		if _, ok := errs.As[*kubecel.InputError](err); !ok {
			t.Errorf("%s: error %v, want an InputError", name, err)
		}
	}
	if _, err := reportCRD(crdOf("{type: object}"), ""); err != nil {
		t.Error(err)
	}
	if r := mustReport(t, "{type: object}"); len(r.Expressions) != 0 || r.Total != 0 || !r.Accepted || r.Text(0, 0) == "" {
		t.Errorf("a schema without rules: %+v", r)
	}
	r := mustReport(t, `{type: object, x-kubernetes-validations: [{rule: "self.nope > 1"}, {rule: "1 + 1"}, {rule: "true", messageExpression: "3"}, {rule: " "}]}`)
	if r.Accepted || len(r.Findings) != 1 { // a server looks no further
		t.Errorf("findings %+v", r.Findings)
	}
	if r = mustReport(t, `{type: object, x-kubernetes-validations: [{rule: "self.nope > 1"}, {rule: "1 + 1"}, {rule: "true", messageExpression: "3"}]}`); len(r.Expressions) != 4 {
		t.Fatalf("%d expressions", len(r.Expressions))
	}
	failed := 0
	for _, x := range r.Expressions {
		if x.Error != "" {
			failed++
			if !strings.Contains(x.Text(0), "does not compile") {
				t.Errorf("text %q", x.Text(0))
			}
		}
	}
	if failed != 3 {
		t.Errorf("%d expressions do not compile", failed)
	}
	if r := mustReport(t, `{type: object, properties: {a: {}}, x-kubernetes-validations: [{rule: "true"}]}`); r.Accepted || len(r.Expressions) != 0 {
		t.Errorf("a schema that is not structural: %+v", r)
	}
}

// TestReportOddBounds holds that bounds which no schema should have give the
// numbers of a server, and a note.
func TestReportOddBounds(t *testing.T) {
	schema := func(items, length int64) string {
		return fmt.Sprintf(`{type: object, properties: {l: {type: array, maxItems: %d, items: {type: object, properties: {s: {type: string, maxLength: %d}},
			x-kubernetes-validations: [{rule: "self.s.contains(self.s)"}]}}}}`, items, length)
	}
	x := mustReport(t, schema(-5, 10)).Expressions[0]
	if x.Total != 0 || x.Evaluations.Count != 0 || x.Evaluations.Chain[0].Note == "" || !x.Server.Within {
		t.Errorf("a negative maxItems: total %d, %+v", x.Total, x.Evaluations)
	}
	if x = mustReport(t, schema(math.MaxInt64, 1_000_000)).Expressions[0]; x.Total != math.MaxUint64 || x.Server.Within || !strings.Contains(x.Text(0), "unbounded") {
		t.Errorf("a huge maxItems: total %d", x.Total)
	}
	for _, c := range x.Advice.Together {
		if c.To < 1 {
			t.Errorf("advice %+v", c)
		}
	}
	x = mustReport(t, schema(10, 1<<61)).Expressions[0]
	var size report.Size
	x.Root.Each(func(n *report.Node) {
		if n.Name == "contains" {
			size = n.Operands[0]
		}
	})
	if size.Bound == nil || size.Bound.Note == "" || size.Size.Max != size.Bound.Size {
		t.Errorf("a maxLength that overflows: %+v of %+v", size, size.Bound)
	}
	rules := mustRules(t, schema(10, 1<<61)).Rules()
	if x.Total != rules[0].Total() {
		t.Errorf("a maxLength that overflows is reported as %d, estimated at %d", x.Total, rules[0].Total())
	}
}

func TestReportObject(t *testing.T) {
	schema := listeners("maxItems: 16,", "maxLength: 20,")
	object := map[string]any{"spec": map[string]any{"listeners": []any{
		map[string]any{"name": "a", "hosts": []any{"a.example", "ba"}},
		map[string]any{"name": "long", "hosts": []any{"example", "short", "other"}},
	}}}
	want, err := mustRules(t, schema).Validate(t.Context(), object, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := mustReportValidation(t, schema, object)
	v := r.Validation
	if v == nil || v.Cost != want.Cost || v.Budget != cost.Budget || len(v.Spending) != 2 {
		t.Fatalf("spent %+v, want %d", v, want.Cost)
	}
	if s := v.Spending[0]; s.Evaluations != 2 || s.At == "" || s.Path != r.Expressions[0].Path || s.Dearest >= s.Cost || v.Spending[1].Evaluations != 1 {
		t.Errorf("spending %+v", v.Spending)
	}
	total, iterations := uint64(0), uint64(0)
	for _, x := range r.Expressions {
		units := uint64(0)
		x.Root.Each(func(n *report.Node) {
			units += n.Actual.Units
			iterations += n.Actual.Iterations
		})
		if units != x.Actual.Cost {
			t.Errorf("%s: nodes cost %d of %d", x.Path, units, x.Actual.Cost)
		}
		total += units
	}
	if total != want.Cost || iterations != 2+1 { // the second list is left at its first element
		t.Errorf("nodes cost %d of %d in %d iterations", total, want.Cost, iterations)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := reportValidation(done, crdOf(schema), object); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("with a done context: %v", err)
	}
	if _, err := reportValidation(t.Context(), crdOf(schema), nil); code(err) != diag.ArgumentInvalid {
		t.Errorf("without an object: %v", err)
	}
	var none context.Context
	if _, err := reportValidation(none, crdOf(schema), object); code(err) != diag.ArgumentInvalid {
		t.Errorf("without a context: %v", err)
	}
}

func mustReportValidation(t *testing.T, schema string, object map[string]any) *report.CRD {
	t.Helper()
	r, err := reportValidation(t.Context(), crdOf(schema), object)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func reportValidation(ctx context.Context, document []byte, object map[string]any) (*report.CRD, error) {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		return nil, err
	}
	return crd.ReportValidation(ctx, "v1", object, nil)
}

func TestEnvReport(t *testing.T) {
	tags := schema(t, `{type: object, properties: {tags: {type: array, items: {type: string, maxLength: 10}}}}`)
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("box", tags), kubecel.Variable("n", cel.IntType))
	if err != nil {
		t.Fatal(err)
	}
	const expression = "box.tags.all(t,\n  t.contains('é') || n > 3)"
	vars := map[string]any{"n": 4, "box": map[string]any{"tags": []any{"aé", "b"}}}
	x, err := env.ReportEval(t.Context(), expression, vars, nil)
	if err != nil {
		t.Fatal(err)
	}
	compiled := mustCompile(t, env, expression)
	if x.Estimate != compiled.Estimate() {
		t.Errorf("reported %v, estimated %v", x.Estimate, compiled.Estimate())
	}
	result, err := compiled.Eval(t.Context(), vars)
	if err != nil || x.Actual.Cost != result.Cost || x.Actual.Result != "true" {
		t.Errorf("reported %+v, evaluated %+v, %v", x.Actual, result, err)
	}
	if len(x.Advice.Together) != 1 || x.Advice.Together[0].Data != "box.tags" || x.Advice.Together[0].Keyword != "maxItems" || x.Advice.Proven {
		t.Errorf("advice %+v", x.Advice)
	}
	x.Root.Each(func(n *report.Node) {
		if n.Name == "contains" && (n.Text != "t.contains('é')" || n.At.Line != 2 || n.At.Column != 3 || n.At.End != 33) {
			t.Errorf("contains is %q at %+v", n.Text, n.At)
		}
	})
	if _, err := env.Report("box.nope"); err == nil {
		t.Error("no error for an expression that does not compile")
	} else if _, ok := errs.As[*kubecel.CompileError](err); !ok {
		t.Errorf("error %v, want a CompileError", err)
	}
	if x, err = env.ReportEval(t.Context(), "n / 0 > 1", vars); err != nil || x.Actual.Error == "" {
		t.Errorf("a failed evaluation: %+v, %v", x, err)
	}
	if _, err := (&kubecel.Env{}).Report("true"); err == nil {
		t.Error("no error for an empty environment")
	}
}

// TestReportNames holds the names of the JSON's fields, which are an interface.
func TestReportNames(t *testing.T) {
	encoded, err := json.Marshal(mustReport(t, listeners("", "")))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Accepted    bool
		Release     string
		Findings    []struct{ Code, Path, Message string }
		Caller      struct{ Limit uint64 }
		Expressions []struct {
			Kind, Path, Place, Source string
			Estimate                  struct{ Min, Max uint64 }
			Evaluations               struct {
				Count uint64
				Chain []struct{ Schema, Data, Keyword, Kind string }
			}
			Advice struct {
				Together []struct {
					Schema, Keyword, Kind string
					To                    int64
					Largest               bool
				}
			}
			Root struct {
				At    struct{ Line, Column int }
				Parts []json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(encoded, &r); err != nil {
		t.Fatal(err)
	}
	if r.Release != release.Newest().String() || r.Caller.Limit != cost.SchemaEstimateLimit || len(r.Findings) == 0 || r.Findings[0].Message == "" {
		t.Errorf("decoded %+v", r)
	}
	x := r.Expressions[0]
	if x.Advice.Together[0].Kind != "missing" {
		t.Errorf("advice %+v", x.Advice)
	}
	if x.Kind != "rule" || x.Estimate.Max == 0 || x.Evaluations.Chain[0].Keyword != "maxItems" || x.Advice.Together[0].To == 0 || x.Root.At.Line != 1 || len(x.Root.Parts) != 5 {
		t.Errorf("decoded %+v", x)
	}
}

// TestReportConcurrent holds that reports do not disturb each other.
func TestReportConcurrent(t *testing.T) {
	document, err := os.ReadFile("examples/costreport/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	reports := make(chan *report.CRD)
	for range 4 {
		go func() {
			r, err := reportCRD(document, "")
			if err != nil {
				t.Error(err)
			}
			reports <- r
		}()
	}
	first := <-reports
	for range 3 {
		if r := <-reports; !reflect.DeepEqual(r, first) {
			t.Error("two reports differ")
		}
	}
}

// BenchmarkReportHTTPRoute reports a real CRD with all suggestions.
func BenchmarkReportHTTPRoute(b *testing.B) {
	crd := httproutes(b)
	b.ReportAllocs()
	for b.Loop() {
		if r, err := reportCRD(crd, "v1"); err != nil || !r.Accepted {
			b.Fatal(err)
		}
	}
}

// BenchmarkReportSuggestions reports one rule that is over its limit, with what
// would help.
func BenchmarkReportSuggestions(b *testing.B) {
	crd := crdOf(listeners("", ""))
	b.ReportAllocs()
	for b.Loop() {
		if r, err := reportCRD(crd, "v1"); err != nil || !r.Expressions[0].Advice.Proven {
			b.Fatal(err)
		}
	}
}

// BenchmarkReportSuggestionsLarge does the same to a rule in a large CRD, by limits
// so low that every rule is over them.
func BenchmarkReportSuggestionsLarge(b *testing.B) {
	crd := httproutes(b)
	b.ReportAllocs()
	rules := 0
	for b.Loop() {
		r, err := reportCRD(crd, "v1", kubecel.ReportLimits(report.Limits{Expression: 20}))
		if err != nil {
			b.Fatal(err)
		}
		rules = len(r.Expressions)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(rules), "ms/rule")
}

// TestReportRelease holds that a report is that of the release that is asked for:
// the estimates are those by which Check judges.
func TestReportRelease(t *testing.T) {
	schema := `{type: object, properties: {s: {type: string, maxLength: 30}}, x-kubernetes-validations: [{rule: "cidr(self.s).prefixLength() > 8"}]}`
	for _, test := range []struct {
		release  release.Release
		accepted bool
	}{{release.Minor(30), false}, {release.Minor(31), true}, {release.Newest(), true}} {
		r := mustReport(t, schema, kubecel.ForRelease(test.release))
		findings, err := checkCRD(crdOf(schema), kubecel.ForRelease(test.release))
		if err != nil {
			t.Fatal(err)
		}
		if r.Release != test.release || r.Accepted != test.accepted || len(r.Findings) != len(findings) || (r.Expressions[0].Error == "") != test.accepted {
			t.Errorf("%s: release %s, accepted %v, %v, Check says %v", test.release, r.Release, r.Accepted, r.Findings, findings)
		}
	}
	var unknown *release.Error
	if _, err := reportCRD(crdOf(schema), "v1", kubecel.ForRelease(release.Release{})); !errors.As(err, &unknown) {
		t.Errorf("error %v, want a ReleaseError", err)
	}
}

// TestRewriteValue holds that a suggested expression has the value of the one that
// it replaces.
func TestRewriteValue(t *testing.T) {
	schema, err := kubecel.ParseSchema([]byte(`{type: object, properties: {num: {type: integer}, s: {type: string, maxLength: 9}, b: {type: boolean}, d: {type: number}}}`))
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, expression := range []string{
		`'is 10%: ' + string(self.num) + self.s + "."`, `string(self.b) + string(self.d) + 'é'`, `'\t' + self.s + string(-self.num)`,
		`'a' + ('b' + string(self.num)) + string( self.num + 1 )`, `self.b ? 'a' + string(self.num) : 'b' + string(self.d)`,
	} {
		r, err := env.Report(expression)
		if err != nil {
			t.Fatal(err)
		}
		if r.Advice.Rewrite == nil || !r.Advice.Rewrite.Fits {
			t.Errorf("%s: advice %+v", expression, r.Advice)
			continue
		}
		for _, n := range []int64{0, -7, math.MaxInt64 - 1} {
			vars := map[string]any{"self": map[string]any{"num": n, "s": "50%", "b": n == 0, "d": 1.5e300}}
			same, err := env.Compile("(" + expression + ") == (" + r.Advice.Rewrite.Source + ")")
			if err != nil {
				t.Fatal(err)
			}
			if result, err := same.Eval(context.Background(), vars); err != nil || !result.Bool() {
				t.Errorf("%s and %s differ: %v, %v", expression, r.Advice.Rewrite.Source, result, err)
			}
		}
	}
}
