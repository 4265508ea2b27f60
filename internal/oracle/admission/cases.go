package admission

import (
	"fmt"
	"maps"
	"strings"
)

// Cases are the policies of the comparison: every field, every edge, and combinations.
func Cases() []Case {
	var all []Case
	add := func(group string, cases ...Case) {
		for i, c := range cases {
			c.Name, c.Few = fmt.Sprintf("%s %d", group, i), group == "budget"
			all = append(all, c)
		}
	}
	add("expression", expressionCases()...)
	add("message", messageCases()...)
	add("condition", conditionCases()...)
	add("annotation", annotationCases()...)
	add("variables", variableCases()...)
	add("budget", budgetCases()...)
	add("rule", ruleCases()...)
	add("selector", selectorCases()...)
	add("params", paramCases()...)
	add("action", actionCases()...)
	add("several", severalCases()...)
	return all
}

var anyRule = object{"apiGroups": list{"*"}, "apiVersions": list{"*"}, "operations": list{"*"}, "resources": list{"*", "*/*"}}

// of is a policy with a spec, and a binding that denies, for all resources.
func of(spec object) Case {
	whole := object{"matchConstraints": object{"resourceRules": list{anyRule}}}
	maps.Copy(whole, spec)
	return Case{Policies: []map[string]any{policy("p", whole)}, Bindings: []map[string]any{binding("b", "p", nil)}}
}

func policy(name string, spec object) map[string]any {
	return object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
		"metadata": object{"name": name}, "spec": spec,
	}
}

func binding(name, policy string, spec object) map[string]any {
	whole := object{"policyName": policy, "validationActions": list{"Deny"}}
	maps.Copy(whole, spec)
	return object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
		"metadata": object{"name": name}, "spec": whole,
	}
}

func validations(expressions ...string) list {
	var all list
	for _, e := range expressions {
		all = append(all, object{"expression": e})
	}
	return all
}

var failurePolicies = list{nil, "Fail", "Ignore"}

