package cost

import (
	"math"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

func fixedSize(estimate Range, runtime uint64) Size {
	return Computed("", func([]Operand) Range { return estimate }, func([]ref.Val, ref.Val) uint64 { return runtime })
}

func TestLinearRoundsEstimateUpAndRuntimeDown(t *testing.T) {
	m := Linear(11, 2.1, fixedSize(Range{Min: 0, Max: 9}, 9))
	if got, want := m.Estimate(nil).Cost, (Range{Min: 11, Max: 30}); got != want { // 18.9
		t.Errorf("estimate %v, want %v", got, want)
	}
	if got := m.Runtime(nil, nil); got != 29 {
		t.Errorf("runtime %d, want 29", got)
	}
}

func TestLinearOverflow(t *testing.T) {
	m := Linear(11, 2, fixedSize(Unbounded(), math.MaxUint64))
	if got, want := m.Estimate(nil).Cost, (Range{Min: 11, Max: math.MaxUint64}); got != want {
		t.Errorf("estimate %v, want %v", got, want)
	}
	if got := m.Runtime(nil, nil); got != 1<<63+11 {
		t.Errorf("runtime %d", got)
	}
}

func TestTruncate(t *testing.T) {
	for x, want := range map[float64]uint64{0: 0, -1: 0, 1.9: 1, 1e30: 1 << 63, twoTo64: 1 << 63} {
		if got := truncate(x); got != want {
			t.Errorf("truncate(%g) = %d, want %d", x, got, want)
		}
	}
	if got := truncate(math.NaN()); got != 0 {
		t.Errorf("truncate(NaN) = %d", got)
	}
}

func TestTimesSaturates(t *testing.T) {
	s := fixedSize(Range{Min: 2, Max: math.MaxUint64}, math.MaxUint64/2).Times(fixedSize(Range{Min: 3, Max: 3}, 3))
	if got, want := s.estimate(nil), (Range{Min: 6, Max: math.MaxUint64}); got != want {
		t.Errorf("estimate %v, want %v", got, want)
	}
	if got := s.runtime(nil, nil); got != math.MaxUint64 {
		t.Errorf("runtime %d", got)
	}
}

func TestSizeOfWhatHasNoSize(t *testing.T) {
	for _, v := range []ref.Val{nil, types.Int(5), types.NewErr("x"), types.NullValue, types.String("ä")} {
		if got := SizeOf(v); got != 1 {
			t.Errorf("SizeOf(%v) = %d, want 1", v, got)
		}
	}
}
