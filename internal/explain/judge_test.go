package explain

import (
	"math"
	"testing"

	"github.com/kubecel/kubecel/cost"
)

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		estimate, limit uint64
		within          bool
	}{{5, 10, true}, {10, 10, true}, {11, 10, false}, {math.MaxUint64, cost.EstimateLimit, false}, {0, 0, true}, {1, 0, false}} {
		v := judge("it", test.estimate, test.limit)
		if v.Within != test.within || v.Limit != test.limit || (v.Message == "") != test.within {
			t.Errorf("%d of %d: %+v", test.estimate, test.limit, v)
		}
	}
}
