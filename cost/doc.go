// Package cost says what CEL expressions cost, before and after evaluation, in
// the units and with the numbers of an API server.
//
// # Units
//
// One unit is about the time of one simple operation. A variable and a field
// selection cost one unit each, a literal none, has() nothing beyond its operand;
// a list literal costs 10 units, a map literal 30, a message literal 40, on top of
// what they hold. Reading a string or bytes costs a tenth of a unit for each
// character or byte, matching a regular expression the product of that and a
// quarter of a unit for each character of the pattern. A function costs one unit
// unless a price says otherwise.
//
// # Prices
//
// A [Model] prices the calls of one overload: by an estimate from the bounds of
// the operands, and by a runtime price from the values. A library gives each of its
// functions one.
//
// # Estimates
//
// An estimate is the least and the most that an expression can cost. In Kubernetes
// the sizes of data are bounded by maxLength, maxItems and maxProperties of the
// schema. An unbounded operand saturates the estimate at math.MaxUint64.
//
// # Limits
//
// One evaluation may cost [PerCallLimit], 1,000,000 units, roughly a tenth of a
// second; all evaluations for one object together [Budget], 10,000,000 units. A
// CRD is accepted if each expression, its cost times the number of places where
// the schema allows it to apply, is estimated within [EstimateLimit], 10,000,000
// units, and all expressions of a schema within [SchemaEstimateLimit],
// 100,000,000 units.
package cost
