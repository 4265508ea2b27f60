// Package device compares package admission/device with the module that evaluates selectors of
// devices for the scheduler and the API server.
package device

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubecel/kubecel/admission/device"
)

// single are expressions about one part of a device.
var single = []string{
	`true`, `false`, `1`, `'a'`, `device`, `null`, `[]`, `dyn(1)`, `dyn(true)`, `dyn('a') == 'a'`, `device.driver == 'dra.example.com'`,
	`device.driver.startsWith('dra')`, `device.driver.size() > 5`, `device.driver.matches('^dra[.].*$')`, `device.driver`,
	`device.driver + 1`, `device.name`, `device.drivers == 'a'`, `device == device`, `has(device.driver)`, `has(device.attributes)`,
	`device.driver.find('[a-z]+') == 'dra'`, `device.driver in ['a', 'dra.example.com']`, `device['driver'] == 'dra.example.com'`,
	`device.allowMultipleAllocations`, `device.allowMultipleAllocations == true`, `!device.allowMultipleAllocations`,
	`has(device.allowMultipleAllocations)`, `device.allowMultipleAllocations == 1`, `string(device.allowMultipleAllocations) == 'true'`,
	`device.allowMultipleAllocations ? true : false`, `device.attributes['dra.example.com'].model == 'a100'`,
	`device.attributes["dra.example.com"].model`, `device.attributes['dra.example.com']['model'] == 'a100'`,
	`device.attributes['dra.example.com'].model.startsWith('a')`, `device.attributes['other.example.com'].model == 'x'`,
	`device.attributes['dra.example.com'].index > 0`, `device.attributes['dra.example.com'].index + 1 == 8`,
	`device.attributes['dra.example.com'].index`, `device.attributes['dra.example.com'].index < 3.5`,
	`device.attributes['dra.example.com'].index == 7u`, `device.attributes['dra.example.com'].missing`,
	`device.attributes['dra.example.com'].healthy`, `device.attributes['dra.example.com'].healthy && true`,
	`!device.attributes['dra.example.com'].healthy`, `device.attributes['dra.example.com'].version.isGreaterThan(semver('1.0.0'))`,
	`device.attributes['dra.example.com'].version.compareTo(semver('1.2.3')) == 0`,
	`device.attributes['dra.example.com'].version == semver('1.2.3')`, `device.attributes['dra.example.com'].version.major() == 1`,
	`device.attributes['dra.example.com'].version`, `semver('1.0.0').isLessThan(device.attributes['dra.example.com'].version)`,
	`'model' in device.attributes['dra.example.com']`, `'model' in device.attributes['none.example.com']`,
	`'dra.example.com' in device.attributes`, `'none.example.com' in device.attributes`, `has(device.attributes['dra.example.com'].model)`,
	`has(device.attributes['none.example.com'].model)`, `device.attributes['none.example.com'] == {}`,
	`device.attributes['none.example.com'].size() == 0`, `device.attributes.size() > 0`, `device.attributes.model`,
	`device.attributes['dra.example.com'].size() >= 2`, `device.attributes['dra.example.com'].?model.orValue('') == 'a100'`,
	`device.attributes[?'none.example.com'].hasValue()`, `device.attributes['none.example.com'].?model.hasValue()`,
	`device.attributes.?none.hasValue()`, `device.attributes['none.example.com'].?model.orValue(true)`,
	`device.attributes['none.example.com'].model`, `device.attributes[1]`, `device.attributes['a', 'b']`,
	`device.attributes.exists(d, d == 'dra.example.com')`, `device.attributes.all(d, d.size() < 64)`,
	`device.attributes.exists(d, d.endsWith('.org'))`, `device.attributes['dra.example.com'].exists(k, k == 'model')`,
	`device.attributes['dra.example.com'].all(k, k.matches('^[a-zA-Z]+$'))`,
	`device.attributes.all(d, device.attributes[d].all(k, k != 'bad'))`, `device.attributes.map(d, d.size()).sum() > 0`,
	`device.attributes.filter(d, d != 'x').size() == 1`, `device.attributes.all(d, v, v.size() > 0)`,
	`device.attributes['dra.example.com'].exists(k, v, k == 'model' && v == 'a100')`,
	`device.attributes['dra.example.com'].list.exists(x, x == 'b')`, `device.attributes['dra.example.com'].list.all(x, x != 'z')`,
	`'b' in device.attributes['dra.example.com'].list`, `device.attributes['dra.example.com'].list.includes('b')`,
	`device.attributes['dra.example.com'].model.includes('a100')`, `device.attributes['dra.example.com'].index.includes(7)`,
	`device.attributes['dra.example.com'].list.size() == 2`, `device.attributes['dra.example.com'].list == ['a', 'b']`,
	`device.attributes['dra.example.com'].list[0] == 'a'`, `device.attributes['dra.example.com'].list[5] == 'a'`,
	`device.attributes['dra.example.com'].list`, `device.attributes['dra.example.com'].list.join(',') == 'a,b'`,
	`device.attributes['dra.example.com'].numbers.sum() > 3`, `3 in device.attributes['dra.example.com'].numbers`,
	`device.attributes['dra.example.com'].numbers.exists(n, n > 2)`, `device.attributes['dra.example.com'].numbers.max() == 3`,
	`device.attributes['dra.example.com'].numbers.map(n, n * 2).exists(n, n == 6)`, `device.attributes['dra.example.com'].flags.all(f, f)`,
	`device.attributes['dra.example.com'].versions.exists(v, v == semver('2.0.0'))`,
	`device.attributes['dra.example.com'].versions.all(v, v.isGreaterThan(semver('0.1.0')))`,
	`device.attributes['dra.example.com'].versions[0].minor() == 0`,
	`device.attributes['dra.example.com'].versions.includes(semver('2.0.0'))`,
	`device.attributes['dra.example.com'].model.upperAscii() == 'A100'`,
	`device.attributes['dra.example.com'].model.split('0').size() > 1`, `device.attributes['dra.example.com'].model.matches('a.*')`,
	`int(device.attributes['dra.example.com'].model) == 1`, `string(device.attributes['dra.example.com'].index) == '7'`,
	`type(device.attributes['dra.example.com'].index) == int`, `device.attributes['dra.example.com'].index / 0 == 1`,
	`device.attributes['dra.example.com'].index == 'a'`, `device.attributes['dra.example.com'].model == 1`,
	`device.capacity['dra.example.com'].memory.isGreaterThan(quantity('10Gi'))`,
	`device.capacity['dra.example.com'].memory == quantity('40Gi')`,
	`device.capacity['dra.example.com'].memory.compareTo(quantity('40Gi')) >= 0`, `device.capacity['dra.example.com'].memory.isInteger()`,
	`device.capacity['dra.example.com'].memory.asInteger() > 1000`, `device.capacity['dra.example.com'].memory`,
	`device.capacity['dra.example.com'].memory > 1`, `device.capacity['none.example.com'].memory.isInteger()`,
	`'memory' in device.capacity['dra.example.com']`, `has(device.capacity['none.example.com'].memory)`,
	`device.capacity.exists(d, device.capacity[d].exists(c, device.capacity[d][c].sign() > 0))`,
	`device.capacity['dra.example.com'].all(c, c.size() > 2)`,
	`device.capacity['dra.example.com'].memory.add(quantity('1Gi')).isGreaterThan(quantity('40Gi'))`,
	`device.capacity.size() + device.attributes.size() > 2`, `device.capacity['dra.example.com'].memory.asApproximateFloat() > 1.5`,
	`device.capacity['dra.example.com'].?memory.hasValue()`, `device.capacity.memory`,
	`device.capacity['dra.example.com'] == device.capacity['dra.example.com']`,
	`device.capacity['dra.example.com'].memory.sub(1).sign() == 1`,
	`cel.bind(dra, device.attributes['dra.example.com'], dra.model == 'a100' && dra.index > 1)`,
	`cel.bind(x, device.capacity['dra.example.com'].memory, x == x)`, `cel.bind(d, device, d.driver.size() == d.driver.size())`,
	`cel.bind(a, device.attributes, a.all(k, a[k].all(n, n != k)))`, `cel.bind(x, 1, x)`, `authorizer.path('/a').check('get').allowed()`,
	`object.x`, `self`, `a b`, `device.`, `ip('1.2.3.4').family() == 4`, `url('https://a.b/').getHost() == 'a.b'`,
	`device.attributes['dra.example.com'].model == 'a' || device.attributes['dra.example.com'].index == 7`,
	`device.attributes['dra.example.com'].model > 'a' ? true : 1`,
	`[device.driver, device.attributes['dra.example.com'].model].exists(x, x == 'a100')`, `{'a': device.driver}.a == 'dra.example.com'`,
	`device.attributes['dra.example.com'].model + device.driver == 'a100dra.example.com'`,
	`device.attributes[device.driver].model == 'a100'`, `device.attributes[device.driver + 'x'].?model.orValue('none') == 'none'`,
	`[1, 2, 3].all(i, [1, 2, 3].all(j, device.attributes['dra.example.com'].index > i * j))`,
	`device.attributes['dra.example.com'].model.charAt(0) == 'a'`, `'%s-%d'.format([device.driver, 1]) == 'dra.example.com-1'`,
	`sets.contains(['a100', 'h100'], [device.attributes['dra.example.com'].model])`,
	`sets.intersects(device.attributes['dra.example.com'].list, ['b'])`, `device.attributes['dra.example.com'].list.isSorted()`,
	`device.attributes['dra.example.com'].list.indexOf('b') == 1`, `timestamp(device.driver) > timestamp(0)`,
}

