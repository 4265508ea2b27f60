//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// peerCRDs are files with CRDs of Go modules. Only the modules hold them: they are
// downloaded, and their objects are derived from the schemas.
var peerCRDs = []struct{ module, file, crd string }{
	{"sigs.k8s.io/gateway-api@v1.4.1", "config/crd/standard/gateway.networking.k8s.io_gateways.yaml", ""},
	{"sigs.k8s.io/gateway-api@v1.4.1", "config/crd/standard/gateway.networking.k8s.io_grpcroutes.yaml", ""},
	{"sigs.k8s.io/gateway-api@v1.4.1", "config/crd/standard/gateway.networking.k8s.io_referencegrants.yaml", ""},
	{"sigs.k8s.io/karpenter@v1.6.0", "pkg/apis/crds/karpenter.sh_nodepools.yaml", ""},
	{"sigs.k8s.io/karpenter@v1.6.0", "pkg/apis/crds/karpenter.sh_nodeclaims.yaml", ""},
	{"sigs.k8s.io/cluster-api@v1.11.0", "config/crd/bases/cluster.x-k8s.io_clusterclasses.yaml", ""},
	{"sigs.k8s.io/cluster-api@v1.11.0", "config/crd/bases/cluster.x-k8s.io_clusters.yaml", ""},
	{"istio.io/api@v1.26.2", "kubernetes/customresourcedefinitions.gen.yaml", "virtualservices.networking.istio.io"},
	{"istio.io/api@v1.26.2", "kubernetes/customresourcedefinitions.gen.yaml", "destinationrules.networking.istio.io"},
	{"github.com/crossplane/crossplane@v1.20.0", "cluster/crds/apiextensions.crossplane.io_usages.yaml", ""},
	{"github.com/crossplane/crossplane@v1.20.0", "cluster/crds/apiextensions.crossplane.io_compositeresourcedefinitions.yaml", ""},
	{"sigs.k8s.io/jobset@v0.8.2", "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml", ""},
	{"sigs.k8s.io/network-policy-api@v0.1.7", "config/crd/experimental/policy.networking.k8s.io_adminnetworkpolicies.yaml", ""},
	{"github.com/prometheus-operator/prometheus-operator@v0.84.0", "example/prometheus-operator-crd-full/monitoring.coreos.com_prometheusagents.yaml", ""},
	{"github.com/grafana/grafana-operator/v5@v5.18.0", "config/crd/bases/grafana.integreatly.org_grafanadatasources.yaml", ""},
	{"github.com/envoyproxy/gateway@v1.4.2", "test/helm/gateway-crds-helm/envoy-gateway-crds.out.yaml", "envoyproxies.gateway.envoyproxy.io"},
	{"github.com/envoyproxy/gateway@v1.4.2", "test/helm/gateway-crds-helm/envoy-gateway-crds.out.yaml", "backendtrafficpolicies.gateway.envoyproxy.io"},
	{"github.com/cloudnative-pg/cloudnative-pg@v1.26.1", "releases/cnpg-1.26.1.yaml", "clusters.postgresql.cnpg.io"},
	{"knative.dev/serving@v0.46.0", "third_party/contour-latest/contour.yaml", "contourdeployments.projectcontour.io"},
	{
		"github.com/openshift/api@v0.0.0-20250711200046-c86d80652a9e",
		"payload-manifests/crds/0000_80_machine-config_01_controllerconfigs-TechPreviewNoUpgrade.crd.yaml", "",
	},
}

// moduleDir is the folder of a module in the cache, downloaded if it is not there yet.
func moduleDir(module string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", module, err, out)
	}
	var m struct{ Dir, Error string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", err
	}
	if m.Error != "" {
		return "", fmt.Errorf("%s: %s", module, m.Error)
	}
	return m.Dir, nil
}

// readCRD reads a CRD of a file of a module, the first one unless it is named.
func readCRD(module, file, name string) (map[string]any, error) {
	crd, _, err := crdOf(module, file, name)
	return crd, err
}

// crdOf also gives the text of the CRD.
func crdOf(module, file, name string) (crd map[string]any, text []byte, err error) {
	dir, err := moduleDir(module)
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil, nil, err
	}
	for _, part := range bytes.Split(append([]byte("\n"), data...), []byte("\n---")) {
		if !bytes.Contains(part, []byte("\nkind: CustomResourceDefinition")) || name != "" && !bytes.Contains(part, []byte("\n  name: "+name)) {
			continue
		}
		doc, err := parity.Decode(part)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		if crd, ok := doc.(map[string]any); ok {
			return crd, part, nil
		}
	}
	return nil, nil, errors.New(file + ": no such CRD: " + name)
}

// A pair of validators of one schema.
type peers struct {
	schema     map[string]any
	structural *structuralschema.Structural
	reference  *schemacel.Validator
	ours       *kubecel.RuleSet
	// rules are those of ours without what the façade does with objects.
	rules *crd.Validator
}

func newPeers(schema map[string]any) (peers, error) {
	s, err := reference.Structural(schema)
	if err != nil {
		return peers{}, err
	}
	parsed, err := kubecel.ParseResourceSchema(encoded(schema))
	if err != nil {
		return peers{}, err
	}
	rules, err := parsed.Compile()
	if err != nil {
		return peers{}, err
	}
	doc, err := typesystem.ParseOpenAPI(encoded(schema))
	if err != nil {
		return peers{}, err
	}
	env, err := compile.ForServer(server.StoredIn(release.Newest()))
	if err != nil {
		return peers{}, err
	}
	validator, err := crd.NewValidator(doc, true, env.Rules())
	return peers{schema, s, schemacel.NewValidator(s, true, celconfig.PerCallLimit), rules, validator}, err
}

