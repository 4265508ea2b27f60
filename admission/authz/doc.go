// Package authz makes authorizers for expressions that use the variable `authorizer`.
// An authorizer is a [library.Authorizer], a function. It becomes the value of the
// variable by library.NewAuthorizerValue, or is given to an admission policy.
//
//   - [ReadRBAC] decides by the Roles, ClusterRoles and bindings of manifests, as a server
//     with the authorization mode RBAC does.
//   - [BySubjectAccessReview] asks an API server, or whoever answers SubjectAccessReviews.
//   - [Static] answers by a table, for tests.
//   - [NewRecorder] notes what another authorizer was asked.
//   - [When] asks another authorizer only if match conditions are true.
//   - [Memoize] asks another authorizer each question once; [Guard] makes it fail closed.
//
// All of them are safe for concurrent use.
package authz
