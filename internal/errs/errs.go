// Package errs has what tests need of newer releases of Go than go.mod requires.
package errs

import "errors"

// As is errors.AsType of Go 1.26: the first error of type T in the tree of err.
func As[T error](err error) (T, bool) {
	var found T
	ok := errors.As(err, &found)
	return found, ok
}
