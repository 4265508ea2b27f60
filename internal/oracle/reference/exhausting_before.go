//go:build before1.37

package reference

import "regexp"

var hugeRange = regexp.MustCompile(`\blists\.range\((dyn\()?(9223372036854775807|1000000000000|int_4|int_6)\b`)

// exhausting tells of expressions that a server cannot survive: before 1.37
// lists.range makes lists of any length before any cost is counted
// (ext/lists.go of cel-go 0.26).
func exhausting(expr string) bool { return hugeRange.MatchString(expr) }
