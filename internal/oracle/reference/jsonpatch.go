//go:build !before1.32

package reference

import (
	"github.com/google/cel-go/cel"

	"k8s.io/apiserver/pkg/cel/library"
)

// jsonPatch declares what expressions that make patches have.
func jsonPatch() []cel.EnvOption { return []cel.EnvOption{library.JSONPatch()} }
