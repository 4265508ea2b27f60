package admission

import "strings"

// variableCases are chains of variables of all types, with errors, used or not.
func variableCases() (cases []Case) {
	v := func(pairs ...string) (all list) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, object{"name": pairs[i], "expression": pairs[i+1]})
		}
		return all
	}
	for i, c := range []struct {
		variables   list
		validations list
	}{
		{v("a", "1", "b", "variables.a + 1", "c", "variables.b + variables.a"), validations("variables.c == 3", "variables.c == 4", "variables.b == variables.c")},
		{v("a", "variables.b", "b", "1"), validations("variables.a == 1", "variables.b == 1")},
		{v("a", "variables.a"), validations("variables.a == 1")},
		{v("a", "1 +", "b", "variables.a"), validations("variables.b == 1", "variables.a == 1", "has(variables.a)", "true")},
		{v("a", "object.absent", "b", "variables.a"), validations("variables.b == 1", "has(variables.a)", "true || variables.a", "variables.a == 1 || true")},
		{v("a", "1", "a", "'text'"), validations("variables.a == 'text'", "variables.a == 1")},
		{v("a", "'text'", "b", "variables.a", "a", "1"), validations("variables.b == 1", "variables.a == 1")},
		{v("request", "request.kind", "object", "object.spec"), validations("variables.request.kind == 'Widget'", "variables.object.replicas == 2", "variables.request.absent == 1")},
		{v("list", "[1, 2]", "map", "{'a': [1]}", "empty", "[]", "none", "{}"), validations("variables.list[0] == 1", "variables.map.a[0] == 1", "variables.map['a'][0] == 'x'", "variables.list[0] == 'x'", "variables.empty == []", "variables.none.x == 1")},
		{v("f", "1.5", "u", "1u", "b", "b'x'", "n", "null", "t", "timestamp('2024-01-01T00:00:00Z')", "d", "duration('1h')"),
			validations("variables.f > 1.0", "variables.u == 1u", "variables.b == b'x'", "variables.n == null", "variables.t.getFullYear() == 2024", "variables.d.getHours() == 1", "variables.d == 1", "variables.n == 1")},
		{v("q", "quantity('1')", "auth", "authorizer", "check", "authorizer.requestResource", "ty", "type(1)", "opt", "optional.of(1)"),
			validations("variables.q.isGreaterThan(quantity('0'))", "variables.auth.path('/').check('get').allowed()", "variables.check.check('get').allowed()", "variables.ty == int", "variables.opt.value() == 1", "variables.q + 1 == 2")},
		{v("deep", "[{'a': [request.kind]}]"), validations("variables.deep[0].a[0].kind == 'Widget'", "variables.deep[0].a[0].absent == 1", "variables.deep[0]['b'] == []")},
		{v("x", "1"), validations("dyn(variables).x == 1", "dyn(variables)['x'] == 1", "dyn(variables).y == 1", "has(dyn(variables).y)", "'x' in dyn(variables)", "'y' in dyn(variables)", "1 in dyn(variables)", "dyn(variables)[1] == 1")},
		{v("x", "1"), validations("dyn(variables).size() == 1", "size(dyn(variables)) == 1", "dyn(variables).all(k, k == 1)", "dyn(variables).exists(k, k == 1)", "dyn(variables).map(k, k) == [1]", "dyn(variables) == {'x': 1}", "{'x': 1} == dyn(variables)")},
		{v("x", "1"), validations("variables == variables", "dyn(variables) == dyn(variables)", "type(variables) == kubernetes.variables", "type(variables) == map", "string(variables) == ''", "dyn(variables) == 1", "[variables] == [variables]")},
		{v("a__dash__b", "1", "namespace", "2", "__if__", "3", "a_b", "4", "if", "5"), validations("variables.a__dash__b == 1", "variables.namespace == 2", "variables.__if__ == 3", "variables.a_b == 4", "variables.__namespace__ == 2")},
		{v("in", "1", "", "2", "a-b", "3"), validations("variables.x == 1", "true")},
		{v("err", "object.absent.deeper", "used", "variables.?err"), validations("variables.used.hasValue()", "variables.?err.orValue(1) == 1")},
		{v("many", "object.spec.names.map(n, n + n)"), validations("variables.many.all(m, m.size() == 2)", "object.spec.names.all(n, (n + n) in variables.many)", "variables.many[0] + variables.many[1] == 'aabb'")},
		{v("ns", "namespaceObject.metadata.labels", "p", "params"), validations("variables.ns.tier == 'front'", "variables.ns == namespaceObject.metadata.labels")},
		{v("v", "variables"), validations("variables.v.v == variables", "true")},
		{v("a", "object.spec.replicas > 3", "b", "variables.a ? 'big' : 'small'"), validations("variables.b == 'small'", "variables.b == 'big'", "variables.a")},
	} {
		for j := range 2 {
			cases = append(cases, of(object{"failurePolicy": failurePolicies[(i+j)%3], "variables": c.variables, "validations": c.validations,
				"auditAnnotations": list{object{"key": "key", "valueExpression": "has(variables.a) ? string(variables.a) : null"}},
				"matchConditions":  list{object{"name": "m", "expression": []string{"true", "variables.a != 5"}[j]}},
			}))
		}
	}
	return cases
}

