package admission

import (
	"fmt"
	"maps"
)

// operations are lists of operations of JSON patches.
var operations = []string{
	`[JSONPatch{op: "add", path: "/spec/extra", value: 1}]`,
	`[JSONPatch{op: "replace", path: "/spec/replicas", value: 5}]`,
	`[JSONPatch{op: "add", path: "/spec/replicas", value: object.spec.replicas + 1}]`,
	`[JSONPatch{op: "remove", path: "/spec/replicas"}]`,
	`[JSONPatch{op: "remove", path: "/spec/absent"}]`,
	`[JSONPatch{op: "replace", path: "/spec/absent", value: 1}]`,
	`[JSONPatch{op: "copy", from: "/spec/name", path: "/spec/copied"}]`,
	`[JSONPatch{op: "move", from: "/spec/name", path: "/spec/moved"}]`,
	`[JSONPatch{op: "move", from: "/spec/absent", path: "/spec/moved"}]`,
	`[JSONPatch{op: "copy", from: "/spec/absent", path: "/spec/copied"}]`,
	`[JSONPatch{op: "test", path: "/spec/replicas", value: 2}, JSONPatch{op: "add", path: "/spec/tested", value: true}]`,
	`[JSONPatch{op: "test", path: "/spec/absent", value: 2}]`,
	`[JSONPatch{op: "test", path: "/spec/none", value: null}, JSONPatch{op: "add", path: "/spec/none", value: "n"}]`,
	`[JSONPatch{op: "test", path: "/spec/absent"}]`,
	`[JSONPatch{op: "add", path: "/spec/names/-", value: "d"}]`,
	`[JSONPatch{op: "add", path: "/spec/names/0", value: "first"}]`,
	`[JSONPatch{op: "add", path: "/spec/names/9", value: "far"}]`,
	`[JSONPatch{op: "add", path: "/spec/names/x", value: "far"}]`,
	`[JSONPatch{op: "remove", path: "/spec/names/1"}]`,
	`[JSONPatch{op: "remove", path: "/spec/names/-1"}]`,
	`[JSONPatch{op: "replace", path: "/spec/names/7", value: "z"}]`,
	`[JSONPatch{op: "add", path: "/spec/a/b", value: 1}]`,
	`[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/env~x"), value: "test"}]`,
	`[JSONPatch{op: "add", path: "/metadata/labels", value: {"only": "one"}}]`,
	`[JSONPatch{op: "add", path: "/spec/template", value: Object.spec.template{kind: "t", list: [1, 2], inner: Object.spec.template.inner{a: "b"}}}]`,
	`[JSONPatch{op: "add", path: "/spec/template", value: Object.spec.template{wrong: Object.spec.other{a: "b"}}}]`,
	`[JSONPatch{op: "add", path: "/spec/template", value: Object{spec: Object.spec{list: [Object.spec.list{a: 1}], map: {"k": Object.spec.map{b: 2}}}}}]`,
	`[JSONPatch{op: "add", path: "/spec/number", value: 1.5}, JSONPatch{op: "add", path: "/spec/whole", value: 3.0}, JSONPatch{op: "add", path: "/spec/uint", value: 7u}]`,
	`[JSONPatch{op: "add", path: "/spec/big", value: 9007199254740993}]`,
	`[JSONPatch{op: "add", path: "/spec/bytes", value: b"abc"}, JSONPatch{op: "add", path: "/spec/duration", value: duration("90s")}, JSONPatch{op: "add", path: "/spec/time", value: timestamp("2024-01-02T03:04:05Z")}]`,
	`[JSONPatch{op: "add", path: "/spec/null", value: null}]`,
	`[JSONPatch{op: "add", path: "/spec/type", value: string}]`,
	`[JSONPatch{op: "add", path: "/spec/opt", value: optional.of(1)}]`,
	`[JSONPatch{op: "add", path: "/spec/opt", ?value: object.?spec.?replicas}]`,
	`[JSONPatch{op: "add", path: "/spec/opt", ?value: object.?spec.?absent}]`,
	`[?optional.none(), JSONPatch{op: "remove", path: "/spec/name"}]`,
	`[JSONPatch{op: "add", path: "/spec/ip", value: ip("10.0.0.1")}]`,
	`[JSONPatch{op: "add", path: "/spec/q", value: quantity("1")}]`,
	`[JSONPatch{op: "add", path: "/spec/old", value: object.spec}]`,
	`[JSONPatch{op: "add", path: "/spec/names", value: object.spec.names + ["d"]}]`,
	`[JSONPatch{op: "add", path: "/spec/names", value: object.spec.names.map(n, n + "!")}]`,
	`[JSONPatch{op: "add", path: "/spec/map", value: object.spec.map}]`,
	`object.spec.names.map(n, JSONPatch{op: "add", path: "/metadata/annotations/" + n, value: n})`,
	`object.spec.containers.map(c, JSONPatch{op: "add", path: "/spec/images", value: c.image})`,
	`object.spec.numbers.filter(n, n > 5).map(n, JSONPatch{op: "remove", path: "/spec"})`,
	`object.metadata.name == 'w' ? [JSONPatch{op: "add", path: "/spec/cond", value: 1}] : []`,
	`[JSONPatch{op: "remove", path: "/kind"}]`,
	`[JSONPatch{op: "remove", path: "/apiVersion"}]`,
	`[JSONPatch{op: "replace", path: "/kind", value: "Other"}]`,
	`[JSONPatch{op: "replace", path: "/kind", value: 1}]`,
	`[JSONPatch{op: "replace", path: "/apiVersion", value: "a/b/c"}]`,
	`[JSONPatch{op: "replace", path: "/metadata/name", value: "renamed"}]`,
	`[JSONPatch{op: "replace", path: "", value: "text"}]`,
	`[JSONPatch{op: "replace", path: "", value: [1]}]`,
	`[JSONPatch{op: "replace", path: "", value: {"apiVersion": "v1", "kind": "X"}}]`,
	`[JSONPatch{op: "remove", path: ""}]`,
	`[JSONPatch{op: "add", path: "", value: 1}]`,
	`[JSONPatch{op: "add", path: "/", value: 1}]`,
	`[JSONPatch{op: "add", path: "spec/x", value: 1}]`,
	`[JSONPatch{op: "add", path: "/spec/none/x", value: 1}]`,
	`[JSONPatch{op: "add", path: "/spec/name/x", value: 1}]`,
	`[JSONPatch{op: "add", path: "/spec/x"}]`,
	`[JSONPatch{op: "unknown", path: "/spec/x"}]`,
	`[JSONPatch{path: "/spec/x", value: 1}]`,
	`[JSONPatch{op: "add", value: 1}]`,
	`[JSONPatch{op: "add", path: "/spec/\u0001", value: "\u0002<&>\u2028"}]`,
	`[JSONPatch{op: "add", path: "/spec/\u00e9", value: "\U0001F600"}]`,
	`[JSONPatch{}]`,
	`[JSONPatch{op: dyn("add"), path: "/spec/d", value: dyn([1, "a", null])}]`,
	`[JSONPatch{op: dyn(1), path: "/spec/d"}]`,
	`[JSONPatch{path: dyn(1.5)}]`,
	`[JSONPatch{from: dyn([1])}]`,
	`[JSONPatch{op: 1}]`,
	`[JSONPatch{oops: 1}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: JSONPatch{op: "x"}}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: type(JSONPatch{})}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: JSONPatch{op: "x"}.op}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: has(JSONPatch{op: "x"}.from)}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: JSONPatch{value: 4}.value}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: JSONPatch{op: "a", value: 4} == JSONPatch{op: "a", value: 4}}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: Object{a: 1} == Object{a: 1}}, JSONPatch{op: "add", path: "/spec/u", value: Object.x{a: 1} == Object.y{a: 1}}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: Object{a: 1}.a}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: has(Object{a: 1}.b)}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: Object{a: [1, 2]}.a[1]}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: type(Object.spec{}) == Object.spec}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: [Object.spec{a: 1}, Object.spec{a: 2}]}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: {"a": Object.spec{a: 1}}}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: {1: "a"}}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: Object{m: {1: "a"}}}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: Object{nested: [[1], [2]], u: 1u, d: 1.0, n: null, b: b"x"}}]`,
	`[JSONPatch{op: "add", path: "/spec/t", value: Object{o: object.spec.map, l: object.spec.names}}]`,
	`[]`, `JSONPatch{op: "add"}`, `Object{}`, `[1]`, `null`, `1 +`, `[unknown{}]`, ``, `[JSONPatch{op: "add", path: "/spec/x", value: absent}]`,
	`[JSONPatch{op: "add", path: "/spec/v", value: object.absent}]`,
	`[JSONPatch{op: "add", path: "/spec/user", value: request.userInfo.username}, JSONPatch{op: "add", path: "/spec/groups", value: request.userInfo.groups}]`,
	`[JSONPatch{op: "add", path: "/spec/extra", value: request.userInfo.extra}]`,
	`[JSONPatch{op: "add", path: "/spec/kind", value: request.kind}]`,
	`[JSONPatch{op: "add", path: "/spec/resource", value: request.resource.version + request.kind.version}]`,
	`[JSONPatch{op: "add", path: "/spec/ns", value: namespaceObject.metadata.labels}]`,
	`[JSONPatch{op: "add", path: "/spec/ns", value: namespaceObject.metadata.name}]`,
	`[JSONPatch{op: "add", path: "/spec/managed", value: has(dyn(namespaceObject).metadata.managedFields)}]`,
	`[JSONPatch{op: "add", path: "/spec/allowed", value: authorizer.group('').resource('pods').check('get').allowed()}]`,
	`[JSONPatch{op: "add", path: "/spec/allowed", value: authorizer.requestResource.check('deny').reason()}]`,
	`[JSONPatch{op: "add", path: "/spec/old", value: oldObject == null ? "none" : oldObject.metadata.name}]`,
	`[JSONPatch{op: "add", path: "/spec/v", value: variables.text}, JSONPatch{op: "add", path: "/spec/n", value: variables.list}]`,
	`[JSONPatch{op: "add", path: "/spec/v", value: variables.broken}]`,
	`[JSONPatch{op: "add", path: "/spec/v", value: variables.fails}]`,
	`[JSONPatch{op: "add", path: "/spec/v", value: variables.absent}]`,
	`[JSONPatch{op: "add", path: "/spec/v", value: variables.patch}]`,
}

