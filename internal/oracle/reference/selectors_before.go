//go:build before1.31

package reference

import (
	"github.com/kubecel/kubecel/internal/parity"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// selectors has nothing to add: questions about selectors came in 1.31.
func selectors(*parity.Access, authorizer.Attributes) {}
