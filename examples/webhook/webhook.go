package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/admission"
)

// maxRequest is the largest AdmissionReview that is read, in bytes.
const maxRequest = 16 << 20

// Webhook decides about AdmissionReviews by the policies in a folder.
type Webhook struct {
	folder string
	loaded atomic.Pointer[loaded]
	// reloading is held by the one that reads the folder.
	reloading sync.Mutex
}

// loaded is what was in the folder.
type loaded struct {
	hash    [sha256.Size]byte
	set     *admission.Set
	cluster *admission.Cluster
}

// NewWebhook returns a webhook without policies: see Reload.
func NewWebhook(folder string) *Webhook { return &Webhook{folder: folder} }

// Reload reads the folder again if it has changed. Requests that are being decided keep
// the policies that they began with. On an error, the policies stay as they are.
func (w *Webhook) Reload() error {
	w.reloading.Lock()
	defer w.reloading.Unlock()
	files, err := filepath.Glob(filepath.Join(w.folder, "*.yaml"))
	if err != nil {
		return err
	}
	var all bytes.Buffer
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		all.WriteString("\n---\n")
		all.Write(data)
	}
	next := &loaded{hash: sha256.Sum256(all.Bytes())}
	if current := w.loaded.Load(); current != nil && current.hash == next.hash {
		return nil
	}
	if next.set, err = policies(all.Bytes()); err != nil {
		return err
	}
	if next.cluster, err = cluster(all.Bytes()); err != nil {
		return err
	}
	w.loaded.Store(next)
	return nil
}

// policies compiles what is in a stream. Policies that a server would reject are refused.
func policies(data []byte) (*admission.Set, error) {
	policies, bindings, err := admission.ParseAll(data)
	if err != nil {
		return nil, err
	}
	for _, p := range policies {
		findings, err := p.Check()
		if err != nil {
			return nil, err
		}
		if len(findings) > 0 {
			return nil, fmt.Errorf("policy %s: %w", p.Name(), findings[0])
		}
	}
	return admission.NewSet(policies, bindings)
}

// cluster has the namespaces and params among the documents of a stream.
func cluster(data []byte) (*admission.Cluster, error) {
	namespaces := map[string]map[string]any{}
	var objects []map[string]any
	for _, document := range bytes.Split(data, []byte("\n---\n")) {
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		object, err := kubecel.ParseObject(document)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
		if metadata, ok := object["metadata"].(map[string]any); ok && object["kind"] == "Namespace" {
			name, _ := metadata["name"].(string)
			namespaces[name] = object
		}
	}
	return &admission.Cluster{
		Namespace: func(_ context.Context, name string) (map[string]any, error) { return namespaces[name], nil },
		Params:    admission.StaticParams(objects...),
	}, nil
}

// The answer has the form of an AdmissionReview.
type (
	review struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Response   response `json:"response"`
	}

	response struct {
		UID              string            `json:"uid"`
		Allowed          bool              `json:"allowed"`
		Status           *admission.Status `json:"status,omitempty"`
		AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
		Warnings         []string          `json:"warnings,omitempty"`
	}
)

// ServeHTTP decides about the AdmissionReview in the body.
func (w *Webhook) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	if in.Method != http.MethodPost {
		http.Error(out, "an AdmissionReview is posted", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(out, in.Body, maxRequest))
	if err != nil {
		http.Error(out, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	request, err := admission.ParseRequest(body)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	current := w.loaded.Load()
	if current == nil {
		http.Error(out, "there are no policies yet", http.StatusServiceUnavailable)
		return
	}
	decision, err := current.set.Evaluate(in.Context(), request, current.cluster)
	if decision == nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(review{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview", Response: response{
		UID: request.UID, Allowed: decision.Allowed, Status: decision.Status,
		AuditAnnotations: decision.AuditAnnotations, Warnings: decision.Warnings,
	}})
}