// costly costs a little more than n times 100,000 units, in little time: contains is
// charged for the product of the lengths.
func costly(n int) string {
	return "!'" + strings.Repeat("x", 10_000) + "'.contains('" + strings.Repeat("y", n*1000) + "')"
}

// budgetCases use budgets up: those of a call, of match conditions, of validations, of
// messages and of annotations, by themselves and by variables.
func budgetCases() (cases []Case) {
	heavy := object{"name": "heavy", "expression": costly(9)}
	repeat := func(n int, expression string) (all list) {
		for range n {
			all = append(all, object{"expression": expression, "messageExpression": "variables.heavy ? 'x' : 'y'"})
		}
		return all
	}
	for i := range 3 {
		failure := object{"failurePolicy": failurePolicies[i]}
		for _, spec := range []object{
			{"validations": validations(costly(1))},
			{"validations": validations(costly(40))},
			{"validations": validations("variables.over")},
			{"validations": repeat(3, "variables.heavy")},
			{"validations": repeat(12, costly(9))},
			{"validations": append(validations(costly(9), costly(9), costly(9), costly(9), costly(9), costly(9), costly(9), costly(9)), repeat(3, costly(7))...)},
			{"validations": validations("false"), "matchConditions": list{object{"name": "a", "expression": costly(9)}, object{"name": "b", "expression": costly(9)}, object{"name": "c", "expression": costly(9)}}},
			{"validations": validations("false"), "matchConditions": list{object{"name": "a", "expression": "variables.heavy"}, object{"name": "b", "expression": costly(9)}, object{"name": "c", "expression": "variables.heavy && false"}}},
			{"auditAnnotations": list{object{"key": "a", "valueExpression": costly(9) + " ? 'x' : 'y'"}, object{"key": "b", "valueExpression": costly(40) + " ? 'x' : 'y'"}}, "validations": repeat(8, costly(9))},
			{"auditAnnotations": list{object{"key": "a", "valueExpression": "variables.over ? 'x' : 'y'"}}},
		} {
			spec["variables"] = list{heavy, object{"name": "over", "expression": costly(40)}}
			for k, v := range failure {
				spec[k] = v
			}
			cases = append(cases, of(spec))
		}
	}
	return cases
}

