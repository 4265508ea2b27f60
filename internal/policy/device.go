package policy

import (
	"slices"
	"sync"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/library"
)

// DeviceName is the variable of device selectors.
const DeviceName = "device"

// DeviceEnvironment is what selectors of devices are compiled for. It is comparable.
type DeviceEnvironment struct {
	// Server is the environment of a server.
	Server server.Environment
	// Shared tells whether devices have allowMultipleAllocations, Lists whether
	// attributes may be lists.
	Shared, Lists bool
}

// Unknown is the type that attributes have.
func (e DeviceEnvironment) Unknown() *types.Type {
	if e.Lists {
		return types.DynType
	}
	return types.AnyType
}

// Limits of k8s.io/api v0.37.2, resource/v1.
const (
	maxDomain, maxID, maxDriver = 63, 32, 63
	maxAttributes               = 32
	maxAttribute                = 64 // the longest string, and more than the longest list
)

// DeviceScope returns the scope of the selectors of devices, those of
// k8s.io/dynamic-resource-allocation v0.37.2, package cel. Each is built once.
func DeviceScope(e DeviceEnvironment) (*compile.Scope, error) {
	build, _ := devices.LoadOrStore(e, sync.OnceValues(e.scope))
	return build.(func() (*compile.Scope, error))()
}

var devices sync.Map

func (e DeviceEnvironment) scope() (*compile.Scope, error) {
	libraries := append(e.Server.Libraries(), library.Bindings())
	if e.Lists {
		libraries = withIncludes(libraries)
	}
	env, err := compile.New(compile.Config{Libraries: libraries, Server: e.Server})
	if err != nil {
		return nil, err
	}
	fields := map[string]*decl{
		"driver":     scalar(types.StringType),
		"attributes": mapOf(mapOf(scalar(e.Unknown()))),
		"capacity":   mapOf(mapOf(scalar(library.QuantityType()))),
	}
	if e.Shared {
		fields["allowMultipleAllocations"] = scalar(types.BoolType)
	}
	device := object("kubernetes.DRADevice", fields)
	return env.Scope(newProvider(env.CEL().CELTypeProvider(), device), deviceSizes{e.Shared}, decls.NewVariable(DeviceName, device.cel))
}

// withIncludes replaces the library of lists by its version with the function includes.
func withIncludes(libraries []library.Library) []library.Library {
	newest := library.Newest()
	i := slices.IndexFunc(newest, func(l library.Library) bool {
		return slices.ContainsFunc(l.Functions, func(f library.Function) bool { return f.Name == "includes" })
	})
	return append(slices.DeleteFunc(libraries, func(l library.Library) bool { return l.Name == newest[i].Name }), newest[i])
}

// deviceSizes are the greatest sizes of the parts of a device.
type deviceSizes struct{ shared bool }

// SizeOf is part of pricing.Sizer. The server counts what has no size as empty.
func (s deviceSizes) SizeOf(path []string) (cost.Range, bool) {
	if path[0] != DeviceName {
		return cost.Range{}, false
	}
	steps := path[1:]
	if len(steps) == 0 {
		return cost.Range{}, true
	}
	field, steps := steps[0], steps[1:]
	switch field {
	case "driver":
		return cost.Range{Max: maxDriver}, len(steps) == 0
	case "allowMultipleAllocations":
		return cost.Range{Max: 1}, s.shared && len(steps) == 0
	case "attributes":
		return sizeInMaps(steps, maxAttribute, true)
	case "capacity":
		return sizeInMaps(steps, 0, false)
	}
	return cost.Range{}, false
}

// sizeInMaps is the size at a path that leads into a map of maps of values. The fields of an inner
// map are its values, if there are any fields.
func sizeInMaps(steps []string, value uint64, fields bool) (cost.Range, bool) {
	keys := [...]uint64{maxDomain, maxID}
	for depth, step := range steps {
		last := depth == len(steps)-1
		switch {
		case depth > 1:
			return cost.Range{}, false
		case step == pricing.PathKeys:
			return cost.Range{Max: keys[depth]}, last
		case step == pricing.PathValues || step == pricing.PathItems:
		case depth == 1 && fields:
		default:
			return cost.Range{}, false
		}
	}
	return cost.Range{Max: [...]uint64{maxAttributes, maxAttributes, value}[len(steps)]}, true
}
