package library

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubecel/kubecel/cost"
)

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestValues converts each type of value. The texts of the errors are those of
// k8s.io/apiserver v0.37.2, pkg/cel.
func TestValues(t *testing.T) {
	addr, prefix := netip.MustParseAddr("2001:db8::1"), netip.MustParsePrefix("10.0.0.1/8")
	for _, c := range []struct {
		value ref.Val
		zero  ref.Val
		typ   ref.Type
		text  string
		// native is the Go form of the value.
		native any
		// name is what errors call the type.
		name string
		// stringType tells whether the value converts to the type string.
		stringType bool
	}{
		{must[ipValue](t)(parseIP("2001:DB8::1")), ipValue{}, IPType(), "2001:db8::1", addr, "IP", true},
		{must[cidrValue](t)(parseCIDR("10.0.0.1/8")), cidrValue{}, CIDRType(), "10.0.0.1/8", prefix, "CIDR", true},
		{must[urlValue](t)(parseURL("https://a/b c")), NewURL(nil), URLType(), "https://a/b%20c", &url.URL{Scheme: "https", Host: "a", Path: "/b c", RawPath: "/b c"}, "URL", false},
		{must[quantityValue](t)(parseQuantity("1000m")), NewQuantity(resource.Quantity{}), QuantityType(), "1", nil, "Quantity", false},
		{must[semverValue](t)(parseSemver("1.2.3-a+b")), semverValue{}, SemverType(), "1.2.3-a+b", nil, "Semver", false},
	} {
		if c.value.Type() != c.typ {
			t.Errorf("%s: type is %v", c.name, c.value.Type())
		}
		if got, err := c.value.ConvertToNative(reflect.TypeFor[string]()); err != nil || got != c.text {
			t.Errorf("%s: string is %v, %v, want %s", c.name, got, err, c.text)
		}
		if c.native != nil {
			if got, err := c.value.ConvertToNative(reflect.TypeOf(c.native)); err != nil || !reflect.DeepEqual(got, c.native) {
				t.Errorf("%s: native is %v, %v, want %v", c.name, got, err, c.native)
			}
		}
		if got, err := c.value.ConvertToNative(reflect.TypeFor[any]()); err != nil || !reflect.DeepEqual(got, c.value.Value()) {
			t.Errorf("%s: any is %v, %v", c.name, got, err)
		}
		want := "type conversion error from '" + c.name + "' to 'bool'"
		if _, err := c.value.ConvertToNative(reflect.TypeFor[bool]()); err == nil || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", c.name, err, want)
		}
		if c.value.ConvertToType(c.typ).Equal(c.value) != types.True || c.value.ConvertToType(types.TypeType) != ref.Val(c.typ.(*types.Type)) {
			t.Errorf("%s: conversion to its own type or to a type fails", c.name)
		}
		got := c.value.ConvertToType(types.StringType)
		if c.stringType != (got.Type() == types.StringType) || c.stringType && got != types.String(c.text) {
			t.Errorf("%s: conversion to the type string gives %v", c.name, got)
		}
		want = "type conversion error from '" + c.typ.TypeName() + "' to 'bool'"
		if err, ok := c.value.ConvertToType(types.BoolType).(*types.Err); !ok || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", c.name, err, want)
		}
		if err, ok := c.value.Equal(types.String(c.text)).(*types.Err); !ok || err.Error() != "no such overload" {
			t.Errorf("%s: equality with a string gives %v", c.name, err)
		}
		if reason := types.NewErr("reason"); c.value.Equal(reason) != reason {
			t.Errorf("%s: equality with an error loses it", c.name)
		}
		if c.zero.Equal(c.zero) != types.True || c.zero.Equal(c.value) != types.False || c.value.Equal(c.zero) != types.False {
			t.Errorf("%s: equality with the zero value is wrong", c.name)
		}
		_, _ = c.zero.ConvertToNative(reflect.TypeFor[string]())
		_ = c.zero.Value()
	}
}