// ruleCases have match constraints of all forms.
func ruleCases() (cases []Case) {
	rule := func(change object) object {
		r := object{"apiGroups": list{"example.com"}, "apiVersions": list{"v1"}, "operations": list{"CREATE"}, "resources": list{"widgets"}}
		for k, v := range change {
			r[k] = v
		}
		return r
	}
	constraints := []object{
		{}, {"resourceRules": list{}}, {"resourceRules": list{rule(nil)}}, {"resourceRules": list{rule(object{"operations": list{"UPDATE", "DELETE"}})}},
		{"resourceRules": list{rule(object{"operations": list{"*"}})}}, {"resourceRules": list{rule(object{"operations": list{"CONNECT"}, "resources": list{"widgets/exec"}})}},
		{"resourceRules": list{rule(object{"operations": list{"*"}, "resources": list{"widgets/*"}})}}, {"resourceRules": list{rule(object{"operations": list{"*"}, "resources": list{"*/status"}})}},
		{"resourceRules": list{rule(object{"operations": list{"*"}, "resources": list{"*"}})}}, {"resourceRules": list{rule(object{"apiGroups": list{"", "apps"}, "resources": list{"pods", "namespaces"}, "operations": list{"*"}})}},
		{"resourceRules": list{rule(object{"apiGroups": list{"*"}, "apiVersions": list{"*"}, "resources": list{"*"}, "scope": "Cluster", "operations": list{"*"}})}},
		{"resourceRules": list{rule(object{"apiGroups": list{"*"}, "apiVersions": list{"*"}, "resources": list{"*"}, "scope": "Namespaced", "operations": list{"*"}})}},
		{"resourceRules": list{rule(object{"scope": "*"})}}, {"resourceRules": list{rule(object{"scope": "Other"})}}, {"resourceRules": list{rule(object{"resourceNames": list{"w"}})}}, {"resourceRules": list{rule(object{"resourceNames": list{"x", "secret-1"}})}},
		{"resourceRules": list{rule(object{"apiVersions": list{"v2"}})}}, {"resourceRules": list{rule(object{"apiVersions": list{"v2"}})}, "matchPolicy": "Exact"}, {"resourceRules": list{rule(object{"apiVersions": list{"v2"}})}, "matchPolicy": "Equivalent"},
		{"resourceRules": list{rule(object{"apiVersions": list{"v2"}, "resourceNames": list{"w"}})}, "matchPolicy": "Equivalent"}, {"resourceRules": list{rule(object{"apiVersions": list{"v2"}, "resources": list{"gadgets"}})}},
		{"resourceRules": list{anyRule}, "excludeResourceRules": list{rule(nil)}}, {"resourceRules": list{anyRule}, "excludeResourceRules": list{rule(object{"apiVersions": list{"v2"}})}},
		{"resourceRules": list{anyRule}, "excludeResourceRules": list{rule(object{"apiVersions": list{"v2"}})}, "matchPolicy": "Exact"}, {"resourceRules": list{anyRule}, "excludeResourceRules": list{rule(object{"apiVersions": list{"v2"}, "resources": list{"gadgets"}})}},
		{"resourceRules": list{anyRule}, "excludeResourceRules": list{rule(object{"resourceNames": list{"w"}, "operations": list{"*"}})}}, {"resourceRules": list{rule(object{"apiGroups": list{}})}}, {"resourceRules": list{rule(object{"resources": list{}})}},
	}
	for i, c := range constraints {
		for _, spec := range []object{{"matchConstraints": c}, {}} {
			one := of(spec)
			if len(spec) == 0 {
				// The same for the binding.
				one.Bindings = []map[string]any{binding("b", "p", object{"matchResources": c})}
			}
			p := one.Policies[0]["spec"].(object)
			p["failurePolicy"] = failurePolicies[i%3]
			p["validations"] = list{object{"expression": "false", "messageExpression": "request.kind.version + ' ' + request.resource.version + ' ' + request.requestKind.version + ' ' + string(has(object.converted)) + string(has(oldObject.converted))"}}
			p["matchConditions"] = list{object{"name": "v1", "expression": "request.resource.version == 'v1' && (object == null || object.apiVersion.endsWith(request.kind.version))"}}
			cases = append(cases, one)
		}
	}
	none := of(object{"validations": validations("false")})
	delete(none.Policies[0]["spec"].(object), "matchConstraints")
	return append(cases, none)
}

