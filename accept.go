package kubecel

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/accept"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/release"
)

// Acceptance says which releases of the API server accept an expression, a rule
// or a CRD that is written to them. Each release has its default compatibility,
// see [Compatibility].
type Acceptance struct {
	// Verdicts are what each release says, the oldest first.
	Verdicts []Verdict `json:"verdicts"`
	// Requirements are the parts that not every release accepts, in the order of
	// the expression. They explain the verdicts: [Acceptance.Deciding] returns
	// those that decide. There may be none: a release can reject an expression
	// for a type or for its estimate, and an expression that compiles nowhere has
	// no parts.
	Requirements []Requirement `json:"requirements,omitempty"`
}

// Verdict is what one release says.
type Verdict struct {
	// Release is the release.
	Release release.Release `json:"release"`
	// Err says why the release rejects it, and is nil if the release accepts it.
	// For an expression it is a *CompileError. For a rule or a CRD it joins each
	// [Finding].
	Err error `json:"-"`
	// Estimate is what the release estimates for one evaluation, in cost units.
	// It is zero if the expression does not compile.
	Estimate cost.Range `json:"estimate"`
	// Total is the number by which the release judges the rule of a CRD, in cost
	// units: the highest estimate times the number of places where the rule can
	// apply. It is zero for an expression outside of a CRD, which has no limit.
	Total uint64 `json:"total"`
}

// MarshalJSON writes the text of Err as "error".
func (v Verdict) MarshalJSON() ([]byte, error) {
	type data Verdict
	text := ""
	if v.Err != nil {
		text = v.Err.Error()
	}
	return json.Marshal(struct {
		data
		Error string `json:"error,omitempty"`
	}{data(v), text})
}

// Requirement is something in an expression that not every release accepts.
type Requirement struct {
	// Feature is the name of a function or macro, or what an author calls a
	// setting.
	Feature string `json:"feature"`
	// Position is its place in the expression.
	Position diag.Position `json:"position"`
	// InMessage tells whether it stands in the messageExpression of a rule.
	InMessage bool `json:"inMessage,omitempty"`
	// Since is the first release that accepts it, zero if none does. It may be
	// newer than [release.Newest]: a release to come.
	Since release.Release `json:"since,omitzero"`
	// Until is the last release that accepts it, zero if newer ones do too.
	Until release.Release `json:"until,omitzero"`
	// Reason says why no release accepts it. It is empty if one does.
	Reason string `json:"reason,omitempty"`
}

// String returns the requirement in a line, such as "cidr at 1:8: Kubernetes 1.31".
func (r Requirement) String() string {
	text := r.Feature
	if !r.Position.IsZero() {
		text += " at " + r.Position.String()
	}
	if r.InMessage {
		text += " of the messageExpression"
	}
	switch {
	case r.Reason != "":
		return text + ": " + r.Reason
	case !r.Until.IsZero():
		return fmt.Sprintf("%s: Kubernetes up to %v", text, r.Until)
	}
	return fmt.Sprintf("%s: Kubernetes %v", text, r.Since)
}

// Releases returns the releases that accept, the oldest first.
func (a *Acceptance) Releases() []release.Release {
	var releases []release.Release
	for _, v := range a.Verdicts {
		if v.Err == nil {
			releases = append(releases, v.Release)
		}
	}
	return releases
}

// Lowest returns the oldest release that accepts. It is false if none does.
func (a *Acceptance) Lowest() (release.Release, bool) {
	releases := a.Releases()
	if len(releases) == 0 {
		return release.Release{}, false
	}
	return releases[0], true
}

// Accepted tells whether a release accepts.
func (a *Acceptance) Accepted(r release.Release) bool { return slices.Contains(a.Releases(), r) }

// Deciding returns the requirements because of which no older release than the
// lowest accepts or, if no release accepts, those that none meets. There are none
// if every release accepts, or if something else decides, such as the estimate: the
// errors of the verdicts tell.
func (a *Acceptance) Deciding() []Requirement {
	lowest, ok := a.Lowest()
	var deciding []Requirement
	for _, r := range a.Requirements {
		if ok && r.Since == lowest && lowest != release.Oldest() || !ok && (r.Reason != "" || release.Newest().Before(r.Since)) {
			deciding = append(deciding, r)
		}
	}
	return deciding
}

// AcceptedBy says which releases accept an expression that is written to them,
// and what in it decides. The variables and libraries of the environment are
// assumed in every release. The release of the environment is ignored, and so is
// what is only documented.
//
// The first query builds environments of all releases, unless they are those of
// servers, which all queries share.
func (e *Env) AcceptedBy(expression string) (*Acceptance, error) {
	if e.isZero() {
		return nil, errZeroEnv()
	}
	query, err := e.query()
	if err != nil {
		return nil, optionError(err)
	}
	verdicts, requirements := query.Expression(expression)
	a := &Acceptance{Requirements: requirementsOf(requirements, false)}
	for _, v := range verdicts {
		verdict := Verdict{Release: v.Release, Estimate: v.Estimate}
		if v.Err != nil {
			verdict.Err = v.Err
		}
		a.Verdicts = append(a.Verdicts, verdict)
	}
	return a, nil
}

func requirementsOf(found []accept.Requirement, inMessage bool) []Requirement {
	var requirements []Requirement
	for _, f := range found {
		r := Requirement{Feature: f.Name, Position: f.Position, InMessage: inMessage, Until: f.Until, Reason: f.NoServer()}
		if r.Reason == "" {
			r.Since = f.Since
		}
		requirements = append(requirements, r)
	}
	return requirements
}

// newQuery prepares to compile in the environments of all releases.
func newQuery(config envConfig) (*accept.Query, error) {
	return accept.NewQuery(config.addition(), func(base *compile.Env) (*compile.Scope, error) {
		provider, declared, sizes := config.declare(base)
		return base.Scope(provider, sizes, declared...)
	})
}
