package library

import (
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/release"
)

// settings are the settings of the language. Each is a library, because each has a
// version that introduced it.
func settings() []Library {
	return []Library{
		{
			Name: "cel.settings",
			Doc:  "Lists and maps hold values of one type, time without a zone is UTC, and has() costs nothing.",
			Options: append(languageOptions(),
				cel.HomogeneousAggregateLiterals(),
				cel.EagerlyValidateDeclarations(true),
				cel.DefaultUTCTimeZone(true),
				cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
			),
		},
		{
			Name:    "cel.numbers",
			trait:   declare.Numbers,
			Doc:     "Compares numbers of different types: `1 < 1.5` and `2u > 1`.",
			since:   release.Minor(28),
			Options: []cel.EnvOption{cel.CrossTypeNumericComparisons(true)},
		},
		{
			Name:  "cel.validators",
			trait: declare.Literals,
			Doc:   "Checks literals when an expression is compiled: durations, timestamps, regular expressions, and that those of a list or map are of one type.",
			since: release.Minor(29),
			Options: []cel.EnvOption{cel.ASTValidators(
				cel.ValidateDurationLiterals(),
				cel.ValidateTimestampLiterals(),
				cel.ValidateRegexLiterals(),
				cel.ValidateHomogeneousAggregateLiterals(),
			)},
		},
		{
			// The library of strings brings the checks. An environment without this
			// library leaves them out.
			Name:        "cel.format",
			trait:       declare.Formats,
			Doc:         "Checks calls of format with literals when an expression is compiled.",
			since:       release.Minor(29),
			firstServer: release.Minor(31),
		},
		{
			Name:        "cel.identifiers",
			trait:       declare.Backquotes,
			Doc:         "Selects fields of maps by names in backquotes: {'a-b': 1}.`a-b`.",
			firstServer: release.Minor(37),
		},
		{
			Name:  "cel.keywords",
			trait: declare.Keywords,
			Doc:   "Selects properties whose names are reserved words of CEL by these words: `self.namespace` beside `self.__namespace__`.",
			since: release.Minor(31),
		},
	}
}

var errNoDuration = errors.New("type conversion error from 'int' to 'google.protobuf.Duration'")

// integerDurations is the overload duration(int), which the cel-go of Kubernetes
// 1.37 lacks. It type-checks, and always fails.
func integerDurations() Library {
	return Library{
		Name:       "cel.durations",
		Doc:        "Takes integers for durations, of which none is valid.",
		lastServer: release.Minor(36),
		Functions: []Function{
			function("duration", "Fails: no integer is a duration.",
				global("int64_to_duration", args(cel.IntType), cel.DurationType, cost.Fixed(1)).by(
					Unary(func(types.Int) (types.Duration, error) { return types.Duration{}, errNoDuration }),
					Example{Expr: `duration(size('abc'))`, Err: errNoDuration.Error()})),
		},
	}
}
