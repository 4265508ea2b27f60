package parity

import (
	"errors"
	"fmt"
	"strings"
)

// Access is an authorization question as the authorizer of the cases sees it.
type Access struct {
	User, Verb, Path                                         string
	Resource                                                 bool
	Group, Version, Kind, Subresource, Namespace, ObjectName string
	FieldSelector, LabelSelector                             []string
	FieldSelectorError, LabelSelectorError                   string
}

// Authorize answers for every implementation alike: "get" is allowed, "deny"
// is denied, "fail" is an error, all else has no opinion. The reason repeats the
// question, so that a case sees all that reached the authorizer.
func Authorize(a Access) (allowed, denied bool, reason string, err error) {
	var b strings.Builder
	fmt.Fprintf(&b, "user=%s verb=%s", a.User, a.Verb)
	if a.Resource {
		fmt.Fprintf(&b, " group=%q version=%s resource=%q/%q namespace=%q name=%q fields=%q labels=%q",
			a.Group, a.Version, a.Kind, a.Subresource, a.Namespace, a.ObjectName, a.FieldSelector, a.LabelSelector)
		if a.FieldSelectorError != "" {
			b.WriteString(" fieldError=" + a.FieldSelectorError)
		}
		if a.LabelSelectorError != "" {
			b.WriteString(" labelError=" + a.LabelSelectorError)
		}
	} else {
		fmt.Fprintf(&b, " path=%q", a.Path)
	}
	switch a.Verb {
	case "get":
		allowed = true
	case "deny":
		denied = true
	case "fail":
		err = errors.New("authorizer failed")
	}
	return allowed, denied, b.String(), err
}

// AuthorizerUser is who asks, unless a service account is chosen.
const AuthorizerUser = "alice"
