package library_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/testauthz"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

func TestNewAuthorizerValueWantsAllItsParts(t *testing.T) {
	allow := testauthz.AnswerByVerb
	for _, tt := range []struct {
		name       string
		authorizer library.Authorizer
		user       *library.UserInfo
		want       string
	}{
		{"no authorizer", nil, testauthz.Alice(), "authorizer must not be nil"},
		{"no user", allow, nil, "user must not be nil"},
		{"neither", nil, nil, "authorizer must not be nil"},
	} {
		v, err := library.NewAuthorizerValue(context.Background(), tt.authorizer, tt.user)
		if v != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, %v, want error %s", tt.name, v, err, tt.want)
		}
		v, err = library.NewResourceAuthorizerValue(context.Background(), tt.authorizer, tt.user, library.RequestResource{})
		if v != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%s: resource: %v, %v, want error %s", tt.name, v, err, tt.want)
		}
	}
}

// evalWith evaluates an expression with variables `authorizer` and `check`.
func evalWith(t *testing.T, expr string, authorizer, check ref.Val) (ref.Val, error) {
	t.Helper()
	env, err := newServer(t, release.Minor(37)).env.Extend(cel.Variable("check", library.ResourceCheckType()))
	if err != nil {
		t.Fatal(err)
	}
	tree, issues := env.Compile(expr)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(tree)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := program.Eval(map[string]any{"authorizer": authorizer, "check": check})
	return out, err
}

func TestAuthorizerGetsWhatTheExpressionSays(t *testing.T) {
	type key struct{}
	var got []library.Attributes
	record := func(ctx context.Context, a library.Attributes) (library.Decision, string, error) {
		if ctx.Value(key{}) != "mine" {
			t.Error("the context is not the caller's")
		}
		got = append(got, a)
		return library.Deny, "", nil
	}
	user := &library.UserInfo{Name: "bob", UID: "1", Groups: []string{"g"}, Extra: map[string][]string{"scopes": {"a", "b"}}}
	ctx := context.WithValue(context.Background(), key{}, "mine")
	v, err := library.NewAuthorizerValue(ctx, record, user)
	if err != nil {
		t.Fatal(err)
	}
	request := library.RequestResource{Group: "apps", Resource: "deployments", Subresource: "scale", Namespace: "ns", Name: "web"}
	check, err := library.NewResourceAuthorizerValue(ctx, record, user, request)
	if err != nil {
		t.Fatal(err)
	}
	out, err := evalWith(t, `[
		authorizer.path('/healthz').check('GET'),
		authorizer.serviceAccount('ns', 'sa').path('x').check('get'),
		check.check('update'),
		check.name('').subresource('').check('list'),
		check.check('get')
	].exists(d, d.allowed() || d.errored() || d.reason() + d.error() != '')`, v, check)
	if err != nil || out != types.False {
		t.Fatalf("%v, %v, want false", out, err)
	}
	wider := request
	wider.Name, wider.Subresource = "", ""
	account := library.UserInfo{Name: "system:serviceaccount:ns:sa", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:ns"}}
	want := []library.Attributes{
		{User: *user, Verb: "GET", Path: "/healthz"},
		{User: account, Verb: "get", Path: "x"},
		{User: *user, Verb: "update", RequestResource: request, APIVersion: "*"},
		{User: *user, Verb: "list", RequestResource: wider, APIVersion: "*"},
		{User: *user, Verb: "get", RequestResource: request, APIVersion: "*"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestNilContextIsBackground(t *testing.T) {
	var ctx context.Context
	v, err := library.NewAuthorizerValue(ctx, func(ctx context.Context, _ library.Attributes) (library.Decision, string, error) {
		if ctx == nil {
			t.Error("nil context")
		}
		return library.Allow, "", errors.New("late")
	}, testauthz.Alice())
	if err != nil {
		t.Fatal(err)
	}
	out, err := evalWith(t, `authorizer.path('/').check('get').allowed() && authorizer.path('/').check('get').error() == 'late'`, v, types.NullValue)
	if err != nil || out != types.True {
		t.Errorf("%v, %v, want true", out, err)
	}
}

func TestUnknownDecisionIsNotAllowed(t *testing.T) {
	v, err := library.NewAuthorizerValue(context.Background(), func(context.Context, library.Attributes) (library.Decision, string, error) {
		return library.Decision(42), "odd", nil
	}, &library.UserInfo{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := evalWith(t, `!authorizer.path('/').check('').allowed()`, v, types.NullValue)
	if err != nil || out != types.True {
		t.Errorf("%v, %v, want true", out, err)
	}
}

func TestPanickingAuthorizerIsAnError(t *testing.T) {
	v, err := library.NewAuthorizerValue(context.Background(), func(context.Context, library.Attributes) (library.Decision, string, error) {
		panic("boom")
	}, testauthz.Alice())
	if err != nil {
		t.Fatal(err)
	}
	_, err = evalWith(t, `authorizer.path('/').check('get').allowed()`, v, types.NullValue)
	if err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("error %v, want boom", err)
	}
}

func TestAuthorizerValueIsOpaque(t *testing.T) {
	v := testAuthorizer(t)
	if v.Type().TypeName() != "kubernetes.authorization.Authorizer" {
		t.Errorf("type %s", v.Type().TypeName())
	}
	if native, err := v.ConvertToNative(reflect.TypeFor[string]()); err == nil ||
		err.Error() != "type conversion error from 'kubernetes.authorization.Authorizer' to 'string'" {
		t.Errorf("%v, %v", native, err)
	}
	if got := v.ConvertToType(types.TypeType); got != library.AuthorizerType() {
		t.Errorf("type is %v", got)
	}
	if got := v.ConvertToType(types.StringType); !types.IsError(got) {
		t.Errorf("string is %v", got)
	}
	if got := v.Equal(v); !types.IsError(got) {
		t.Errorf("equal is %v", got)
	}
	if err, ok := v.Value().(ref.Val); !ok || !types.IsError(err) {
		t.Errorf("value is %v", v.Value())
	}
}
