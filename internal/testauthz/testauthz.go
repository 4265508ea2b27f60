// Package testauthz is the authorizer of tests: that of the cases in
// testdata/cases/authz.yaml, which say what it answers.
package testauthz

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/library"
)

// Alice is the user of the cases.
func Alice() *library.UserInfo {
	return &library.UserInfo{Name: "alice", UID: "7", Groups: []string{"dev", "system:authenticated"}}
}

// AnswerByVerb is the authorizer.
func AnswerByVerb(_ context.Context, a library.Attributes) (library.Decision, string, error) {
	switch a.Verb {
	case "ignore":
		return library.NoOpinion, "", nil
	case "deny":
		return library.Deny, "forbidden by rule", nil
	case "fail":
		return library.NoOpinion, "webhook", errors.New("connection refused")
	case "allowfail":
		return library.Allow, "both", errors.New("stale cache")
	case "describe":
		return library.NoOpinion, describe(a), nil
	}
	return library.Allow, "", nil
}

func describe(a library.Attributes) string {
	text := fmt.Sprintf("user=%s groups=%s", a.User.Name, strings.Join(a.User.Groups, ","))
	if a.Path != "" {
		return text + " path=" + a.Path
	}
	text += fmt.Sprintf(" group=%s version=%s resource=%s subresource=%s namespace=%s name=%s",
		a.Group, a.APIVersion, a.Resource, a.Subresource, a.Namespace, a.Name)
	for _, r := range a.FieldSelector {
		text += fmt.Sprintf(" field[%s %s %s]", r.Field, r.Operator, r.Value)
	}
	if a.FieldSelectorError != nil {
		text += fmt.Sprintf(" fieldError[%v]", a.FieldSelectorError)
	}
	for _, r := range a.LabelSelector {
		text += fmt.Sprintf(" label[%s]", r.String())
	}
	if a.LabelSelectorError != nil {
		text += fmt.Sprintf(" labelError[%v]", a.LabelSelectorError)
	}
	return text
}

// Variable is the value of the variable `authorizer` of the cases.
func Variable() (ref.Val, error) {
	return library.NewAuthorizerValue(context.Background(), AnswerByVerb, Alice())
}
