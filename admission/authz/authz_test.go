package authz_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/admission/authz"
	"github.com/kubecel/kubecel/library"
)

// options are those of a client.
type options struct{ DryRun []string }

// TestFailingBackend holds that expressions see whatever keeps an authorizer from deciding as
// errored, and never as allowed.
func TestFailingBackend(t *testing.T) {
	type object = map[string]any
	type create = func(context.Context, *object, options) (*object, error)
	for name, tt := range map[string]struct {
		create create
		want   string
	}{
		"error": {func(context.Context, *object, options) (*object, error) {
			return &object{"status": object{"allowed": true}}, errors.New("refused")
		}, "refused"},
		"panic":       {func(context.Context, *object, options) (*object, error) { panic("boom") }, "the authorizer panicked: boom"},
		"hang":        {func(context.Context, *object, options) (*object, error) { select {} }, "the authorizer did not decide: context canceled"},
		"no function": {nil, "there is no authorizer to ask"},
		"no answer":   {func(context.Context, *object, options) (*object, error) { return nil, nil }, "the SubjectAccessReview has no answer"},
		"contradiction": {func(context.Context, *object, options) (*object, error) {
			return &object{"status": object{"allowed": true, "denied": true}}, nil
		}, "both allows and denies"},
		"no review": {func(context.Context, *object, options) (*object, error) { return &object{"status": 1}, nil }, "is no SubjectAccessReview"},
	} {
		t.Run(name, func(t *testing.T) {
			for wrapper, a := range map[string]library.Authorizer{
				"alone": authz.BySubjectAccessReview(tt.create), "memoized": authz.Memoize(authz.BySubjectAccessReview(tt.create)),
			} {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				asked := a
				if name == "hang" {
					asked = func(ctx context.Context, q library.Attributes) (library.Decision, string, error) {
						cancel()
						return a(ctx, q)
					}
				}
				errored, allowed := evaluate(t, ctx, asked, `c.errored()`), evaluate(t, ctx, asked, `c.allowed()`)
				text := evaluate(t, ctx, asked, `c.error()`)
				if errored != types.True || allowed != types.False || !strings.Contains(string(text.(types.String)), tt.want) {
					t.Errorf("%s: errored %v, allowed %v, error %v, want %q", wrapper, errored, allowed, text, tt.want)
				}
			}
		})
	}
}

