package typesystem

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	equality "k8s.io/apimachinery/third_party/forked/golang/reflect"

	"github.com/kubecel/kubecel/internal/data"
)

// preserved is data without a type, kept by x-kubernetes-preserve-unknown-fields. Expressions reach it
// only by comparing what it is part of.
type preserved struct{ data any }

func (p *preserved) Equal(other ref.Val) ref.Val { return types.Bool(equalData(p.data, other.Value())) }

func (p *preserved) Type() ref.Type { return types.UnknownType }
func (p *preserved) Value() any     { return p.data }

// Data returns the data.
func (p *preserved) Data() any { return p.data }

// ConvertToNative converts as [data.Native] does.
func (p *preserved) ConvertToNative(t reflect.Type) (any, error) { return data.Native(p, p.data, t) }

// AsServer returns the value as a server has it: it does not convert.
func (p *preserved) AsServer() ref.Val { return serverPreserved{p} }

type serverPreserved struct{ *preserved }

func (p serverPreserved) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t)
}

func (p *preserved) ConvertToType(t ref.Type) ref.Val {
	return types.NewErr("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t.TypeName())
}

// equalData compares unstructured data as an API server does: as reflect.DeepEqual, but nil and empty
// maps and lists are the same.
func equalData(a, b any) bool { return equality.Equalities{}.DeepEqual(a, b) }
