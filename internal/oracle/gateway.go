package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

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
	files, err := filepath.Glob(filepath.Join(dir, "config", "crd", "*", "*.yaml"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []parity.CRDCase
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		doc, err := parity.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		crd, ok := doc.(map[string]any)
		if !ok || crd["kind"] != "CustomResourceDefinition" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(f), ".yaml")
		all = append(all, parity.CRDCase{Name: release + "/" + filepath.Base(filepath.Dir(f)) + "/" + name, CRD: crd})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no CRDs in %s", dir)
	}
	return all, nil
}

// gatewaySchemas makes a case of every version of a CRD: objects derived from
// the schema, and the hand-written ones of the kind, each with mutations of it.
func gatewaySchemas(crd parity.CRDCase) ([]parity.SchemaCase, error) {
	spec := crd.CRD["spec"].(map[string]any)
	group := spec["group"].(string)
	kind := spec["names"].(map[string]any)["kind"].(string)
	var all []parity.SchemaCase
	for _, v := range spec["versions"].([]any) {
		v := v.(map[string]any)
		schema := v["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		c := parity.SchemaCase{Name: crd.Name + "/" + v["name"].(string), Schema: schema, Root: true}
		s, err := structural(schema)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		derived := func(depth, items int) any {
			m := parity.Example(schema, depth, items).(map[string]any)
			m["apiVersion"], m["kind"] = group+"/"+v["name"].(string), kind
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
		all = append(all, c)
	}
	return all, nil
}
