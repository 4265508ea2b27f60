package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/internal/oracle/reference"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
)

// typeInputs are the cases of typesystem.yaml without their answers.
type typeInputs struct {
	Groups []struct {
		Name, Schema string
		Root         bool
		Self, Other  json.RawMessage
		Rows         []struct {
			Expr     string
			Want     string
			Cost     uint64
			Estimate []uint64
			Or       any
		}
	}
	Sizes []struct {
		Schema      json.RawMessage
		Root        bool
		Exposed     bool
		Cardinality uint64
		Paths       []struct {
			Path []string
			Max  *uint64
		}
	}
	Invalid []struct {
		Schema json.RawMessage
		Error  string
	}
}

// recordTypes evaluates expressions over data with cel-go's plain prices, asks for
// bounds of sizes, and compiles schemas that are refused. The answers have the
// order of the inputs, of which each stands on lines of its own.
func recordTypes(old []byte) ([]byte, error) {
	var in typeInputs
	if err := yaml.UnmarshalStrict(old, &in); err != nil {
		return nil, err
	}
	var rows, sized, paths, refused []string
	for _, g := range in.Groups {
		evaluator, err := newTypeEvaluator(g.Schema, g.Root, g.Self, g.Other)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
		for _, r := range g.Rows {
			rows = append(rows, evaluator.row(r.Expr))
		}
	}
	for _, s := range in.Sizes {
		decl, err := declOf(s.Schema, s.Root)
		if err != nil {
			return nil, err
		}
		var text string
		if decl != nil {
			n, err := cardinality(s.Schema, decl)
			if err != nil {
				return nil, err
			}
			text = fmt.Sprintf("  exposed: true\n  cardinality: %d\n", n)
		}
		sized = append(sized, text)
		for _, p := range s.Paths {
			paths = append(paths, pathLine(decl, p.Path))
		}
	}
	for _, s := range in.Invalid {
		_, err := structuralOf(s.Schema)
		text := ""
		if err != nil {
			text = err.Error()
		}
		refused = append(refused, ", error: "+quoteJSON(text)+"}")
	}
	next := func(of *[]string) string {
		first := (*of)[0]
		*of = (*of)[1:]
		return first
	}
	return editLines(old, func(line string) ([]string, error) {
		switch {
		case strings.HasPrefix(line, "  - {expr: "):
			return []string{next(&rows)}, nil
		case strings.HasPrefix(line, "  exposed: "), strings.HasPrefix(line, "  cardinality: "):
			return nil, nil
		case line == "  paths:":
			return []string{next(&sized) + line}, nil
		case strings.HasPrefix(line, "  - {path: "):
			return []string{next(&paths)}, nil
		case strings.HasPrefix(line, "- {schema: "):
			schema, _, ok := strings.Cut(line, ", error: ")
			if !ok {
				return nil, errors.New("no place for the error")
			}
			return []string{schema + next(&refused)}, nil
		}
		return []string{line}, nil
	})
}

func declOf(schema json.RawMessage, root bool) (*apiservercel.DeclType, error) {
	s, err := structuralOf(schema)
	if err != nil {
		return nil, err
	}
	return model.SchemaDeclType(s, root), nil
}

// cardinality is how often a rule runs at most if nothing bounds the lists around
// the schema. The server does not export it, but says it of a compiled rule.
func cardinality(schema json.RawMessage, decl *apiservercel.DeclType) (uint64, error) {
	s, err := structuralOf(schema)
	if err != nil {
		return 0, err
	}
	s.XValidations = apiextensions.ValidationRules{{Rule: "true"}}
	set := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	rules, err := schemacel.Compile(s, decl, celconfig.PerCallLimit, set, schemacel.StoredExpressionsEnvLoader())
	if err != nil || len(rules) != 1 || rules[0].Error != nil {
		return 0, fmt.Errorf("%s: rule not compiled: %v, %w", schema, rules, err)
	}
	return rules[0].MaxCardinality, nil
}

func pathLine(decl *apiservercel.DeclType, path []string) string {
	j, _ := json.Marshal(path)
	if decl != nil {
		if size := reference.Sizes(decl).EstimateSize(pathNode(path)); size != nil {
			return fmt.Sprintf("  - {path: %s, max: %d}", j, size.Max)
		}
	}
	return fmt.Sprintf("  - {path: %s}", j)
}

// pathNode is a node of which only the path is known.
type pathNode []string

func (p pathNode) Path() []string                      { return p }
func (p pathNode) Type() *types.Type                   { return nil }
func (p pathNode) Expr() ast.Expr                      { return nil }
func (p pathNode) ComputedSize() *checker.SizeEstimate { return nil }

// typeEvaluator evaluates over two values of a schema.
type typeEvaluator struct {
	env         *cel.Env
	decl        *apiservercel.DeclType
	structural  *structuralschema.Structural
	self, other json.RawMessage
}

func newTypeEvaluator(schema string, root bool, self, other json.RawMessage) (*typeEvaluator, error) {
	base, err := cel.NewEnv(cel.OptionalTypes(), ext.Strings(), ext.TwoVarComprehensions(), ext.Lists(ext.ListsVersion(3)),
		cel.CrossTypeNumericComparisons(true), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true),
		cel.HomogeneousAggregateLiterals(), cel.EnableIdentifierEscapeSyntax())
	if err != nil {
		return nil, err
	}
	s, err := structuralOf([]byte(schema))
	if err != nil {
		return nil, err
	}
	e := &typeEvaluator{structural: s, self: self, other: other, decl: model.SchemaDeclType(s, root).MaybeAssignTypeName("T")}
	if root {
		e.structural = model.WithTypeAndObjectMeta(s)
	}
	provider := apiservercel.NewDeclTypeProvider(e.decl)
	provider.SetRecognizeKeywordAsFieldName(true)
	opts, err := provider.EnvOptions(base.CELTypeProvider())
	if err != nil {
		return nil, err
	}
	e.env, err = base.Extend(append(opts, cel.Variable("self", e.decl.CelType()), cel.Variable("other", e.decl.CelType()))...)
	return e, err
}

