package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fine is a CRD whose rule needs Kubernetes 1.31.
const fine = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  versions:
  - name: v1
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {a: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: isIP(self)}]}}}}
`

// TestLint holds what is printed for files and for the standard input.
func TestLint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fine.yaml")
	if err := os.WriteFile(file, []byte(fine), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args  []string
		in    string
		count int
		want  []string
	}{
		{[]string{"-lowest", file}, "", 0, []string{file + ": things.example.com: Kubernetes 1.31"}},
		{nil, fine, 0, nil},
		{[]string{"-release", "1.30"}, fine, 1, []string{"-:8:129: RuleInvalid: undeclared reference to 'isIP'"}},
		{[]string{"crd.yaml", file}, "", 5, []string{
			"crd.yaml:33:47: RuleInvalid: undefined field 'replica'", "crd.yaml:35:48: MessageExpressionInvalid: found no matching overload",
			"crd.yaml:36:21: EstimateExceeded: ", "crd.yaml:36:21: SchemaEstimateExceeded: ", "crd.yaml:18:9: SchemaEstimateExceeded: ",
		}},
	} {
		var out strings.Builder
		count, err := run(tt.args, strings.NewReader(tt.in), &out)
		if err != nil || count != tt.count {
			t.Errorf("%v: %d findings, %v", tt.args, count, err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if out.Len() == 0 {
			lines = nil
		}
		for i := range max(len(lines), len(tt.want)) {
			if i >= len(lines) || i >= len(tt.want) || !strings.HasPrefix(lines[i], tt.want[i]) {
				t.Fatalf("%v: printed\n%s\nwant the beginnings\n%s", tt.args, out.String(), strings.Join(tt.want, "\n"))
			}
		}
	}
	for _, args := range [][]string{{"missing.yaml"}, {"-release", "2.0"}, {"main.go"}} {
		if _, err := run(args, strings.NewReader(""), &strings.Builder{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

// TestExitStatus runs the command as CI does.
func TestExitStatus(t *testing.T) {
	command := filepath.Join(t.TempDir(), "lint")
	if out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for file, want := range map[string]int{"crd.yaml": 1, "missing.yaml": 2, os.DevNull: 0} {
		run := exec.Command(command, file)
		if _ = run.Run(); run.ProcessState.ExitCode() != want {
			t.Errorf("%s: status %d, want %d", file, run.ProcessState.ExitCode(), want)
		}
	}
}
