package kubecel_test

import (
	"testing"

	"github.com/kubecel/kubecel"
)

func TestValuesThatAreNoMaps(t *testing.T) {
	for _, tt := range []struct {
		schema         string
		old, bad, good any
		err            string
	}{
		{"{type: string, x-kubernetes-validations: [{rule: self.startsWith('a')}]}", nil, "b", "abc", "<nil>: Invalid value: \"b\": failed rule: self.startsWith('a')"},
		{"{type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}", int64(2), int64(1), int64(3), "<nil>: Invalid value: 1: failed rule: self >= oldSelf"},
		{"{type: number, x-kubernetes-validations: [{rule: self < 1.0}]}", nil, 1.5, 0.5, "<nil>: Invalid value: 1.5: failed rule: self < 1.0"},
		{"{type: boolean, x-kubernetes-validations: [{rule: self}]}", nil, false, true, "<nil>: Invalid value: false: failed rule: self"},
		{"{type: array, items: {type: string, x-kubernetes-validations: [{rule: self != ''}]}}", nil, []any{"a", ""}, []any{"a"}, "[1]: Invalid value: \"\": failed rule: self != ''"},
		{"{type: array, items: {type: string, default: a, x-kubernetes-validations: [{rule: self != ''}]}}", nil, []string{"a", ""}, []string{"a"}, "[1]: Invalid value: \"\": failed rule: self != ''"},
		{"{type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}}", nil, map[string]int{"a": 1}, map[string]int{"a": 2}, "[a]: Invalid value: 1: failed rule: self > 1"},
		{"{x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: 'type(self) == int'}]}", nil, "a", int64(1), "<nil>: Invalid value: \"a\": failed rule: type(self) == int"},
	} {
		s, err := kubecel.ParseSchema([]byte(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := s.Compile()
		if err != nil {
			t.Fatal(err)
		}
		good, err := rules.Validate(t.Context(), tt.good, tt.old)
		if err != nil || !good.Valid() {
			t.Errorf("%s good %v %+v", tt.schema, err, good)
		}
		bad, err := rules.Validate(t.Context(), tt.bad, tt.old)
		if err != nil || bad.Valid() {
			t.Errorf("%s bad %v %+v", tt.schema, err, bad)
		} else if got := bad.Violations[0].Server.Error(); got != tt.err {
			t.Errorf("%s: %s, want %s", tt.schema, got, tt.err)
		}
	}
}