// configurations are objects that are merged.
var configurations = []string{
	`Object{spec: Object.spec{replicas: 7}}`,
	`Object{spec: Object.spec{replicas: object.spec.replicas + 1, added: "x"}}`,
	`Object{spec: Object.spec{replicas: object.spec.replicas}}`,
	`Object{metadata: Object.metadata{labels: {"env": "test"}}}`,
	`Object{metadata: Object.metadata{labels: Object.metadata.labels{env: "test", app: "other"}}}`,
	`Object{metadata: Object.metadata{annotations: {"a": "b"}, name: "renamed", namespace: "moved"}}`,
	`Object{metadata: Object.metadata{labels: {"a": 1}}}`,
	`Object{metadata: Object.metadata{finalizers: ["example.com/x"]}}`,
	`Object{apiVersion: "other/v9", kind: "Other"}`,
	`Object{}`, `Object{spec: Object.spec{}}`, `Object{spec: {}}`, `Object{spec: {"replicas": 4}}`, `Object{spec: 1}`, `Object{spec: null}`,
	`Object{spec: Object.spec{names: ["z"]}}`, `Object{spec: Object.spec{names: []}}`, `Object{spec: Object.spec{names: null}}`,
	`Object{spec: Object.spec{containers: [Object.spec.containers{name: "main", image: "new"}]}}`,
	`Object{spec: Object.spec{containers: [Object.spec.containers{name: "main", image: "new"}, Object.spec.containers{name: "added", image: "i", ports: [1]}]}}`,
	`Object{spec: Object.spec{containers: [Object.spec.containers{image: "nameless"}]}}`,
	`Object{spec: Object.spec{containers: [Object.spec.containers{name: "a"}, Object.spec.containers{name: "a"}]}}`,
	`Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, image: "r/" + c.image})}}`,
	`Object{spec: Object.spec{containers: object.spec.containers}}`,
	`Object{spec: Object.spec{numbers: [1, 2, 9]}}`, `Object{spec: Object.spec{mixed: [1, "a"]}}`,
	`Object{spec: Object.spec{map: Object.spec.map{x: 9}}}`, `Object{spec: Object.spec{map: {"z": 9}}}`, `Object{spec: Object.spec{map: object.spec.map}}`,
	`Object{spec: Object.spec{empty: Object.spec.empty{a: 1}}}`, `Object{spec: Object.spec{none: Object.spec.none{a: 1}}}`,
	`Object{spec: Object.spec{name: Object.spec.name{a: 1}}}`, `Object{spec: Object.spec{replicas: "text"}}`, `Object{spec: Object.spec{enabled: 1}}`,
	`Object{spec: Object.spec{ratio: 2.0, whole: 3, quantity: 5}}`, `Object{spec: Object.spec{unknownField: 1}}`,
	`Object{spec: Object.wrong{a: 1}}`, `Object{spec: Object.spec{a: Object.spec.b{c: Object.spec.a.c{}}}}`, `Object{a: Object.b{}, c: Object.d{}}`,
	`Object{a: [Object.b{}], c: {"x": Object.d{}}}`, `Object{l: [Object.l{}], m: {"x": Object.m{}}}`,
	`Object{spec: Object.spec{time: timestamp("2024-01-02T03:04:05Z")}}`, `Object{spec: Object.spec{duration: duration("1s")}}`, `Object{spec: Object.spec{u: 1u, f: 1.5, b: b"x"}}`,
	`Object{spec: Object.spec{nested: [[1], [2]]}}`, `Object{spec: Object.spec{m: {"a": {"b": 1}}}}`, `Object{spec: Object.spec{m: {1: "x"}}}`, `Object{spec: Object.spec{o: optional.of(1)}}`,
	`Object{spec: Object.spec{?replicas: optional.none(), ?added: optional.of("x")}}`, `Object{?spec: object.?absent}`,
	`Object{spec: Object.spec{t: string, q: quantity("1")}}`,
	`Object{spec: Object.spec{user: request.userInfo.username, groups: request.userInfo.groups}}`, `Object{spec: Object.spec{extra: request.userInfo.extra}}`,
	`Object{spec: Object.spec{ns: namespaceObject.metadata.name}}`, `Object{spec: Object.spec{labels: namespaceObject.metadata.labels}}`,
	`Object{spec: Object.spec{allowed: authorizer.requestResource.check('create').allowed()}}`,
	`Object{spec: Object.spec{v: variables.text, n: variables.number}}`, `Object{spec: Object.spec{v: variables.broken}}`, `Object{spec: Object.spec{v: variables.fails}}`,
	`Object{spec: Object.spec{v: object.absent}}`, `Object{spec: Object.spec{copy: object.spec}}`, `Object{spec: object.spec}`,
	`Object.spec{a: 1}`, `[JSONPatch{}]`, `{"a": 1}`, `object`, `dyn(Object{})`, `null`, `Object{`, ``, `Object{a: absent}`, `has(object.spec) ? Object{spec: Object.spec{c: 1}} : Object{}`,
	`Object{__if__: 1}`, `Object{spec: Object.spec{__if__: "new", __namespace__: "x"}}`, `Object{status: Object.status{phase: "x"}}`,
	`Object{spec: Object.spec{set: ["a", "b"]}}`, `Object{spec: Object.spec{set: ["a", "a"]}}`, `Object{spec: Object.spec{atomicMap: Object.spec.atomicMap{k: "v"}}}`,
	`Object{spec: Object.spec{open: Object.spec.open{anything: Object.spec.open.anything{x: 1}}}}`, `Object{spec: Object.spec{open: Object.spec.open{list: [1]}}}`,
}

