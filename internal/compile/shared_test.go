package compile

import (
	"fmt"
	"testing"
)

// TestOverloadIDsHaveOneSignature holds what the comparison of environments
// rests on.
func TestOverloadIDsHaveOneSignature(t *testing.T) {
	signatures := map[string]string{}
	for s := range environments {
		env, err := ForServer(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range env.CEL().Functions() {
			for _, o := range fn.OverloadDecls() {
				signature := fmt.Sprint(o.ArgTypes(), o.ResultType(), o.IsMemberFunction())
				if known, ok := signatures[o.ID()]; ok && known != signature {
					t.Errorf("%s: %s and %s", o.ID(), known, signature)
				}
				signatures[o.ID()] = signature
			}
		}
	}
	if len(environments) < 50 || len(signatures) < 300 {
		t.Errorf("%d environments, %d overloads", len(environments), len(signatures))
	}
}
