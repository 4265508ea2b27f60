package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/openapi"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// published are documents that servers publish, in the module of kube-openapi.
var published = []string{
	"pkg/spec3/testdata/appsv1spec.json", "pkg/spec3/testdata/authorizationv1spec.json",
	"pkg/util/proto/testdata/openapi_v3_0_0/v1.json", "pkg/util/proto/testdata/openapi_v3_0_0/apiextensions.k8s.io/v1.json",
}

// TestPublishedSchemas compares the types of built-in kinds with those by which an API
// server checks the types of policies.
func TestPublishedSchemas(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kube-openapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	var kinds, places int
	for _, name := range published {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), name))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := typesystem.ParseComponents(data)
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Components struct {
				Schemas map[string]*spec.Schema `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(data, &document); err != nil {
			t.Fatal(err)
		}
		find := func(ref string) (*spec.Schema, bool) {
			s, ok := document.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
			return s, ok
		}
		for _, component := range ours.Names() {
			want, err := resolver.PopulateRefs(find, "#/components/schemas/"+component)
			if err != nil {
				t.Fatal(err)
			}
			c := typeComparison{t: t, place: component}
			c.compare(ours, component, want)
			kinds, places = kinds+1, places+c.places
		}
	}
	t.Logf("%d schemas, %d places", kinds, places)
	if kinds < 100 || places < 10_000 {
		t.Errorf("only %d schemas with %d places", kinds, places)
	}
}

type typeComparison struct {
	t        *testing.T
	place    string
	provider *typesystem.Provider
	schema   *typesystem.Schema
	places   int
}

func (c *typeComparison) compare(ours *typesystem.Components, component string, reference *spec.Schema) {
	doc, err := ours.Schema(component)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.schema, err = typesystem.Compile(doc, true); err != nil {
		c.t.Fatal(err)
	}
	want := openapi.SchemaDeclType(reference, true)
	if want == nil {
		if c.schema.Exposed() {
			c.t.Errorf("%s: a server does not expose it", component)
		}
		return
	}
	c.provider = typesystem.NewProvider(types.NewEmptyRegistry(), c.schema, "T")
	want = want.MaybeAssignTypeName("T")
	if got := c.provider.Type().String(); got != want.CelType().String() {
		c.t.Errorf("%s: type %s, want %s", component, got, want.CelType())
	}
	c.types(want, c.schema.WithObjectMeta(), []string{"T"})
}

// types compares a type and all below it.
func (c *typeComparison) types(want *apiservercel.DeclType, got *typesystem.Schema, path []string) {
	c.places++
	if got == nil {
		c.t.Errorf("%s %v: nothing, want %s", c.place, path, want.CelType())
		return
	}
	size, _ := c.schema.Sizes(release.Newest()).SizeOf(path)
	if uint64(max(want.MaxElements, 0)) != size.Max && !want.IsObject() && !capped(path) || want.MinSerializedSize != got.MinSize() {
		c.t.Errorf("%s %v: %d elements, %d bytes, want %d and %d", c.place, path, size.Max, got.MinSize(), want.MaxElements, want.MinSerializedSize)
	}
	switch {
	case want.IsObject():
		for _, name := range slices.Sorted(maps.Keys(want.Fields)) {
			field, ok := c.provider.FindStructFieldType(want.TypeName(), name)
			if !ok || field.Type.String() != want.Fields[name].Type.CelType().String() {
				c.t.Errorf("%s: field %s of %s is %v, want %s", c.place, name, want.TypeName(), field, want.Fields[name].Type.CelType())
				continue
			}
			c.types(want.Fields[name].Type, got.Field(name), append(slices.Clip(path), name))
		}
		names := c.provider.PropertyNames(want.TypeName())
		if len(names) != len(want.Fields) {
			c.t.Errorf("%s: %s has the fields %v, want %d", c.place, want.TypeName(), names, len(want.Fields))
		}
	case want.IsList():
		c.types(want.ElemType, got.Elem(), append(slices.Clip(path), "@items"))
	case want.IsMap():
		c.types(want.ElemType, got.Elem(), append(slices.Clip(path), "@values"))
	}
}

// capped tells whether a path is that of a name that the root does not declare. Its length
// is bounded in rules of CRDs, and not in policies, which are not estimated by their types.
func capped(path []string) bool {
	return len(path) == 3 && path[1] == "metadata" && (path[2] == "name" || path[2] == "generateName")
}

// TestSchemaValues compares schemas given as Go values of kube-openapi.
func TestSchemaValues(t *testing.T) {
	minimum := int64(3)
	s := spec.MapProperty(spec.ArrayProperty(spec.StrFmtProperty("date-time")))
	s.MaxProperties = &minimum
	s.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": "g", "version": "v", "kind": "K"}})
	doc, ofKind, err := typesystem.OpenAPIOf(s)
	if err != nil || !ofKind {
		t.Fatal(err, ofKind)
	}
	compiled, err := typesystem.Compile(doc, false)
	if err != nil {
		t.Fatal(err)
	}
	want := openapi.SchemaDeclType(s, false).CelType().String()
	if got := typesystem.NewProvider(types.NewEmptyRegistry(), compiled, "T").Type().String(); got != want {
		t.Errorf("type %s, want %s", got, want)
	}
}
