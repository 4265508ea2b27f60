// Package pricing estimates what expressions cost, with the numbers of an API
// server of any release.
//
// [Prices] are the cost models of a set of functions. [Standard] are those of CEL's
// standard functions, and every library has its own. A [Table] puts them together,
// and estimates and traces expressions with the sizes that a [Sizer] declares.
package pricing
