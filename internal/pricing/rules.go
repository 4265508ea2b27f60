package pricing

import "github.com/kubecel/kubecel/release"

// rules say how a release estimates the structure of an expression. The zero value
// has the rules of the newest release. Each field names the last release with the rule.
type rules struct {
	// dynHidesSize makes dyn() an ordinary call: nothing is known of the size of
	// its result. Until 1.32.
	dynHidesSize bool
	// noEntries forgets what list and map literals hold. Only the elements of data are
	// known. Until 1.32.
	noEntries bool
	// onlyElements forgets what is known of local variables. The first variable of a
	// comprehension leads to the elements; every other is taken for data of that name.
	// Until 1.32.
	onlyElements bool
	// forgetful looks up the size of data whenever a price asks for it. The path may
	// have changed in between. Until 1.32.
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
