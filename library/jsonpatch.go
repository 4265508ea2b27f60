package library

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/declare"
)

// JSONPatch is the library that only mutating admission policies have. [For]
// leaves it out, because no other environment of an API server has it.
func JSONPatch() Library {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	return Library{
		Name:  "kubernetes.jsonpatch",
		Doc:   "Helps to build JSON patches.",
		trait: declare.Policies,
		Functions: []Function{
			ofString("jsonpatch.escapeKey", "Escapes a key for use as a segment of a JSON Pointer: `~` becomes `~0` and `/` becomes `~1`.",
				"string_jsonpatch_escapeKey_string", cel.StringType, cost.Scan(cost.Arg(0)).Yields(cost.Arg(0)),
				Unary(func(key types.String) (types.String, error) { return types.String(escape.Replace(string(key))), nil }),
				Example{Expr: `jsonpatch.escapeKey('example.com/my~label')`, Want: `'example.com~1my~0label'`},
				Example{Expr: `jsonpatch.escapeKey('plain')`, Want: `'plain'`}),
		},
	}
}
