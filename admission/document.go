package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/document"
)

// The types below have what this package reads of admissionregistration.k8s.io. The
// fields have the names and meanings of v1.
type (
	policyDocument struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   map[string]any `json:"metadata"`
		Spec       policySpec     `json:"spec"`
		Status     map[string]any `json:"status"`
	}

	policySpec struct {
		ParamKind        *paramKind        `json:"paramKind"`
		MatchConstraints *matchResources   `json:"matchConstraints"`
		Validations      []validation      `json:"validations"`
		FailurePolicy    *string           `json:"failurePolicy"`
		AuditAnnotations []auditAnnotation `json:"auditAnnotations"`
		MatchConditions  []MatchCondition  `json:"matchConditions"`
		Variables        []variable        `json:"variables"`
	}

	paramKind struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}

	validation struct {
		Expression        string  `json:"expression"`
		Message           string  `json:"message"`
		Reason            *string `json:"reason"`
		MessageExpression string  `json:"messageExpression"`
	}

	auditAnnotation struct {
		Key             string `json:"key"`
		ValueExpression string `json:"valueExpression"`
	}

	variable struct {
		Name       string `json:"name"`
		Expression string `json:"expression"`
	}

	bindingDocument struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   map[string]any `json:"metadata"`
		Spec       bindingSpec    `json:"spec"`
		Status     map[string]any `json:"status"`
	}

	bindingSpec struct {
		PolicyName        string          `json:"policyName"`
		ParamRef          *paramRef       `json:"paramRef"`
		MatchResources    *matchResources `json:"matchResources"`
		ValidationActions []string        `json:"validationActions"`
	}

	paramRef struct {
		Name                    string         `json:"name"`
		Namespace               string         `json:"namespace"`
		Selector                *labelSelector `json:"selector"`
		ParameterNotFoundAction *string        `json:"parameterNotFoundAction"`
	}

	matchResources struct {
		NamespaceSelector    *labelSelector `json:"namespaceSelector"`
		ObjectSelector       *labelSelector `json:"objectSelector"`
		ResourceRules        []namedRule    `json:"resourceRules"`
		ExcludeResourceRules []namedRule    `json:"excludeResourceRules"`
		MatchPolicy          *string        `json:"matchPolicy"`
	}

	namedRule struct {
		ResourceNames []string `json:"resourceNames"`
		Operations    []string `json:"operations"`
		APIGroups     []string `json:"apiGroups"`
		APIVersions   []string `json:"apiVersions"`
		Resources     []string `json:"resources"`
		Scope         *string  `json:"scope"`
	}

	labelSelector struct {
		MatchLabels      map[string]string     `json:"matchLabels"`
		MatchExpressions []selectorRequirement `json:"matchExpressions"`
	}

	selectorRequirement struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	}
)

// MatchCondition is a condition under which a policy or a webhook applies.
type MatchCondition struct {
	// Name identifies the condition among those of the policy or webhook.
	Name string `json:"name"`
	// Expression is of type bool.
	Expression string `json:"expression"`
}

// Values of fields.
const (
	fail       = "Fail"
	ignore     = "Ignore"
	exact      = "Exact"
	equivalent = "Equivalent"
	anyScope   = "*"
	deny       = "Deny"
	warn       = "Warn"
	audit      = "Audit"
	allow      = "Allow"
)

const (
	apiGroup    = "admissionregistration.k8s.io"
	policyKind  = "ValidatingAdmissionPolicy"
	bindingKind = "ValidatingAdmissionPolicyBinding"
)

// apiVersions are the versions of the API that are read, which differ in nothing else.
var apiVersions = []string{"v1", "v1beta1", "v1alpha1"}

// defaulted sets what a server sets in what is left out.
func (m *matchResources) defaulted() {
	if m == nil {
		return
	}
	for _, selector := range []**labelSelector{&m.NamespaceSelector, &m.ObjectSelector} {
		if *selector == nil {
			*selector = &labelSelector{}
		}
	}
	if m.MatchPolicy == nil {
		m.MatchPolicy = text(equivalent)
	}
	for _, rules := range [][]namedRule{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range rules {
			if rules[i].Scope == nil {
				rules[i].Scope = text(anyScope)
			}
		}
	}
}

func text(s string) *string { return &s }

// or returns the text, or another if there is none.
func or(s *string, other string) string {
	if s == nil {
		return other
	}
	return *s
}

// content returns the unstructured form of a document or an object.
func content(object any) (map[string]any, error) {
	switch o := object.(type) {
	case map[string]any:
		return o, nil
	case interface{ UnstructuredContent() map[string]any }:
		return o.UnstructuredContent(), nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return parse(data)
}

func parse(data []byte) (map[string]any, error) {
	value, err := document.One(data, nil)
	if err != nil {
		return nil, err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the document is no object")
	}
	return fields, nil
}

// read decodes an object of a kind, and returns the version of its API and the paths of
// fields that the kind does not have.
func read(object any, kind string, target any) (version string, unknown []string, err error) {
	fields, err := content(object)
	if err != nil {
		return "", nil, unreadable(kind, err)
	}
	for _, v := range apiVersions {
		if fields["kind"] == kind && fields["apiVersion"] == apiGroup+"/"+v {
			version = v
		}
	}
	if version == "" {
		found, _ := fields["kind"].(string)
		of, _ := fields["apiVersion"].(string)
		return "", nil, &diag.InputError{Code: diag.NotPolicy, Detail: fmt.Sprintf(
			"the document has kind %q and apiVersion %q: expected %s of %s, version %s", found, of, kind, apiGroup, strings.Join(apiVersions[:], ", "))}
	}
	if unknown, err = decode(fields, target); err != nil {
		return "", nil, unreadable(kind, err)
	}
	return version, unknown, nil
}

func nameOf(metadata map[string]any) string {
	name, _ := metadata["name"].(string)
	return name
}

// parseAll reads the policies and bindings of two kinds among the documents of a stream.
func parseAll[P, B any](data []byte, policyKind string, newPolicy func(any) (P, error), bindingKind string, newBinding func(any) (B, error)) (
	policies []P, bindings []B, err error,
) {
	all, _, err := document.Read(data, nil)
	if err != nil {
		return nil, nil, unreadable("manifests", err)
	}
	for _, d := range all {
		fields, _ := d.Value.(map[string]any)
		var p P
		var b B
		switch fields["kind"] {
		case policyKind:
			if p, err = newPolicy(fields); err == nil {
				policies = append(policies, p)
			}
		case bindingKind:
			if b, err = newBinding(fields); err == nil {
				bindings = append(bindings, b)
			}
		}
		var unusable *diag.InputError
		if errors.As(err, &unusable) {
			located := *unusable
			located.Detail = fmt.Sprintf("document %d, line %d: %s", d.Number, d.Line, unusable.Detail)
			return nil, nil, &located
		}
	}
	return policies, bindings, nil
}
