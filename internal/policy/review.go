package policy

import (
	"sync"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// ReviewScope returns the scope of the match conditions of authorizers, which see the spec of a
// SubjectAccessReview as `request`: that of k8s.io/apiserver v0.37.2, pkg/authorization/cel.
var ReviewScope = sync.OnceValues(func() (*compile.Scope, error) {
	env, err := compile.ForServer(server.StoredIn(release.Newest()))
	if err != nil {
		return nil, err
	}
	request := reviewType()
	return env.Scope(newProvider(env.CEL().CELTypeProvider(), request), nil, decls.NewVariable(RequestName, request.cel))
})

// reviewType is the type of the spec of a SubjectAccessReview.
func reviewType() *decl {
	text := scalar(types.StringType)
	requirement := object("kubernetes.SelectorRequirement", map[string]*decl{"key": text, "operator": text, "values": list(text)})
	selector := func(name string) *decl {
		return object(name, map[string]*decl{"rawSelector": text, "requirements": list(requirement)})
	}
	return object("kubernetes.SubjectAccessReviewSpec", map[string]*decl{
		"resourceAttributes": object("kubernetes.ResourceAttributes", map[string]*decl{
			"namespace": text, "verb": text, "group": text, "version": text, "resource": text, "subresource": text, "name": text,
			"fieldSelector": selector("kubernetes.FieldSelectorAttributes"),
			"labelSelector": selector("kubernetes.LabelSelectorAttributes"),
		}),
		"nonResourceAttributes": object("kubernetes.NonResourceAttributes", map[string]*decl{"path": text, "verb": text}),
		"user":                  text, "groups": list(text), "extra": mapOf(list(text)), "uid": text,
	})
}
