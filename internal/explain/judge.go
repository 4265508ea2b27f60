package explain

import (
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// judge compares an estimate with a limit. Name is what the message says costs
// too much.
func judge(name string, estimate, limit uint64) report.Judgement {
	v := report.Judgement{Limit: limit, Within: estimate <= limit}
	if !v.Within {
		v.Message = pricing.ExceedsMessage(name, estimate, limit)
	}
	return v
}
