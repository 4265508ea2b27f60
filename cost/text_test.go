package cost

import "testing"

func TestFormula(t *testing.T) {
	for _, test := range []struct {
		model Model
		want  string
	}{
		{Fixed(1), "1"},
		{Model{}, ""},
		{Scan(Arg(0)), "0.1·size(x)"},
		{Scaled(Arg(1), 1), "size(y)"},
		{Scan(Arg(0)).Yields(Arg(0)), "0.1·size(x)"},
		{Regex(Arg(0), Arg(1)), "0.1·(size(x) + 1)·0.25·size(y)"},
		{Sum(Fixed(10), Scan(Arg(1))), "10 + 0.1·size(y)"},
		{Product(Sum(Fixed(1), Scan(Arg(0))), Fixed(2)), "(1 + 0.1·size(x))·2"},
		{Linear(11, 2, Arg(0).Times(Arg(1))), "11 + 2·size(x)·size(y)"},
		{Scan(Between(4, 16, 0)), "0.1·(4 to 16)"},
		{Split(Fixed(1), Fixed(2)), "estimate 1, evaluation 2"},
		{Split(Fixed(1), Fixed(1)), "1"},
		{Traversal(0, 1), "traversing x"},
		{Scan(Computed("", nil, nil)), ""},
		{Sum(Fixed(1), Scan(Computed("", nil, nil))), ""},
		{Scan(Computed("size(result)", nil, nil)), "0.1·size(result)"},
		{Fixed(1).As("none of {1}"), "none of y"},
	} {
		if got := test.model.Formula("x", "y"); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
