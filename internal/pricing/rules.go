package pricing

import "github.com/kubecel/kubecel/release"

// rules say how a release estimates the structure of an expression, as the cel-go does
// that it is built with. The zero value has the rules of the newest release.
type rules struct {
	// before29: has() has a price, and the selection of an optional field is left out, with
	// its operand. Until cel-go 0.17.6.
	before29 bool
	// before30: nothing is known of the size of a comprehension's result. Between this and
	// before33 it is that of the range, whatever the result is. Until cel-go 0.17.7.
	before30 bool
	// before31: a message is of size zero. Until cel-go 0.17.8.
	before31 bool
	// before33, until cel-go 0.22:
	//   - dyn() is an ordinary call, and nothing is known of the size of its result.
	//   - What list and map literals hold is forgotten. Only the elements of data are known.
	//   - What is known of local variables is forgotten. The first variable of a comprehension
	//     leads to the elements; every other is taken for data of that name.
	//   - The size of data is looked up whenever a price asks for it. The path may have
	//     changed in between.
	before33 bool
}

// rulesOf are the rules of a release.
func rulesOf(r release.Release) rules {
	before := func(minor int) bool { return r.Before(release.Minor(minor)) }
	return rules{before29: before(29), before30: before(30), before31: before(31), before33: before(33)}
}
