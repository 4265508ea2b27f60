// Package data moves data between Go programs and CEL: it makes unstructured data of
// whatever a program holds, and unstructured data or Go values of CEL values.
//
// Unstructured data is what a server reads from JSON: map[string]any, []any, string,
// bool, int64, float64 and nil.
//
// Errors name types and places. None shows a value, because values may be secrets.
package data

import (
	"errors"
	"strconv"
	"strings"
)

// The limits of data. Go values and CEL values can hold themselves, or one value in
// many places.
const (
	// MaxDepth is how deep data may nest.
	MaxDepth = 200_000
	// MaxValues is how many values data may have, each counted where it occurs.
	MaxValues = 10_000_000
)

// Error says what cannot be converted, and where.
type Error struct {
	// Path is the place, such as spec.env[0]. It is empty for the whole.
	Path string
	// Detail says what is wrong. It shows no value.
	Detail string
	// Cause is the underlying error, nil if there is none. It may show a value.
	Cause error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Detail
	}
	return e.Path + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// failure is an error on its way up: the steps of its place, the last one first.
type failure struct {
	Error
	steps []string
}

// fail makes the error of a value.
func fail(detail string, cause error) *failure {
	return &failure{Error: Error{Detail: detail, Cause: cause}}
}

// in adds a step above.
func (f *failure) in(step string) *failure {
	f.steps = append(f.steps, step)
	return f
}

// maxSteps is how many steps of a place are shown. Data that holds itself has
// thousands.
const maxSteps = 20

// located is the error at its place, below the place that the caller names.
func (f *failure) located(root string) error {
	var path strings.Builder
	path.WriteString(root)
	for i := range f.steps {
		if i == maxSteps {
			path.WriteString("...")
			break
		}
		path.WriteString(f.steps[len(f.steps)-1-i])
	}
	f.Path = strings.TrimPrefix(path.String(), ".")
	return &f.Error
}

// keyStep is the step to the value of a key, and indexStep to an element.
func keyStep(key string) string {
	if key == "" || strings.ContainsAny(key, " .[]'\"\n") {
		return "[" + strconv.Quote(key) + "]"
	}
	return "." + key
}

func indexStep(i int) string { return "[" + strconv.Itoa(i) + "]" }

var (
	errDepth  = errors.New("it nests more than 200,000 deep, or holds itself")
	errValues = errors.New("it has more than 10,000,000 values")
)

// extent counts what was visited.
type extent struct{ depth, values int }

// enter counts a value. It fails beyond the limits; leave must follow otherwise.
func (e *extent) enter() *failure {
	e.depth++
	e.values++
	switch {
	case e.depth > MaxDepth:
		return fail(errDepth.Error(), nil)
	case e.values > MaxValues:
		return fail(errValues.Error(), nil)
	}
	return nil
}

func (e *extent) leave() { e.depth-- }
