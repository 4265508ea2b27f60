package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// advise says which few bounds would bring each expression under its limit, and all
// together under that of the schema.
func (d Document) advise(r *report.CRD, subjects map[string]*subject, limits report.Limits) *report.Advice {
	advice := &report.Advice{}
	costly, bounds, rest, beyond := divide(r.Expressions, subjects, limits)
	a := adviser{limit: limits.Schema, bounds: bounds,
		total: func(set settings) uint64 {
			total := rest
			for _, s := range costly {
				total = pricing.Accumulated(total, s.total(set))
			}
			return total
		},
		others: func(set settings) (excess float64) {
			for _, s := range costly {
				excess += over(s.total(set), limits.Expression)
			}
			return excess
		},
		prove: func(set []setting) (uint64, bool) {
			doc, err := d.with(set)
			if err != nil {
				return 0, false
			}
			_, _, total := crd.InspectSchema(doc, d.Path, d.Status, d.Env())
			return total, true
		},
	}
	if a.excess(nil) > 0 {
		a.adviseTogether(advice, a.fewest())
	}
	if len(beyond) > 0 {
		note := "no bounds suffice for " + strings.Join(beyond, ", ")
		if advice.Note == "" {
			note += "; without that the others are within the limits"
			if len(advice.Together) > 0 {
				note += " with these bounds"
			}
		}
		advice.Note = note
	}
	return advice
}

// divide finds the subjects that depend on the bounds that may have to change, these
// bounds, and the estimate of all other expressions together. Beyond are the paths of
// those that no bounds bring under their limit.
func divide(expressions []report.Expression, subjects map[string]*subject, limits report.Limits) (costly []*subject, bounds []adjustable, rest uint64, beyond []string) {
	all := make([]*report.Expression, len(expressions))
	for i := range expressions {
		all[i] = &expressions[i]
	}
	slices.SortStableFunc(all, func(a, b *report.Expression) int { return cmp.Compare(a.Total, b.Total) })
	// Cheap expressions keep their bounds, unless a costly one has them too.
	const few = 20
	var cheap []*report.Expression
	var together uint64
	for _, x := range all {
		s, with := subjects[x.Path], pricing.Accumulated(together, x.Total)
		switch {
		case s == nil:
		case len(costly) == 0 && x.Total <= limits.Expression && with <= limits.Schema/few:
			together, cheap = with, append(cheap, x)
		case x.Advice.Note == "":
			costly = append(costly, s)
		default:
			beyond = append(beyond, x.Path)
			if w := x.Advice.Rewrite; w != nil && w.Fits {
				beyond[len(beyond)-1] += fmt.Sprintf(" (write it as %s)", w.Source)
				rest = pricing.Accumulated(rest, w.Total)
			}
		}
	}
	bounds = adjustablesOf(costly)
	for _, x := range cheap {
		s := subjects[x.Path]
		if slices.ContainsFunc(s.adjustables(), func(b adjustable) bool {
			return slices.ContainsFunc(bounds, func(o adjustable) bool { return o.key == b.key })
		}) {
			costly = append(costly, s)
		} else {
			rest = pricing.Accumulated(rest, x.Total)
		}
	}
	return costly, bounds, rest, beyond
}

// adjustablesOf are the bounds behind several subjects, by place.
func adjustablesOf(subjects []*subject) (bounds []adjustable) {
	for _, s := range subjects {
		for _, b := range s.adjustables() {
			if i := slices.IndexFunc(bounds, func(o adjustable) bool { return o.key == b.key }); i < 0 {
				bounds = append(bounds, b)
			} else {
				bounds[i].top = max(bounds[i].top, b.top)
			}
		}
	}
	sortByPlace(bounds)
	return bounds
}
