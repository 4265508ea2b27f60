//go:build !before1.29

package reference

import (
	"context"

	"github.com/kubecel/kubecel/internal/parity"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
)

// run validates an object, ratcheting if it has an old version.
func run(ctx context.Context, v *schemacel.Validator, s *structuralschema.Structural, obj parity.Object, budget int64) (field.ErrorList, int64) {
	var opts []schemacel.Option
	if obj.Old != nil {
		opts = append(opts, schemacel.WithRatcheting(common.NewCorrelatedObject(obj.New, obj.Old, &model.Structural{Structural: s})))
	}
	return v.Validate(ctx, nil, s, obj.New, obj.Old, budget, opts...)
}

func usesOldSelf(r schemacel.CompilationResult) bool { return r.UsesOldSelf }