// mutatingOf is a mutating policy with a spec, and a binding, for all resources.
func mutatingOf(spec object) Case {
	return Case{Policies: []map[string]any{mutatingPolicy("p", spec)}, Bindings: []map[string]any{mutatingBinding("b", "p", nil)}}
}

func mutatingPolicy(name string, spec object) map[string]any {
	whole := object{"matchConstraints": object{"resourceRules": list{anyRule}}, "reinvocationPolicy": "Never"}
	maps.Copy(whole, spec)
	return object{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": object{"name": name}, "spec": whole}
}

func mutatingBinding(name, policy string, spec object) map[string]any {
	whole := object{"policyName": policy}
	maps.Copy(whole, spec)
	return object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": object{"name": name}, "spec": whole,
	}
}

func jsonMutation(expression string) object {
	return object{"patchType": "JSONPatch", "jsonPatch": object{"expression": expression}}
}

func applyMutation(expression string) object {
	return object{"patchType": "ApplyConfiguration", "applyConfiguration": object{"expression": expression}}
}

var mutatingVariables = list{
	object{"name": "text", "expression": "'computed ' + object.metadata.name"}, object{"name": "number", "expression": "size(object)"},
	object{"name": "list", "expression": "[1, 2]"}, object{"name": "broken", "expression": "1 +"}, object{"name": "fails", "expression": "object.none.at.all"},
	object{"name": "patch", "expression": "Object{a: 1}"},
}

