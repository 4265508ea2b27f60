package explain

import (
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// judge compares an estimate with a limit. Name is what the message says costs
// too much. A limit of zero is exceeded by anything, at a factor of the estimate.
func judge(name string, estimate, limit uint64) report.Judgement {
	v := report.Judgement{Limit: limit, Within: estimate <= limit, Factor: float64(estimate) / float64(max(limit, 1))}
	if v.Within {
		v.Headroom = limit - estimate
	} else {
		v.Message = pricing.ExceedsMessage(name, estimate, limit)
	}
	return v
}
