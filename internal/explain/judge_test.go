package explain

import (
	"math"
	"testing"

	"github.com/kubecel/kubecel/cost"
)

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		estimate, limit, headroom uint64
		within                    bool
	}{{5, 10, 5, true}, {10, 10, 0, true}, {11, 10, 0, false}, {math.MaxUint64, cost.EstimateLimit, 0, false}, {0, 0, 0, true}, {1, 0, 0, false}} {
		v := judge("it", test.estimate, test.limit)
		if v.Within != test.within || v.Headroom != test.headroom || (v.Message == "") != test.within || math.IsInf(v.Factor, 0) || math.IsNaN(v.Factor) {
			t.Errorf("%d of %d: %+v", test.estimate, test.limit, v)
		}
	}
}
