package authz_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kubecel/kubecel/admission/authz"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/library"
)

// TestWhen holds that an authorizer is asked only if all conditions are true, and that a condition
// without a value counts only if none is false.
func TestWhen(t *testing.T) {
	for _, tt := range []struct {
		conditions []string
		asked      bool
		err        string
	}{
		{nil, true, ""},
		{[]string{`request.user == 'ann'`, `request.resourceAttributes.resource == 'pods'`}, true, ""},
		{[]string{`request.user == 'ann'`, `has(request.nonResourceAttributes)`}, false, ""},
		{[]string{`request.groups[0] == 'a'`, `false`}, false, ""},
		{[]string{`request.groups[0] == 'a'`, `true`}, false,
			"cel evaluation error: expression 'request.groups[0] == 'a'' resulted in error: index out of bounds: 0"},
	} {
		recorder := authz.NewRecorder(authz.Static(authz.Row{Decision: library.Allow}))
		a, err := authz.When(recorder.Authorize, tt.conditions...)
		if err != nil {
			t.Fatal(err)
		}
		decision, _, err := a(context.Background(), question("ann", "get", "pods", ""))
		text := ""
		if err != nil {
			text = err.Error()
		}
		if asked := len(recorder.Asked()) == 1; asked != tt.asked || (decision == library.Allow) != tt.asked || text != tt.err {
			t.Errorf("%q: asked %v, %v, %q", tt.conditions, asked, decision, text)
		}
	}
	var failed *diag.CompileError
	if _, err := authz.When(nil, `true`, `request.user`); !errors.As(err, &failed) || failed.Server != "must evaluate to bool but got string" {
		t.Errorf("a condition that is no truth value: %v", err)
	}
}
