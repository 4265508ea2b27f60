package parity

import (
	"fmt"
	"maps"
	"slices"
)

// schemaFile is a hand-written schema with its objects, and expressions to
// evaluate over the first of them.
type schemaFile struct {
	SchemaCase
	expressions []string
	// fields asks for fieldCases of every property too, prices for priceCases.
	fields, prices bool
}

// loadSchemas reads testdata/oracle/schemas. An object marked "mutate" stands
// for itself and all its mutations.
func loadSchemas(dir string) ([]schemaFile, error) {
	files, err := readAll(dir)
	if err != nil {
		return nil, err
	}
	var all []schemaFile
	for _, f := range files {
		r := &reader{}
		s := schemaFile{SchemaCase: SchemaCase{
			Name:   f["@file"].(string),
			Schema: get[map[string]any](r, f, "schema"),
			Root:   get[bool](r, f, "root"),
		}, fields: get[bool](r, f, "fields"), prices: get[bool](r, f, "prices")}
		for _, o := range get[[]any](r, f, "objects") {
			o, ok := o.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s: object is not a mapping", s.Name)
			}
			o["@file"] = s.Name
			obj := Object{Name: get[string](r, o, "name"), New: o["new"], Old: o["old"], Budget: get[int64](r, o, "budget")}
			s.Objects = append(s.Objects, obj)
			if get[bool](r, o, "mutate") {
				s.Objects = append(s.Objects, Mutations(s.Schema, obj, 0)...)
			}
		}
		for _, e := range get[[]any](r, f, "expressions") {
			s.expressions = append(s.expressions, fmt.Sprint(e))
		}
		if r.err != nil {
			return nil, r.err
		}
		all = append(all, s)
	}
	return all, nil
}

// loadCRDs reads testdata/oracle/crds: files with a list of whole documents
// ("crds") or of root schemas ("schemas") that are put into a plain CRD.
func loadCRDs(dir string) ([]CRDCase, error) {
	files, err := readAll(dir)
	if err != nil {
		return nil, err
	}
	var all []CRDCase
	for _, f := range files {
		r := &reader{}
		for _, kind := range []string{"crds", "schemas"} {
			named := get[map[string]any](r, f, kind)
			for _, name := range slices.Sorted(maps.Keys(named)) {
				doc := get[map[string]any](r, named, name)
				if kind == "schemas" {
					doc = CRDOf(doc)
				}
				all = append(all, CRDCase{Name: f["@file"].(string) + "/" + name, CRD: doc})
			}
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return all, nil
}

// CRDOf wraps a root schema in a CRD with one version that is otherwise fine.
func CRDOf(schema map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"kind": "Widget", "plural": "widgets"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": schema},
			}},
		},
	}
}

// fieldCases ask of every property of a root schema, alone and in pairs, what
// can be asked of any: presence, size, equality, concatenation, membership.
func fieldCases(s SchemaCase) []string {
	props, _ := s.Schema["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(props))
	one := []string{"self.%s", "has(self.%s)", "size(self.%s)", "self.%s == oldSelf.%s", "self.%s != oldSelf.%s", "self.%s + oldSelf.%s",
		"oldSelf.%s + self.%s", "self.%s in [oldSelf.%s]", "type(self.%s)", "dyn(self.%s)", "dyn(self.%s) == dyn(oldSelf.%s)", "self.?%s", "self.?%s.orValue(oldSelf.%s)", "self.%s.map(x, x)",
		"self.%s.all(x, x == x)", "self.%s.exists(k, v, true)", "self.%s[0]", "self.%s[?0]", "self.%s['k']", "self.%s == null", "self.%s > oldSelf.%s", "string(self.%s)",
		"self.%s.matches('a')", "self.%s.transformList(i, v, [i])", "(self.%s + oldSelf.%s).size()", "self.%s + oldSelf.%s == oldSelf.%s + self.%s",
		"self.%s.isSorted()", "self.%s.sum()", "self.%s.max()", "self.%s.indexOf('a')", "self.%s.distinct()", "self.%s.sort()", "self.%s.reverse()", "self.%s.first()", "self.%s.join(',')", "self.%s.includes('a')",
		"sets.contains(self.%s, oldSelf.%s)", "sets.equivalent(self.%s, oldSelf.%s)", "dyn(self.%s) + dyn(oldSelf.%s)", "dyn(self.%s).all(x, dyn(x) != 17)", "dyn(self.%s).map(x, 1)", "dyn(self.%s).size()",
		"'%%s'.format([self.%s])", "optional.ofNonZeroValue(self.%s).hasValue()", "optional.ofNonZeroValue(oldSelf.%s)", "self.%s.a", "dyn(self.%s).unknown", "has(dyn(self).%s)", "'a' in dyn(self.%s)", "dyn(self)['%s']", "quantity(self.%s)", "ip(self.%s)", "duration(self.%s)"}
	var all []string
	for _, n := range names {
		for _, f := range one {
			args := make([]any, 0, 4)
			for i := 0; i+1 < len(f); i++ {
				if f[i] == '%' && f[i+1] == '%' {
					i++
				} else if f[i] == '%' {
					args = append(args, n)
				}
			}
			all = append(all, fmt.Sprintf(f, args...))
		}
		for _, m := range names {
			if m != n {
				all = append(all, fmt.Sprintf("dyn(self.%s) == dyn(self.%s)", n, m))
			}
		}
	}
	return all
}
