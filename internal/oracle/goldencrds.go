package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/internal/oracle/reference"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// distinct runs what may depend on the order of Go maps, and gives what came of it
// in the order of keys. A map of two keys has its rarer order in one run of eight,
// so that few runs tell whether there is another outcome, and more find them all.
func distinct[T any](few, more int, run func() T, key func(T) string) []T {
	seen := map[string]T{}
	for n, limit := 0, few; n < limit; n++ {
		o := run()
		seen[key(o)] = o
		if len(seen) > 1 {
			limit = more
		}
	}
	var all []T
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		all = append(all, seen[k])
	}
	return all
}

func jsonKey[T any](v T) string {
	j, _ := json.Marshal(v)
	return string(j)
}

// errorLine is a field error in the goldens.
type errorLine struct{ Type, Field, Text string }

// selfType is the name of the type of self, which the server numbers by the clock.
var selfType = regexp.MustCompile(`selfType\d+`)

func errorLines(errs field.ErrorList) []errorLine {
	lines := make([]errorLine, 0, len(errs))
	for _, e := range errs {
		lines = append(lines, errorLine{string(e.Type), e.Field, selfType.ReplaceAllString(e.Error(), "selfType1")})
	}
	return lines
}

func byText(a, b errorLine) int {
	return cmp.Or(strings.Compare(a.Text, b.Text), strings.Compare(a.Field, b.Field), strings.Compare(a.Type, b.Type))
}

// crdErrors are the errors of a CRD: sorted by text, if not all runs gave the
// same order.
type crdErrors struct {
	Ordered bool        `json:"ordered"`
	Errors  []errorLine `json:"errors"`
}

// schemaInput is a CRD by the schemas of its versions.
type schemaInput struct {
	Name    string             `json:"name"`
	Schema  json.RawMessage    `json:"schema"`
	Schemas []*json.RawMessage `json:"schemas"`
	Status  []bool             `json:"status"`
	// Versions are the names of the versions, v1 and so on if there are none.
	Versions []string `json:"versions"`
	// Hidden tells which versions are not served.
	Hidden []bool `json:"hidden"`
	// Preserve is preserveUnknownFields.
	Preserve bool `json:"preserve"`
}

// updateInput is a CRD that replaces an old one.
type updateInput struct {
	Name string      `json:"name"`
	Old  schemaInput `json:"old"`
	New  schemaInput `json:"new"`
}

func (c schemaInput) document() ([]byte, error) {
	schemas := c.Schemas
	if schemas == nil {
		schemas = []*json.RawMessage{&c.Schema}
	}
	var versions []any
	for i, s := range schemas {
		v := map[string]any{"name": fmt.Sprintf("v%d", i+1), "served": i >= len(c.Hidden) || !c.Hidden[i], "storage": i == 0}
		if i < len(c.Versions) {
			v["name"] = c.Versions[i]
		}
		if s != nil {
			v["schema"] = map[string]any{"openAPIV3Schema": s}
		}
		if i < len(c.Status) && c.Status[i] {
			v["subresources"] = map[string]any{"status": map[string]any{}}
		}
		versions = append(versions, v)
	}
	return json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced", "preserveUnknownFields": c.Preserve, "versions": versions,
			"names": map[string]any{"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
		},
	})
}

