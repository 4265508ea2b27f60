package admission

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	ours "github.com/kubecel/kubecel"
)

func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var m struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err != nil || m.Dir == "" {
		t.Fatalf("%s: %v: %s", module, err, out)
	}
	return m.Dir
}

// gatewayCase is the policy that the Gateway API ships, with its binding.
func gatewayCase(t *testing.T, file string) Case {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := Case{Name: file}
	for decoder := yaml.NewYAMLOrJSONDecoder(f, 1<<16); ; {
		var document map[string]any
		if decoder.Decode(&document) != nil {
			return c
		}
		if document["kind"] == "ValidatingAdmissionPolicy" {
			c.Policies = append(c.Policies, document)
		} else {
			c.Bindings = append(c.Bindings, document)
		}
	}
}

// TestGateway compares decisions of the policies of the Gateway API about its own CRDs:
// each is created, and replaces that of another release and channel.
func TestGateway(t *testing.T) {
	crds := map[string][]map[string]any{}
	for _, release := range []string{"v1.4.1", "v1.5.0"} {
		files, err := filepath.Glob(filepath.Join(moduleDir(t, "sigs.k8s.io/gateway-api@"+release), "config/crd/*/gateway*_*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if crd, err := ours.ParseObject(data); err == nil {
				name, _ := crd["metadata"].(object)["name"].(string)
				crds[name] = append(crds[name], crd)
			}
		}
	}
	world, compared, denied := NewWorld(), 0, 0
	policies, err := filepath.Glob(filepath.Join(moduleDir(t, "sigs.k8s.io/gateway-api@v1.5.0"), "config/crd/*/*vap*.yaml"))
	if err != nil || len(policies) == 0 {
		t.Fatal("no policies", err)
	}
	for _, file := range policies {
		c := gatewayCase(t, file)
		server, err := NewServer(c, world)
		if err != nil {
			t.Fatal(err)
		}
		evaluator, err := NewOurs(c, world)
		if err != nil {
			t.Fatal(err)
		}
		for name, all := range crds {
			for _, crd := range all {
				for _, old := range append(all, nil) {
					r := &Request{
						Kind:     schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"},
						Resource: schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
						Object:   crd, OldObject: old, ObjectName: name, Operation: admission.Update, User: &user.DefaultInfo{Name: "admin"},
					}
					if old == nil {
						r.Operation = admission.Create
					}
					want := server.Decide(t.Context(), r)
					got, _, err := evaluator.Decide(t.Context(), r)
					if compared++; !want.Allowed {
						denied++
					}
					if err != nil || !same(want, got) {
						t.Errorf("%s: error %v\n server %+v\n ours   %+v", name, err, want, got)
					}
				}
			}
		}
	}
	t.Logf("%d policies, %d requests, %d denied", len(policies), compared, denied)
	if compared < 50 || denied == 0 || denied == compared {
		t.Error("too little was compared")
	}
}
