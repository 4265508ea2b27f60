package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/report"
)

// rejected are schemas with missing bounds and a rule that a server rejects: each
// expression at each place.
func rejected() map[string]string {
	text, names := `{type: string}`, `{type: array, items: {type: string}}`
	object := func(rule string) string {
		return fmt.Sprintf(`{type: object, required: [name], x-kubernetes-validations: [{rule: %q, message: bad}], properties: {
			name: %s, other: %s, code: {type: string, maxLength: 2000000}, data: {type: string, format: byte}, port: {x-kubernetes-int-or-string: true},
			names: %s, more: {type: array, maxItems: 500000, items: %s}, labels: {type: object, additionalProperties: %s}, day: {type: string, format: date},
			kind: {type: string, enum: [A, Bcd]}, rules: {type: array, items: {type: object, properties: {paths: %s, host: %s}}}}}`,
			rule, text, text, names, text, text, names, text)
	}
	rules := map[string]string{
		"contains":    "self.name.contains(self.other)",
		"matches":     "self.names.all(n, n.matches('^[a-z]+(-[a-z]+)*$'))",
		"nested":      "self.rules.all(r, r.paths.all(p, p.startsWith(r.host)))",
		"unique":      "self.names.all(n, self.names.exists_one(m, m == n))",
		"maps":        "self.labels.all(k, self.labels[k].contains(self.name))",
		"two":         "self.rules.map(r, r.host).exists(h, self.names.exists(n, n == h))",
		"conditional": "self.kind == 'A' ? self.names.all(n, n.size() > 1 && n.contains('x')) : self.more.all(n, n.contains(self.name))",
		"loose":       "self.more.all(n, n.contains(self.code))",
		"sets":        "sets.contains(self.names, self.more)",
		"concat":      "(self.name + self.other).contains(self.code)",
		"bytes":       "self.names.exists(n, bytes(n) == self.data)",
		"bound":       "(self.names + self.more).all(n, n.startsWith(self.name))",
		"optional":    "self.?labels[?self.name].orValue('').contains(self.other)",
		"lists":       "self.rules.map(r, r.paths.size()).sum() < 100 && self.names.isSorted() && self.names.all(n, n != self.other)",
	}
	places := map[string]string{
		"root":   `{type: object, properties: {spec: %s}}`,
		"list":   `{type: object, properties: {spec: {type: object, properties: {items: {type: array, items: %s}}}}}`,
		"map":    `{type: object, properties: {byName: {type: object, maxProperties: 70000, additionalProperties: %s}}}`,
		"nested": `{type: object, properties: {a: {type: array, items: {type: object, properties: {b: {type: array, maxItems: 400, items: %s}}}}}}`,
	}
	all := map[string]string{}
	for place, schema := range places {
		for name, rule := range rules {
			all[place+"/"+name] = fmt.Sprintf(schema, object(rule))
		}
	}
	return all
}

// apply returns a copy of a schema with a keyword set at a place.
func apply(t *testing.T, schema map[string]any, place, keyword string, value int64) map[string]any {
	t.Helper()
	copied := parity.DeepCopy(schema).(map[string]any)
	at := copied
	for step := range strings.SplitSeq(place, ".") {
		name, isProperty := strings.CutPrefix(step, "properties[")
		if isProperty {
			at, step = at["properties"].(map[string]any), strings.TrimSuffix(name, "]")
		}
		at = at[step].(map[string]any)
	}
	at[keyword] = value
	return copied
}

