package library_test

import (
	"fmt"
	"net/netip"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// The libraries of a server work in any environment of cel-go.
func ExampleFor() {
	var options []cel.EnvOption
	for _, lib := range library.For(release.Newest(), release.Minor(31)) {
		options = append(options, lib.EnvOption())
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, expr := range []string{`isIP('::1')`, `isSemver('1.2.3')`} {
		_, issues := env.Compile(expr)
		fmt.Println(expr, issues.Err() == nil)
	}
	// Output:
	// isIP('::1') true
	// isSemver('1.2.3') false
}

// A function of your own can take and return values of the types of Kubernetes.
func ExampleNewIP() {
	next := library.Library{
		Name: "example.addresses",
		Functions: []library.Function{{
			Name: "next",
			Doc:  "Returns the address after another.",
			Overloads: []library.Overload{{
				ID: "ip_next", Member: true, Args: []*cel.Type{library.IPType()}, Result: library.IPType(),
				Impl: library.Unary(func(ip ref.Val) (ref.Val, error) {
					addr, ok := ip.Value().(netip.Addr)
					if !ok {
						return types.MaybeNoSuchOverloadErr(ip), nil
					}
					return library.NewIP(addr.Next()), nil
				}),
			}},
		}},
	}
	env, err := cel.NewEnv(next.EnvOption(), cel.Variable("address", library.IPType()))
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, issues := env.Compile(`address.next()`)
	if issues.Err() != nil {
		fmt.Println(issues.Err())
		return
	}
	program, err := env.Program(tree)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, _, err := program.Eval(map[string]any{"address": library.NewIP(netip.MustParseAddr("10.0.0.9"))})
	fmt.Println(out, err)
	// Output: 10.0.0.10 <nil>
}
