package eval

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
)

// FuzzEval compares both engines on whatever compiles.
func FuzzEval(f *testing.F) {
	for _, text := range operands {
		f.Add(text, uint8(0))
	}
	c := corpus{rand.New(rand.NewPCG(9, 10))}
	for i, form := range forms {
		f.Add(c.fill(form, 1), uint8(i))
	}
	for i, loop := range loops {
		f.Add(c.fill(strings.ReplaceAll(loop, "#", bodies[i%len(bodies)]), 1), uint8(i))
	}
	env := newEnv(f, cel.ParserRecursionLimit(100))
	e := newEngines(f, env, fingerprint)
	vars := []activation{nativeVars(), valueVars(env.CELTypeAdapter())}
	f.Fuzz(func(t *testing.T, text string, limit uint8) {
		if len(text) > 1000 || strings.Contains(text, "range") {
			return // Lists of billions of elements exhaust the memory.
		}
		ast := compile(env, text)
		if ast == nil {
			return
		}
		e.compareAST(t, text, ast, vars[limit%2], 0)
		e.compareLimit(t, text, ast, vars[limit%2], uint64(limit))
	})
}