// TestAdvice holds that a server accepts what a report suggests, and rejects one
// more of any bound that claims to be the largest.
func TestAdvice(t *testing.T) {
	server := reference.New(reference.Versioned)
	objects := func(schema map[string]any) (errors []string) {
		for _, e := range server.CRD(parity.CRDCase{CRD: parity.CRDOf(schema)}).Errors {
			errors = append(errors, e.Field+": "+e.Detail)
		}
		return errors
	}
	applied, largest := 0, 0
	for _, name := range sortedNames(rejected()) {
		t.Run(name, func(t *testing.T) {
			decoded, err := parity.Decode([]byte(rejected()[name]))
			if err != nil {
				t.Fatal(err)
			}
			schema := decoded.(map[string]any)
			before := objects(schema)
			document, err := json.Marshal(parity.CRDOf(schema))
			if err != nil {
				t.Fatal(err)
			}
			r, err := reportCRD(document)
			if err != nil {
				t.Fatal(err)
			}
			said := []string{}
			for _, f := range r.Findings {
				said = append(said, f.Message)
			}
			for i, e := range before {
				if i >= len(said) || !strings.HasSuffix(said[i], e[strings.Index(e, ": ")+2:]) {
					t.Errorf("the server says %q, the report %q", before, said)
					break
				}
			}
			if len(r.Expressions) != 1 || r.Expressions[0].Error != "" {
				t.Fatalf("%d expressions, %s", len(r.Expressions), r.Expressions[0].Error)
			}
			x := r.Expressions[0]
			if (len(before) == 0) != x.Server.Within {
				t.Fatalf("the server says %q, the report %+v", before, x.Server)
			}
			if x.Server.Within {
				t.Skip("the server accepts it as it is")
			}
			for _, c := range x.Advice.Alone {
				if !c.Fits {
					continue
				}
				applied++
				if errs := objects(apply(t, schema, c.Schema, c.Keyword, c.To)); len(errs) > 0 {
					t.Errorf("with %s %s: %d alone: %q", c.Schema, c.Keyword, c.To, errs)
				}
				if c.Largest {
					largest++
					if errs := objects(apply(t, schema, c.Schema, c.Keyword, c.To+1)); len(errs) == 0 {
						t.Errorf("%s %s: %d is not the largest", c.Schema, c.Keyword, c.To)
					}
				}
				if !c.Proven {
					t.Errorf("%s %s is not proven", c.Schema, c.Keyword)
				}
			}
			together := func(more int) map[string]any {
				changed := schema
				for i, c := range x.Advice.Together {
					if i == more {
						c.To++
					}
					changed = apply(t, changed, c.Schema, c.Keyword, c.To)
				}
				return changed
			}
			if len(x.Advice.Together) == 0 {
				changed := schema
				for _, b := range append(x.Bounds, x.Evaluations.Chain...) {
					if b.Kind == "declared" || b.Kind == "missing" {
						changed = apply(t, changed, b.Schema, b.Keyword, 1)
					}
				}
				if errs := objects(changed); len(errs) == 0 {
					t.Errorf("%s; the server accepts it with 1 for each", x.Advice.Note)
				}
				return
			}
			applied++
			if errs := objects(together(-1)); len(errs) > 0 {
				t.Errorf("with %+v: %q", x.Advice.Together, errs)
			}
			for i, c := range x.Advice.Together {
				if !c.Largest {
					continue
				}
				largest++
				if errs := objects(together(i)); len(errs) == 0 {
					t.Errorf("together, %s %s: %d is not the largest", c.Schema, c.Keyword, c.To)
				}
			}
			if !x.Advice.Proven {
				t.Error("the set is not proven")
			}
			growth(t, together(-1), objects)
		})
	}
	t.Logf("%d suggestions applied, %d of them with one more", applied, largest)
	if applied < 50 || largest < 100 {
		t.Errorf("%d suggestions applied, %d of them with one more: too few", applied, largest)
	}
}

// costly are schemas whose expressions cost too much together: some of them only
// together, and some alone too.
func costly() map[string]string {
	schema := func(count int, names, rule string) string {
		rules := make([]string, count)
		for i := range rules {
			rules[i] = fmt.Sprintf("{rule: %q, message: bad}", fmt.Sprintf(rule, i))
		}
		return fmt.Sprintf(`{type: object, properties: {spec: {type: object, x-kubernetes-validations: [%s], properties: {
			limit: {type: integer}, tag: {type: string, maxLength: 200}, names: %s, more: {type: array, items: {type: string}}}}}}`, strings.Join(rules, ", "), names)
	}
	return map[string]string{
		"together":  schema(40, "{type: array, maxItems: 900, items: {type: string, maxLength: 90}}", "self.names.all(n, n.contains(self.tag) || n.size() > %d)"),
		"each":      schema(40, "{type: array, items: {type: string}}", "self.names.all(n, n.contains(self.tag) || n.size() > %d)"),
		"two lists": schema(30, "{type: array, items: {type: string}}", "self.names.all(n, self.more.exists(m, m == n) || n.size() > %d)"),
	}
}

