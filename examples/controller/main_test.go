package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// review posts a request and returns the response.
func review(t *testing.T, url, resource, object, old string) *admissionv1.AdmissionResponse {
	t.Helper()
	request := &admissionv1.AdmissionRequest{
		UID: "u", Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: []byte(object)},
		Resource: metav1.GroupVersionResource{Group: "example.com", Version: "v1", Resource: resource},
	}
	if old != "" {
		request.Operation, request.OldObject = admissionv1.Update, runtime.RawExtension{Raw: []byte(old)}
	}
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"}, Request: request,
	})
	if err != nil {
		t.Error(err)
		return nil
	}
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	defer response.Body.Close()
	var answer admissionv1.AdmissionReview
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Response == nil {
		t.Errorf("%s: %v", response.Status, err)
		return nil
	}
	return answer.Response
}

// TestWebhook holds what the webhook says, to several clients at once.
func TestWebhook(t *testing.T) {
	handler, err := newWebhook("testdata/widgets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	widget := func(replicas string) string {
		return fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {%s}}`, replicas)
	}
	tests := []struct {
		resource, object, old, denied, warned string
		allowed                               bool
	}{
		{"widgets", widget(`"replicas": 3`), "", "", "", true},
		{"widgets", widget(`"replicas": 4`), "", "spec.replicas: Invalid value: replicas must be odd", "", false},
		{"widgets", widget(``), "", "", "", true}, // the default is odd
		{"widgets", widget(`"replicas": 4`), widget(`"replicas": 3`), "replicas must be odd", "", false},
		{"widgets", widget(`"replicas": 4`), widget(`"replicas": 4`), "", "replicas must be odd", true},
		{"widgets", `{"apiVersion": "example.com/v1"}`, "", "Object 'Kind' is missing", "", false},
		{"gadgets", widget(`"replicas": 4`), "", "", "", true},
	}
	var clients sync.WaitGroup
	for range 8 {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for _, test := range tests {
				response := review(t, server.URL, test.resource, test.object, test.old)
				if response == nil {
					continue
				}
				if response.Allowed != test.allowed || !test.allowed && !strings.Contains(response.Result.Message, test.denied) {
					t.Errorf("%s %s after %s: %+v", test.resource, test.object, test.old, response)
				}
				if warned := strings.Join(response.Warnings, " "); !strings.Contains(warned, test.warned) || test.warned == "" && warned != "" {
					t.Errorf("%s after %s: warnings %q, want %q", test.object, test.old, warned, test.warned)
				}
			}
		}()
	}
	clients.Wait()
}

// TestBadFiles holds that a CRD that cannot be read is an error that names the file.
func TestBadFiles(t *testing.T) {
	for _, file := range []string{"testdata/none.yaml", "main.go"} {
		if _, err := newWebhook(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
