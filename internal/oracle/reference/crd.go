package reference

import (
	"context"
	"encoding/json"
	"regexp"

	"github.com/kubecel/kubecel/internal/parity"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// CRD decodes, defaults, converts and checks a CRD as the server does on
// creation. The stored versions, which the server fills in before it checks,
// are filled in by defaulting.
func (r *Reference) CRD(c parity.CRDCase) parity.CRDOutcome {
	data, err := json.Marshal(c.CRD)
	if err != nil {
		return parity.CRDOutcome{DecodeError: err.Error()}
	}
	errs, err := CheckCRD(data)
	if err != nil {
		return parity.CRDOutcome{DecodeError: err.Error()}
	}
	var o parity.CRDOutcome
	for _, e := range errs {
		f := parity.FieldErrorOf(e)
		f.Class = classOf(e)
		o.Errors = append(o.Errors, f)
	}
	return o
}

// CheckCRD gives the errors of a document, or the one of decoding it.
func CheckCRD(document []byte) (field.ErrorList, error) {
	crd, err := decodeCRD(document)
	if err != nil {
		return nil, err
	}
	return validation.ValidateCustomResourceDefinition(context.Background(), crd), nil
}

// UpdateCRD gives the errors of a document that replaces an old one, or the one of decoding them.
func UpdateCRD(document, old []byte) (field.ErrorList, error) {
	crd, err := decodeCRD(document)
	if err != nil {
		return nil, err
	}
	replaced, err := decodeCRD(old)
	if err != nil {
		return nil, err
	}
	for _, each := range []*apiextensions.CustomResourceDefinition{crd, replaced} {
		each.ResourceVersion = "1"
	}
	return validation.ValidateCustomResourceDefinitionUpdate(context.Background(), crd, replaced), nil
}

// AboutSchemas are the errors about schemas and rules, without those about default values.
func AboutSchemas(errs field.ErrorList) (about field.ErrorList) {
	for _, e := range errs {
		if classOf(e) != parity.ClassOther && !inDefault.MatchString(e.Field) {
			about = append(about, e)
		}
	}
	return about
}

// inDefault matches the places of what is wrong with the value of a default.
var inDefault = regexp.MustCompile(`\.default[.\[]`)

func decodeCRD(data []byte) (*apiextensions.CustomResourceDefinition, error) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	obj, _, err := serializer.NewCodecFactory(scheme).UniversalDecoder(apiextensions.SchemeGroupVersion).Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	return obj.(*apiextensions.CustomResourceDefinition), nil
}