// TestSchemaAdvice holds that a server accepts a schema with the bounds suggested for
// its total: those bring each rule under its limit too. The schema is no longer
// accepted if one of the bounds is missing, or greater by one if it is the largest.
func TestSchemaAdvice(t *testing.T) {
	server := reference.New(reference.Versioned)
	for _, name := range sortedNames(costly()) {
		t.Run(name, func(t *testing.T) {
			decoded, err := parity.Decode([]byte(costly()[name]))
			if err != nil {
				t.Fatal(err)
			}
			schema := decoded.(map[string]any)
			document, err := json.Marshal(parity.CRDOf(schema))
			if err != nil {
				t.Fatal(err)
			}
			r, err := reportCRD(document)
			if err != nil {
				t.Fatal(err)
			}
			errors := func(more, without int) []parity.FieldError {
				changed := schema
				for i, c := range r.Advice.Together {
					if i == without {
						continue
					}
					if i == more {
						c.To++
					}
					changed = apply(t, changed, c.Schema, c.Keyword, c.To)
				}
				return server.CRD(parity.CRDCase{CRD: parity.CRDOf(changed)}).Errors
			}
			before := server.CRD(parity.CRDCase{CRD: parity.CRDOf(schema)}).Errors
			if len(before) == 0 || r.Server.Within || r.Advice == nil || !r.Advice.Proven || len(r.Advice.Together) == 0 {
				t.Fatalf("the server says %v, the report %+v with %+v", before, r.Server, r.Advice)
			}
			if !strings.HasSuffix(before[len(before)-1].Detail, r.Server.Message) {
				t.Errorf("the server says %q, the report %q", before[len(before)-1].Detail, r.Server.Message)
			}
			if errs := errors(-1, -1); len(errs) > 0 {
				t.Errorf("with %+v: %v", r.Advice.Together, errs)
			}
			for i, c := range r.Advice.Together {
				if errs := errors(i, -1); c.Largest && len(errs) == 0 {
					t.Errorf("%s %s: %d is not the largest", c.Schema, c.Keyword, c.To)
				}
				if errs := errors(-1, i); len(errs) == 0 {
					t.Errorf("%s %s: %d is not needed", c.Schema, c.Keyword, c.To)
				}
			}
		})
	}
}

// TestRewrite holds that a server rejects an expression because of an operand without a
// size, and accepts what the report suggests to write.
func TestRewrite(t *testing.T) {
	server := reference.New(reference.Versioned)
	for message, want := range map[string]string{
		`'the limit is ' + string(self.limit)`:                         `'the limit is %s'.format([self.limit])`,
		`'at most 10%: ' + string(self.limit) + self.tag + "."`:        `'at most 10%%: %s%s.'.format([self.limit, self.tag])`,
		`self.tag != '' ? 'is ' + string(self.on) : string(self.rate)`: `self.tag != '' ? 'is %s'.format([self.on]) : string(self.rate)`,
		`'it\'s ' + string(self.rate)`:                                 `'%s%s'.format(['it\'s ', string(self.rate)])`,
		`self.names.map(n, 'a' + string(n)).join(',')`:                 ``,
		`self.tag + string(duration(self.tag)).substring(1)`:           ``,
	} {
		schema := func(message string) map[string]any {
			return map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{
				"type": "object", "x-kubernetes-validations": []any{map[string]any{"rule": "self.limit < 10", "messageExpression": message}},
				"properties": map[string]any{"limit": map[string]any{"type": "integer"}, "rate": map[string]any{"type": "number"}, "on": map[string]any{"type": "boolean"},
					"tag":   map[string]any{"type": "string", "maxLength": int64(20)},
					"names": map[string]any{"type": "array", "maxItems": int64(5), "items": map[string]any{"type": "string", "maxLength": int64(5)}}},
			}}}
		}
		document, err := json.Marshal(parity.CRDOf(schema(message)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := reportCRD(document)
		if err != nil {
			t.Fatal(err)
		}
		advice := r.Expressions[0].Advice
		if r.Expressions[0].Source != message || advice == nil || len(advice.Causes) == 0 {
			t.Errorf("%s: %s, advice %+v", message, r.Expressions[0].Error, advice)
			continue
		}
		if errs := server.CRD(parity.CRDCase{CRD: parity.CRDOf(schema(message))}).Errors; len(errs) == 0 {
			t.Errorf("the server accepts %s", message)
		}
		if want == "" {
			if advice.Rewrite != nil && advice.Rewrite.Fits {
				t.Errorf("%s: rewritten as %+v", message, advice.Rewrite)
			}
			continue
		}
		if advice.Rewrite == nil || advice.Rewrite.Source != want || !advice.Rewrite.Fits {
			t.Errorf("%s: rewritten as %+v, want %s", message, advice.Rewrite, want)
			continue
		}
		if errs := server.CRD(parity.CRDCase{CRD: parity.CRDOf(schema(want))}).Errors; len(errs) > 0 {
			t.Errorf("the server says of %s: %v", want, errs)
		}
	}
}

