package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// update is a CRD that replaces an old one.
type update struct {
	name     string
	old, new map[string]any
}

// TestUpdates asks the server and kubecel what they say of the schemas and rules of CRDs that replace others.
func TestUpdates(t *testing.T) {
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	var updates []update
	for _, crd := range corpus.CRDs {
		updates = append(updates, editsOf(crd, edits)...)
	}
	updates = append(updates, gatewayUpdates(t)...)
	rejected, forgiven, left := 0, 0, 0
	for _, u := range updates {
		got, onCreation := checked(t, u)
		want, told := answers(t, u, got)
		if !told {
			left++
			continue
		}
		for _, text := range without(want, got) {
			t.Errorf("%s: missing: %s", u.name, text)
		}
		for _, text := range without(got, want) {
			t.Errorf("%s: too much: %s", u.name, text)
		}
		if len(want) > 0 {
			rejected++
		}
		if len(want) < onCreation {
			forgiven++
		}
	}
	t.Logf("%d updates: %d rejected, %d with less than a creation, %d more left out", len(updates)-left, rejected, forgiven, left)
	if len(updates)-left < 1000 || rejected < 100 || forgiven < 100 {
		t.Error("too few to tell")
	}
}

// without are the texts of a that b does not have, as often as they are there.
func without(a, b []string) (rest []string) {
	b = slices.Clone(b)
	for _, text := range a {
		if i := slices.Index(b, text); i >= 0 {
			b = slices.Delete(b, i, i+1)
		} else {
			rest = append(rest, text)
		}
	}
	return rest
}

// answers are what the server says of an update. It walks maps in random order, and names other rules
// for a total that is too high, so it is asked until it answers as expected. It tells nothing if it
// panics or rejects the value of a default, after which it looks at no rule.
func answers(t *testing.T, u update, expected []string) (texts []string, told bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			told = false
		}
	}()
	document, old := encode(t, u.new), encode(t, u.old)
	for range 200 {
		errs, err := reference.UpdateCRD(document, old)
		if err != nil {
			return []string{"not decoded"}, true
		}
		if slices.ContainsFunc(errs, func(e *field.Error) bool {
			return strings.HasSuffix(e.Field, ".default") && e.Type == field.ErrorTypeInvalid
		}) {
			return nil, false
		}
		if texts = errorTexts(reference.AboutSchemas(errs)); slices.Equal(texts, expected) {
			break
		}
	}
	return texts, true
}

// errorTexts are errors in the order of their texts.
func errorTexts(errs field.ErrorList) (texts []string) {
	for _, line := range errorLines(errs) {
		texts = append(texts, line.Type+" "+line.Text)
	}
	slices.Sort(texts)
	return texts
}

// checked is what kubecel says of an update, and how much it says of a creation.
func checked(t *testing.T, u update) (texts []string, onCreation int) {
	t.Helper()
	var crds [2]*kubecel.CRD
	for i, document := range []map[string]any{u.new, u.old} {
		var err error
		if crds[i], err = kubecel.ParseCRD(encode(t, document)); err != nil {
			return []string{"not decoded"}, 0
		}
	}
	findings, err := crds[0].CheckUpdate(crds[1])
	if err != nil {
		t.Fatal(err)
	}
	created, err := crds[0].Check()
	if err != nil {
		t.Fatal(err)
	}
	var errs field.ErrorList
	for _, f := range findings {
		errs = append(errs, f.Server)
	}
	return errorTexts(errs), len(created)
}

