//go:build before1.35 && !before1.30

package reference

import (
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// baseEnvSet is the base environment of a version, with the costs of the
// extension libraries, which rules of CRDs always had.
func baseEnvSet(v *version.Version) *environment.EnvSet { return environment.MustBaseEnvSet(v, true) }
