// Httproute validates HTTPRoutes by the rules of the Gateway API's own
// CustomResourceDefinition, which it reads from the Go module
// sigs.k8s.io/gateway-api, and prints what an API server would say, what the
// rules cost and what they may cost.
package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
)

const (
	module = "sigs.k8s.io/gateway-api@v1.4.1"
	crd    = "config/crd/experimental/gateway.networking.k8s.io_httproutes.yaml"
)

//go:embed objects/*.yaml
var objects embed.FS

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dir, err := download(module)
	if err != nil {
		return err
	}
	document, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(crd)))
	if err != nil {
		return err
	}

	definition, err := kubecel.ParseCRD(document)
	if err != nil {
		return err
	}
	findings, err := definition.Check()
	if err != nil {
		return err
	}
	fmt.Printf("%s\n  an API server of Kubernetes 1.37 has %d objections to this CRD\n\n", crd, len(findings))

	rules, err := definition.Compile("v1")
	if err != nil {
		return err
	}
	printEstimates(rules.Rules())

	files, err := fs.Glob(objects, "objects/*.yaml")
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := objects.ReadFile(file)
		if err != nil {
			return err
		}
		object, err := kubecel.ParseObject(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		report, err := rules.Validate(ctx, rules.ApplyDefaults(object), nil)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		printReport(file, report)
	}
	return nil
}

// printEstimates shows the five rules that an API server thinks most costly.
func printEstimates(rules []kubecel.Rule) {
	slices.SortStableFunc(rules, func(a, b kubecel.Rule) int { return cmp.Compare(b.Total(), a.Total()) })
	fmt.Printf("%d rules; the costliest by estimate (limit %d):\n", len(rules), uint64(cost.EstimateLimit))
	for _, rule := range rules[:min(5, len(rules))] {
		fmt.Printf("  %9d = %d units x %d  %s\n             %.90s\n",
			rule.Total(), rule.Estimate.Max, rule.Cardinality, rule.SchemaPath, rule.Rule)
	}
	fmt.Println()
}

func printReport(file string, report *kubecel.Validation) {
	verdict := "accepted"
	if !report.Valid() {
		verdict = "rejected"
	}
	fmt.Printf("%s: %s, %d of %d cost units spent\n", file, verdict, report.Cost, report.Budget)
	for _, v := range report.Violations {
		fmt.Printf("  %s\n    %s\n    rule: %.90s\n", v.Path, v.Message, v.Rule)
	}
	fmt.Println()
}

// download has the go command fetch a module and returns its folder.
func download(module string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return "", err
	}
	return info.Dir, nil
}
