package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/internal/parity"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/warning"
)

// Structural converts decoded JSON to a structural schema by the server's way.
func Structural(schema map[string]any) (*structuralschema.Structural, error) {
	props, err := SchemaProps(schema)
	if err != nil {
		return nil, err
	}
	return structuralschema.NewStructural(props)
}

// SchemaProps decodes an openAPIV3Schema to the internal type.
func SchemaProps(schema map[string]any) (*apiextensions.JSONSchemaProps, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(data, &v1); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	err = apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil)
	return &internal, err
}

// Schema compiles and validates as the server does with a custom resource.
func (r *Reference) Schema(c parity.SchemaCase) parity.SchemaOutcome {
	s, err := Structural(c.Schema)
	if err != nil {
		return parity.SchemaOutcome{Error: err.Error()}
	}
	var o parity.SchemaOutcome
	walk := &ruleWalk{set: baseEnvSet(environment.DefaultCompatibilityVersion()), loader: schemacel.StoredExpressionsEnvLoader()}
	if r.stage == Written {
		walk.loader = schemacel.NewExpressionsEnvLoader()
	}
	decl := model.SchemaDeclType(s, c.Root)
	v := schemacel.NewValidator(s, c.Root, celconfig.PerCallLimit)
	if v != nil {
		walk.node("", s, s, decl)
	}
	o.Rules = walk.rules
	for _, obj := range c.Objects {
		first := validate(v, s, obj)
		key := OutcomeKey(first)
		seen := []string{key}
		for n := 1; n < r.Runs; n++ {
			if again := validate(v, s, obj); !slices.Contains(seen, OutcomeKey(again)) {
				seen = append(seen, OutcomeKey(again))
				first.Others = append(first.Others, again)
			}
		}
		o.Objects = append(o.Objects, first)
	}
	return o
}

// OutcomeKey tells outcomes apart without regard to the order of errors.
func OutcomeKey(o parity.ObjectOutcome) string {
	var keys []string
	for _, e := range o.Errors {
		keys = append(keys, fmt.Sprint(e))
	}
	slices.Sort(keys)
	warnings := slices.Sorted(slices.Values(o.Warnings))
	return fmt.Sprint(keys, warnings, o.Remaining, o.Panic)
}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

func validate(v *schemacel.Validator, s *structuralschema.Structural, obj parity.Object) (o parity.ObjectOutcome) {
	defer func() {
		if p := recover(); p != nil {
			o.Panic = fmt.Sprint(p)
		}
	}()
	o.Name = obj.Name
	budget := int64(celconfig.RuntimeCELCostBudget)
	switch {
	case obj.Budget > 0:
		budget = obj.Budget
	case obj.Budget < 0:
		budget = 0
	}
	w := &warnings{}
	ctx := warning.WithWarningRecorder(context.Background(), w)
	errs, remaining := run(ctx, v, s, obj, budget)
	for _, e := range errs {
		o.Errors = append(o.Errors, parity.FieldErrorOf(e))
	}
	o.Warnings, o.Remaining = w.texts, remaining
	return o
}

// ruleWalk compiles the rules of every node that a validator would, in the
// same way and with the server's own compiler.
type ruleWalk struct {
	set    *environment.EnvSet
	loader schemacel.EnvLoader
	rules  []parity.RuleOutcome
}

func (w *ruleWalk) node(path string, validation, node *structuralschema.Structural, decl *apiservercel.DeclType) {
	compiled := *node
	compiled.XValidations = validation.XValidations
	results, err := schemacel.Compile(&compiled, decl, celconfig.PerCallLimit, w.set, w.loader)
	if err != nil {
		w.rules = append(w.rules, parity.RuleOutcome{Path: path, Index: -1, Error: err.Error()})
	}
	for i, res := range results {
		r := parity.RuleOutcome{Path: path, Index: i, MaxCost: res.MaxCost, Cardinality: res.MaxCardinality,
			UsesOldSelf: usesOldSelf(res), MessageMaxCost: res.MessageExpressionMaxCost, FieldPath: res.NormalizedRuleFieldPath}
		if res.Error != nil {
			r.Error = string(res.Error.Type) + ": " + res.Error.Detail
		}
		if res.MessageExpressionError != nil {
			r.MessageError = string(res.MessageExpressionError.Type) + ": " + res.MessageExpressionError.Detail
		}
		w.rules = append(w.rules, r)
	}
	var elem *apiservercel.DeclType
	if decl != nil {
		elem = decl.ElemType
	}
	if validation.Items != nil && node.Items != nil {
		w.node(path+"[*]", validation.Items, node.Items, elem)
	}
	for _, name := range slices.Sorted(maps.Keys(validation.Properties)) {
		prop := validation.Properties[name]
		if on, ok := node.Properties[name]; ok {
			if t := propertyType(name, &on, decl); t != nil {
				w.node(path+"."+name, &prop, &on, t)
			}
		}
	}
	if a, b := validation.AdditionalProperties, node.AdditionalProperties; a != nil && a.Structural != nil && b != nil && b.Structural != nil {
		w.node(path+"{*}", a.Structural, b.Structural, elem)
	}
	for i, n := range nested(validation) {
		w.node(fmt.Sprintf("%s/allOf[%d]", path, i), n, node, decl)
	}
}

// propertyType is nil for properties that CEL does not see.
func propertyType(name string, on *structuralschema.Structural, decl *apiservercel.DeclType) *apiservercel.DeclType {
	escaped, ok := apiservercel.Escape(name)
	if !ok {
		return model.SchemaDeclType(on, on.XEmbeddedResource)
	}
	if decl == nil {
		return nil
	}
	if f, ok := decl.Fields[escaped]; ok {
		return f.Type
	}
	return nil
}

// classOf sorts the errors of a CRD check by what a library without the rest
// of the server can know: rules, the schema, or the rest of the document.
func classOf(e *field.Error) string {
	switch {
	case strings.Contains(e.Field, "x-kubernetes-validations"), strings.Contains(e.Detail, "x-kubernetes-validations"):
		return parity.ClassCEL
	case strings.Contains(e.Field, "openAPIV3Schema"):
		return parity.ClassSchema
	}
	return parity.ClassOther
}