// validate is a row. Both sides must find equally many violations.
func (p peers) validate(t *testing.T, name string, object, old map[string]any) row {
	ctx := context.Background()
	reference := func() int {
		var opts []schemacel.Option
		var before any
		if old != nil {
			before = old
			opts = append(opts, schemacel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: p.structural})))
		}
		errs, _ := p.reference.Validate(ctx, nil, p.structural, object, before, celconfig.RuntimeCELCostBudget, opts...)
		return len(errs)
	}
	ours := func() int {
		found, err := p.ours.Validate(ctx, object, old, kubecel.AlreadyDefaulted())
		if err != nil {
			t.Fatal(err)
		}
		return len(found.Violations)
	}
	if r, o := reference(), ours(); r != o {
		t.Errorf("%s: the reference finds %d violations, kubecel %d", name, r, o)
	}
	note := "accepted"
	if n := ours(); n > 0 {
		note = fmt.Sprintf("%d violations", n)
	}
	var before any
	if old != nil {
		before = old
	}
	alone := func() {
		if _, err := p.rules.Validate(ctx, object, before, crd.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return row{name: name, contestants: []func(){func() { reference() }, func() { ours() }, alone}, note: note}
}

// validateRows derives objects of each CRD: a small and a large one as created, and
// an update in which little changes.
func validateRows(t *testing.T, measure func(row)) {
	for i, c := range peerCRDs {
		document, err := readCRD(c.module, c.file, c.crd)
		if err != nil {
			t.Log(err) // a module may not be to be had
			continue
		}
		all, err := parity.SchemasOf(parity.CRDCase{CRD: document})
		if err != nil {
			t.Fatal(err)
		}
		p, err := newPeers(richest(all))
		if err != nil {
			t.Fatal(err)
		}
		name := document["metadata"].(map[string]any)["name"].(string)
		project, _, _ := strings.Cut(filepath.Base(c.module), "@")
		derive := func(depth, items int) map[string]any {
			m := parity.Example(p.schema, depth, items).(map[string]any)
			m["apiVersion"], m["kind"], m["metadata"] = "example.com/v1", "Example", map[string]any{"name": "example"}
			defaulting.Default(m, p.structural)
			return m
		}
		large := derive(20, 3)
		if v, err := p.ours.Validate(context.Background(), large, nil, kubecel.AlreadyDefaulted()); err != nil || v.Cost == 0 && len(v.Violations) == 0 {
			continue // no rule applies
		}
		measure(p.validate(t, fmt.Sprintf("%s %s large", project, name), large, nil))
		switch i % 2 {
		case 0:
			measure(p.validate(t, fmt.Sprintf("%s %s small", project, name), derive(2, 1), nil))
		default:
			old := parity.DeepCopy(large).(map[string]any)
			large["metadata"].(map[string]any)["name"] = "changed"
			measure(p.validate(t, fmt.Sprintf("%s %s update", project, name), large, old))
		}
	}
}

// richest is the schema with the most rules, the last of several.
func richest(all []parity.SchemaCase) map[string]any {
	return slices.MaxFunc(all, func(a, b parity.SchemaCase) int {
		if n := cmp.Compare(ruleCount(a.Schema), ruleCount(b.Schema)); n != 0 {
			return n
		}
		return -1
	}).Schema
}

func ruleCount(schema any) (n int) {
	switch s := schema.(type) {
	case map[string]any:
		for key, value := range s {
			if rules, ok := value.([]any); ok && key == "x-kubernetes-validations" {
				n += len(rules)
			}
			n += ruleCount(value)
		}
	case []any:
		for _, value := range s {
			n += ruleCount(value)
		}
	}
	return n
}

func encoded(schema map[string]any) []byte {
	data, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return data
}

// peerSchema is the HTTPRoute of the standard channel of v1.4.1, which has 77
// rules, and the object that all of them accept.
func peerSchema(tb testing.TB) (schema map[string]any, route map[string]any) {
	tb.Helper()
	crd, err := readCRD("sigs.k8s.io/gateway-api@v1.4.1", "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml", "")
	if err != nil {
		tb.Fatal(err)
	}
	all, err := parity.SchemasOf(parity.CRDCase{CRD: crd})
	if err != nil {
		tb.Fatal(err)
	}
	schema = all[0].Schema
	s, err := reference.Structural(schema)
	if err != nil {
		tb.Fatal(err)
	}
	route = examplesOf("HTTPRoute")[0]
	defaulting.Default(route, s)
	return schema, route
}

func routeRows(t *testing.T, measure func(row)) {
	schema, route := peerSchema(t)
	p, err := newPeers(schema)
	if err != nil {
		t.Fatal(err)
	}
	measure(p.validate(t, "HTTPRoute of Gateway API v1.4.1, created", route, nil))
	measure(p.validate(t, "HTTPRoute of Gateway API v1.4.1, updated", route, parity.DeepCopy(route).(map[string]any)))
}

// compileRows compile the schema of the HTTPRoute, which is decoded already.
func compileRows(t *testing.T, measure func(row)) {
	schema, _ := peerSchema(t)
	props, err := reference.SchemaProps(schema)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := kubecel.ParseResourceSchema(encoded(schema))
	if err != nil {
		t.Fatal(err)
	}
	theirs := func() {
		s, err := structuralschema.NewStructural(props)
		if err != nil {
			t.Fatal(err)
		}
		schemacel.NewValidator(s, true, celconfig.PerCallLimit)
	}
	ours := func() {
		if _, err := parsed.Compile(); err != nil {
			t.Fatal(err)
		}
	}
	measure(row{name: "decoded schema to rules, HTTPRoute", contestants: []func(){theirs, ours}})
}