// recordChecks checks the CRDs of a file.
func recordChecks(inputs string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) {
		var cases []schemaInput
		if err := readInputs(inputs, &cases); err != nil {
			return nil, err
		}
		all := map[string]crdErrors{}
		for _, c := range cases {
			document, err := c.document()
			if err != nil {
				return nil, err
			}
			all[c.Name], err = errorsOf(func() (field.ErrorList, error) { return reference.CheckCRD(document) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
		return writeJSON(all)
	}
}

// recordUpdates checks the updates of a file.
func recordUpdates([]byte) ([]byte, error) {
	var cases []updateInput
	if err := readInputs("crd/updates.yaml", &cases); err != nil {
		return nil, err
	}
	all := map[string]crdErrors{}
	for _, c := range cases {
		old, err := c.Old.document()
		if err != nil {
			return nil, err
		}
		document, err := c.New.document()
		if err != nil {
			return nil, err
		}
		all[c.Name], err = errorsOf(func() (field.ErrorList, error) {
			errs, err := reference.UpdateCRD(document, old)
			return reference.AboutSchemas(errs), err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return writeJSON(all)
}

// errorsOf asks often enough to see whether the order of errors differs.
func errorsOf(check func() (field.ErrorList, error)) (first crdErrors, err error) {
	seen := distinct(120, 120, func() []errorLine {
		var errs field.ErrorList
		if errs, err = check(); err != nil {
			return nil
		}
		return errorLines(errs)
	}, jsonKey)
	if err != nil {
		return first, err
	}
	first = crdErrors{Ordered: len(seen) == 1, Errors: seen[0]}
	if !first.Ordered {
		for _, o := range seen {
			slices.SortStableFunc(o, byText)
		}
		// Which rules are named for a total that is too high can differ
		// too. The golden has the first of them.
		first.Errors = slices.MinFunc(seen, func(a, b []errorLine) int { return strings.Compare(jsonKey(a), jsonKey(b)) })
	}
	return first, nil
}

// objectInput is a schema with objects, validated once for each limit and budget.
type objectInput struct {
	Name                string
	Schema              json.RawMessage
	Objects             []json.RawMessage
	Updates             []objectUpdate
	Budgets, CallLimits []int64
}

// objectUpdate is a new object, and the old one that it replaces, if any.
type objectUpdate struct {
	Old, New json.RawMessage
	// Plain switches ratcheting off.
	Plain bool
}

// valueOf decodes as the server does: whole numbers are int64.
func valueOf(raw json.RawMessage) (v any) {
	if raw == nil {
		return nil
	}
	if err := kjson.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	return v
}

// objectOutcome is what the server says of an object. Errors and warnings are
// sorted if not all runs gave the same order.
type objectOutcome struct {
	Ordered   bool        `json:"ordered"`
	Errors    []errorLine `json:"errors"`
	Warnings  []string    `json:"warnings,omitempty"`
	Remaining int64       `json:"remaining"`
}

func (o objectOutcome) sorted() objectOutcome {
	o.Errors, o.Warnings, o.Ordered = slices.Clone(o.Errors), slices.Clone(o.Warnings), false
	slices.SortStableFunc(o.Errors, byText)
	slices.Sort(o.Warnings)
	return o
}

// recordObjects validates objects: for each, all outcomes that several runs gave.
func recordObjects([]byte) ([]byte, error) {
	var cases []objectInput
	if err := readInputs("crd/objects.yaml", &cases); err != nil {
		return nil, err
	}
	all := map[string][][]objectOutcome{}
	for _, c := range cases {
		s, err := structuralOf(c.Schema)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		all[c.Name] = validateAll(s, c)
	}
	return writeJSON(all)
}

func validateAll(s *structuralschema.Structural, c objectInput) (all [][]objectOutcome) {
	if c.Budgets == nil {
		c.Budgets = []int64{celconfig.RuntimeCELCostBudget}
	}
	if c.CallLimits == nil {
		c.CallLimits = []int64{celconfig.PerCallLimit}
	}
	var updates []objectUpdate
	for _, o := range c.Objects {
		updates = append(updates, objectUpdate{New: o})
	}
	updates = append(updates, c.Updates...)
	for _, limit := range c.CallLimits {
		v := schemacel.NewValidator(s, true, uint64(limit))
		for _, budget := range c.Budgets {
			for _, u := range updates {
				now, old := valueOf(u.New), valueOf(u.Old)
				all = append(all, outcomesOf(func() objectOutcome { return validateOne(v, s, now, old, u.Plain, budget) }))
			}
		}
	}
	return all
}

// outcomesOf are the outcomes of a validation. If the order differs, all are sorted.
func outcomesOf(validate func() objectOutcome) []objectOutcome {
	all := distinct(120, 1000, validate, jsonKey)
	if len(all) == 1 {
		return all
	}
	for i := range all {
		all[i] = all[i].sorted()
	}
	slices.SortFunc(all, func(a, b objectOutcome) int { return strings.Compare(jsonKey(a), jsonKey(b)) })
	return slices.CompactFunc(all, func(a, b objectOutcome) bool { return jsonKey(a) == jsonKey(b) })
}

func validateOne(v *schemacel.Validator, s *structuralschema.Structural, now, old any, plain bool, budget int64) objectOutcome {
	w := &texts{}
	var opts []schemacel.Option
	if old != nil && !plain {
		opts = append(opts, schemacel.WithRatcheting(common.NewCorrelatedObject(now, old, &model.Structural{Structural: s})))
	}
	errs, remaining := v.Validate(warning.WithWarningRecorder(context.Background(), w), nil, s, now, old, budget, opts...)
	return objectOutcome{Ordered: true, Errors: errorLines(errs), Warnings: w.all, Remaining: remaining}
}

type texts struct{ all []string }

func (t *texts) AddWarning(_, text string) { t.all = append(t.all, text) }

// recordFieldPaths reads field paths below a schema.
func recordFieldPaths([]byte) ([]byte, error) {
	var input struct {
		Schema json.RawMessage
		Paths  []string
	}
	if err := readInputs("crd/fieldpaths.yaml", &input); err != nil {
		return nil, err
	}
	s, err := structuralOf(input.Schema)
	if err != nil {
		return nil, err
	}
	type result struct{ Path, Error string }
	all := map[string]result{}
	for _, text := range input.Paths {
		all[text] = func() (r result) {
			defer func() {
				if recover() != nil {
					r = result{Error: "panic"}
				}
			}()
			path, _, err := schemacel.ValidFieldPath(text, s)
			if err != nil {
				return result{Error: err.Error()}
			}
			return result{Path: path.String()}
		}()
	}
	return writeJSON(all)
}