// conditions are booleans about everything that an expression can see.
var conditions = []string{
	"true", "false", "object.spec.replicas <= 3", "object.spec.replicas == 2", "has(object.spec)", "has(object.spec.none)", "has(object.spec.absent)",
	"object.spec.none == null", "object == null", "oldObject == null", "object != null && object.metadata.name == 'w'", "object.metadata.name.startsWith('w')",
	"object == oldObject", "object.spec == oldObject.spec", "object.spec.replicas == oldObject.spec.replicas", "has(object.metadata.namespace)",
	"object.spec.ratio < 1", "object.spec.whole == 2", "object.spec.enabled", "object.spec.enabled == true", "object.spec.absent == 1",
	"object.spec.names.all(n, n != 'z')", "object.spec.names.exists(n, n == 'c')", "object.spec.names.exists_one(n, n > 'b')", "'b' in object.spec.names",
	"object.spec.numbers.sum() == 6", "object.spec.mixed[1] == 'a'", "object.spec.mixed[9] == 1", "object.spec.map['x'] == 1", "object.spec.map.x == 1",
	"object.spec.map.all(k, object.spec.map[k] > 0)", "object.spec.containers.all(c, has(c.ports))", "object.spec.containers.map(c, c.image).join(',') == 'registry/a:1,b'",
	"object.spec.containers[0].ports[1] == 443", "object.spec.?absent.orValue(5) == 5", "object.spec.?replicas.hasValue()", "object.spec[?'replicas'].value() > 1",
	"object.spec.__if__ == 'word'", "object.spec['if'] == 'word'", "object.spec.namespace == 'kept'", "object.spec['with-dash'] == 7", "object.spec.__namespace__ == 'kept'",
	"quantity(object.spec.quantity).isLessThan(quantity('1'))", "ip(object.spec.ip).family() == 4", "timestamp(object.spec.time).getFullYear() == 2024",
	"duration(object.spec.duration) == duration('60m')", "string(object.spec.replicas) == '2'", "int('x') == 1", "1 / (object.spec.replicas - 2) == 0", "object.spec.name.matches('^a.c$')",
	"object.spec.name.find('[') == ''", "type(object.spec) == map", "type(request) == kubernetes.AdmissionRequest", "type(request.kind) == map", "size(object.spec.names) == 3",
	"object.metadata.labels['a/b-c.d'] == 'x'", "object.metadata.labels.all(k, k.size() < 8)", "object.spec.name in ['abc', 'd']", "[1, 2].sum() == 3", "cel.bind(x, object.spec.replicas, x == x)",

	"request.operation == 'CREATE'", "request.operation in ['CREATE', 'UPDATE']", "request.name == 'w'", "has(request.name)", "request.namespace == 'web'", "has(request.namespace)",
	"request.uid == ''", "request.kind.kind == 'Widget'", "request.kind.group == 'example.com' && request.kind.version == 'v1'", "request.resource.resource == 'widgets'",
	"request.kind == request.requestKind", "request.resource == request.requestResource", "request.requestResource.version == 'v1'", "request.subResource == 'status'", "has(request.subResource)",
	"request.requestSubResource == 'status'", "has(request.requestSubResource)", "request.dryRun", "has(request.dryRun)", "request.dryRun == false", "has(request.options)", "request.options == null",
	"has(request.options.fieldManager)", "request.options.fieldManager == 'kubectl'", "request.options.number == 3", "request.userInfo.username == 'alice'", "has(request.userInfo.uid)",
	"'dev' in request.userInfo.groups", "request.userInfo.groups.size() == 2", "request.userInfo.groups[5] == 'x'", "request.userInfo.groups[0] == 'dev'", "request.userInfo.groups.exists(g, g.startsWith('system:'))",
	"request.userInfo.extra['scopes'][1] == 'b'", "request.userInfo.extra.scopes.join('') == 'ab'", "has(request.userInfo.extra)", "'scopes' in request.userInfo.extra", "request.userInfo.extra['none'] == []",
	"request.userInfo.extra.all(k, size(request.userInfo.extra[k]) > 1)", "request.object == null", "dyn(request).object == null", "has(dyn(request).object)", "has(dyn(request).uid)", "dyn(request).uid == ''",
	"dyn(request).size() > 3", "dyn(request).all(k, k != 'x')", "dyn(request).kind == {'group': 'example.com', 'version': 'v1', 'kind': 'Widget'}", "{'group': 'example.com', 'version': 'v1', 'kind': 'Widget'} == dyn(request.kind)",
	"dyn(request.userInfo.groups) == ['dev', 'system:authenticated']", "['dev', 'system:authenticated'] == request.userInfo.groups", "request.userInfo.groups + ['x'] == ['dev', 'system:authenticated', 'x']",
	"dyn(request.userInfo.groups)['x'] == 1", "dyn(request.userInfo)[1] == 1", "1 in dyn(request.userInfo)", "1 in dyn(request.userInfo.groups)", "dyn(request) == dyn(request)", "dyn(request.kind) == dyn(request.resource)",
	"dyn(request.userInfo) == {}", "dyn(request.kind) == 1", "request.kind.absent == ''", "request.absent == ''", "request.userInfo.groups.isSorted()", "request.userInfo.groups.filter(g, g == 'dev') == ['dev']",
	"sets.contains(request.userInfo.groups, ['dev'])", "request == null", "request.userInfo.extra == {'scopes': ['a', 'b']}", "string(request.dryRun) == 'false'",

	"namespaceObject == null", "has(namespaceObject.metadata)", "namespaceObject.metadata.name == 'web'", "namespaceObject.metadata.labels.tier == 'front'", "namespaceObject.metadata.labels['env'] == 'prod'",
	"has(namespaceObject.metadata.labels)", "'env' in namespaceObject.metadata.labels", "namespaceObject.metadata.UID == '1-2'", "has(namespaceObject.metadata.UID)", "namespaceObject.metadata.uid == '1-2'",
	"dyn(namespaceObject).metadata.uid == '1-2'", "namespaceObject.metadata.generation == 2", "namespaceObject.metadata.creationTimestamp == timestamp('2024-01-02T03:04:05Z')",
	"dyn(namespaceObject.metadata.creationTimestamp) == '2024-01-02T03:04:05Z'", "namespaceObject.metadata.creationTimestamp.getFullYear() == 2024", "has(namespaceObject.metadata.creationTimestamp)",
	"has(namespaceObject.metadata.deletionTimestamp)", "namespaceObject.metadata.finalizers == ['example.com/keep']", "namespaceObject.spec.finalizers[0] == 'kubernetes'", "has(namespaceObject.spec.finalizers)", "has(namespaceObject.spec)",
	"namespaceObject.status.phase == 'Active'", "namespaceObject.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')", "namespaceObject.status.conditions[0].lastTransitionTime < timestamp('2025-01-01T00:00:00Z')",
	"namespaceObject.metadata.annotations.owner == 'team-a'", "has(dyn(namespaceObject).metadata.managedFields)", "has(dyn(namespaceObject).kind)", "dyn(namespaceObject).size() == 3", "dyn(namespaceObject.status) == {}",
	"dyn(namespaceObject.metadata) == {'name': 'bare'}", "dyn(namespaceObject).metadata.size() > 1", "namespaceObject.metadata.absent == ''",

	"authorizer.group('example.com').resource('widgets').namespace('web').check('get').allowed()", "authorizer.group('').resource('pods').check('deny').reason() == 'forbidden by rule'",
	"authorizer.group('').resource('pods').check('fail').errored()", "authorizer.group('').resource('pods').check('fail').error() == 'connection refused'", "authorizer.requestResource.check('create').allowed()",
	"authorizer.requestResource.check('deny').allowed()", "authorizer.path('/closed').check('get').allowed()", "authorizer.path('').check('get').allowed()", "authorizer.serviceAccount('web', 'sa').group('').resource('pods').check('get').allowed()",
	"authorizer.requestResource.fieldSelector('a=b').labelSelector('x in (y)').check('list').allowed()", "authorizer.requestResource.check('a').allowed() && authorizer.requestResource.check('b').allowed() && authorizer.requestResource.check('c').allowed()",
	"authorizer == authorizer", "type(authorizer) == type(authorizer)",

	"params == null", "params.data.limit == '3'", "variables.absent == 1", "variables == variables", "has(variables.x)", "dyn(variables).x == 1",
	"", "1 +", "object.spec.replicas", "'text'", "1", "null", "dyn(true)", "unknown(1)", "object.spec.filter(", "jsonpatch.escapeKey('a') == 'a'", "Object{spec: Object.spec{}} == object", "self.x", "has(object)", "object.?spec",
	"[1, 'a'] == []", "duration('x') == duration('1s')", "'a'.matches('[')", "optional.none().value() == 1", "cel.@block([1], true)", "true && (false || error)", "object.spec.mixed.all(m, m == 1)", "object.spec.mixed.all(m, m > 0)",
	"object.spec.replicas + 9223372036854775807 > 0", "[object.spec.replicas].map(x, x * 2)[0] == 4", "'%s'.format([object.spec]) != ''", "'%d'.format([request.kind]) != ''", "object.spec.text.size() == 0", "object.spec == 'text'",
}