// MutatingCases are the mutating policies of the comparison.
func MutatingCases() []Case {
	var all []Case
	add := func(group string, cases ...Case) {
		for i, c := range cases {
			c.Name = fmt.Sprintf("%s %d", group, i)
			all = append(all, c)
		}
	}
	for i, x := range operations {
		add(fmt.Sprintf("operations %d", i), mutatingOf(object{"failurePolicy": failurePolicies[i%3], "variables": mutatingVariables, "mutations": list{jsonMutation(x)}}))
	}
	for i, x := range configurations {
		add(fmt.Sprintf("configurations %d", i), mutatingOf(object{"failurePolicy": failurePolicies[i%3], "variables": mutatingVariables, "mutations": list{applyMutation(x)}}))
	}
	add("several mutations", severalMutations()...)
	add("matching", mutatingMatches()...)
	add("reinvocation", reinvocations()...)
	return all
}

// severalMutations see what those before them did.
func severalMutations() (cases []Case) {
	parts := list{
		jsonMutation(`[JSONPatch{op: "add", path: "/spec/count", value: has(object.spec.count) ? object.spec.count + 1 : 1}]`),
		applyMutation(`Object{spec: Object.spec{count: has(object.spec.count) ? object.spec.count * 10 : 5}}`),
		jsonMutation(`[JSONPatch{op: "add", path: "/spec/v", value: object.absent}]`),
		applyMutation(`Object{spec: Object.spec{names: ["a"]}}`),
		jsonMutation(`[JSONPatch{op: "test", path: "/spec/count", value: 1}, JSONPatch{op: "add", path: "/spec/one", value: true}]`),
		jsonMutation(`[JSONPatch{op: "remove", path: "/kind"}]`),
		jsonMutation("1 +"),
		object{"patchType": "JSONPatch"}, object{"patchType": "Other", "jsonPatch": object{"expression": "[]"}}, object{},
	}
	for i, a := range parts {
		for j, b := range parts {
			cases = append(cases, mutatingOf(object{"failurePolicy": failurePolicies[(i+j)%3], "mutations": list{a, b}}))
		}
	}
	cases = append(cases, mutatingOf(object{}), mutatingOf(object{"mutations": list{}}), mutatingOf(object{"matchConstraints": nil, "mutations": list{parts[0]}}))
	budget := `[JSONPatch{op: "add", path: "/spec/n", value: [0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, [0,1,2,3,4,5,6,7,8,9].all(d, [0,1,2,3,4,5,6,7,8,9].all(e, [0,1,2,3,4,5,6,7,8,9].all(f, a+b+c+d+e+f >= 0))))))}]`
	costly := mutatingOf(object{"mutations": list{jsonMutation(budget), parts[0]}})
	costly.Few = true
	return append(cases, costly)
}