// typeOutcome is what an evaluation gives and costs.
type typeOutcome struct {
	want string
	cost uint64
}

func (e *typeEvaluator) row(expr string) string {
	line := "  - {expr: " + quoteJSON(expr) + ", want: "
	checked, issues := e.env.Compile(expr)
	if issues.Err() != nil {
		return line + quoteJSON("invalid: "+issues.Err().Error()) + "}"
	}
	estimated := ""
	if estimate, err := e.env.EstimateCost(checked, reference.Sizes(e.decl)); err == nil {
		estimated = fmt.Sprintf(", estimate: [%d, %d]", estimate.Min, estimate.Max)
	}
	program, err := e.env.Program(checked, cel.CostTracking(nil))
	if err != nil {
		return line + quoteJSON("program: "+err.Error()) + estimated + "}"
	}
	seen := distinct(120, 1000, func() typeOutcome { return e.evaluate(program) }, func(o typeOutcome) string { return fmt.Sprintf("%s %20d", o.want, o.cost) })
	line += fmt.Sprintf("%s, cost: %d%s", quoteJSON(seen[0].want), seen[0].cost, estimated)
	var others []string
	for _, o := range seen[1:] {
		others = append(others, fmt.Sprintf("{want: %s, cost: %d}", quoteJSON(o.want), o.cost))
	}
	if len(others) > 0 {
		line += ", or: [" + strings.Join(others, ", ") + "]"
	}
	return line + "}"
}

func (e *typeEvaluator) evaluate(program cel.Program) (o typeOutcome) {
	value, details, err := program.Eval(map[string]any{"self": valueBy(e.structural, valueOf(e.self)), "other": valueBy(e.structural, valueOf(e.other))})
	if details != nil && details.ActualCost() != nil {
		o.cost = *details.ActualCost()
	}
	if err != nil {
		o.want = "error: " + err.Error()
	} else {
		o.want = describeValue(value)
	}
	return o
}

func valueBy(s *structuralschema.Structural, v any) ref.Val {
	return common.UnstructuredToVal(v, &model.Structural{Structural: s})
}

// goValues are the data of values.yaml, by name; the tests of the type system have
// the same.
func goValues() map[string]any {
	return map[string]any{
		"none": nil, "string": "x", "empty string": "", "base64": "aGk=", "base64 url": "_-8=", "base64 std": "/+8=",
		"duration": "1h30m", "duration 0": "0", "duration days": "2 days", "duration bad": "1x",
		"date": "2024-02-29", "date bad": "2023-02-29",
		"date-time": "2024-02-29T12:00:00.123456789+02:00", "date-time local": "2024-02-29T12:00:00",
		"int64": int64(5), "int": int(6), "int32": int32(7), "float64": 1.5, "whole float64": 2.0, "float32": float32(2.5),
		"uint64": uint64(8), "int8": int8(9), "bool": true,
		"list": []any{int64(1), int64(2)}, "empty list": []any{}, "nil list": []any(nil), "mixed list": []any{"a", nil, 1.5}, "[]string": []string{"a"},
		"map": map[string]any{"a": int64(1)}, "empty map": map[string]any{}, "nil map": map[string]any(nil), "map of null": map[string]any{"a": nil},
		"map[any]any": map[any]any{"a": 1}, "map[string]string": map[string]string{"a": "b"},
		"time": time.Time{}, "pointer": new(int), "func": func() {},
	}
}

// recordValues shows each Go value by each schema.
func recordValues(old []byte) ([]byte, error) {
	values := goValues()
	var structural *structuralschema.Structural
	return editLines(old, func(line string) ([]string, error) {
		if text, ok := strings.CutPrefix(line, "- schema: "); ok {
			var schema string
			if err := json.Unmarshal([]byte(text), &schema); err != nil {
				return nil, err
			}
			var err error
			structural, err = structuralOf([]byte(schema))
			return []string{line}, err
		}
		quoted, ok := strings.CutPrefix(line, "    ")
		if !ok {
			return []string{line}, nil
		}
		quoted, _, _ = strings.Cut(quoted, ": ")
		var name string
		if err := json.Unmarshal([]byte(quoted), &name); err != nil {
			return nil, err
		}
		data, ok := values[name]
		if !ok {
			return nil, fmt.Errorf("no value %q", name)
		}
		return []string{"    " + quoted + ": " + quoteJSON(describeGoValue(structural, data))}, nil
	})
}

func describeGoValue(s *structuralschema.Structural, data any) string {
	v := valueBy(s, data)
	if v != nil && v.Type() == types.UnknownType {
		return fmt.Sprintf("unknown %T", v.Value())
	}
	return describeValue(v)
}

// describeValue prints a value as the tests of the type system do.
func describeValue(v ref.Val) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case *types.Err:
		return "error: " + v.Error()
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none"
		}
		return "optional " + describeValue(v.GetValue())
	case types.Timestamp:
		return "timestamp " + v.Time.Format(time.RFC3339Nano)
	case *types.Type:
		return "type " + v.String()
	case traits.Lister:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, describeValue(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if key == nil {
				parts = append(parts, "nil")
				continue
			}
			parts = append(parts, describeValue(key)+": "+describeValue(v.Get(key)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprintf("%s %#v", v.Type().TypeName(), v.Value())
}