// evaluate evaluates an expression about a check c.
func evaluate(t *testing.T, ctx context.Context, a library.Authorizer, expression string) ref.Val {
	t.Helper()
	env, err := kubecel.NewEnv(kubecel.Variable("authorizer", library.AuthorizerType()))
	if err != nil {
		t.Fatal(err)
	}
	x, err := env.Compile(strings.ReplaceAll(expression, "c.", "authorizer.group('').resource('pods').check('get')."))
	if err != nil {
		t.Fatal(err)
	}
	authorizer, err := library.NewAuthorizerValue(ctx, a, &library.UserInfo{Name: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := x.Eval(context.Background(), map[string]any{"authorizer": authorizer})
	if err != nil {
		t.Fatal(err)
	}
	return result.Value
}

// TestHang holds that a question ends with its context, even if the authorizer does not.
func TestHang(t *testing.T) {
	asked := make(chan struct{})
	hang := func(context.Context, library.Attributes) (library.Decision, string, error) {
		asked <- struct{}{}
		select {}
	}
	for name, a := range map[string]library.Authorizer{"guard": authz.Guard(hang), "memo": authz.Memoize(hang)} {
		cause := errors.New("the request timed out")
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { <-asked; cancel(cause) }()
		decision, _, err := a(ctx, question("ann", "get", "pods", ""))
		if decision == library.Allow || !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("%s: %v %v", name, decision, err)
		}
	}
}

// TestMemoize holds that each question is asked once, by however many goroutines, and that only
// equal questions have one answer.
func TestMemoize(t *testing.T) {
	recorder := authz.NewRecorder(authz.Static(authz.Row{User: "ann", Decision: library.Allow}, authz.Row{User: "bob", Err: errors.New("no")}))
	a := authz.Memoize(recorder.Authorize)
	questions := []library.Attributes{
		question("ann", "get", "pods", ""), question("ann", "get", "pods", "a"), question("bob", "get", "pods", ""), question("ann", "ge", "tpods", ""),
		{User: library.UserInfo{Name: "ann", Groups: []string{"a", "b"}}}, {User: library.UserInfo{Name: "ann", Groups: []string{"a b"}}},
		{User: library.UserInfo{Name: "ann", Extra: map[string][]string{"a": {"b"}}}}, {FieldSelectorError: errors.New("x")}, {LabelSelectorError: errors.New("x")},
	}
	var wait sync.WaitGroup
	for range 8 {
		for _, q := range questions {
			wait.Add(1)
			go func() {
				defer wait.Done()
				decision, _, err := a(context.Background(), q)
				if allowed := q.User.Name == "ann"; allowed != (decision == library.Allow) || (err != nil) != (q.User.Name == "bob") {
					t.Errorf("%+v: %v %v", q, decision, err)
				}
			}()
		}
	}
	wait.Wait()
	reordered := library.Attributes{User: library.UserInfo{Name: "ann", Groups: []string{"b", "a"}}}
	if _, _, err := a(context.Background(), reordered); err != nil {
		t.Error(err)
	}
	if n := len(recorder.Asked()); n != len(questions) {
		t.Errorf("asked %d times, want %d", n, len(questions))
	}
}

// TestMemoizeForgetsCutAnswers holds that the end of one context is no answer for another.
func TestMemoizeForgetsCutAnswers(t *testing.T) {
	recorder := authz.NewRecorder(func(ctx context.Context, _ library.Attributes) (library.Decision, string, error) {
		return library.Allow, "", ctx.Err()
	})
	a := authz.Memoize(recorder.Authorize)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if decision, _, err := a(done, question("ann", "get", "pods", "")); decision == library.Allow || err == nil {
		t.Errorf("a context that is done: %v %v", decision, err)
	}
	if decision, _, err := a(context.Background(), question("ann", "get", "pods", "")); decision != library.Allow || err != nil {
		t.Errorf("another context: %v %v", decision, err)
	}
}

// TestReview holds what is asked in a SubjectAccessReview, with any type of its JSON form.
func TestReview(t *testing.T) {
	var sent string
	a := authz.BySubjectAccessReview(func(_ context.Context, r *json.RawMessage, _ options) (*json.RawMessage, error) {
		sent = string(*r)
		answer := json.RawMessage(`{"status":{"allowed":true,"reason":"fine"}}`)
		return &answer, nil
	})
	decision, reason, err := a(context.Background(), question("ann", "get", "pods", "web"))
	want := `{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",` +
		`"spec":{"resourceAttributes":{"verb":"get","version":"*","resource":"pods","name":"web"},"user":"ann"}}`
	if sent != want || decision != library.Allow || reason != "fine" || err != nil {
		t.Errorf("sent %s, got %v %q %v", sent, decision, reason, err)
	}
}

// TestStatic holds that the first row that fits answers.
func TestStatic(t *testing.T) {
	a := authz.Static(
		authz.Row{Resource: "deployments.apps/scale", Verb: "update", Decision: library.Allow, Reason: "scaler"},
		authz.Row{Group: "dev", Namespace: "test", Decision: library.Allow},
		authz.Row{Path: "/healthz", Decision: library.Allow},
		authz.Row{User: "eve", Reason: "no"},
	)
	scale := library.RequestResource{Group: "apps", Resource: "deployments", Subresource: "scale"}
	for want, q := range map[string]library.Attributes{
		"1 scaler": {Verb: "update", RequestResource: scale, User: library.UserInfo{Name: "eve"}},
		"0 no":     {Verb: "get", RequestResource: scale, User: library.UserInfo{Name: "eve"}},
		"2 ":       {Verb: "get", RequestResource: scale},
		"1 ":       {Path: "/healthz"},
	} {
		decision, reason, err := a(context.Background(), q)
		if got := string(rune('0'+int(decision))) + " " + reason; got != want || err != nil {
			t.Errorf("%+v: %q %v, want %q", q, got, err, want)
		}
	}
}
