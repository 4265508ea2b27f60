package admission

import (
	"errors"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	serveradmission "k8s.io/apiserver/pkg/admission"
	plugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/kubecel/kubecel/admission"
	"github.com/kubecel/kubecel/diag"
)

// TestWebhookConditions compares the match conditions of webhooks: each condition alone,
// and two together.
func TestWebhookConditions(t *testing.T) {
	world, requests := NewWorld(), Requests()
	compiler := plugin.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	compared, matched, failed := 0, 0, 0
	for i, c := range conditions {
		expressions := []string{c}
		if i%2 == 1 {
			expressions = append(expressions, conditions[(i*7)%len(conditions)])
		}
		failure := []v1.FailurePolicyType{v1.Fail, v1.Ignore}[i%2]
		var theirs []plugin.ExpressionAccessor
		var own []admission.MatchCondition
		for j, e := range expressions {
			name := string(rune('a' + j))
			theirs = append(theirs, &matchconditions.MatchCondition{Name: name, Expression: e})
			own = append(own, admission.MatchCondition{Name: name, Expression: e})
		}
		matcher := matchconditions.NewMatcher(
			compiler.CompileCondition(theirs, plugin.OptionalVariableDeclarations{HasAuthorizer: true}, environment.StoredExpressions), &failure, "webhook", "admit", "w")
		ours, err := admission.NewConditions(own, string(failure))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range requests {
			versioned, err := serveradmission.NewVersionedAttributes(r.Attributes(), r.Kind, world)
			if err != nil {
				continue
			}
			want := matcher.Match(t.Context(), versioned, nil, world.Authorizer)
			got, err := ours.Match(t.Context(), r.ours(), world.cluster())
			compared++
			if want.Matches {
				matched++
			}
			if want.Error != nil {
				failed++
			}
			if want.Matches != got.Matches || want.FailedConditionName != got.Condition || text(want.Error) != text(err) {
				t.Errorf("%q, %s: %+v, %v, server %+v", expressions, r.Name, got, err, want)
				break
			}
		}
	}
	t.Logf("%d webhooks, %d evaluations: %d match, %d fail", len(conditions), compared, matched, failed)
	if compared < 3000 || matched == 0 || failed == 0 {
		t.Error("too little was compared")
	}
}

// text is that of a server.
func text(err error) string {
	var failed *diag.EvalError
	if single, ok := err.(*diag.EvalError); ok {
		return single.Server
	}
	if err == nil {
		return ""
	}
	if errors.As(err, &failed) && err.Error() == failed.Error() {
		return failed.Server
	}
	return err.Error()
}
