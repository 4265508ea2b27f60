package kubecel

import (
	"bytes"
	"encoding/json"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/data"
)

// Result is the outcome of an evaluation.
type Result struct {
	// Value is the value, as cel-go represents it.
	Value ref.Val `json:"-"`
	// Cost is what the evaluation cost, in cost units.
	Cost uint64 `json:"cost"`
}

// Bool returns the value of a boolean result, and false for any other.
func (r Result) Bool() bool { return r.Value == types.True }

// Unstructured returns the value as unstructured data, a copy that is the caller's:
// map[string]any, []any, string, bool, int64, float64 or nil. What JSON lacks is
//
//   - an int64, for an unsigned integer;
//   - a string, for a duration (5m0s), a timestamp (RFC 3339), bytes (base64), a type
//     (its name), and quantities, IPs, CIDRs, URLs, versions and formats (their texts);
//   - the value of an optional, and nil for optional.none(), also in lists and maps;
//   - the data itself, for an object, list or map of a schema: with fields that the
//     schema does not know, and with texts for what it calls durations and dates.
//
// The error is an *InputError with diag.ConversionFailed, which names the place and
// shows no value: for an unsigned integer beyond int64, a number that is not finite, a
// map with keys that are no strings, a value without a form as data, such as an
// authorizer, and for data that nests more than 200,000 deep or has more than 10,000,000
// values.
func (r Result) Unstructured() (any, error) {
	value, err := data.Unstructured(r.Value)
	return value, dataError(err, diag.ConversionFailed)
}

// JSON returns what [Result.Unstructured] returns as JSON, with sorted keys. The errors
// are the same.
func (r Result) JSON() ([]byte, error) {
	value, err := r.Unstructured()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, &InputError{Code: diag.ConversionFailed, Path: "result", Detail: "it has no JSON", Cause: err}
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// As stores the value in what target points to:
//
//   - a map in a struct, by the json tags of its fields, or in a map with keys of a
//     string type; fields without a key stay as they are, and keys without a field are
//     ignored;
//   - a list in a slice, or in an array of its length;
//   - a number in any numeric type that holds it without loss of whole units;
//   - a duration in a time.Duration, a timestamp in a time.Time, bytes in a []byte, and
//     these also from texts as [Result.Unstructured] gives them, and as these in a string;
//   - null and optional.none() as the zero value, such as a nil pointer;
//   - what [Result.Unstructured] returns in an interface, and in a type that reads JSON
//     or text itself, such as metav1.Time or resource.Quantity.
//
// The error is an *InputError with diag.ConversionFailed, which names the place, the Go
// type and what was there, and shows no value. Target may then hold a part.
func (r Result) As(target any) error {
	return dataError(data.As(r.Value, target), diag.ConversionFailed)
}