// mutatingMatches have conditions, params, failing bindings and rules.
func mutatingMatches() (cases []Case) {
	count := jsonMutation(`[JSONPatch{op: "add", path: "/spec/count", value: has(object.spec.count) ? object.spec.count + 1 : 1}]`)
	for i, condition := range []string{"true", "false", "object.absent == 1", "1 +", "object.spec.replicas > 3", "variables.text != ''", "variables.broken", "namespaceObject == null",
		"request.resource.version == 'v1'", "request.kind.version == 'v2'", "Object{a: 1} == Object{a: 1}", "jsonpatch.escapeKey('a') == 'a'", "!has(object.spec.count)"} {
		for j := range 2 {
			cases = append(cases, mutatingOf(object{"failurePolicy": failurePolicies[(i+j)%3], "variables": mutatingVariables, "reinvocationPolicy": "IfNeeded",
				"matchConditions": list{object{"name": "c", "expression": condition}}, "mutations": list{count}}))
		}
	}
	kinds := list{object{"apiVersion": "v1", "kind": "ConfigMap"}, object{"apiVersion": "example.com/v1", "kind": "Limit"}, object{"apiVersion": "example.com/v1", "kind": "Gone"}}
	refs := []object{nil, {"name": "limits"}, {"name": "absent", "parameterNotFoundAction": "Deny"}, {"name": "absent", "parameterNotFoundAction": "Allow"},
		{"selector": object{"matchLabels": object{"kind": "limit"}}}, {"selector": object{}, "parameterNotFoundAction": "Deny"}, {"name": "limits", "namespace": "shared"}, {"name": "cluster"}, {}}
	for i, kind := range kinds {
		for j, ref := range refs {
			c := mutatingOf(object{"failurePolicy": failurePolicies[(i+j)%3], "paramKind": kind, "reinvocationPolicy": []string{"Never", "IfNeeded"}[j%2], "mutations": list{
				jsonMutation(`[JSONPatch{op: "add", path: "/metadata/annotations", value: {"param": params == null ? "none" : params.metadata.name}}]`), count,
				jsonMutation(`[JSONPatch{op: "add", path: "/spec/params", value: params}]`)}})
			if ref != nil {
				c.Bindings[0]["spec"].(object)["paramRef"] = ref
			}
			cases = append(cases, c)
		}
	}
	for i, rule := range []object{
		{"apiGroups": list{"example.com"}, "apiVersions": list{"v2"}, "operations": list{"*"}, "resources": list{"widgets", "widgets/*"}},
		{"apiGroups": list{"example.com"}, "apiVersions": list{"v1"}, "operations": list{"CREATE"}, "resources": list{"widgets"}},
		{"apiGroups": list{"example.com"}, "apiVersions": list{"v2"}, "operations": list{"*"}, "resources": list{"gadgets"}},
		{"apiGroups": list{""}, "apiVersions": list{"*"}, "operations": list{"*"}, "resources": list{"namespaces"}},
	} {
		for j := range 2 {
			c := mutatingOf(object{"failurePolicy": failurePolicies[(i+j)%3], "mutations": list{count}, "matchConstraints": object{"resourceRules": list{rule}}})
			if j == 1 {
				c.Bindings[0]["spec"].(object)["matchResources"] = object{"objectSelector": object{"matchLabels": object{"tier": "front"}}}
			}
			cases = append(cases, c)
		}
	}
	bad := mutatingOf(object{"mutations": list{count}, "failurePolicy": "Fail"})
	bad.Bindings[0]["spec"].(object)["matchResources"] = object{"objectSelector": object{"matchExpressions": list{object{"key": "a", "operator": "Like"}}}}
	return append(cases, bad)
}

