package kubecel

import (
	"fmt"
	"slices"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/accept"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/release"
)

// Acceptance says which releases of the API server accept something that is
// written to them, by the default compatibility of each.
type Acceptance struct {
	// Verdicts are what each release says, the oldest first.
	Verdicts []Verdict
	// Requirements are what not every release accepts, in the order of the
	// expression. They explain the verdicts: [Acceptance.Deciding] tells those
	// that the lowest release depends on. There are none if nothing could be
	// told apart, or if no release at all accepts the expression.
	Requirements []Requirement
}

// Verdict is what one release says.
type Verdict struct {
	// Release is the release.
	Release release.Release
	// Err says why the release rejects it, nil if it accepts it: a
	// *CompileError, or a Finding in a CRD, which may be about the estimate.
	Err error
	// Estimate is what the release estimates for one evaluation, in cost units.
	// It is zero if the expression does not compile.
	Estimate cost.Range
	// Total is the number by which the release judges the rule of a CRD: the
	// highest estimate times how often the rule applies. It is zero for an
	// expression outside of a CRD, which no limit holds for.
	Total uint64
}

// Accepted tells whether the release accepts it.
func (v Verdict) Accepted() bool { return v.Err == nil }

// Requirement is something in an expression that not every release accepts.
type Requirement struct {
	// Feature is what an author calls it: a function, a macro, a setting.
	Feature string
	// Position is where it stands in the expression.
	Position diag.Position
	// InMessage tells whether it stands in the messageExpression of a rule.
	InMessage bool
	// Since is the first release that accepts it, zero if none does; a release
	// that is newer than [release.Newest] is one to come.
	Since release.Release
	// Until is the last release that accepts it, zero if newer ones do too.
	Until release.Release
	// Reason says why no release accepts it, and is empty if one does.
	Reason string
}

// String returns the requirement as in "cidr at 1:8: Kubernetes 1.31".
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

// Releases returns the releases that accept it, the oldest first.
func (a *Acceptance) Releases() []release.Release {
	var releases []release.Release
	for _, v := range a.Verdicts {
		if v.Accepted() {
			releases = append(releases, v.Release)
		}
	}
	return releases
}

// Lowest returns the oldest release that accepts it, false if none does.
func (a *Acceptance) Lowest() (release.Release, bool) {
	releases := a.Releases()
	if len(releases) == 0 {
		return release.Release{}, false
	}
	return releases[0], true
}

// Accepted tells whether a release accepts it.
func (a *Acceptance) Accepted(r release.Release) bool { return slices.Contains(a.Releases(), r) }

// Deciding returns the requirements that the lowest release depends on, or, if no
// release accepts it, those that none meets. There are none if every release
// accepts it, and if it is the cost that decides: see the errors of the verdicts.
func (a *Acceptance) Deciding() []Requirement {
	lowest, ok := a.Lowest()
	var deciding []Requirement
	for _, r := range a.Requirements {
		if ok && r.Since == lowest && lowest != release.Oldest() || !ok && (r.Reason != "" || r.Since.After(release.Newest())) {
			deciding = append(deciding, r)
		}
	}
	return deciding
}

// AcceptedBy says which releases accept an expression that is written to them,
// and what in it decides. The variables and libraries of the environment are
// assumed in every release; its own release is ignored, and so is what is only
// documented. The first query of an environment with libraries of
// its own builds environments of all releases.
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
	return accept.NewQuery(func(c compile.Config) (*compile.Env, error) {
		if config.asServers() && !c.DocumentedOnly {
			return compile.ForServer(c.Server)
		}
		c.Libraries = append(c.Libraries, config.libraries...)
		c.Options = append(c.Options, config.options...)
		c.ExpressionSize = config.size
		return compile.New(c)
	}, func(base *compile.Env) (*compile.Scope, error) {
		provider, declared, sizes := config.declare(base)
		return base.Scope(provider, sizes, declared...)
	})
}
