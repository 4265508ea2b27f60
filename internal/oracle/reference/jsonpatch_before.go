//go:build before1.32

package reference

import (
	"github.com/google/cel-go/cel"
)

// jsonPatch is empty: expressions that make patches came in 1.32.
func jsonPatch() []cel.EnvOption { return nil }
