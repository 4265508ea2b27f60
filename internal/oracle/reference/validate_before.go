//go:build before1.29

package reference

import (
	"context"

	"github.com/kubecel/kubecel/internal/parity"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// run validates an object; ratcheting came in 1.29.
func run(ctx context.Context, v *schemacel.Validator, s *structuralschema.Structural, obj parity.Object, budget int64) (field.ErrorList, int64) {
	return v.Validate(ctx, nil, s, obj.New, obj.Old, budget)
}

func usesOldSelf(r schemacel.CompilationResult) bool { return r.TransitionRule }
