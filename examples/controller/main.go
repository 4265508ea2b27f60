// Command controller is a webhook with the types of controller-runtime: controller ADDRESS CRD...
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/kubecel/kubecel"
)

// validator has rules by resource, group and version.
type validator map[string]*kubecel.RuleSet

func (v validator) Handle(ctx context.Context, request admission.Request) admission.Response {
	rules := v[request.Resource.Resource+"."+request.Resource.Group+"/"+request.Resource.Version]
	if rules == nil || request.Operation == admissionv1.Delete {
		return admission.Allowed("")
	}
	object, err := decode(request.Object)
	old, oldErr := decode(request.OldObject)
	if err := errors.Join(err, oldErr); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	result, err := rules.Validate(ctx, object, old)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	} else if !result.Valid() {
		return admission.Denied(result.ErrorList().ToAggregate().Error())
	}
	var warnings []string
	for _, w := range result.Warnings {
		warnings = append(warnings, w.Error())
	}
	return admission.Allowed("").WithWarnings(warnings...)
}

// decode returns nil for nothing.
func decode(raw runtime.RawExtension) (object *unstructured.Unstructured, err error) {
	if len(raw.Raw) > 0 {
		object = &unstructured.Unstructured{}
		err = object.UnmarshalJSON(raw.Raw)
	}
	return object, err
}

func newWebhook(files ...string) (http.Handler, error) {
	v := validator{}
	for _, file := range files {
		document, err := os.ReadFile(file)
		crd, unreadable := kubecel.ParseCRD(document)
		if err := cmp.Or(err, unreadable); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, version := range crd.Versions() {
			if v[crd.Name()+"/"+version], err = crd.Compile(version); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return &admission.Webhook{Handler: v}, nil
}

func main() {
	handler, err := newWebhook(os.Args[2:]...)
	if err == nil {
		err = http.ListenAndServe(os.Args[1], handler) // a cluster wants TLS
	}
	log.Fatal(err)
}