// TestSizes holds the sizes from which runtime costs are computed.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		value traits.Sizer
		want  types.Int
	}{
		{NewIP(netip.MustParseAddr("1.2.3.4")).(traits.Sizer), 4},
		{NewIP(netip.MustParseAddr("::1")).(traits.Sizer), 16},
		{ipValue{}, 0},
		{NewCIDR(netip.MustParsePrefix("1.2.3.4/0")).(traits.Sizer), 0},
		{NewCIDR(netip.MustParsePrefix("1.2.3.4/1")).(traits.Sizer), 1},
		{NewCIDR(netip.MustParsePrefix("1.2.3.4/8")).(traits.Sizer), 1},
		{NewCIDR(netip.MustParsePrefix("1.2.3.4/9")).(traits.Sizer), 2},
		{NewCIDR(netip.MustParsePrefix("::/128")).(traits.Sizer), 16},
		{cidrValue{}, 0},
		// Other values have no size, which costs take for 1.
		{NewQuantity(resource.MustParse("12")).(traits.Sizer), 1},
		{NewURL(nil).(traits.Sizer), 1},
		{semverValue{}, 1},
		{formatValue{}, 1},
		{authorizerValue{}, 1},
	} {
		if got := c.value.Size(); got != c.want {
			t.Errorf("size of %v is %v, want %v", c.value, got, c.want)
		}
	}
}

// TestValuesAreImmutable changes what Value gives out and calculates with large
// numbers, whose representation the resource package shares and changes.
func TestValuesAreImmutable(t *testing.T) {
	u := must[urlValue](t)(parseURL("https://a/"))
	u.Value().(*url.URL).Host = "changed"
	if u.String() != "https://a/" {
		t.Errorf("URL is now %s", u)
	}
	huge := must[quantityValue](t)(parseQuantity("99999999999999999999"))
	huge.Value().(*resource.Quantity).Add(resource.MustParse("1"))
	one := must[quantityValue](t)(parseQuantity("1"))
	if one.Equal(huge) != types.False {
		t.Error("quantities are equal")
	}
	if n, ok := one.Value().(*resource.Quantity).AsInt64(); !ok || n != 1 {
		t.Error("a comparison has changed the form of a quantity")
	}
	if huge.String() != "99999999999999999999" {
		t.Errorf("quantity is now %s", huge)
	}
}

func TestQuantityRefusesExponentsThatTakeForever(t *testing.T) {
	for _, s := range []string{"1e-999999999", "1E999999999999", "1e+1000001", "-1e-1000001"} {
		if _, err := parseQuantity(s); err == nil {
			t.Errorf("%s is accepted", s)
		}
	}
	for _, s := range []string{"1e1000", "1E-1000", "1E", "1Ei", "1e3"} {
		if _, err := parseQuantity(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestFormatValue(t *testing.T) {
	var zero formatValue
	if zero.Equal(zero) != types.True {
		t.Error("a format is not itself")
	}
	if got, err := zero.ConvertToNative(reflect.TypeFor[string]()); err == nil || err.Error() != "type conversion error from 'Format' to 'string'" {
		t.Errorf("%v, %v", got, err)
	}
	if got := zero.ConvertToType(types.TypeType); got != formatClass.typ {
		t.Errorf("type is %v", got)
	}
	if got := zero.ConvertToType(types.StringType); !types.IsError(got) || got.(error).Error() != "type conversion error from 'kubernetes.NamedFormat' to 'string'" {
		t.Errorf("string is %v", got)
	}
}

// TestConversionFaults holds that prices convert arguments as those of a server, and
// panic where these do.
func TestConversionFaults(t *testing.T) {
	text := func(convert func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		convert()
		return ""
	}
	list := types.DefaultTypeAdapter.NativeToValue([]int{1})
	flatten := cost.Fixed(0)
	for _, f := range extListsLibrary().Functions {
		if f.Name == "flatten" {
			flatten = f.Overloads[1].Cost
		}
	}
	price := func(m cost.Model, args ...ref.Val) string { return text(func() { m.Runtime(args, nil) }) }
	for _, v := range []ref.Val{
		types.NewErr("failed"), types.String("a"), types.Int(1), types.True, types.NullValue, types.Bytes{}, types.Duration{},
		types.NewUnknown(1, nil), types.OptionalNone, types.IntType, types.NewRefValMap(types.DefaultTypeAdapter, nil), ipValue{},
	} {
		if got, want := price(selfCompared(0, 2), v), text(func() { _ = v.(traits.Lister) }); got != want {
			t.Errorf("%T: got %v, want %s", v, got, want)
		}
		for _, m := range []cost.Model{flatten, {Runtime: wrappingFlatten}} {
			if got, want := price(m, list, v), text(func() { _ = v.(types.Int) }); got != want {
				t.Errorf("%T: got %v, want %s", v, got, want)
			}
		}
	}
	if got := price(selfCompared(0, 2), list) + price(flatten, list, types.IntOne); got != "<nil><nil>" {
		t.Error(got)
	}
}
