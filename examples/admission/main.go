// Admission decides about a Deployment by the policies in a file, as an API server does:
// it prints which release accepts the policies, what they may cost, and who is denied,
// warned and audited in two namespaces, at which cost.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/admission"
)

var (
	//go:embed policies.yaml
	policies []byte
	//go:embed cluster.yaml
	cluster []byte
	//go:embed deployment.yaml
	deployment []byte
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	policies, bindings, err := admission.ParseAll(policies)
	if err != nil {
		return err
	}
	for _, p := range policies {
		if err := describe(out, p); err != nil {
			return err
		}
	}
	set, err := admission.NewSet(policies, bindings)
	if err != nil {
		return err
	}
	world, err := readCluster()
	if err != nil {
		return err
	}
	object, err := kubecel.ParseObject(deployment)
	if err != nil {
		return err
	}
	for _, namespace := range []string{"shop", "test"} {
		decision, err := set.Evaluate(ctx, &admission.Request{
			Kind:      admission.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
			Resource:  admission.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
			Operation: admission.Create,
			Name:      "front",
			Namespace: namespace,
			UserInfo:  admission.UserInfo{Username: "alice", Groups: []string{"system:authenticated"}},
			Object:    object,
		}, world)
		if err != nil {
			return err
		}
		show(out, namespace, decision)
	}
	return nil
}

// describe prints what a server says of a policy, and what it may cost.
func describe(out io.Writer, p *admission.Policy) error {
	findings, err := p.Check()
	if err != nil {
		return err
	}
	for _, f := range findings {
		fmt.Fprintln(out, f.Error())
	}
	accepted, err := p.AcceptedBy()
	if err != nil {
		return err
	}
	report, err := p.Report()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Policy %s needs Kubernetes %v.\n%s", p.Name(), accepted.Lowest(), report.Text())
	return nil
}

// readCluster reads the namespaces and params that a server would look up.
func readCluster() (*admission.Cluster, error) {
	namespaces := map[string]map[string]any{}
	var params []map[string]any
	for _, document := range bytes.Split(cluster, []byte("---\n")) {
		object, err := kubecel.ParseObject(document)
		if err != nil {
			return nil, err
		}
		if object["kind"] == "Namespace" {
			namespaces[object["metadata"].(map[string]any)["name"].(string)] = object
		} else {
			params = append(params, object)
		}
	}
	return &admission.Cluster{
		Namespace: func(_ context.Context, name string) (map[string]any, error) { return namespaces[name], nil },
		Params:    admission.StaticParams(params...),
	}, nil
}

func show(out io.Writer, namespace string, d *admission.Decision) {
	fmt.Fprintf(out, "\nNamespace %s: allowed %v\n", namespace, d.Allowed)
	if d.Status != nil {
		fmt.Fprintf(out, "  denied with %d %s: %s\n", d.Status.Code, d.Status.Reason, d.Status.Message)
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(out, "  warned: %s\n", warning)
	}
	for _, key := range slices.Sorted(maps.Keys(d.AuditAnnotations)) {
		fmt.Fprintf(out, "  audited: %s = %s\n", key, d.AuditAnnotations[key])
	}
	for _, e := range d.Evaluations {
		fmt.Fprintf(out, "  %s with %s and %s cost %d units\n", e.Policy, e.Binding, e.Param, e.Costs.Total())
	}
}
