package ours

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/internal/parity"
)

// Schema compiles the rules of a schema and validates objects.
func (i *Implementation) Schema(c parity.SchemaCase) (o parity.SchemaOutcome) {
	data, err := json.Marshal(c.Schema)
	if err != nil {
		return parity.SchemaOutcome{Error: err.Error()}
	}
	read := kubecel.ParseSchema
	if c.Root {
		read = kubecel.ParseResourceSchema
	}
	schema, err := read(data)
	if err != nil {
		return parity.SchemaOutcome{Error: serverText(err)}
	}
	rules, err := schema.Compile(kubecel.ForRelease(i.release))
	if err != nil {
		return parity.SchemaOutcome{Error: err.Error()}
	}
	v, err := i.validator(&c)
	if err != nil {
		return parity.SchemaOutcome{Error: err.Error()}
	}
	within := insides(v)
	for n, rule := range rules.Rules() {
		o.Rules = appendRule(o.Rules, rule, within[n])
	}
	for _, object := range c.Objects {
		o.Objects = append(o.Objects, validate(rules, v, object))
	}
	return o
}

// serverText is what the server says of a schema, without the place.
func serverText(err error) string {
	if e, ok := errs.As[*kubecel.InputError](err); ok {
		return e.Cause.Error()
	}
	return err.Error()
}

// appendRule adds a rule or, where no rule of a place can be compiled, the place
// as the server reports it.
func appendRule(rules []parity.RuleOutcome, rule kubecel.Rule, in inside) []parity.RuleOutcome {
	path, index := schemaPlace(rule.SchemaPath)
	r := parity.RuleOutcome{Path: path, Index: index}
	switch {
	case rule.Err == nil:
		if strings.TrimSpace(rule.Rule) != "" {
			r.MaxCost, r.Cardinality = rule.Estimate.Max, in.cardinality
		}
	case rule.Err.Issues[0].Code == diag.NoType:
		if index > 0 {
			return rules
		}
		r.Index, r.Error = -1, rule.Err.Server
		return append(rules, r)
	default:
		r.Error = reported(rule.Err)
	}
	r.UsesOldSelf = rule.Transition
	if rule.MessageErr != nil {
		r.MessageError = reported(rule.MessageErr)
	}
	r.MessageMaxCost, r.FieldPath = rule.MessageEstimate.Max, in.fieldPath
	return append(rules, r)
}

// reported is the error with the type by which the server reports it.
func reported(err *diag.CompileError) string {
	return "RuleInvalid: " + err.Server
}

// schemaStep is a step of a place in a schema. The name of a property may hold
// brackets and dots.
var schemaStep = regexp.MustCompile(`^\.?(properties\[(.*?)\](\.properties\[|\.items|\.additionalProperties|\.allOf\[|\.x-kubernetes-validations\[|$)|items|additionalProperties|allOf\[(\d+)\]|x-kubernetes-validations\[(\d+)\])`)

// schemaPlace is the place of a rule as the cases write it, and its index.
func schemaPlace(place string) (path string, index int) {
	var b strings.Builder
	for rest := place; rest != ""; {
		step := schemaStep.FindStringSubmatch(rest)
		switch {
		case step == nil:
			return place, 0
		case strings.HasPrefix(step[1], "properties["):
			b.WriteString("." + step[2])
			rest = rest[len(step[0])-len(step[3]):]
			continue
		case step[1] == "items":
			b.WriteString("[*]")
		case step[1] == "additionalProperties":
			b.WriteString("{*}")
		case step[4] != "":
			b.WriteString("/allOf[" + step[4] + "]")
		default:
			index, _ = strconv.Atoi(step[5])
		}
		rest = rest[len(step[0]):]
	}
	return b.String(), index
}

func validate(rules *kubecel.RuleSet, v *crd.Validator, object parity.Object) (o parity.ObjectOutcome) {
	defer func() {
		if p := recover(); p != nil {
			o.Panic = fmt.Sprint(p)
		}
	}()
	o.Name = object.Name
	units := uint64(cost.Budget)
	switch {
	case object.Budget > 0:
		units = uint64(object.Budget)
	case object.Budget < 0:
		units = 0
	}
	var violations, warnings []diag.Violation
	var left uint64
	var exhausted bool
	var err error
	now, ok := object.New.(map[string]any)
	old, okOld := object.Old.(map[string]any)
	if ok && now != nil && (okOld || object.Old == nil) {
		budget := kubecel.NewBudget(units)
		var outcome *kubecel.Validation
		outcome, err = rules.Validate(context.Background(), now, old, kubecel.WithBudget(budget), kubecel.AlreadyDefaulted())
		violations, warnings, left, exhausted = outcome.Violations, outcome.Warnings, budget.Remaining(), outcome.Exhausted
		if spent := units - left; !exhausted && outcome.Cost != spent {
			o.Panic = fmt.Sprintf("cost %d, spent %d", outcome.Cost, spent)
		}
	} else {
		violations, warnings, left, exhausted, err = validateInside(v, object, units)
	}
	if err != nil {
		o.Panic = err.Error()
	}
	for _, v := range violations {
		o.Errors = append(o.Errors, parity.FieldErrorOf(v.Server))
	}
	for _, w := range warnings {
		o.Warnings = append(o.Warnings, w.Server.Error())
	}
	o.Remaining = -1
	if !exhausted {
		o.Remaining = int64(min(left, math.MaxInt64))
	}
	return o
}

// CRD checks a CRD as on creation.
func (i *Implementation) CRD(c parity.CRDCase) (o parity.CRDOutcome) {
	data, err := json.Marshal(c.CRD)
	if err != nil {
		return parity.CRDOutcome{DecodeError: err.Error()}
	}
	definition, err := kubecel.ParseCRD(data)
	if err != nil {
		return parity.CRDOutcome{DecodeError: err.Error()}
	}
	findings, err := definition.Check(kubecel.ForRelease(i.release))
	if err != nil {
		return parity.CRDOutcome{DecodeError: err.Error()}
	}
	for _, f := range findings {
		e := parity.FieldErrorOf(f.Server)
		e.Class = parity.ClassSchema
		if strings.Contains(e.Field+e.Detail, "x-kubernetes-validations") {
			e.Class = parity.ClassCEL
		}
		o.Errors = append(o.Errors, e)
	}
	return o
}