// expressionCases have each condition as a validation, with the failure policies in turn.
func expressionCases() (cases []Case) {
	for i, c := range conditions {
		cases = append(cases, of(object{"failurePolicy": failurePolicies[i%3], "validations": validations(c)}))
	}
	// Together, so that they share variables and a budget.
	for i := 0; i+5 < len(conditions); i += 11 {
		cases = append(cases, of(object{"failurePolicy": failurePolicies[i%3], "validations": validations(conditions[i : i+5]...)}))
	}
	return cases
}

// messages are expressions of messages.
var messages = []string{
	"'has ' + string(object.spec.replicas)", "''", "'  '", "'  padded  '", "'two\\nlines'", "'\\n trailing \\n'", "object.metadata.name", "object.spec", "1", "null", "'x' +", "object.absent", "string(object.absent)",
	"'a'.replace('', 'bcdefghij').replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')", "authorizer.path('/a').check('get').reason()", "string(params)", "'ns ' + namespaceObject.metadata.name", "variables.text", "variables.allowed",
	"['a', 'b'].join(' ')", "request.operation + ' ' + request.name", "string(variables.number)", "oldObject.metadata.name + ' before'", "'%s is %d'.format(['a', 1])", "'" + strings.Repeat("x", 5120) + "'", "'" + strings.Repeat("y", 5121) + "'",
	"' " + strings.Repeat("z", 5120) + " '",
}

