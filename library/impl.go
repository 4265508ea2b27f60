package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Impl is the implementation of an overload.
type Impl struct {
	binding cel.OverloadOpt
}

// Unary implements an overload of one argument. An argument that is not an A
// is an error: no such overload. Let A be ref.Val to take a value of a type of this
// package; the Go value is in its Value method.
func Unary[A, R ref.Val](fn func(A) (R, error)) Impl {
	return Impl{cel.UnaryBinding(func(arg ref.Val) ref.Val {
		a, ok := arg.(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(arg)
		}
		return result(fn(a))
	})}
}

// Binary implements an overload of two arguments.
func Binary[A, B, R ref.Val](fn func(A, B) (R, error)) Impl {
	return Impl{cel.BinaryBinding(func(lhs, rhs ref.Val) ref.Val {
		a, ok := lhs.(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(lhs)
		}
		b, ok := rhs.(B)
		if !ok {
			return types.MaybeNoSuchOverloadErr(rhs)
		}
		return result(fn(a, b))
	})}
}

// Ternary implements an overload of three arguments.
func Ternary[A, B, C, R ref.Val](fn func(A, B, C) (R, error)) Impl {
	return Impl{cel.FunctionBinding(func(args ...ref.Val) ref.Val {
		a, ok := args[0].(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[0])
		}
		b, ok := args[1].(B)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[1])
		}
		c, ok := args[2].(C)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[2])
		}
		return result(fn(a, b, c))
	})}
}

// Nullary implements an overload without arguments.
func Nullary[R ref.Val](fn func() (R, error)) Impl {
	return Impl{cel.FunctionBinding(func(...ref.Val) ref.Val { return result(fn()) })}
}

func result[R ref.Val](r R, err error) ref.Val {
	if err != nil {
		return types.WrapErr(err)
	}
	return r
}
