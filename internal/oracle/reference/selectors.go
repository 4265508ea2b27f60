//go:build !before1.31

package reference

import (
	"fmt"
	"strings"

	"github.com/kubecel/kubecel/internal/parity"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// selectors adds what a question says of fields and labels.
func selectors(q *parity.Access, a authorizer.Attributes) {
	fields, err := a.GetFieldSelector()
	if err != nil {
		q.FieldSelectorError = err.Error()
	}
	for _, f := range fields {
		q.FieldSelector = append(q.FieldSelector, fmt.Sprintf("%s %s %s", f.Field, f.Operator, f.Value))
	}
	labels, err := a.GetLabelSelector()
	if err != nil {
		q.LabelSelectorError = err.Error()
	}
	for _, l := range labels {
		q.LabelSelector = append(q.LabelSelector, fmt.Sprintf("%s %s %s", l.Key(), l.Operator(), strings.Join(l.Values().List(), "|")))
	}
}
