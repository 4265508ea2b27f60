package library

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// AuthzSelectors returns the library that narrows authorization checks to the
// objects that a selector chooses. It needs [Authz].
func AuthzSelectors() Library {
	return Library{
		Name:  "kubernetes.authzSelectors",
		Doc:   "Narrows authorization checks to the objects that a selector chooses. A selector that is not valid is left out of the check, which is then wider.",
		Since: release.Minor(31),
		Functions: []Function{
			selecting("fieldSelector", "Narrows a check to objects by their fields.", "spec.nodeName=node-1",
				func(c *resourceCheckValue, selector string) { c.fieldSelector = selector }),
			selecting("labelSelector", "Narrows a check to objects by their labels.", "app in (web, api)",
				func(c *resourceCheckValue, selector string) { c.labelSelector = selector }),
		},
	}
}

// selecting declares a function that sets a selector. Its price is that of
// reading the selector and of making the list of its requirements: a list costs
// 10 units, and a requirement, of which two characters can make one, 50.
func selecting(name, doc, example string, set func(*resourceCheckValue, string)) Function {
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: "authorizer_" + strings.ToLower(name), Member: true,
			Args: args(ResourceCheckType, cel.StringType), Result: ResourceCheckType,
			Impl: Binary(func(c resourceCheckValue, s types.String) (resourceCheckValue, error) {
				set(&c, string(s))
				return c, nil
			}),
			Cost: cost.Sum(
				cost.Fixed(10),
				cost.Scan(cost.Arg(1)),
				cost.Product(cost.Scaled(cost.Arg(1), 0.5), cost.Fixed(50)),
			),
			Examples: []Example{{
				Expr: `authorizer.group('').resource('pods').` + name + `('` + example + `').check('list').allowed()`,
				Want: `true`,
			}},
		}},
	}
}
