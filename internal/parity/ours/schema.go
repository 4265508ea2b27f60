package ours

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
)

func parse(schema map[string]any) (*typesystem.OpenAPI, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	return typesystem.ParseOpenAPI(data)
}

func compileSchema(schema map[string]any, root bool) (*typesystem.Schema, error) {
	doc, err := parse(schema)
	if err != nil {
		return nil, err
	}
	return typesystem.Compile(doc, root)
}

// Schema compiles the rules of a schema and validates objects.
func (i *implementation) Schema(c parity.SchemaCase) (o parity.SchemaOutcome) {
	doc, err := parse(c.Schema)
	if err != nil {
		return parity.SchemaOutcome{Error: err.Error()}
	}
	if _, err := typesystem.Compile(doc, c.Root); err != nil {
		return parity.SchemaOutcome{Error: serverText(err)}
	}
	env, err := compile.ForServer(i.server)
	if err != nil {
		return parity.SchemaOutcome{Error: err.Error()}
	}
	v, err := crd.NewValidator(doc, c.Root, env.Rules())
	if err != nil {
		return parity.SchemaOutcome{Error: err.Error()}
	}
	for _, info := range v.Rules() {
		o.Rules = appendRule(o.Rules, info)
	}
	for _, object := range c.Objects {
		o.Objects = append(o.Objects, validate(v, object))
	}
	return o
}

// serverText is what the server says of a schema, without the place.
func serverText(err error) string {
	if e, ok := errors.AsType[*diag.InputError](err); ok {
		return e.Cause.Error()
	}
	return err.Error()
}

// appendRule adds a rule or, where no rule of a place can be compiled, the place
// as the server reports it.
func appendRule(rules []parity.RuleOutcome, info crd.RuleInfo) []parity.RuleOutcome {
	r := parity.RuleOutcome{Path: schemaPath(info.Schema), Index: info.Index}
	switch {
	case info.Err == nil:
		if strings.TrimSpace(info.Expr) != "" {
			r.MaxCost, r.Cardinality = info.Estimate.Max, info.Unbounded
		}
	case info.Err.Issues[0].Code == diag.NoType:
		if info.Index > 0 {
			return rules
		}
		r.Index, r.Error = -1, info.Err.Server
		return append(rules, r)
	default:
		r.Error = reported(info.Err)
	}
	r.UsesOldSelf = info.OldSelf
	if info.MessageErr != nil {
		r.MessageError = reported(info.MessageErr)
	}
	r.MessageMaxCost, r.FieldPath = info.MessageEstimate.Max, info.FieldPath
	return append(rules, r)
}

// reported is the error with the type by which the server reports it.
func reported(err *diag.CompileError) string {
	if err.Stage == diag.StageEstimate {
		return "InternalError: " + err.Server
	}
	return "RuleInvalid: " + err.Server
}

// schemaPath writes the place of a schema as the cases do.
func schemaPath(path *field.Path) string {
	rest := path.String()
	if path == nil {
		return ""
	}
	var b strings.Builder
	for rest != "" {
		rest = strings.TrimPrefix(rest, ".")
		if name, ok := strings.CutPrefix(rest, "properties["); ok {
			end := len(name)
			for _, next := range []string{"].properties[", "].items", "].additionalProperties", "].allOf["} {
				if at := strings.Index(name, next); at >= 0 {
					end = min(end, at)
				}
			}
			if end == len(name) {
				end = len(name) - 1
			}
			b.WriteString("." + name[:end])
			rest = name[end+1:]
		} else if after, ok := strings.CutPrefix(rest, "items"); ok {
			b.WriteString("[*]")
			rest = after
		} else if after, ok := strings.CutPrefix(rest, "additionalProperties"); ok {
			b.WriteString("{*}")
			rest = after
		} else if after, ok := strings.CutPrefix(rest, "allOf["); ok {
			index, after, _ := strings.Cut(after, "]")
			b.WriteString("/allOf[" + index + "]")
			rest = after
		} else {
			return path.String()
		}
	}
	return b.String()
}

func validate(v *crd.Validator, object parity.Object) (o parity.ObjectOutcome) {
	defer func() {
		if p := recover(); p != nil {
			o.Panic = fmt.Sprint(p)
		}
	}()
	o.Name = object.Name
	budget := crd.NewBudget(cost.Budget)
	switch {
	case object.Budget > 0:
		budget = crd.NewBudget(uint64(object.Budget))
	case object.Budget < 0:
		budget = crd.NewBudget(0)
	}
	result, err := v.Validate(context.Background(), object.New, object.Old, crd.Options{Budget: budget})
	if err != nil {
		o.Panic = err.Error()
	}
	for _, v := range result.Violations {
		o.Errors = append(o.Errors, parity.FieldErrorOf(v.Server))
	}
	for _, w := range result.Warnings {
		o.Warnings = append(o.Warnings, w.Server.Error())
	}
	o.Remaining = -1
	if !result.Exhausted {
		o.Remaining = int64(min(budget.Left(), math.MaxInt64))
	}
	return o
}

// CRD checks a CRD as on creation.
func (i *implementation) CRD(c parity.CRDCase) (o parity.CRDOutcome) {
	data, err := json.Marshal(c.CRD)
	if err != nil {
		return parity.CRDOutcome{DecodeError: err.Error()}
	}
	definition, err := crd.Read(data)
	if err != nil {
		return parity.CRDOutcome{DecodeError: err.Error()}
	}
	env, err := compile.ForServer(server.WrittenTo(i.server.Release))
	if err != nil {
		return parity.CRDOutcome{DecodeError: err.Error()}
	}
	for _, f := range crd.Check(definition, env.Rules()) {
		e := parity.FieldErrorOf(f.Server)
		e.Class = parity.ClassSchema
		if strings.Contains(e.Field+e.Detail, "x-kubernetes-validations") {
			e.Class = parity.ClassCEL
		}
		o.Errors = append(o.Errors, e)
	}
	return o
}
