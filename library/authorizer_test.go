package library_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/library"
)

// alice is the user of the cases of authorization checks.
func alice() *library.UserInfo {
	return &library.UserInfo{Name: "alice", UID: "7", Groups: []string{"dev", "system:authenticated"}}
}

// answerByVerb is the authorizer of the cases of authorization checks, which say
// what it answers.
func answerByVerb(_ context.Context, a library.Attributes) (library.Decision, string, error) {
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
	var b strings.Builder
	fmt.Fprintf(&b, "user=%s groups=%s", a.User.Name, strings.Join(a.User.Groups, ","))
	if !a.IsResource {
		fmt.Fprintf(&b, " path=%s", a.Path)
		return b.String()
	}
	fmt.Fprintf(&b, " group=%s version=%s resource=%s subresource=%s namespace=%s name=%s",
		a.Group, a.APIVersion, a.Resource, a.Subresource, a.Namespace, a.Name)
	for _, r := range a.FieldSelector {
		fmt.Fprintf(&b, " field[%s %s %s]", r.Field, r.Operator, r.Value)
	}
	if a.FieldSelectorError != nil {
		fmt.Fprintf(&b, " fieldError[%v]", a.FieldSelectorError)
	}
	for _, r := range a.LabelSelector {
		fmt.Fprintf(&b, " label[%s]", r.String())
	}
	if a.LabelSelectorError != nil {
		fmt.Fprintf(&b, " labelError[%v]", a.LabelSelectorError)
	}
	return b.String()
}

// testAuthorizer is the variable `authorizer` of the cases.
func testAuthorizer(t testing.TB) ref.Val {
	t.Helper()
	v, err := library.NewAuthorizerValue(context.Background(), library.AuthorizerFunc(answerByVerb), alice())
	if err != nil {
		t.Fatal(err)
	}
	return v
}
