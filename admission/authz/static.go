package authz

import (
	"context"
	"slices"

	"github.com/kubecel/kubecel/library"
)

// Row is a row of a static authorizer. A field that is empty fits anything, except those of the answer.
type Row struct {
	// User is the name of the user.
	User string
	// Group is a group of the user.
	Group string
	// Verb is the verb of the request.
	Verb string
	// Path is the path of a request of no resource. A row with a path fits no other request.
	Path string
	// Resource is the resource, as in pods, pods/log, deployments.apps or
	// deployments.apps/scale. A row with a resource fits no request of a path.
	Resource string
	// Namespace and Name are those of the request of a resource.
	Namespace, Name string

	// Decision is the answer. The zero value denies.
	Decision library.Decision
	// Reason comes with the answer.
	Reason string
	// Err comes with the answer.
	Err error
}

// Static answers by the first row that fits, and has no opinion if none does. Without rows it
// has no opinion about anything; a Row{Decision: library.Allow} allows everything.
func Static(rows ...Row) library.Authorizer {
	rows = slices.Clone(rows)
	return func(_ context.Context, question library.Attributes) (library.Decision, string, error) {
		for _, row := range rows {
			if row.fits(question) {
				return row.Decision, row.Reason, row.Err
			}
		}
		return library.NoOpinion, "", nil
	}
}

func (r Row) fits(a library.Attributes) bool {
	for _, field := range [][2]string{
		{r.User, a.User.Name}, {r.Verb, a.Verb}, {r.Path, a.Path}, {r.Resource, resourceOf(a)}, {r.Namespace, a.Namespace}, {r.Name, a.Name},
	} {
		if field[0] != "" && field[0] != field[1] {
			return false
		}
	}
	return r.Group == "" || slices.Contains(a.User.Groups, r.Group)
}

// resourceOf names the resource of a request as in deployments.apps/scale.
func resourceOf(a library.Attributes) string {
	name := a.Resource
	if a.Group != "" {
		name += "." + a.Group
	}
	if a.Subresource != "" {
		name += "/" + a.Subresource
	}
	return name
}
