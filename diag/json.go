package diag

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// attached is what is not data of a finding or a violation: the error behind it, as an
// object or a text, and the text of the server.
type attached struct {
	Error  any    `json:"error,omitempty"`
	Server string `json:"server,omitempty"`
}

func attach(err error, server *field.Error) (a attached) {
	switch err := err.(type) {
	case nil:
	case *CompileError, *EvalError, *InputError:
		a.Error = err
	default:
		a.Error = err.Error()
	}
	if server != nil {
		a.Server = server.Error()
	}
	return a
}

// MarshalJSON writes Err as "error" and the text of Server as "server". Reading JSON
// leaves both out.
func (f Finding) MarshalJSON() ([]byte, error) {
	type data Finding
	return json.Marshal(struct {
		data
		attached
	}{data(f), attach(f.Err, f.Server)})
}

// MarshalJSON writes Err as "error" and the text of Server as "server". Reading JSON
// leaves both out.
func (v Violation) MarshalJSON() ([]byte, error) {
	type data Violation
	return json.Marshal(struct {
		data
		attached
	}{data(v), attach(v.Err, v.Server)})
}
