//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/parity"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// referenceReady goes from the text of a CRD to the validator of its stored version. It leaves
// out what a server does besides: to find the kind, to fill defaults in.
func referenceReady(text []byte, inYAML bool) error {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := referenceDecode(text, inYAML, &crd); err != nil {
		return err
	}
	stored := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	var props apiextensions.JSONSchemaProps
	v1 := crd.Spec.Versions[stored].Schema.OpenAPIV3Schema
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, &props, nil); err != nil {
		return err
	}
	s, err := structuralschema.NewStructural(&props)
	if err != nil {
		return err
	}
	schemacel.NewValidator(s, true, celconfig.PerCallLimit)
	return nil
}

func referenceDecode(text []byte, inYAML bool, to any) (err error) {
	if inYAML {
		if text, err = yaml.YAMLToJSON(text); err != nil {
			return err
		}
	}
	return json.Unmarshal(text, to)
}

// ready goes the same way.
func ready(text []byte) error {
	crd, err := kubecel.ParseCRD(text)
	if err != nil {
		return err
	}
	_, err = crd.Compile("")
	return err
}

// readRows read each CRD from its text and compile the rules of the stored version, and
// then all CRDs, which says more than the mean.
func readRows(inYAML bool) func(t *testing.T, measure func(row)) {
	return func(t *testing.T, measure func(row)) {
		var texts [][]byte
		work := func(name string, texts [][]byte) row {
			return row{name: name, contestants: []func(){
				func() {
					for _, text := range texts {
						if err := referenceReady(text, inYAML); err != nil {
							t.Fatal(err)
						}
					}
				},
				func() {
					for _, text := range texts {
						if err := ready(text); err != nil {
							t.Fatal(err)
						}
					}
				},
			}}
		}
		for _, c := range peerCRDs {
			crd, text, err := crdOf(c.module, c.file, c.crd)
			if err != nil {
				t.Log(err) // a module may not be to be had
				continue
			}
			if !inYAML {
				text = encoded(crd)
			}
			texts = append(texts, text)
			project, _, _ := strings.Cut(filepath.Base(c.module), "@")
			measure(work(fmt.Sprintf("%s %s", project, crd["metadata"].(map[string]any)["name"]), [][]byte{text}))
		}
		measure(work("all of them", texts))
	}
}

// parseRows read an object from its text.
func parseRows(t *testing.T, measure func(row)) {
	_, route := peerSchema(t)
	large := map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{}}
	for range 30 {
		large["items"] = append(large["items"].([]any), parity.DeepCopy(route))
	}
	for i, object := range []map[string]any{route, large} {
		inJSON := encoded(object)
		inYAML, err := yaml.JSONToYAML(inJSON)
		if err != nil {
			t.Fatal(err)
		}
		for form, text := range map[string][]byte{"JSON": inJSON, "YAML": inYAML} {
			measure(row{name: fmt.Sprintf("%s, %d HTTPRoutes", form, []int{1, 30}[i]), contestants: []func(){
				func() {
					var object map[string]any
					if err := referenceDecode(text, form == "YAML", &object); err != nil {
						t.Fatal(err)
					}
				},
				func() {
					if _, err := kubecel.ParseObject(text); err != nil {
						t.Fatal(err)
					}
				},
			}})
		}
	}
}
