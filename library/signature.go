package library

import (
	"strings"

	"github.com/google/cel-go/cel"
)

// Signature returns one overload of the function as the documentation writes
// it: `<net.IP>.family() → int`.
func (f Function) Signature(o Overload) string {
	args := o.Args
	receiver := ""
	if o.Member && len(args) > 0 {
		receiver = "<" + typeName(args[0]) + ">."
		args = args[1:]
	}
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = typeName(a)
	}
	result := ""
	if o.Result != nil {
		result = " → " + typeName(o.Result)
	}
	return receiver + f.Name + "(" + strings.Join(names, ", ") + ")" + result
}

func typeName(t *cel.Type) string { return strings.TrimPrefix(t.String(), "kubernetes.") }
