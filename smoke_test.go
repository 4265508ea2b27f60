package kubecel

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestSmoke(t *testing.T) {
	doc, err := os.ReadFile("/root/go/pkg/mod/sigs.k8s.io/gateway-api@v1.4.1/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	findings, err := CheckCRD(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Errorf("%v", f)
	}
	rules, err := CompileCRD(doc, "v1")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("examples/httproute/objects/*.yaml")
	for _, f := range files {
		data, _ := os.ReadFile(f)
		obj, err := ParseObject(data)
		if err != nil {
			t.Fatal(err)
		}
		rep, err := rules.Validate(context.Background(), rules.Complete(obj), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(f, rep.Cost)
		for _, v := range rep.Violations {
			t.Logf("  %v | %v", v, v.FieldError())
		}
	}
}
func BenchmarkSmokeValidate(b *testing.B) {
	doc, _ := os.ReadFile("/root/go/pkg/mod/sigs.k8s.io/gateway-api@v1.4.1/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml")
	rules, err := CompileCRD(doc, "v1")
	if err != nil {
		b.Fatal(err)
	}
	data, _ := os.ReadFile("examples/httproute/objects/1-accepted.yaml")
	obj, _ := ParseObject(data)
	obj = rules.Complete(obj)
	b.ReportAllocs()
	for b.Loop() {
		rules.Validate(context.Background(), rules.Complete(obj), nil)
	}
}
func BenchmarkSmokeCompile(b *testing.B) {
	doc, _ := os.ReadFile("/root/go/pkg/mod/sigs.k8s.io/gateway-api@v1.4.1/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml")
	b.ReportAllocs()
	for b.Loop() {
		CompileCRD(doc, "v1")
	}
}
