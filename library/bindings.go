package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/internal/declare"
)

// Bindings is the library of cel.bind, which no API server has: neither [All] nor [For]
// returns it. It is for programs whose expressions no server sees.
func Bindings() Library {
	return Library{
		Name:  "cel.bindings",
		Doc:   "Names a value for use in an expression.",
		trait: declare.Bindings,
		Macros: []Macro{{
			Name:     "cel.bind",
			Doc:      "Returns what an expression makes of a value that is evaluated once, and only if it is needed.",
			Usage:    []string{"cel.bind(x, <value>, <expr of x>) -> <T>"},
			Examples: []Example{{Expr: `cel.bind(x, 'ab' + 'c', x + x)`, Want: `'abcabc'`}},
		}},
		// Newer versions of the library have decorators of programs.
		Options: []cel.EnvOption{ext.Bindings(ext.BindingsVersion(0))},
	}
}
