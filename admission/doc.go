// Package admission evaluates admission policies and match conditions as an API server
// does, without one: it loads a ValidatingAdmissionPolicy with its bindings and params,
// says what is wrong with it, what it may cost and which releases accept it, and decides
// about requests.
//
//	policies, bindings, err := admission.ParseAll(manifests)
//	set, err := admission.NewSet(policies, bindings)
//	decision, err := set.Evaluate(ctx, request, &admission.Cluster{Params: params})
//
// A [Policy] is a document: [Policy.Check] says what a server finds in it. A [Set] is
// policies with bindings: [Set.Evaluate] decides about a [Request]. What a server looks
// up while it decides is a [Cluster]: namespaces, params, an authorizer.
//
// Environments, decisions, texts and costs are those of k8s.io/apiserver v0.37.2,
// pkg/admission/plugin/policy/validating and pkg/admission/plugin/cel, for objects that
// are unstructured, as those of custom resources are.
//
// Everything here is read-only once it is made, and safe for concurrent use.
package admission
