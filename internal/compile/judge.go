package compile

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
)

// Judgment is what cel-go says about the parser and the checker of our own.
type Judgment struct {
	// Parsed and Checked tell whether cel-go's parser and checker accept an expression, and
	// Fast and FastChecked whether ours do.
	Parsed, Checked, Fast, FastChecked bool
	// Difference says what ours accept and cel-go's do not, or what differs first between the
	// trees.
	Difference string
}

// Judge compares what both make of an expression. It is for tests. Difference compares two trees.
func (s *Scope) Judge(expr string, difference func(ours, judge *celast.AST) string) (j Judgment) {
	want, issues := s.env.parseSource(common.NewTextSource(expr))
	j.Parsed = issues.Err() == nil
	got := s.env.parseFast(expr)
	if j.Fast = got != nil; j.Fast {
		switch {
		case !j.Parsed:
			j.Difference = "parsed, and not by cel-go"
		default:
			j.Difference = difference(got, want)
		}
	}
	if !j.Parsed || j.Difference != "" {
		return j
	}
	env, err := s.checker(s.provider)
	if err != nil {
		j.Difference = err.Error()
		return j
	}
	unchecked := celast.Copy(want)
	checked, errs := checker.Check(want, common.NewTextSource(expr), env)
	j.Checked = len(errs.GetErrors()) == 0
	if s.fast == nil {
		return j
	}
	got, j.FastChecked = s.fast.Check(celast.Copy(unchecked))
	switch {
	case j.FastChecked && !j.Checked:
		j.Difference = "checked, and not by cel-go: " + errs.ToDisplayString()
	case j.FastChecked:
		j.Difference = difference(got, checked)
	default:
		untouched := celast.Copy(unchecked)
		s.fast.Check(untouched)
		if j.Difference = difference(untouched, unchecked); j.Difference != "" {
			j.Difference = "changed by a check that gave up: " + j.Difference
		}
	}
	return j
}
