package admission

import (
	"context"
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubecel/kubecel/library"
)

// Cluster is what an API server knows beside a request and the policies. Each part may
// be missing. Its functions are called while a request is evaluated, by as many
// goroutines as evaluate requests.
type Cluster struct {
	// Namespace returns a namespace by its name, unstructured, and nil if there is none: a
	// server denies every request in a namespace that does not exist. Without this
	// function, namespaceObject is null, and a policy with a namespaceSelector fails.
	Namespace func(ctx context.Context, name string) (map[string]any, error)
	// Params finds parameters. Without it, every paramKind is unknown.
	Params *Params
	// Authorizer answers what the user may do. Without it, expressions that use the
	// variable `authorizer` fail. Its panics are errors of a check, and so is the end of
	// the context.
	Authorizer library.Authorizer
	// Equivalents returns the resources that hold the same objects as another, as other
	// versions do. Without it, rules match only the resource of the request, even if
	// their matchPolicy is Equivalent.
	Equivalents func(resource GroupVersionResource, subresource string) []EquivalentResource
	// Schemas say how apply configurations of mutating policies are merged. With schemas, a
	// policy fails for kinds that they do not have. Without, maps are merged by their keys,
	// and lists are replaced.
	Schemas *MergeSchemas
}

// EquivalentResource is a resource that holds the same objects as another.
type EquivalentResource struct {
	// Resource is the other resource.
	Resource GroupVersionResource
	// Kind is the kind of its objects. An empty one is an error of the policy.
	Kind GroupVersionKind
	// Convert returns an object of the request in that kind. Nil leaves it as it is.
	Convert func(object map[string]any) (map[string]any, error)
}

// Params finds parameters of policies.
type Params struct {
	// Namespaced tells whether objects of a kind are in namespaces. Known is false for a
	// kind that the cluster does not have.
	Namespaced func(apiVersion, kind string) (namespaced, known bool)
	// Find returns the parameters of a query, unstructured, in the order in which they
	// are evaluated.
	Find func(ctx context.Context, query ParamQuery) ([]map[string]any, error)
}

// ParamQuery says which parameters are sought.
type ParamQuery struct {
	// APIVersion is the group and version of the kind.
	APIVersion string
	// Kind is the name of the kind.
	Kind string
	// Namespace is empty for a kind without namespaces.
	Namespace string
	// Name is the name of the one parameter, empty if Selector selects.
	Name string
	// Selector selects by labels. It is nil if Name is given.
	Selector labels.Selector
}

// Matches tells whether an object is one that the query asks for.
func (q ParamQuery) Matches(object map[string]any) bool {
	metadata, _ := object["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	return object["apiVersion"] == q.APIVersion && object["kind"] == q.Kind && namespace == q.Namespace &&
		(q.Name == "" || nameOf(metadata) == q.Name) && (q.Selector == nil || q.Selector.Matches(labelsOf(object)))
}

// StaticParams finds parameters among objects. It knows the kinds that the objects have.
// A kind is in namespaces if an object of it is.
func StaticParams(objects ...map[string]any) *Params {
	namespaced := map[[2]string]bool{}
	for _, o := range objects {
		metadata, _ := o["metadata"].(map[string]any)
		apiVersion, _ := o["apiVersion"].(string)
		kind, _ := o["kind"].(string)
		key := [2]string{apiVersion, kind}
		namespaced[key] = namespaced[key] || metadata["namespace"] != nil
	}
	return &Params{
		Namespaced: func(apiVersion, kind string) (bool, bool) {
			is, known := namespaced[[2]string{apiVersion, kind}]
			return is, known
		},
		Find: func(_ context.Context, query ParamQuery) (found []map[string]any, _ error) {
			for _, o := range objects {
				if query.Matches(o) {
					found = append(found, o)
				}
			}
			return found, nil
		},
	}
}

// namespace returns a namespace, or an error with a status if there is none.
func (c *Cluster) namespace(ctx context.Context, name string) (map[string]any, error) {
	if c == nil || c.Namespace == nil {
		return nil, errors.New("namespaces are not known: Cluster.Namespace is nil")
	}
	found, err := c.Namespace(ctx, name)
	if err == nil && found == nil {
		err = notFound("namespaces", name)
	}
	return found, err
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
