package authz

import (
	"context"
	"errors"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/kubecel/kubecel/admission/authz"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/library"
)

// conditions of the table.
var conditions = []string{
	`true`, `false`, `1`, `request`, `dyn(true)`, `request.user == 'ann'`, `request.user.startsWith('system:')`, `request.name == 'a'`, `object.a`, `a b`, `request.`,
	`request.uid == '7'`, `'a' in request.groups`, `request.groups.exists(g, g == 'system:masters')`, `request.groups.size() > 0`, `request.groups[1] == 'a'`,
	`has(request.groups)`, `has(request.uid)`, `has(request.extra)`, `has(request.resourceAttributes)`, `has(request.nonResourceAttributes)`,
	`'scopes' in request.extra`, `request.extra['scopes'].exists(s, s == 'y')`, `request.extra.scopes == ['x', 'y']`, `request.extra.all(k, k.size() > 3)`,
	`request.resourceAttributes.resource == 'pods'`, `request.resourceAttributes.namespace == ''`, `request.resourceAttributes.verb in ['list', 'get']`,
	`has(request.resourceAttributes.name)`, `request.resourceAttributes.version == '*'`, `request.resourceAttributes.group.size() == 4`,
	`has(request.resourceAttributes) && request.resourceAttributes.subresource != 'exec'`, `request.resourceAttributes == request.resourceAttributes`,
	`request.nonResourceAttributes.path.startsWith('/api')`, `request.nonResourceAttributes.verb == 'get'`, `request.?nonResourceAttributes.path.orValue('') == '/healthz'`,
	`has(request.resourceAttributes.fieldSelector)`, `has(request.resourceAttributes.labelSelector)`, `request.resourceAttributes.?fieldSelector.hasValue()`,
	`request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'a' && r.operator == 'In' && 'b' in r.values)`,
	`request.resourceAttributes.labelSelector.requirements.all(r, r.operator in ['In', 'Exists'])`, `has(request.resourceAttributes.labelSelector.rawSelector)`,
	`request.resourceAttributes.labelSelector.requirements[0].values.size() == 0`, `request.resourceAttributes.labelSelector.rawSelector == ''`,
	`request.resourceAttributes.?labelSelector.requirements.orValue([]).size() == 1`, `request.resourceAttributes.labels == 1`,
	`dyn(request).resourceAttributes['fieldSelector'].requirements.size() > 0`, `dyn(request.resourceAttributes).size() == 7`, `dyn(request).size() > 4`,
	`request.user.matches('^system:serviceaccount:[a-z]+:bot$')`, `request.user.find('[a-z]+') == 'root'`, `request.user > 'b' ? true : request.groups[9] == ''`,
	`request.groups.map(g, g.size()).sum() > 4`, `authorizer.path('/').check('get').allowed()`, `kubernetes.SubjectAccessReviewSpec{user: 'a'} == request`,
}

// TestConditions compares what becomes of match conditions, alone and in pairs.
func TestConditions(t *testing.T) {
	compiler := authorizationcel.NewCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	questions := selecting(t)
	for i, q := range Questions() {
		if i%251 == 0 {
			questions = append(questions, q)
		}
	}
	var asked authorizationv1.SubjectAccessReview
	capture := authz.BySubjectAccessReview(func(_ context.Context, r *authorizationv1.SubjectAccessReview, _ struct{}) (*authorizationv1.SubjectAccessReview, error) {
		asked = *r
		return r, nil
	})
	allow := authz.Static(authz.Row{Decision: library.Allow})
	evaluations, pairs := 0, 0
	for i, first := range conditions {
		for _, second := range []string{"", conditions[(i*5+7)%len(conditions)]} {
			sources, matcher, failure := []string{first}, &authorizationcel.CELMatcher{}, error(nil)
			if second != "" {
				sources = append(sources, second)
			}
			for _, source := range sources {
				c, err := compiler.CompileCELExpression(&authorizationcel.SubjectAccessReviewMatchCondition{Expression: source})
				if err != nil && failure == nil {
					failure = err
				}
				matcher.CompilationResults = append(matcher.CompilationResults, c)
				matcher.UsesFieldSelector = matcher.UsesFieldSelector || c.UsesFieldSelector
				matcher.UsesLabelSelector = matcher.UsesLabelSelector || c.UsesLabelSelector
			}
			a, err := authz.When(allow, sources...)
			if failure != nil || err != nil {
				var failed *diag.CompileError
				// The type of the server's error puts its kind and the value in front.
				if failure == nil || !errors.As(err, &failed) || "Invalid value: \"\": "+failed.Server != failure.Error() && failed.Server != failure.Error() {
					t.Errorf("%q:\n%v\nserver: %v", sources, err, failure)
				}
				continue
			}
			pairs++
			for _, q := range questions {
				evaluations++
				_, _, _ = capture(context.Background(), q)
				want, wantErr := matcher.Eval(context.Background(), &asked)
				decision, _, err := a(context.Background(), q)
				if (decision == library.Allow) != want || text(err) != text(wantErr) {
					t.Errorf("%q: %+v: %v %v, server %v %v", sources, q, decision, err, want, wantErr)
				}
			}
		}
	}
	t.Logf("%d conditions, %d alone or in pairs that compile, %d evaluations", len(conditions), pairs, evaluations)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
