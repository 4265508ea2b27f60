package kubecel_test

import (
	"fmt"
	"log"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/release"
)

func ExampleEnv_AcceptedBy() {
	env, err := kubecel.NewEnv(kubecel.Variable("address", cel.StringType))
	if err != nil {
		log.Fatal(err)
	}
	accepted, err := env.AcceptedBy("cidr('10.0.0.0/8').containsIP(address)")
	if err != nil {
		log.Fatal(err)
	}
	lowest, _ := accepted.Lowest()
	fmt.Println(lowest)
	for _, requirement := range accepted.Deciding() {
		fmt.Println(requirement)
	}
	// Output:
	// 1.31
	// cidr at 1:1: Kubernetes 1.31
	// containsIP at 1:20: Kubernetes 1.31
}

func ExampleCRD_AcceptedBy() {
	crd, err := kubecel.ParseCRD([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - name: v1
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {memory: {type: string, maxLength: 32}}
        x-kubernetes-validations:
        - rule: quantity(self.memory).isLessThan(quantity('64Gi'))
          messageExpression: "'%s is too much'.format([self.memory])"
`))
	if err != nil {
		log.Fatal(err)
	}
	accepted, err := crd.AcceptedBy()
	if err != nil {
		log.Fatal(err)
	}
	for _, rule := range accepted.Rules {
		fmt.Println(rule.Path)
		fmt.Println(rule.Releases())
		fmt.Println(rule.Deciding())
	}
	// Output:
	// spec.validation.openAPIV3Schema.x-kubernetes-validations[0]
	// [1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37]
	// [format at 1:18 of the messageExpression: Kubernetes 1.30]
}

func ExampleForRelease() {
	release, err := release.Parse("v1.30.4")
	if err != nil {
		log.Fatal(err)
	}
	for _, options := range [][]kubecel.EnvOption{
		{kubecel.ForRelease(release)},
		{kubecel.ForRelease(release), kubecel.StoredExpressions()},
	} {
		env, err := kubecel.NewEnv(options...)
		if err != nil {
			log.Fatal(err)
		}
		_, err = env.Compile("isIP('::1')")
		fmt.Println(err)
	}
	// Output:
	// expression does not compile
	// 1:5: undeclared reference to 'isIP' (in container '') (isIP needs Kubernetes 1.31)
	//   | isIP('::1')
	//   |     ^
	// <nil>
}

func ExampleCapabilities() {
	capabilities, err := kubecel.Capabilities(release.Minor(30))
	if err != nil {
		log.Fatal(err)
	}
	for _, function := range capabilities.Functions {
		if function.Name == "isIP" {
			overload := function.Overloads[0]
			fmt.Println(overload.Signature, overload.Cost)
			fmt.Println("accepts it in new expressions:", overload.Written)
		}
	}
	// Output:
	// isIP(string) → bool 0.1·size(argument)
	// accepts it in new expressions: false
}
