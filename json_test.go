package kubecel_test

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// resultNames are the names in the JSON of results, which are stable. In brackets stand fields that are no data.
var resultNames = map[reflect.Type]string{
	reflect.TypeFor[kubecel.Result]():         "(Value) cost",
	reflect.TypeFor[kubecel.Validation]():     "violations warnings cost budget exhausted",
	reflect.TypeFor[kubecel.Rule]():           "schemaPath rule messageExpression transition estimate messageEstimate cardinality error messageError",
	reflect.TypeFor[kubecel.Acceptance]():     "verdicts requirements",
	reflect.TypeFor[kubecel.Verdict]():        "release (Err) estimate total",
	reflect.TypeFor[kubecel.Requirement]():    "feature position inMessage since until reason",
	reflect.TypeFor[kubecel.CRDAcceptance]():  "Acceptance rules",
	reflect.TypeFor[kubecel.RuleAcceptance](): "Acceptance path rule messageExpression",
	reflect.TypeFor[diag.Position]():          "line column",
	reflect.TypeFor[diag.Place]():             "document line column",
	reflect.TypeFor[diag.Issue]():             "code position message hint place",
	reflect.TypeFor[diag.CompileError]():      "expression stage issues server",
	reflect.TypeFor[diag.EvalError]():         "code expression position server cost (Cause)",
	reflect.TypeFor[diag.InputError]():        "code path place detail (Cause)",
	reflect.TypeFor[diag.Finding]():           "code path segments place later message rule (Err) (Server)",
	reflect.TypeFor[diag.Violation]():         "code path message reason (Value) rule rulePath (Err) (Server)",
}

// TestResultNames walks all results, and all that they are made of: each exported field has a name in JSON.
func TestResultNames(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(of.Elem())
		case reflect.Struct:
			if !strings.HasPrefix(of.PkgPath(), "github.com/kubecel/kubecel") || seen[of] {
				return
			}
			seen[of] = true
			var names []string
			for _, f := range reflect.VisibleFields(of) {
				if !f.IsExported() || len(f.Index) > 1 {
					continue
				}
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				switch {
				case name == "-":
					name = "(" + f.Name + ")"
				case f.Anonymous:
					name = f.Name
				case name == "":
					t.Errorf("%v.%s has no name in JSON", of, f.Name)
				}
				names = append(names, name)
				walk(f.Type)
			}
			if want, ok := resultNames[of]; ok && want != strings.Join(names, " ") {
				t.Errorf("%v has %s, want %s", of, strings.Join(names, " "), want)
			}
		}
	}
	for of := range resultNames {
		walk(of)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[report.CRD](), reflect.TypeFor[report.Expression](), reflect.TypeFor[kubecel.ReleaseCapabilities]()} {
		walk(of)
	}
	if len(seen) < 30 {
		t.Errorf("only %d types", len(seen))
	}
}

// TestResultsInJSON writes results, and reads their data again.
func TestResultsInJSON(t *testing.T) {
	findings, err := checkCRD(crdOf("{type: object, x-kubernetes-validations: [{rule: self.x}], nullable: true}"), kubecel.AllFindings())
	if err != nil || len(findings) != 2 {
		t.Fatal(findings, err)
	}
	for _, f := range findings {
		var back kubecel.Finding
		members := roundTrip(t, f, &back)
		f.Err, f.Server = nil, nil
		if !reflect.DeepEqual(f, back) {
			t.Errorf("%+v came back as %+v", f, back)
		}
		if text, _ := members["server"].(string); !strings.HasPrefix(text, f.Path+": ") {
			t.Errorf("the error of the server is %v", members["server"])
		}
	}
	failed, _ := roundTrip(t, findings[1], &kubecel.Finding{})["error"].(map[string]any)
	if failed["expression"] != "self.x" || failed["issues"] == nil {
		t.Errorf("the error of the expression is %v", failed)
	}
	result, err := mustRules(t, "{type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: self.a > 1}]}").Validate(t.Context(), map[string]any{"a": int64(1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(roundTrip(t, result, &kubecel.Validation{}))); !slices.Equal(got, []string{"budget", "cost", "exhausted", "violations"}) {
		t.Errorf("a validation has %v", got)
	}
	verdict := kubecel.Verdict{Release: release.Oldest(), Err: errors.Join(findings[0], findings[1])}
	if text := roundTrip(t, verdict, &map[string]any{})["error"]; text != verdict.Err.Error() {
		t.Errorf("the error of a verdict is %v", text)
	}
	other := kubecel.Violation{Err: errors.New("other"), Server: field.Required(nil, "")}
	if text := roundTrip(t, other, &kubecel.Violation{})["error"]; text != "other" {
		t.Errorf("another error is %v", text)
	}
	for _, text := range []string{`[1.5]`, `[{}]`, `{}`, `[true]`} {
		if err := json.Unmarshal([]byte(text), &diag.Segments{}); err == nil {
			t.Errorf("%s is read as a path", text)
		}
	}
}

// roundTrip writes a value as JSON, reads it into another, and gives its members.
func roundTrip(t *testing.T, from, to any) (members map[string]any) {
	t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	return members
}
