package parity

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadCRDs reads the CRDs of a released project, which stand in YAML files of
// the folders of dir. Their names begin with that of the release.
func ReadCRDs(release, dir string) ([]CRDCase, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []CRDCase
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		doc, err := Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		crd, ok := doc.(map[string]any)
		if !ok || crd["kind"] != "CustomResourceDefinition" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(f), ".yaml")
		all = append(all, CRDCase{Name: release + "/" + filepath.Base(filepath.Dir(f)) + "/" + name, CRD: crd})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no CRDs in %s", dir)
	}
	return all, nil
}

// SchemasOf makes a case without objects of every version of a CRD.
func SchemasOf(crd CRDCase) ([]SchemaCase, error) {
	r := &reader{}
	var all []SchemaCase
	for _, v := range get[[]any](r, get[map[string]any](r, crd.CRD, "spec"), "versions") {
		v, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: a version is not a mapping", crd.Name)
		}
		all = append(all, SchemaCase{
			Name:   crd.Name + "/" + get[string](r, v, "name"),
			Schema: get[map[string]any](r, get[map[string]any](r, v, "schema"), "openAPIV3Schema"),
			Root:   true,
		})
	}
	return all, r.err
}
