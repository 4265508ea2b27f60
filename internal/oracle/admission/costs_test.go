package admission

import (
	"maps"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiscel "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/kubecel/kubecel/admission"
	"github.com/kubecel/kubecel/diag"
)

// TestCosts compares what the parts of policies spend on requests. A policy with several
// parameters, and one that does not apply to a request, are left out.
func TestCosts(t *testing.T) {
	world, requests := NewWorld(), Requests()
	compared, different, exhausted := 0, 0, 0
	for _, c := range Cases() {
		if len(c.Policies) > 1 {
			continue
		}
		var p v1.ValidatingAdmissionPolicy
		if err := convert(c.Policies[0], &p); err != nil {
			t.Fatal(err)
		}
		parts, err := compileParts(&p, environment.StoredExpressions)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := NewOurs(c, world)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range requests {
			if c.Few && i > 4 {
				break
			}
			_, d, err := ours.Decide(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Evaluations) != 1 || d.Evaluations[0].Param != "" {
				continue
			}
			want, err := parts.spend(t.Context(), world, r, nil, world.namespace(t, r))
			if err != nil {
				continue // an object that another version would see
			}
			got := d.Evaluations[0]
			compared++
			if want.validating < 0 || want.matching < 0 {
				exhausted++
			}
			if text := differs(got, want); text != "" {
				if different++; different < 30 {
					t.Errorf("%s, %s: %s: %+v, server left %+v", c.Name, r.Name, text, got.Costs, want)
				}
			}
		}
	}
	t.Logf("%d evaluations compared, %d over a budget: %d different", compared, exhausted, different)
	if compared < 5000 || exhausted == 0 {
		t.Error("too little was compared")
	}
}

// differs names the first part that does not spend the same. What ours did not evaluate
// is not compared.
func differs(got admission.Evaluation, want spending) string {
	if got.Costs.MatchConditions != 0 && !equal(apiscel.RuntimeCELCostBudgetMatchConditions, got.Costs.MatchConditions, want.matching) {
		return "matchConditions"
	}
	if !got.Matched || len(got.Validations) > 0 && got.Validations[0].Index < 0 {
		return ""
	}
	switch {
	case !equal(apiscel.RuntimeCELCostBudget, got.Costs.Validations, want.validating):
		return "validations"
	case want.validating >= 0 && !equal(want.validating, got.Costs.MessageExpressions, want.messaging):
		return "messageExpressions"
	case !equal(apiscel.RuntimeCELCostBudget, got.Costs.AuditAnnotations, want.auditing):
		return "auditAnnotations"
	}
	return ""
}

// equal tells whether a cost leaves what the server left of a budget.
func equal(budget int64, cost uint64, left int64) bool {
	if left < 0 {
		return cost > uint64(budget)
	}
	return uint64(budget)-cost == uint64(left)
}

func (w *World) namespace(t *testing.T, r *Request) *corev1.Namespace {
	if r.Kind.Kind == "Namespace" {
		return nil
	}
	for _, n := range w.Namespaces {
		if n["metadata"].(object)["name"] == r.Namespace {
			var namespace corev1.Namespace
			if err := convert(n, &namespace); err != nil {
				t.Fatal(err)
			}
			namespace.TypeMeta = metav1.TypeMeta{}
			return &namespace
		}
	}
	return nil
}

// TestCompileErrors compares what is said of the expressions of new policies, with the
// paths.
func TestCompileErrors(t *testing.T) {
	policies, expressions, different := 0, 0, 0
	for _, c := range Cases() {
		for _, document := range c.Policies {
			var typed v1.ValidatingAdmissionPolicy
			if err := convert(document, &typed); err != nil {
				t.Fatal(err)
			}
			parts, err := compileParts(&typed, environment.NewExpressions)
			if err != nil {
				t.Fatal(err)
			}
			p, err := admission.NewPolicy(document)
			if err != nil {
				t.Fatal(err)
			}
			findings, err := p.Check()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, f := range findings {
				if f.Code == diag.ExpressionInvalid {
					got[f.Path] = f.Server.Detail
				} else if _, failed := parts.errors[f.Path]; failed {
					got[f.Path] = parts.errors[f.Path] // an empty expression is missing
				}
			}
			policies++
			expressions += len(parts.errors)
			if !maps.Equal(got, parts.errors) {
				if different++; different < 10 {
					t.Errorf("%s: %q, server %q", c.Name, got, parts.errors)
				}
			}
		}
	}
	t.Logf("%d policies, %d expressions with errors: %d different", policies, expressions, different)
	if expressions < 50 {
		t.Error("too few errors")
	}
}
