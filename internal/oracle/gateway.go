package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
)

// gatewayReleases are the releases of the Gateway API whose CRDs are compared.
var gatewayReleases = []string{"v1.4.1", "v1.5.0"}

// gatewayDir is the folder of a release in the module cache, downloaded if it
// is not there yet.
func gatewayDir(release string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", "sigs.k8s.io/gateway-api@"+release).Output()
	if err != nil {
		return "", fmt.Errorf("sigs.k8s.io/gateway-api@%s: %w: %s", release, err, out)
	}
	var module struct{ Dir, Error string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	if module.Error != "" {
		return "", fmt.Errorf("sigs.k8s.io/gateway-api@%s: %s", release, module.Error)
	}
	return module.Dir, nil
}

// gatewayCRDs reads every CRD of a release, standard and experimental.
func gatewayCRDs(release string) ([]parity.CRDCase, error) {
	dir, err := gatewayDir(release)
	if err != nil {
		return nil, err
	}
	return parity.ReadCRDs(release, filepath.Join(dir, "config", "crd"))
}

// gatewaySchemas makes a case of every version of a CRD: objects derived from
// the schema, and the hand-written ones of the kind, each with mutations of it.
func gatewaySchemas(crd parity.CRDCase) ([]parity.SchemaCase, error) {
	spec := crd.CRD["spec"].(map[string]any)
	group := spec["group"].(string)
	kind := spec["names"].(map[string]any)["kind"].(string)
	all, err := parity.SchemasOf(crd)
	if err != nil {
		return nil, err
	}
	for i := range all {
		c := &all[i]
		schema, version := c.Schema, path.Base(c.Name)
		s, err := reference.Structural(schema)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		derived := func(depth, items int) any {
			m := parity.Example(schema, depth, items).(map[string]any)
			m["apiVersion"], m["kind"] = group+"/"+version, kind
			m["metadata"] = map[string]any{"name": "example"}
			return m
		}
		defaulted := func(o any) any {
			defaulting.Default(o, s)
			return o
		}
		add := func(limit int, o parity.Object) {
			c.Objects = append(append(c.Objects, o), parity.Mutations(schema, o, limit)...)
		}
		add(20, parity.Object{Name: "minimal", New: derived(0, 1)})
		add(20, parity.Object{Name: "half", New: defaulted(derived(2, 1))})
		full := defaulted(derived(20, 2))
		add(50, parity.Object{Name: "full", New: full})
		add(20, parity.Object{Name: "full-update", New: full, Old: parity.DeepCopy(full)})
		for i, e := range examplesOf(kind) {
			o := defaulted(e)
			name := e["metadata"].(map[string]any)["name"].(string)
			limit := 40
			if i == 0 {
				limit = 0
			}
			add(limit, parity.Object{Name: name, New: o})
			add(20, parity.Object{Name: name + "-update", New: o, Old: parity.DeepCopy(o)})
		}
	}
	return all, nil
}