func selectorCases() (cases []Case) {
	expression := func(key, operator string, values ...any) object {
		return object{"matchExpressions": list{object{"key": key, "operator": operator, "values": list(values)}}}
	}
	for i, s := range []object{
		{}, {"matchLabels": object{"tier": "front"}}, {"matchLabels": object{"tier": "front", "env": "prod"}}, {"matchLabels": object{"tier": "new"}}, expression("tier", "In", "front", "back"), expression("tier", "NotIn", "front"),
		expression("tier", "Exists"), expression("tier", "DoesNotExist"), expression("tier", "In"), expression("tier", "Exists", "x"), expression("tier", "Like", "x"), expression("not valid", "Exists"), {"matchLabels": object{"tier": "not valid!"}},
		{"matchLabels": object{"app": "w"}, "matchExpressions": list{object{"key": "tier", "operator": "Exists"}}}, {"matchLabels": object{"app": "old"}},
	} {
		for j, field := range []string{"namespaceSelector", "objectSelector"} {
			spec := object{"failurePolicy": failurePolicies[(i+j)%3], "validations": validations("false")}
			inPolicy := of(spec)
			inPolicy.Policies[0]["spec"].(object)["matchConstraints"] = object{"resourceRules": list{anyRule}, field: s}
			inBinding := of(spec)
			inBinding.Bindings = []map[string]any{binding("b", "p", object{"matchResources": object{field: s}})}
			cases = append(cases, inPolicy, inBinding)
		}
	}
	return cases
}

func paramCases() (cases []Case) {
	kinds := []object{
		{"apiVersion": "v1", "kind": "ConfigMap"}, {"apiVersion": "example.com/v1", "kind": "Limit"}, {"apiVersion": "example.com/v1", "kind": "Absent"}, {"apiVersion": "example.com/v1", "kind": "Unwritten"}, nil,
	}
	refs := []object{
		nil, {"name": "limits"}, {"name": "limits", "namespace": "shared"}, {"name": "gone"}, {"name": "gone", "parameterNotFoundAction": "Deny"}, {"name": "cluster", "parameterNotFoundAction": "Allow"}, {"name": "cluster", "namespace": "web"},
		{"selector": object{}}, {"selector": object{"matchLabels": object{"other": "yes"}}}, {"selector": object{"matchLabels": object{"kind": "none"}}}, {"selector": object{"matchLabels": object{"kind": "none"}}, "parameterNotFoundAction": "Deny"},
		{"name": "limits", "selector": object{}}, {}, {"selector": object{"matchExpressions": list{object{"key": "x", "operator": "Like"}}}}, {"namespace": "web", "selector": object{"matchLabels": object{"other": "yes"}}},
	}
	for i, kind := range kinds {
		for j, ref := range refs {
			spec := object{"failurePolicy": failurePolicies[(i+j)%3]}
			if kind != nil {
				spec["paramKind"] = kind
			}
			text := []string{"params == null ? 'none' : params.kind + params.apiVersion + params.metadata.name", "string(params.spec.max) + string(params.spec.ratio) + string(type(params.spec.whole) == int)", "string(params.data.limit)"}[i%3]
			spec["validations"] = list{
				object{"expression": "params != null && has(params.data) && int(params.data.limit) >= object.spec.replicas", "messageExpression": text},
				object{"expression": "params != null", "message": "no params"}, object{"expression": "has(params.data.names) && params.data.names.split(',').exists(n, n == 'a')"},
			}
			if kind != nil || j == 0 {
				spec["auditAnnotations"] = list{object{"key": "param", "valueExpression": "params == null ? 'null' : params.metadata.name"}}
			}
			one := of(spec)
			b := object{}
			if ref != nil {
				b["paramRef"] = ref
			}
			one.Bindings = []map[string]any{binding("b", "p", b)}
			cases = append(cases, one)
		}
	}
	return cases
}

