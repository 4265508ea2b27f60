package pricing

import "github.com/kubecel/kubecel/release"

// rules say how a release estimates what depends on the structure of an
// expression. The zero value is the newest release.
type rules struct {
	// dynHidesSize makes dyn() an ordinary call: nothing is known of the size of
	// its result. Until 1.32.
	dynHidesSize bool
	// noEntries leaves out what the lists and maps of an expression hold: only the
	// elements of data are known then. Until 1.32.
	noEntries bool
	// onlyElements leaves out what is known of the variables of an expression.
	// Only the first variable of a comprehension leads to data; all others are
	// taken for data of their own name. Until 1.32.
	onlyElements bool
	// forgetful looks the size of data up each time that a price asks for it, by
	// a path that may have changed since. Until 1.32.
	forgetful bool
	// emptyMessages takes a message to be of size zero. Until 1.30.
	emptyMessages bool
	// presence prices has(). Until 1.28.
	presence bool
	// freeOptionals leaves out the selection of an optional field, with its
	// operand. Until 1.28.
	freeOptionals bool
	// loops is what is known of the size of a comprehension's result.
	loops loopSize
}

// loopSize is what is known of the size of a comprehension's result.
type loopSize int

const (
	// asLargeAsAccumulator is the size of the range if the result is a list or a
	// map, and otherwise that of the initial value.
	asLargeAsAccumulator loopSize = iota
	// asLargeAsRange is the size of the range whatever the result is. In 1.30 to
	// 1.32.
	asLargeAsRange
	// unsized is none. Until 1.29.
	unsized
)

// The releases in which the rules changed, with the release of cel-go that
// Kubernetes took.
var (
	freePresence     = release.Minor(29) // cel-go 0.17.7
	sizedLoops       = release.Minor(30) // cel-go 0.17.8
	sizelessMessages = release.Minor(31) // cel-go 0.20
	sizedEntries     = release.Minor(33) // cel-go 0.23
)

// rulesOf are the rules of a release.
func rulesOf(r release.Release) rules {
	before := r.Before(sizedEntries)
	rules := rules{
		dynHidesSize: before, noEntries: before, onlyElements: before, forgetful: before,
		emptyMessages: r.Before(sizelessMessages), presence: r.Before(freePresence), freeOptionals: r.Before(freePresence),
	}
	switch {
	case r.Before(sizedLoops):
		rules.loops = unsized
	case before:
		rules.loops = asLargeAsRange
	}
	return rules
}