// reinvocations are policies that change what others did.
func reinvocations() (cases []Case) {
	step := func(name, more string) object {
		return jsonMutation(`[JSONPatch{op: "add", path: "/spec/trace", value: (has(object.spec.trace) ? object.spec.trace : "") + "` + name + `"}` + more + `]`)
	}
	v2 := object{"resourceRules": list{object{"apiGroups": list{"example.com"}, "apiVersions": list{"v2"}, "operations": list{"*"}, "resources": list{"widgets", "widgets/*"}}}}
	once := list{object{"name": "once", "expression": "!has(object.spec.trace) || !object.spec.trace.contains('b')"}}
	fails := list{object{"name": "fails", "expression": "!has(object.spec.trace) || object.spec.trace.absent"}}
	nothing := jsonMutation(`[JSONPatch{op: "test", path: "/spec/never", value: 1}]`)
	variants := []object{
		{"mutations": list{}}, {"mutations": list{step("x", "")}}, {"mutations": list{step("x", "")}, "matchConditions": once}, {"mutations": list{step("x", "")}, "matchConditions": fails},
		{"mutations": list{nothing}}, {"mutations": list{step("x", "")}, "matchConstraints": v2}, {"mutations": list{jsonMutation("[JSONPatch{op: 'add', path: '/spec/e', value: object.spec.trace.size() > 1 ? [1][2] : 0}]")}},
		{"mutations": list{step("x", ""), step("y", "")}}, {"mutations": list{applyMutation(`Object{spec: Object.spec{trace: "set"}}`)}},
	}
	for i, first := range variants {
		for j, second := range variants {
			for k := range 2 {
				a, b := maps.Clone(first), maps.Clone(second)
				a["reinvocationPolicy"], b["reinvocationPolicy"] = []string{"Never", "IfNeeded"}[(i+j+k)%2], []string{"IfNeeded", "Never"}[(i+k)%2]
				a["failurePolicy"], b["failurePolicy"] = failurePolicies[(i+k)%3], failurePolicies[(j+k)%3]
				c := Case{Policies: []map[string]any{mutatingPolicy("a", a), mutatingPolicy("b", b)},
					Bindings: []map[string]any{mutatingBinding("a1", "a", nil), mutatingBinding("b1", "b", nil)}}
				if (i+j)%4 == 0 {
					c.Bindings = append(c.Bindings, mutatingBinding("b2", "b", nil))
				}
				cases = append(cases, c)
			}
		}
	}
	return cases
}
