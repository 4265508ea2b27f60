package library

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/release"
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

// CostText returns the price of a call of the overload on an API server of a
// release in words, in cost units: "0.1·size(receiver)".
func (o Overload) CostText(server release.Release) string {
	price := o.costOn(server)
	if price.IsZero() {
		price = pricing.Standard(server).Overloads[o.ID]
	}
	if price.IsZero() {
		return "1"
	}
	var names []string
	if o.Member {
		names = append(names, "receiver")
	}
	for i, count := 1, len(o.Args)-len(names); i <= count; i++ {
		name := "argument"
		if count > 1 {
			name += " " + strconv.Itoa(i)
		}
		names = append(names, name)
	}
	return price.Formula(names...)
}
