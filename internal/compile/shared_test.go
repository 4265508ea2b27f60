package compile

import (
	"fmt"
	"testing"

	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// TestOverloadIDsHaveOneSignature holds what the comparison of environments
// rests on.
func TestOverloadIDsHaveOneSignature(t *testing.T) {
	signatures := map[string]string{}
	environments := map[server.Environment]bool{}
	for _, r := range release.All() {
		for _, version := range release.All() {
			s := server.CompatibleWith(r, version)
			if s.Release.Before(version) || environments[s] {
				continue
			}
			environments[s] = true
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
	}
	if len(environments) < 50 || len(signatures) < 300 {
		t.Errorf("%d environments, %d overloads", len(environments), len(signatures))
	}
}
