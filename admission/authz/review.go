package authz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/selection"

	"github.com/kubecel/kubecel/library"
)

// BySubjectAccessReview asks by SubjectAccessReviews of authorization.k8s.io/v1. The function that
// creates them is that of a client:
//
//	authz.BySubjectAccessReview(clientset.AuthorizationV1().SubjectAccessReviews().Create)
//
// R is any type that has the JSON form of a SubjectAccessReview: that of k8s.io/api, a
// map[string]any or a json.RawMessage. O is the type of the options, which are those of the zero value.
//
// The reviews are those of a server with an authorization webhook: field and label selectors are
// requirements, and those with unknown operators are left out, which makes the check wider. The answer is
// guarded as [Guard] does: an error, a panic, the end of the context, no answer, and one that both allows
// and denies are errors and no allowance.
func BySubjectAccessReview[R, O any](create func(context.Context, *R, O) (*R, error)) library.Authorizer {
	return Guard(func(ctx context.Context, question library.Attributes) (library.Decision, string, error) {
		if create == nil {
			return failed(errMissing).parts()
		}
		request := new(R)
		if err := convert(reviewOf(question), request); err != nil {
			return failed(err).parts()
		}
		var options O
		response, err := create(ctx, request, options)
		switch {
		case err != nil:
			return failed(err).parts()
		case response == nil:
			return failed(errors.New("the SubjectAccessReview has no answer")).parts()
		}
		var answered review
		if err := convert(response, &answered); err != nil {
			return failed(err).parts()
		}
		return answered.Status.answer().parts()
	})
}

// convert makes one of two types with the same JSON form of the other.
func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("%T is no SubjectAccessReview: %w", to, err)
	}
	return nil
}

// review is a SubjectAccessReview.
type review struct {
	APIVersion string       `json:"apiVersion,omitempty"`
	Kind       string       `json:"kind,omitempty"`
	Spec       reviewSpec   `json:"spec"`
	Status     reviewStatus `json:"status,omitzero"`
}

type reviewSpec struct {
	Resource *reviewResource     `json:"resourceAttributes,omitempty"`
	Path     *reviewPath         `json:"nonResourceAttributes,omitempty"`
	User     string              `json:"user,omitempty"`
	Groups   []string            `json:"groups,omitempty"`
	Extra    map[string][]string `json:"extra,omitempty"`
	UID      string              `json:"uid,omitempty"`
}

type reviewResource struct {
	Namespace     string        `json:"namespace,omitempty"`
	Verb          string        `json:"verb,omitempty"`
	Group         string        `json:"group,omitempty"`
	Version       string        `json:"version,omitempty"`
	Resource      string        `json:"resource,omitempty"`
	Subresource   string        `json:"subresource,omitempty"`
	Name          string        `json:"name,omitempty"`
	FieldSelector *requirements `json:"fieldSelector,omitempty"`
	LabelSelector *requirements `json:"labelSelector,omitempty"`
}

type requirements struct {
	Requirements []requirement `json:"requirements,omitempty"`
}

// requirement is one of a selector.
type requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

type reviewPath struct {
	Path string `json:"path,omitempty"`
	Verb string `json:"verb,omitempty"`
}

type reviewStatus struct {
	Allowed bool   `json:"allowed"`
	Denied  bool   `json:"denied,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// answer reads a status as the webhook authorizer of a server does.
func (s reviewStatus) answer() answer {
	switch {
	case s.Denied && s.Allowed:
		return answer{library.Deny, s.Reason, errors.New("the SubjectAccessReview both allows and denies")}
	case s.Denied:
		return answer{library.Deny, s.Reason, nil}
	case s.Allowed:
		return answer{library.Allow, s.Reason, nil}
	}
	return answer{library.NoOpinion, s.Reason, nil}
}

// reviewOf asks a question as the webhook authorizer of a server does.
func reviewOf(a library.Attributes) review {
	r := review{APIVersion: "authorization.k8s.io/v1", Kind: "SubjectAccessReview", Spec: reviewSpec{
		User: a.User.Name, UID: a.User.UID, Groups: a.User.Groups, Extra: a.User.Extra,
	}}
	if a.Path != "" {
		r.Spec.Path = &reviewPath{Path: a.Path, Verb: a.Verb}
		return r
	}
	r.Spec.Resource = &reviewResource{
		Namespace: a.Namespace, Verb: a.Verb, Group: a.Group, Version: a.APIVersion,
		Resource: a.Resource, Subresource: a.Subresource, Name: a.Name,
	}
	r.Spec.Resource.FieldSelector = fieldRequirements(a)
	r.Spec.Resource.LabelSelector = labelRequirements(a)
	return r
}

// selectorOperators are those of requirements by those of selectors.
var selectorOperators = map[selection.Operator]string{
	selection.Equals: "In", selection.DoubleEquals: "In", selection.In: "In", selection.NotEquals: "NotIn", selection.NotIn: "NotIn",
	selection.Exists: "Exists", selection.DoesNotExist: "DoesNotExist",
}

func fieldRequirements(a library.Attributes) *requirements {
	var all []requirement
	for _, r := range a.FieldSelector {
		if operator := selectorOperators[r.Operator]; operator == "In" || operator == "NotIn" {
			all = append(all, requirement{r.Field, operator, []string{r.Value}})
		}
	}
	return required(all)
}

func labelRequirements(a library.Attributes) *requirements {
	var all []requirement
	for _, r := range a.LabelSelector {
		if operator := selectorOperators[r.Operator()]; operator != "" {
			all = append(all, requirement{r.Key(), operator, r.ValuesUnsorted()})
		}
	}
	return required(all)
}

// required returns nil for no requirements.
func required(all []requirement) *requirements {
	if len(all) == 0 {
		return nil
	}
	return &requirements{all}
}
