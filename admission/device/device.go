package device

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/library"
)

// Device is what a selector sees of a device. The JSON form of attributes and capacity is that of a
// device in a ResourceSlice of resource.k8s.io/v1.
type Device struct {
	// Driver is the name of the driver. It is the domain of attributes and capacities whose
	// names have none.
	Driver string `json:"driver"`
	// AllowMultipleAllocations tells whether the device can be allocated more than
	// once.
	AllowMultipleAllocations bool `json:"allowMultipleAllocations,omitempty"`
	// Attributes are the attributes by name, as in model or example.com/model.
	Attributes map[string]Attribute `json:"attributes,omitempty"`
	// Capacity are the capacities by name.
	Capacity map[string]Capacity `json:"capacity,omitempty"`
}

// Attribute is the value of an attribute: one of its fields. Of several that are set, the
// last list counts less than the first, and lists count before single values.
type Attribute struct {
	// Int is a number.
	Int *int64 `json:"int,omitempty"`
	// Bool is a truth value.
	Bool *bool `json:"bool,omitempty"`
	// String is a text.
	String *string `json:"string,omitempty"`
	// Version is a semantic version.
	Version *string `json:"version,omitempty"`
	// Ints are numbers.
	Ints []int64 `json:"ints,omitempty"`
	// Bools are truth values.
	Bools []bool `json:"bools,omitempty"`
	// Strings are texts.
	Strings []string `json:"strings,omitempty"`
	// Versions are semantic versions.
	Versions []string `json:"versions,omitempty"`
}

// Capacity is a capacity of a device.
type Capacity struct {
	// Value is how much of it the device has.
	Value resource.Quantity `json:"value"`
}

// value is the CEL value of an attribute.
func (a Attribute) value() (any, error) {
	switch {
	case a.Ints != nil:
		return a.Ints, nil
	case a.Bools != nil:
		return a.Bools, nil
	case a.Strings != nil:
		return a.Strings, nil
	case a.Versions != nil:
		all := make([]ref.Val, len(a.Versions))
		for i, text := range a.Versions {
			v, err := version(text)
			if err != nil {
				return nil, err
			}
			all[i] = v
		}
		return all, nil
	case a.Int != nil:
		return *a.Int, nil
	case a.Bool != nil:
		return *a.Bool, nil
	case a.String != nil:
		return *a.String, nil
	case a.Version != nil:
		return version(*a.Version)
	}
	return nil, errors.New("unsupported attribute value")
}

func version(text string) (ref.Val, error) {
	v, err := library.ParseSemver(text)
	if err != nil {
		return nil, fmt.Errorf("parse semantic version: %w", err)
	}
	return v, nil
}

// value is the CEL value of the device. The error is an *InputError.
func (d Device) value() (ref.Val, error) {
	attributes, capacity := domains{}, domains{}
	for _, name := range slices.Sorted(maps.Keys(d.Attributes)) {
		v, err := d.Attributes[name].value()
		if err != nil {
			return nil, &diag.InputError{
				Code: diag.ArgumentInvalid, Detail: fmt.Sprintf("attribute %s: %v", name, err), Cause: err,
			}
		}
		attributes.put(d.Driver, name, v)
	}
	for name, c := range d.Capacity {
		capacity.put(d.Driver, name, library.NewQuantity(c.Value))
	}
	return types.NewStringInterfaceMap(types.DefaultTypeAdapter, map[string]any{
		"driver": d.Driver, "allowMultipleAllocations": d.AllowMultipleAllocations,
		"attributes": attributes.value(), "capacity": capacity.value(),
	}), nil
}

// domains holds values by domain and name.
type domains map[string]any

func (d domains) put(driver, name string, value any) {
	domain, id, found := strings.Cut(name, "/")
	if !found {
		domain, id = driver, name
	}
	if d[domain] == nil {
		d[domain] = map[string]any{}
	}
	d[domain].(map[string]any)[id] = value
}

func (d domains) value() ref.Val {
	all := make(map[string]any, len(d))
	for domain, values := range d {
		all[domain] = sorted{types.NewStringInterfaceMap(types.DefaultTypeAdapter, values.(map[string]any))}
	}
	return lenient{sorted{types.NewStringInterfaceMap(types.DefaultTypeAdapter, all)}}
}

// lenient is a map in which a domain that is not there is found empty. It is still not in the map.
type lenient struct{ sorted }

// Find returns the value of a key.
func (m lenient) Find(key ref.Val) (ref.Val, bool) {
	if v, found := m.Mapper.Find(key); found {
		return v, true
	}
	return types.DefaultTypeAdapter.NativeToValue(map[string]any{}), true
}

// sorted is a map of strings that is iterated in the order of its keys, so that each evaluation costs the
// same. A server takes the keys as they come.
type sorted struct{ traits.Mapper }

// Iterator returns the keys.
func (m sorted) Iterator() traits.Iterator {
	var keys []string
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, string(it.Next().(types.String)))
	}
	slices.Sort(keys)
	return types.NewStringList(types.DefaultTypeAdapter, keys).Iterator()
}

// IsZeroValue tells whether the map is empty.
func (m sorted) IsZeroValue() bool { return m.Size() == types.IntZero }