// Expressions are those of the table: the single ones, and pairs of them.
func Expressions() []string {
	all := slices.Clone(single)
	boolean := slices.DeleteFunc(slices.Clone(single), func(x string) bool {
		return !strings.Contains(x, "==") || strings.Contains(x, "?")
	})
	for i, x := range boolean {
		y := boolean[(i*7+3)%len(boolean)]
		all = append(all, fmt.Sprintf([]string{"%s && %s", "(%s) || (%s)", "!(%s) ? true : (%s)"}[i%3], x, y))
	}
	return all
}

func of[T any](v T) *T { return &v }

// Devices are those of the table.
func Devices() (all []device.Device) {
	attributes := []map[string]device.Attribute{
		nil,
		{"model": {String: of("a100")}, "index": {Int: of(int64(7))}, "healthy": {Bool: of(true)}, "version": {Version: of("1.2.3")}},
		{"model": {String: of("h100")}, "index": {Int: of(int64(0))}, "healthy": {Bool: of(false)}, "version": {Version: of("2.0.0-rc.1")}},
		{"dra.example.com/model": {Int: of(int64(1))}, "index": {String: of("7")}, "healthy": {String: of("yes")}, "version": {String: of("1.2.3")}},
		{"other.example.com/model": {String: of("x")}},
		{"list": {Strings: []string{"a", "b"}},
			"numbers": {Ints: []int64{1, 2, 3}}, "flags": {Bools: []bool{true, true}}, "versions": {Versions: []string{"1.0.0", "2.0.0"}}},
		{"list": {Strings: []string{}},
			"numbers": {Ints: []int64{}}, "flags": {Bools: []bool{false}},
			"versions": {Versions: []string{"0.0.1"}}, "model": {Strings: []string{"a100"}}},
		{"list": {Ints: []int64{1}}, "numbers": {Strings: []string{"x"}}, "flags": {Int: of(int64(1))}, "versions": {String: of("a")}, "index": {Ints: []int64{7}}},
		{"model": {}}, {"version": {Version: of("1.2")}}, {"versions": {Versions: []string{"1.0.0", "01.0.0"}}},
		{"model": {String: of(strings.Repeat("é", 64))}, "index": {Int: of(int64(1 << 62))}, "healthy": {Bool: of(true), Int: of(int64(3))}},
	}
	capacity := []map[string]device.Capacity{
		nil,
		{"memory": {Value: resource.MustParse("40Gi")}},
		{"dra.example.com/memory": {Value: resource.MustParse("1500m")}, "other.example.com/memory": {Value: resource.MustParse("0")}},
	}
	for i, a := range attributes {
		for k, c := range capacity {
			driver := "dra.example.com"
			if (i+k)%7 == 6 {
				driver = ""
			}
			all = append(all, device.Device{Driver: driver, AllowMultipleAllocations: (i+k)%2 == 0, Attributes: a, Capacity: c})
		}
	}
	return all
}