func encode(t *testing.T, crd map[string]any) []byte {
	t.Helper()
	data, err := json.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// edit changes a CRD.
type edit struct {
	name string
	on   func(spec map[string]any, versions []map[string]any)
}

// editsOf pairs a CRD with itself and with edited ones: an edit is new, it is kept, and it is kept beside
// something new.
func editsOf(crd parity.CRDCase, edits []edit) (all []update) {
	describe := onSchemas(func(schema map[string]any) { schema["description"] = "another" })
	edited := func(edits ...func(map[string]any, []map[string]any)) map[string]any {
		document := parity.DeepCopy(crd.CRD).(map[string]any)
		spec, ok := document["spec"].(map[string]any)
		if !ok {
			return document
		}
		var versions []map[string]any
		list, _ := spec["versions"].([]any)
		for _, v := range list {
			if v, ok := v.(map[string]any); ok {
				versions = append(versions, v)
			}
		}
		for _, e := range edits {
			e(spec, versions)
		}
		return document
	}
	plain := edited()
	all = append(all, update{crd.Name + " again", plain, plain}, update{crd.Name + " described", plain, edited(describe)})
	for i, e := range edits {
		name, with, next := crd.Name+" "+e.name, edited(e.on), edits[(i+1)%len(edits)]
		all = append(all,
			update{name + " new", plain, with}, update{name + " kept", with, with},
			update{name + " kept, described", with, edited(e.on, describe)}, update{name + " kept, and " + next.name, with, edited(e.on, next.on)})
	}
	return all
}

// onSchemas edits the schemas of all versions.
func onSchemas(on func(schema map[string]any)) func(map[string]any, []map[string]any) {
	return func(_ map[string]any, versions []map[string]any) {
		for _, v := range versions {
			outer, _ := v["schema"].(map[string]any)
			if schema, ok := outer["openAPIV3Schema"].(map[string]any); ok {
				on(schema)
			}
		}
	}
}

// property is the edit that adds a property to all schemas, written as YAML.
func property(schema string) func(map[string]any, []map[string]any) {
	return onSchemas(func(root map[string]any) {
		properties, ok := root["properties"].(map[string]any)
		if !ok {
			properties = map[string]any{}
			root["properties"] = properties
		}
		added, err := parity.Decode([]byte(schema))
		if err != nil {
			panic(fmt.Sprintf("%s: %v", schema, err))
		}
		properties[fmt.Sprintf("added%d", len(properties))] = added
	})
}

// edits are of all that a server forgives on an update, and of some things that it does not.
var edits = []edit{
	{"new function", property(`{type: array, maxItems: 3, items: {type: integer}, x-kubernetes-validations: [{rule: "self.includes(1)", messageExpression: "self.includes(1) ? 'a' : 'b'"}]}`)},
	{"bad rule", property(`{type: integer, x-kubernetes-validations: [{rule: "self.x > 1"}, {rule: "self"}, {rule: "self > 1", messageExpression: "self"}]}`)},
	{"cost", property(`{type: array, maxItems: 1480, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}`)},
	{"total cost", property(`{type: array, items: {type: string}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}`)},
	{"no structure", property(`{description: d}`)},
	{"no structure possible", property(`{type: array, items: [{type: string}]}`)},
	{"unknown type", property(`{type: thing}`)},
	{"set", property(`{type: array, x-kubernetes-list-type: set, items: {type: object, properties: {a: {type: string}}}}`)},
	{"nullable elements", property(`{type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}}`)},
	{"keys", property(`{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, properties: {a: {type: string}}}}`)},
	{"keeps all fields", func(spec map[string]any, _ []map[string]any) { spec["preserveUnknownFields"] = true }},
	{"no schema", func(_ map[string]any, versions []map[string]any) {
		for i, v := range versions {
			v["served"] = i%2 == 1
			delete(v, "schema")
		}
	}},
	{"another name", func(_ map[string]any, versions []map[string]any) {
		for _, v := range versions {
			v["name"] = fmt.Sprint(v["name"], "x")
		}
	}},
	{"another version", func(spec map[string]any, _ []map[string]any) {
		list, _ := spec["versions"].([]any)
		spec["versions"] = append(list, map[string]any{
			"name": "v99", "served": true, "storage": false, "schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}},
		})
	}},
	{"an equal version", func(spec map[string]any, versions []map[string]any) {
		if len(versions) == 0 {
			return
		}
		equal := parity.DeepCopy(versions[0]).(map[string]any)
		equal["name"], equal["storage"] = "v98", false
		spec["versions"] = append(spec["versions"].([]any), equal)
	}},
}

// gatewayUpdates pair each CRD of the Gateway API with that of the other release, with that of the
// other channel and with edits of its own.
func gatewayUpdates(t *testing.T) (all []update) {
	t.Helper()
	byName := map[string][]parity.CRDCase{}
	var names []string
	for _, release := range gatewayReleases {
		crds, err := gatewayCRDs(release)
		if err != nil {
			t.Fatal(err)
		}
		for _, crd := range crds {
			name := crd.CRD["metadata"].(map[string]any)["name"].(string)
			if byName[name] = append(byName[name], crd); len(byName[name]) == 1 {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		for _, old := range byName[name] {
			for _, now := range byName[name] {
				all = append(all, update{old.Name + " to " + now.Name, old.CRD, now.CRD})
			}
		}
		last := byName[name][len(byName[name])-1]
		all = append(all, editsOf(last, edits[:3])...)
	}
	return all
}
