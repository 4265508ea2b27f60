// Package cost says what CEL expressions cost, before and after evaluation, in
// the units and with the numbers of an API server.
//
// # Units
//
// One unit is about the time of one simple operation:
//
//   - A literal costs nothing, a variable and a field selection cost one unit each.
//   - has() costs what its operand costs.
//   - A list literal costs 10 units, a map literal 30 and a message literal 40,
//     and each of them what it holds.
//   - Reading a string or bytes costs a tenth of a unit for each character or byte.
//   - Matching a regular expression costs a tenth of a unit for each character of
//     the string and one more, times a quarter for each character of the pattern.
//   - A function costs one unit, unless a [Model] says otherwise.
//
// # Prices
//
// A [Model] prices the calls of one overload. It has an estimate, from the bounds
// of the operands, and a runtime price, from the values. A library gives each of
// its functions a model.
//
// # Estimates
//
// An estimate is the least and the most that an expression can cost. In Kubernetes
// maxLength, maxItems and maxProperties of the schema bound the sizes of data. An
// operand without a bound saturates the estimate at math.MaxUint64.
//
// # Limits
//
// One evaluation may cost [PerCallLimit], 1,000,000 units, which is roughly a tenth
// of a second. All evaluations on one object together may cost [Budget],
// 10,000,000 units.
//
// A server accepts a CRD if its estimates are within two limits. One expression
// may be estimated at [EstimateLimit], 10,000,000 units: its cost times the number
// of places where the schema allows it to apply. All expressions of a schema
// together may be estimated at [SchemaEstimateLimit], 100,000,000 units.
package cost
