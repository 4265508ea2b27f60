package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// manifests are a policy that allows a number of replicas, and says so in its message.
func manifests(limit int) []byte {
	return []byte(fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  variables: [{name: limit, expression: "%[1]d"}]
  validations: [{expression: object.spec.replicas <= variables.limit, messageExpression: "'at most ' + string(variables.limit)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replicas}
spec: {policyName: replicas, validationActions: [Deny]}
---
apiVersion: v1
kind: Namespace
metadata: {name: web}
`, limit))
}

func reviewOf(uid string, replicas int) string {
	return fmt.Sprintf(`{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": %q, "operation": "CREATE", "name": "front", "namespace": "web",
		"kind": {"group": "apps", "version": "v1", "kind": "Deployment"}, "resource": {"group": "apps", "version": "v1", "resource": "deployments"},
		"userInfo": {"username": "alice"}, "object": {"spec": {"replicas": %d}}}}`, uid, replicas)
}

func post(t *testing.T, client *http.Client, url, body string) (int, review) {
	answer, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, review{}
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	var r review
	if err == nil && answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, r
}

// TestReload has 64 clients ask over loopback while the policies change. Each answer is
// that of one state of the folder: either 5 replicas are too many for it, or they are not.
func TestReload(t *testing.T) {
	const clients, requests = 64, 30
	file := filepath.Join(t.TempDir(), "policies.yaml")
	write := func(limit int) {
		// As one step, so that nobody reads half a file.
		if err := os.WriteFile(file+".new", manifests(limit), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Error(err)
		}
	}
	write(3)
	webhook := NewWebhook(filepath.Dir(file))
	if err := webhook.Reload(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(webhook)
	defer server.Close()
	done, changed := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				changed <- n
				return
			default:
				write([]int{3, 7}[n%2])
				if err := webhook.Reload(); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	var group sync.WaitGroup
	for c := range clients {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range requests {
				uid := fmt.Sprint(c, "-", i)
				code, r := post(t, server.Client(), server.URL, reviewOf(uid, 5))
				denied := r.Response.Status != nil && strings.HasSuffix(r.Response.Status.Message, ": at most 3")
				if code != http.StatusOK || r.Response.UID != uid || r.Response.Allowed == denied {
					t.Errorf("%s: %d, %+v", uid, code, r.Response)
				}
			}
		}()
	}
	group.Wait()
	close(done)
	t.Logf("%d requests while the policies changed %d times", clients*requests, <-changed)
}

// TestBadFolder holds that policies which a server would reject leave the old ones.
func TestBadFolder(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "policies.yaml")
	if err := os.WriteFile(file, manifests(3), 0o600); err != nil {
		t.Fatal(err)
	}
	webhook := NewWebhook(folder)
	if err := webhook.Reload(); err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(manifests(3)), "object.spec", "objects.spec", 1)
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := webhook.Reload(); err == nil || !strings.Contains(err.Error(), "policy replicas: spec.validations[0].expression") {
		t.Errorf("error %v", err)
	}
	server := httptest.NewServer(webhook)
	defer server.Close()
	if code, r := post(t, server.Client(), server.URL, reviewOf("1", 5)); code != http.StatusOK || r.Response.Allowed {
		t.Errorf("%d, %+v", code, r)
	}
	for _, body := range []string{"", "{", `{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1beta1"}`, `{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}`} {
		if code, _ := post(t, server.Client(), server.URL, body); code != http.StatusBadRequest {
			t.Errorf("%q: %d", body, code)
		}
	}
}
