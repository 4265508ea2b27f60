package admission_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kubecel/kubecel/admission"
	"github.com/kubecel/kubecel/admission/authz"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/library"
)

const replicas = constraints + `
paramKind: {apiVersion: v1, kind: ConfigMap}
variables:
- {name: replicas, expression: object.spec.replicas}
- {name: limit, expression: int(params.data.limit)}
validations:
- expression: variables.replicas <= variables.limit
  messageExpression: "'has ' + string(variables.replicas) + ', at most ' + string(variables.limit)"
  reason: Forbidden
auditAnnotations:
- {key: replicas, valueExpression: "request.operation + ' ' + string(variables.replicas)"}
`

func mustBinding(t *testing.T, spec string) *admission.Binding {
	t.Helper()
	b, err := admission.ParseBinding([]byte("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: b}, spec: " + spec + "}"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mustSet has one policy with one binding.
func mustSet(t *testing.T, spec, binding string) *admission.Set {
	t.Helper()
	set, err := admission.NewSet([]*admission.Policy{mustPolicy(t, spec)}, []*admission.Binding{mustBinding(t, binding)})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func request(replicas any) *admission.Request {
	return &admission.Request{
		Kind:     admission.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		Resource: admission.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		Name:     "front", Namespace: "web", Operation: admission.Create,
		Object: map[string]any{"spec": map[string]any{"replicas": replicas}},
	}
}

var limits = &admission.Cluster{Params: admission.StaticParams(map[string]any{
	"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "limits", "namespace": "web"}, "data": map[string]any{"limit": "3"},
})}

func TestEvaluate(t *testing.T) {
	set := mustSet(t, replicas, "{policyName: p, validationActions: [Deny, Audit], paramRef: {name: limits}}")
	allowed, err := set.Evaluate(t.Context(), request(int64(1)), limits)
	if err != nil || !allowed.Allowed || allowed.Status != nil || allowed.AuditAnnotations["p/replicas"] != "CREATE 1" {
		t.Errorf("decision %+v, error %v", allowed, err)
	}
	denied, err := set.Evaluate(t.Context(), request(int64(5)), limits)
	if err != nil || denied.Allowed {
		t.Fatalf("decision %+v, error %v", denied, err)
	}
	want := `deployments.apps "front" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: has 5, at most 3`
	if s := denied.Status; s.Message != want || s.Code != 403 || s.Reason != "Forbidden" {
		t.Errorf("status %+v, want %q", s, want)
	}
	if e := denied.Evaluations[0]; e.Costs.Validations == 0 || e.Costs.Total() <= e.Costs.Validations || e.Param != "web/limits" {
		t.Errorf("evaluation %+v", e)
	}
	if got := denied.AuditAnnotations["validation.policy.admission.k8s.io/validation_failure"]; !strings.Contains(got, `"message":"has 5, at most 3"`) {
		t.Errorf("audited %q", got)
	}
}

// TestFailurePolicy holds that whatever goes wrong denies the request or not as
// failurePolicy says.
func TestFailurePolicy(t *testing.T) {
	panics := func(context.Context, library.Attributes) (library.Decision, string, error) { panic("broken") }
	for name, c := range map[string]struct {
		spec, binding string
		cluster       *admission.Cluster
		want          string
	}{
		"error":            {"validations: [{expression: object.absent == 1}]", "{}", nil, "no such key: absent"},
		"does not compile": {"validations: [{expression: x}]", "{}", nil, "undeclared reference to 'x'"},
		"duplicates in a cycle": {"variables: [{name: a, expression: '1'}, {name: b, expression: variables.a}, {name: a, expression: variables.b}]\nvalidations: [{expression: variables.b == 1}]",
			"{}", nil, "it needs its own value"},
		"unknown paramKind": {"paramKind: {apiVersion: v1, kind: Absent}\nvalidations: [{expression: 'true'}]", "{}", limits, "failed to find resource referenced by paramKind: '/v1, Kind=Absent'"},
		"no cluster":        {"paramKind: {apiVersion: v1, kind: ConfigMap}\nvalidations: [{expression: 'true'}]", "{}", nil, "failed to find resource"},
		"params missing": {"paramKind: {apiVersion: v1, kind: ConfigMap}\nvalidations: [{expression: 'true'}]",
			"{paramRef: {name: absent, parameterNotFoundAction: Deny}}", limits, "no params found for policy binding"},
		"params fail": {"paramKind: {apiVersion: v1, kind: ConfigMap}\nvalidations: [{expression: 'true'}]",
			"{paramRef: {name: absent}}", &admission.Cluster{Params: &admission.Params{
				Namespaced: func(string, string) (bool, bool) { return true, true },
				Find: func(context.Context, admission.ParamQuery) ([]map[string]any, error) {
					return nil, errors.New("timeout")
				},
			}}, "failed to configure binding: timeout"},
		"no authorizer":     {"validations: [{expression: \"authorizer.requestResource.check('get').allowed()\"}]", "{}", nil, "no such attribute(s): authorizer"},
		"authorizer panics": {"validations: [{expression: \"authorizer.requestResource.check('get').error() == ''\", messageExpression: \"'x'\"}]", "{}", &admission.Cluster{Authorizer: panics}, "x"},
		"match condition":   {"matchConditions: [{name: m, expression: object.absent == 1}]\nvalidations: [{expression: 'true'}]", "{}", nil, "no such key: absent"},
		"call limit":        {"validations: [{expression: \"" + costly + "\"}]", "{}", nil, "actual cost limit exceeded"},
		"annotation":        {"auditAnnotations: [{key: k, valueExpression: string(object.absent)}]", "{}", nil, "no such key: absent"},
	} {
		for _, policy := range []string{"Fail", "Ignore"} {
			binding := "{policyName: p, validationActions: [Deny], " + strings.TrimPrefix(c.binding, "{")
			d, err := mustSet(t, constraints+"failurePolicy: "+policy+"\n"+c.spec, binding).Evaluate(t.Context(), request(int64(1)), c.cluster)
			if err != nil {
				t.Errorf("%s, %s: %v", name, policy, err)
				continue
			}
			// A false validation denies, whatever the failurePolicy is.
			ignored := policy == "Ignore" && c.want != "x"
			if d.Allowed != ignored || !ignored && !strings.Contains(d.Status.Message, c.want) {
				t.Errorf("%s, %s: allowed %v, %+v, want %q", name, policy, d.Allowed, d.Status, c.want)
			}
		}
	}
}

// costly costs more than one evaluation may.
var costly = "'" + strings.Repeat("x", 10_000) + "'.contains('" + strings.Repeat("y", 11_000) + "')"

// TestHangingAuthorizer holds that the end of the context ends a check, and that this
// denies the request.
func TestHangingAuthorizer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hung, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	cluster := &admission.Cluster{Authorizer: func(context.Context, library.Attributes) (library.Decision, string, error) {
		close(hung)
		<-release
		return library.Allow, "", nil
	}}
	go func() {
		<-hung
		cancel()
	}()
	set := mustSet(t, constraints+"validations: [{expression: \"authorizer.requestResource.check('get').allowed()\"}]", "{policyName: p, validationActions: [Deny]}")
	d, err := set.Evaluate(ctx, request(int64(1)), cluster)
	if d == nil || d.Allowed || !errors.Is(err, context.Canceled) {
		t.Errorf("decision %+v, error %v", d, err)
	}
}

func TestBadArguments(t *testing.T) {
	set := mustSet(t, constraints+"validations: [{expression: 'true'}]", "{policyName: p, validationActions: [Deny]}")
	cyclic := map[string]any{}
	cyclic["self"] = []any{cyclic}
	for want, r := range map[string]*admission.Request{
		"the request is nil":                                      nil,
		"object.spec.replicas: int is no":                         request(1),
		"object.spec.replicas: NaN is no":                         request(math.NaN()),
		"object.spec.replicas: []string is no":                    request([]string{"a"}),
		"object.spec.replicas[1]: []uint8 is":                     request([]any{nil, []byte("a")}),
		"object: the data nests deeper":                           request(cyclic),
		"object.spec.replicas: map[interface {}]interface {} is ": request(map[any]any{}),
	} {
		d, err := set.Evaluate(t.Context(), r, nil)
		var unusable *diag.InputError
		if d != nil || !errors.As(err, &unusable) || !strings.Contains(err.Error(), want) {
			t.Errorf("decision %v, error %v, want %q", d, err, want)
		}
	}
	var none *admission.Set
	if _, err := none.Evaluate(t.Context(), request(int64(1)), nil); err == nil {
		t.Error("a nil set decides")
	}
	if _, err := admission.NewSet([]*admission.Policy{nil}, nil); err == nil {
		t.Error("a set has a nil policy")
	}
	p := mustPolicy(t, constraints)
	if _, err := admission.NewSet([]*admission.Policy{p, p}, nil); err == nil || !strings.Contains(err.Error(), `there are two of ValidatingAdmissionPolicy "p"`) {
		t.Errorf("two policies of a name: %v", err)
	}
}

// TestConcurrent shares a set; the race detector watches.
func TestConcurrent(t *testing.T) {
	set := mustSet(t, replicas, "{policyName: p, validationActions: [Deny], paramRef: {name: limits}}")
	var group sync.WaitGroup
	for i := range 16 {
		group.Add(1)
		go func() {
			defer group.Done()
			d, err := set.Evaluate(t.Context(), request(int64(i)), limits)
			if err != nil || d.Allowed != (i <= 3) {
				t.Errorf("%d: %+v, %v", i, d, err)
			}
		}()
	}
	group.Wait()
}

// TestVariablesOnce holds that a variable is computed once for a part, and not at all if
// nothing needs it.
func TestVariablesOnce(t *testing.T) {
	checks := 0
	cluster := &admission.Cluster{Authorizer: func(context.Context, library.Attributes) (library.Decision, string, error) {
		checks++
		return library.Allow, "", nil
	}}
	spec := constraints + `
variables:
- {name: allowed, expression: "authorizer.requestResource.check('get').allowed()"}
- {name: unused, expression: "authorizer.requestResource.check('list').allowed()"}
validations: [{expression: variables.allowed}, {expression: variables.allowed && variables.allowed}]
`
	d, err := mustSet(t, spec, "{policyName: p, validationActions: [Deny]}").Evaluate(t.Context(), request(int64(1)), cluster)
	if err != nil || !d.Allowed || checks != 1 {
		t.Errorf("%+v, %v: %d checks, want 1", d, err, checks)
	}
	if costs := d.Evaluations[0].Validations; costs[0].Cost < 350_000 || costs[1].Cost > 10 {
		t.Errorf("costs %d and %d, want the variable in the first alone", costs[0].Cost, costs[1].Cost)
	}
}

// TestQuestionsOnce holds that an authorizer is asked each question once for a request, and
// again for the next.
func TestQuestionsOnce(t *testing.T) {
	recorder := authz.NewRecorder(authz.Static())
	spec := constraints + `
validations:
- {expression: "!authorizer.requestResource.check('get').allowed() && !authorizer.requestResource.check('list').allowed()"}
- {expression: "!authorizer.requestResource.check('get').allowed()"}
`
	set := mustSet(t, spec, "{policyName: p, validationActions: [Deny]}")
	for i := range 2 {
		d, err := set.Evaluate(t.Context(), request(int64(1)), &admission.Cluster{Authorizer: recorder.Authorize})
		if asked := len(recorder.Asked()); err != nil || !d.Allowed || asked != 2*(i+1) {
			t.Errorf("%+v, %v: %d questions, want %d", d, err, asked, 2*(i+1))
		}
	}
}

// TestReport holds that a variable counts for each expression, and once for a part.
func TestReport(t *testing.T) {
	r, err := mustPolicy(t, constraints+`
variables:
- {name: a, expression: "authorizer.requestResource.check('get').allowed()"}
- {name: b, expression: variables.a}
- {name: c, expression: "'x'"}
validations: [{expression: variables.b}, {expression: variables.a && variables.b}]
`).Report()
	if err != nil {
		t.Fatal(err)
	}
	v := r.Expressions[3]
	if v.Path != "spec.validations[0].expression" || !slices.Equal(v.Variables, []string{"a", "b"}) || v.WithVariables.Max < 350_000 || v.Estimate.Max > 10 {
		t.Errorf("report %+v", v)
	}
	if p := r.Parts[0]; p.Name != "validations" || p.Estimate.Max < 350_000 || p.Estimate.Max > 350_100 || p.Budget != 10_000_000 {
		t.Errorf("part %+v", p)
	}
	if text := r.Text(); !strings.Contains(text, "spec.validations[0].expression: 2, with a, b 2 to 350") {
		t.Error(text)
	}
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		conditions, failurePolicy string
		matches                   bool
		condition, err            string
	}{
		{"true true", "", true, "", ""},
		{"true false object.absent==1", "", false, "1", ""},
		{"object.absent==1 true", "Fail", false, "", "no such key: absent"},
		{"object.absent==1 x", "", false, "", "undeclared reference"},
		{"object.absent==1 true", "Ignore", false, "", ""},
		{"request.operation=='CREATE' variables.a", "Ignore", false, "", ""},
	} {
		var conditions []admission.MatchCondition
		for i, expression := range strings.Fields(c.conditions) {
			conditions = append(conditions, admission.MatchCondition{Name: fmt.Sprint(i), Expression: expression})
		}
		m, err := admission.NewConditions(conditions, c.failurePolicy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Match(t.Context(), request(int64(1)), nil)
		if got.Matches != c.matches || got.Condition != c.condition || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s, %s: %+v, %v", c.conditions, c.failurePolicy, got, err)
		}
	}
}