func actionCases() (cases []Case) {
	for i, actions := range []list{{"Deny"}, {"Warn"}, {"Audit"}, {"Deny", "Audit"}, {"Warn", "Audit"}, {"Audit", "Warn", "Deny"}, {}, {"Deny", "Deny"}, {"Other"}} {
		for j, e := range []list{validations("false"), validations("true"), validations("object.absent == 1", "false", "object.spec.replicas < 5"), validations("1 +", "'<&>' == 'x'")} {
			one := of(object{"failurePolicy": failurePolicies[(i+j)%3], "validations": e, "auditAnnotations": list{object{"key": "k", "valueExpression": "string(object.spec.replicas)"}}})
			one.Bindings = []map[string]any{binding("b", "p", object{"validationActions": actions})}
			cases = append(cases, one)
		}
	}
	return cases
}

// severalCases have several policies and bindings, for one request.
func severalCases() (cases []Case) {
	many := list{}
	for range 60 {
		many = append(many, object{"expression": "false", "message": "no"})
	}
	policyOf := func(name, failure string, spec object) map[string]any {
		whole := object{"failurePolicy": failure, "matchConstraints": object{"resourceRules": list{anyRule}}}
		for k, v := range spec {
			whole[k] = v
		}
		return policy(name, whole)
	}
	one := policyOf("a", "Fail", object{"validations": validations("object.spec.replicas < 5", "request.operation != 'DELETE'"), "auditAnnotations": list{object{"key": "k", "valueExpression": "request.operation"}}})
	two := policyOf("b", "Ignore", object{"validations": validations("object.absent"), "auditAnnotations": list{object{"key": "k", "valueExpression": "object.metadata.name"}}})
	three := policyOf("c", "Fail", object{"paramKind": object{"apiVersion": "v1", "kind": "ConfigMap"}, "validations": validations("int(params.data.limit) > 10"), "auditAnnotations": list{object{"key": "limit", "valueExpression": "params.data.limit"}}})
	broken := policyOf("d", "Fail", object{"paramKind": object{"apiVersion": "v1", "kind": "Absent"}, "validations": validations("true")})
	large := policyOf("e", "Fail", object{"validations": many})
	all := object{"selector": object{"matchLabels": object{"kind": "limit"}}, "parameterNotFoundAction": "Deny"}
	for _, actions := range []list{{"Deny"}, {"Warn"}, {"Audit"}, {"Warn", "Audit"}} {
		with := func(spec object) object {
			whole := object{"validationActions": actions}
			for k, v := range spec {
				whole[k] = v
			}
			return whole
		}
		a, a2 := binding("a1", "a", with(nil)), binding("a2", "a", with(object{"matchResources": object{"objectSelector": object{"matchLabels": object{"app": "w"}}}}))
		b := binding("b1", "b", with(nil))
		c, c2 := binding("c1", "c", with(object{"paramRef": all})), binding("c2", "c", with(object{"paramRef": object{"name": "limits", "namespace": "shared", "parameterNotFoundAction": "Deny"}}))
		d, e, orphan := binding("d1", "d", with(nil)), binding("e1", "e", with(nil)), binding("f1", "absent", with(nil))
		for _, set := range []Case{
			{Policies: []map[string]any{one, two}, Bindings: []map[string]any{a, a2, b}},
			{Policies: []map[string]any{one, three}, Bindings: []map[string]any{a, c, c2, orphan}},
			{Policies: []map[string]any{one, two, three, broken}, Bindings: []map[string]any{a, b, c, d}},
			{Policies: []map[string]any{broken, large}, Bindings: []map[string]any{d, e}},
			{Policies: []map[string]any{one, large}, Bindings: []map[string]any{e}},
			{Policies: []map[string]any{one, two, three, large}, Bindings: []map[string]any{a, a2, b, c, c2, e}},
		} {
			cases = append(cases, set)
		}
	}
	return cases
}
