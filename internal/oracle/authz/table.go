// Package authz compares the authorizers of package admission/authz with those of Kubernetes.
package authz

import (
	_ "embed"

	"github.com/kubecel/kubecel/library"
)

// World are the roles and bindings of the table.
//
//go:embed world.yaml
var World []byte

// users of the table.
var users = []library.UserInfo{
	{Name: "root"},
	{Name: "ann", Groups: []string{"system:authenticated"}},
	{Name: "bob", Groups: []string{"team", "watchers"}},
	{Name: "walker"},
	{Name: "admin", Groups: []string{"watchers"}},
	{Name: "odd"},
	{Name: "small"},
	{Name: "eve", Groups: []string{"haunted"}},
	{Name: "all", Groups: []string{"haunted", "roots"}},
	{Name: "system:serviceaccount:two:bot"},
	{Name: "system:serviceaccount:one:bot"},
	{Name: "system:serviceaccount:two:guest"},
	{Name: "system:serviceaccount::lost"},
	{Name: "system:masters", Groups: []string{"system:masters"}},
}

// Questions are the rows of the table: each user, verb, resource, namespace and name, and each
// user, verb and path.
func Questions() (all []library.Attributes) {
	resources := []library.RequestResource{
		{Resource: "pods"}, {Resource: "pods", Subresource: "exec"}, {Resource: "pods", Subresource: "status"}, {Resource: "secrets"},
		{Group: "apps", Resource: "deployments"}, {Group: "apps", Resource: "deployments", Subresource: "scale"},
		{Group: "apps", Resource: "deployments", Subresource: "status"}, {Group: "apps", Resource: "pods"}, {Group: "apps", Resource: "*", Subresource: "*"},
		{Group: "example.com", Resource: "*"}, {Group: "*", Resource: "pods"},
	}
	paths := []string{"/healthz", "/healthz/", "/api", "/api/", "/api/v1", "/logs", "/logs*", "/logsx", "/acb", "/a*b", "/", "*"}
	for _, user := range users {
		for _, verb := range []string{"get", "list", "create", "update", "delete", "*"} {
			for _, r := range resources {
				for _, r.Namespace = range []string{"", "one", "two", "three"} {
					for _, r.Name = range []string{"", "a", "c"} {
						all = append(all, library.Attributes{User: user, Verb: verb, RequestResource: r, APIVersion: "*"})
					}
				}
			}
			for _, path := range paths {
				all = append(all, library.Attributes{User: user, Verb: verb, Path: path})
			}
		}
	}
	return all
}