func messageCases() (cases []Case) {
	for i, m := range messages {
		for j, condition := range []string{"false", "object.spec.replicas > 3", "object.absent == 1"} {
			v := object{"expression": condition, "messageExpression": m}
			if (i+j)%2 == 0 {
				v["message"] = "  fixed message "
			}
			if (i+j)%3 == 0 {
				v["reason"] = []string{"Forbidden", "Unauthorized", "RequestEntityTooLarge", "Invalid", "Unknown"}[i%5]
			}
			cases = append(cases, of(object{
				"failurePolicy": failurePolicies[(i+j)%3], "validations": list{v, object{"expression": " false\n", "message": "\n"}},
				"variables": list{
					object{"name": "text", "expression": "'computed'"}, object{"name": "number", "expression": "1"},
					object{"name": "allowed", "expression": "authorizer.path('/a').check('get').reason()"},
				},
			}))
		}
	}
	return cases
}

// conditionCases are lists of match conditions: true, false, errors at run time and at
// compile time, and everything that they can see.
func conditionCases() (cases []Case) {
	parts := []string{"true", "false", "object.absent == 1", "1 +", "'text'"}
	condition := func(name, expression string) object { return object{"name": name, "expression": expression} }
	for i, a := range parts {
		for j, b := range parts {
			for k, failure := range failurePolicies {
				if (i+j+k)%2 == 0 || i == j {
					cases = append(cases, of(object{"failurePolicy": failure, "validations": validations("false"),
						"matchConditions": list{condition("first", a), condition("second", b)}}))
				}
			}
		}
	}
	for i, c := range conditions {
		if i%6 == 0 {
			cases = append(cases, of(object{"failurePolicy": failurePolicies[i/6%3], "validations": validations("false"), "matchConditions": list{condition("c", c)}}))
		}
	}
	for _, c := range []string{"namespaceObject == null", "variables.n > 1", "variables.broken", "variables.allowed", "request.resource.version == 'v1'", "request.kind.version == 'v2'"} {
		cases = append(cases, of(object{"validations": validations("variables.n > 5"), "matchConditions": list{condition("c", c), condition("d", c)},
			"variables": list{
				object{"name": "n", "expression": "object.spec.replicas"}, object{"name": "broken", "expression": "1 +"},
				object{"name": "allowed", "expression": "authorizer.requestResource.check('get').allowed()"},
			}}))
	}
	return cases
}

func annotationCases() (cases []Case) {
	values := []string{
		"'value'", "''", "'  '", "' padded '", "null", "object.metadata.name", "string(object.spec.replicas)", "object.spec.replicas > 3 ? 'many' : null", "string(object.absent)", "1 +", "1", "object.absent",
		"authorizer.path('/a').check('get').reason()", "variables.text", "variables.dynamic", "'two\\nlines'", "string(namespaceObject.metadata.size())", "dyn(namespaceObject).metadata.managedFields[0].manager",
		"'" + strings.Repeat("a", 10240) + "'", "'" + strings.Repeat("b", 10241) + "'", "string(params)", "has(dyn(namespaceObject).kind) ? 'kind' : 'none'", "request.operation",
	}
	for i, v := range values {
		for j, failure := range failurePolicies {
			spec := object{"failurePolicy": failure, "auditAnnotations": list{
				object{"key": "first", "valueExpression": v}, object{"key": "second", "valueExpression": values[(i+j+1)%len(values)]},
			}, "variables": list{object{"name": "text", "expression": "'computed'"}, object{"name": "dynamic", "expression": "object.spec.name"}}}
			if i%2 == 0 {
				spec["validations"] = validations("object.spec.replicas < 5")
			}
			cases = append(cases, of(spec))
		}
	}
	for _, key := range []string{"", "a b", "a/b", "UPPER", strings.Repeat("k", 64)} {
		cases = append(cases, of(object{"auditAnnotations": list{object{"key": key, "valueExpression": "'value'"}}}))
	}
	return append(cases, of(object{"auditAnnotations": list{
		object{"key": "same", "valueExpression": "'a'"}, object{"key": "same", "valueExpression": "'b'"}, object{"key": "same", "valueExpression": "'a'"},
	}}))
}