// growth holds that the bounds of an accepted schema may grow as far as the report
// says, and no further.
func growth(t *testing.T, schema map[string]any, objects func(map[string]any) []string) {
	document, err := json.Marshal(parity.CRDOf(schema))
	if err != nil {
		t.Fatal(err)
	}
	r, err := reportCRD(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Expressions[0].Advice.Growth {
		if errs := objects(apply(t, schema, c.Schema, c.Keyword, c.To)); len(errs) > 0 {
			t.Errorf("%s %s cannot grow to %d: %q", c.Schema, c.Keyword, c.To, errs)
		}
		if c.Largest {
			if errs := objects(apply(t, schema, c.Schema, c.Keyword, c.To+1)); len(errs) == 0 {
				t.Errorf("%s %s can grow beyond %d", c.Schema, c.Keyword, c.To)
			}
		}
	}
}

func sortedNames(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}

// TestReportTotals holds that the totals of reports are the reference's for every
// rule of the Gateway API and of the corpus, and that all node costs add up.
func TestReportTotals(t *testing.T) {
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	server := reference.New(reference.Versioned)
	compared := 0
	check := func(name string, schema map[string]any) {
		outcome := server.Schema(parity.SchemaCase{Name: name, Schema: schema, Root: true})
		document, err := json.Marshal(parity.CRDOf(schema))
		if err != nil {
			t.Fatal(err)
		}
		r, err := reportCRD(document)
		if err != nil {
			return // not structural
		}
		want := map[string]uint64{}
		for _, o := range outcome.Rules {
			if o.Error == "" {
				want[fmt.Sprintf("%s#%d", o.Path, o.Index)] = o.MaxCost
			}
		}
		for _, x := range r.Expressions {
			if x.Kind != report.KindRule || x.Error != "" {
				continue
			}
			index := x.Path[strings.LastIndex(x.Path, "[")+1 : strings.LastIndex(x.Path, "]")]
			place := x.Place
			if place != "" && !strings.HasPrefix(place, "{") {
				place = "." + place
			}
			cost, ok := want[place+"#"+index]
			if !ok {
				continue
			}
			compared++
			if x.Estimate.Max != cost {
				t.Errorf("%s: %s: the report says %d, the reference %d", name, x.Path, x.Estimate.Max, cost)
			}
		}
	}
	for _, s := range corpus.Schemas {
		if s.Root {
			check(s.Name, s.Schema)
		}
	}
	for _, release := range gatewayReleases {
		crds, err := gatewayCRDs(release)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range crds {
			for _, v := range c.CRD["spec"].(map[string]any)["versions"].([]any) {
				check(c.Name, v.(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any))
			}
		}
	}
	t.Logf("%d rules compared", compared)
	if compared < 1000 {
		t.Errorf("only %d rules compared", compared)
	}
}

// reportCRD reports the version v1 of a CRD.
func reportCRD(document []byte) (*report.CRD, error) {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		return nil, err
	}
	return crd.Report("v1")
}
