// Httproute validates HTTPRoutes by the rules of the Gateway API's own
// CustomResourceDefinition, which it reads from the Go module
// sigs.k8s.io/gateway-api. It prints what an API server would say of the CRD and of
// each object, what the rules may cost, and what they did cost.
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
	"github.com/kubecel/kubecel/release"
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
	fmt.Printf("%s\n  an API server of Kubernetes %v has %d objections to this CRD\n\n", crd, release.Newest(), len(findings))

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
		result, err := rules.Validate(ctx, object, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		printResult(file, result)
	}
	return nil
}

// printEstimates shows the five rules with the highest estimates.
func printEstimates(rules []kubecel.Rule) {
	slices.SortStableFunc(rules, func(a, b kubecel.Rule) int { return cmp.Compare(b.Total(), a.Total()) })
	fmt.Printf("%d rules; the costliest by estimate (limit %d):\n", len(rules), uint64(cost.EstimateLimit))
	for _, rule := range rules[:min(5, len(rules))] {
		fmt.Printf("  %9d = %d units x %d  %s\n             %.90s\n",
			rule.Total(), rule.Estimate.Max, rule.Cardinality, rule.SchemaPath, rule.Rule)
	}
	fmt.Println()
}

func printResult(file string, result *kubecel.Validation) {
	verdict := "accepted"
	if !result.Valid() {
		verdict = "rejected"
	}
	fmt.Printf("%s: %s, %d of %d cost units spent\n", file, verdict, result.Cost, result.Budget)
	for _, v := range result.Violations {
		fmt.Printf("  %s\n    %s\n    rule: %.90s\n", v.Path, v.Message, v.Rule)
	}
	fmt.Println()
}

// download lets the go command fetch a module, and returns its folder.
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
