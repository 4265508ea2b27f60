package parity

import (
	"fmt"
	"maps"
	"slices"
)

// replayed is a Recorded in use.
type replayed struct {
	*Recorded
	exprs   map[string]ExprOutcome
	schemas map[string]SchemaOutcome
	crds    map[string]CRDOutcome
}

func (r *Recorded) replay() *replayed {
	return &replayed{r, map[string]ExprOutcome{}, map[string]SchemaOutcome{}, map[string]CRDOutcome{}}
}

func (r *replayed) Expression(c ExprCase) ExprOutcome {
	return lookup(r.Recorded, r.Recorded.exprs, "expression", c.Env.Name+" "+c.Expr, r.exprs)
}

func (r *replayed) Schema(c SchemaCase) SchemaOutcome {
	return lookup(r.Recorded, r.Recorded.schemas, "schema", c.Name, r.schemas)
}

func (r *replayed) CRD(c CRDCase) CRDOutcome {
	return lookup(r.Recorded, r.Recorded.crds, "crd", c.Name, r.crds)
}

// complaints tells of cases without golden and of goldens without case.
func (r *replayed) complaints() []string {
	var all []string
	for _, m := range r.missing {
		all = append(all, "not recorded: "+m)
	}
	left := func(kind string, keys []string) {
		for _, k := range keys {
			all = append(all, "recorded but not replayed: "+kind+" "+k)
		}
	}
	left("expression", slices.Sorted(maps.Keys(r.Recorded.exprs)))
	left("schema", slices.Sorted(maps.Keys(r.Recorded.schemas)))
	left("crd", slices.Sorted(maps.Keys(r.Recorded.crds)))
	return all
}

// guarded turns panics into outcomes.
type guarded struct{ of Implementation }

func (g guarded) Expression(c ExprCase) (o ExprOutcome) {
	defer func() {
		if p := recover(); p != nil {
			o = ExprOutcome{Error: panicText(p)}
		}
	}()
	return g.of.Expression(c)
}

func (g guarded) Schema(c SchemaCase) (o SchemaOutcome) {
	defer func() {
		if p := recover(); p != nil {
			o = SchemaOutcome{Error: panicText(p)}
		}
	}()
	return g.of.Schema(c)
}

func (g guarded) CRD(c CRDCase) (o CRDOutcome) {
	defer func() {
		if p := recover(); p != nil {
			o = CRDOutcome{DecodeError: panicText(p)}
		}
	}()
	return g.of.CRD(c)
}

func panicText(p any) string { return firstLine(fmt.Sprintf("panic: %v", p)) }
