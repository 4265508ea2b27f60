package explain

import (
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/report"
)

func sound(m *treeMaker, trace *cost.Trace, root *report.Node, evaluations uint64) *report.Sound {
	return nil
}
