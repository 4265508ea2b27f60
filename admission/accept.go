package admission

import (
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// served are the releases that serve the versions of the API of validating policies: from
// the first to the last, zero if the newest serves it. Beta and alpha versions are off
// unless a server is told to serve them.
var served = map[string][2]release.Release{
	"v1":       {release.Minor(30), {}},
	"v1beta1":  {release.Minor(28), release.Minor(33)},
	"v1alpha1": {release.Minor(26), release.Minor(32)},
}

// Acceptance says which releases accept a policy that is created there.
type Acceptance struct {
	// Verdicts are what each release says, the oldest first.
	Verdicts []ReleaseVerdict `json:"verdicts"`
}

// ReleaseVerdict is what one release says.
type ReleaseVerdict struct {
	// Release is the release.
	Release release.Release `json:"release"`
	// Served tells whether the release has the version of the API.
	Served bool `json:"served"`
	// Accepted tells whether it serves the version and has no findings.
	Accepted bool `json:"accepted"`
	// Findings are those of the expressions.
	Findings []diag.Finding `json:"findings,omitempty"`
}

// Lowest returns the first release that accepts the policy, zero if none does.
func (a *Acceptance) Lowest() release.Release {
	for _, v := range a.Verdicts {
		if v.Accepted {
			return v.Release
		}
	}
	return release.Release{}
}

// AcceptedBy says which releases accept the policy: those that serve the version of its
// API, and compile all its expressions when it is created. Other findings of
// [Policy.Check] do not depend on the release. The error is an *InputError.
func (p *Policy) AcceptedBy() (*Acceptance, error) {
	if p.isZero() {
		return nil, errZeroPolicy()
	}
	all, known, during := &Acceptance{}, map[server.Environment][]diag.Finding{}, served[p.version]
	for _, r := range release.All() {
		v := ReleaseVerdict{Release: r, Served: !r.Before(during[0]) && (during[1].IsZero() || !during[1].Before(r))}
		if v.Served {
			s := server.WrittenTo(r)
			found, ok := known[s]
			if !ok {
				compiled, err := p.compile(s)
				if err != nil {
					return nil, optionError(err)
				}
				f := &findings{}
				p.each(compiled, f.expression)
				found = f.found
				known[s] = found
			}
			v.Findings, v.Accepted = found, len(found) == 0
		}
		all.Verdicts = append(all.Verdicts, v)
	}
	return all, nil
}

// APIVersion returns the group and version of the document.
func (p *Policy) APIVersion() string {
	if p.isZero() {
		return ""
	}
	return apiGroup + "/" + p.version
}
