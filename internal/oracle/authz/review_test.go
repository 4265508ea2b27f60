package authz

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/plugin/pkg/authorizer/webhook"
	"k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics"
	"k8s.io/client-go/rest"

	"github.com/kubecel/kubecel/admission/authz"
	"github.com/kubecel/kubecel/library"
)

// attributes are a question for a server.
func attributes(a library.Attributes) authorizer.Attributes {
	return authorizer.AttributesRecord{
		User: &user.DefaultInfo{Name: a.User.Name, UID: a.User.UID, Groups: a.User.Groups, Extra: a.User.Extra},
		Verb: a.Verb, Path: a.Path, ResourceRequest: a.Path == "", APIVersion: a.APIVersion,
		APIGroup: a.Group, Resource: a.Resource, Subresource: a.Subresource, Namespace: a.Namespace, Name: a.Name,
		FieldSelectorRequirements: a.FieldSelector, FieldSelectorParsingErr: a.FieldSelectorError,
		LabelSelectorRequirements: a.LabelSelector, LabelSelectorParsingErr: a.LabelSelectorError,
	}
}

// selecting are questions with selectors.
func selecting(t *testing.T) (all []library.Attributes) {
	t.Helper()
	question := func() library.Attributes {
		return library.Attributes{
			User: library.UserInfo{Name: "ann", UID: "7", Groups: []string{"b", "a"}, Extra: map[string][]string{"scopes": {"x", "y"}, "none": {}}},
			Verb: "list", RequestResource: library.RequestResource{Resource: "pods"}, APIVersion: "*",
		}
	}
	for _, text := range []string{"", "a=b", "a==b", "a!=b", "a=b,c!=d,e==f", "a in (b)"} {
		q := question()
		if s, err := fields.ParseSelector(text); err != nil {
			q.FieldSelectorError = err
		} else {
			q.FieldSelector = s.Requirements()
		}
		all = append(all, q)
	}
	for _, text := range []string{"", "a", "!a", "a=b", "a==b", "a!=b", "a in (c, b)", "a notin (b, a)", "a>1", "a<2,b", "a in"} {
		q := question()
		if r, err := labels.ParseToRequirements(text); err != nil {
			q.LabelSelectorError = err
		} else {
			q.LabelSelector = r
		}
		all = append(all, q)
	}
	q := question()
	q.FieldSelector = fields.Requirements{
		{Field: "a", Operator: selection.Exists}, {Field: "a", Operator: selection.In, Value: "b"}, {Field: "c", Operator: selection.NotIn},
	}
	return append(all, q)
}

// TestReviews compares what is asked in SubjectAccessReviews, and what becomes of the answers, with
// the webhook authorizer of a server.
func TestReviews(t *testing.T) {
	var asked authorizationv1.SubjectAccessReviewSpec
	var answer authorizationv1.SubjectAccessReviewStatus
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review authorizationv1.SubjectAccessReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			t.Error(err)
		}
		asked, review.Status = review.Spec, answer
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review)
	}))
	defer server.Close()
	compiler := authorizationcel.NewCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	theirs, err := webhook.New(&rest.Config{Host: server.URL, QPS: -1}, "v1", 0, 0, wait.Backoff{Steps: 1, Duration: time.Millisecond},
		authorizer.DecisionNoOpinion, nil, "test", metrics.NoopAuthorizerMetrics{}, compiler)
	if err != nil {
		t.Fatal(err)
	}
	type typed = authorizationv1.SubjectAccessReview
	ours := map[string]library.Authorizer{
		"typed": authz.BySubjectAccessReview(func(ctx context.Context, r *typed, _ metav1.CreateOptions) (*typed, error) {
			return post(ctx, server.URL, r)
		}),
		"map": authz.BySubjectAccessReview(func(ctx context.Context, r *map[string]any, _ struct{}) (*map[string]any, error) {
			return post(ctx, server.URL, r)
		}),
	}
	answers := []authorizationv1.SubjectAccessReviewStatus{
		{}, {Allowed: true, Reason: "yes"}, {Denied: true, Reason: "no"}, {Allowed: true, Denied: true, Reason: "both"}, {Reason: "?", EvaluationError: "lost"},
	}
	questions := append(selecting(t), Questions()[:200]...)
	for _, answer = range answers {
		for _, q := range questions {
			wantDecision, wantReason, wantErr := theirs.Authorize(context.Background(), attributes(q))
			want := asked
			for name, a := range ours {
				decision, reason, err := a(context.Background(), q)
				if int(decision) != int(wantDecision) || reason != wantReason || (err == nil) != (wantErr == nil) {
					t.Errorf("%s: %+v: %v %q %v, server %v %q %v", name, q, decision, reason, err, wantDecision, wantReason, wantErr)
				}
				if !reflect.DeepEqual(asked, want) {
					t.Errorf("%s: %+v: asked %+v, server %+v", name, q, asked, want)
				}
			}
		}
	}
	t.Logf("%d reviews", len(answers)*len(questions))
}

func post[R any](ctx context.Context, url string, review *R) (*R, error) {
	text, err := json.Marshal(review)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	answer := new(R)
	return answer, json.Unmarshal(body, answer)
}
