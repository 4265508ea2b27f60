package main

import (
	"context"
	_ "embed"
	"fmt"
	"github.com/kubecel/kubecel"
)

//go:embed crd.yaml
var document []byte

func main() {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		panic(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		panic(err)
	}
	object := map[string]any{"spec": map[string]any{"host": "my_host"}}
	result, err := rules.Validate(context.Background(), object, nil)
	fmt.Println(result.ErrorList().ToAggregate(), result.Cost, err)
}
