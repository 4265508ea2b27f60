package kubecel_test

import (
	"context"
	"fmt"
	"log"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
)

const unboundedTags = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - rule: self.tags.all(t, !t.contains(self.forbidden))
        properties:
          forbidden: {type: string, maxLength: 63}
          tags: {type: array, items: {type: string, maxLength: 63}}
`

// A server rejects this CRD for the cost of its rule. The report says which bound
// would make it accept.
func ExampleCRD_Report() {
	crd, err := kubecel.ParseCRD([]byte(unboundedTags))
	if err != nil {
		log.Fatal(err)
	}
	report, err := crd.Report("v1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(report.Expressions[0].Text(0))
	// Output:
	// x-kubernetes-validations[0].rule
	//   self.tags.all(t, !t.contains(self.forbidden))
	//   ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔ [1]
	//                     ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔ [2]
	//
	//   [1] ████████████████████ 100.0%  loop: 716,176,728
	//       iterations: 1,048,575, tags has no maxItems: as many of 3 bytes as a request holds
	//   [2] ████████████████████  99.4%  contains: 679 × 1,048,575, of which 676 by itself
	//       operand 0: 252, maxLength 63 of tags[*], each counts 4
	//       operand 1: 252, maxLength 63 of forbidden, each counts 4
	//
	//   one evaluation    716,176,728 (at least 3)
	//   estimated total   716,176,728; a server allows 10,000,000, which is exceeded 71.62 times
	//   a server says     estimated rule cost exceeds budget by factor of 71.6x (try simplifying the rule,
	//                     or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings
	//                     are declared)
	//
	//   set these bounds: the estimate is 9,999,806 then, estimated anew with them
	//     maxItems:            14,641  tags (it is missing)
}

// A report with an evaluation says what each part may cost, and what it did cost.
func ExampleEnv_Report() {
	env, err := kubecel.NewEnv(kubecel.Variable("names", cel.ListType(cel.StringType)))
	if err != nil {
		log.Fatal(err)
	}
	values := map[string]any{"names": []string{"web", "db", "cache"}}
	report, err := env.ReportEval(context.Background(), "['a', 'b'].all(x, x in names)", values)
	if err != nil {
		log.Fatal(err)
	}
	loop := report.Root
	fmt.Printf("%s is %s: %d iteration, %d units\n", loop.Text, report.Actual.Result, loop.Actual.Iterations, report.Actual.Cost)
	// Output:
	// ['a', 'b'].all(x, x in names) is false: 1 iteration, 11 units
}
