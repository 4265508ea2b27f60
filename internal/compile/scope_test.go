package compile

import (
	"fmt"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
)

// TestVariableDeclaredTwice holds that a scope cannot change the type of a
// variable of its environment.
func TestVariableDeclaredTwice(t *testing.T) {
	env, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if env, err = env.Extend(Addition{Options: []cel.EnvOption{cel.Variable("x", cel.IntType)}}); err != nil {
		t.Fatal(err)
	}
	for typ, want := range map[*types.Type]string{
		types.IntType:    "<nil>",
		types.StringType: "overlapping identifier for name 'x'",
	} {
		scope, err := env.Scope(env.CEL().CELTypeProvider(), nil, decls.NewVariable("x", typ), decls.NewVariable("y", typ))
		if fmt.Sprint(err) != want {
			t.Errorf("%v: %v, want %s", typ, err, want)
		}
		if err != nil {
			continue
		}
		if _, err := scope.Compile("x == y"); err != nil {
			t.Error(err)
		}
	}
}
