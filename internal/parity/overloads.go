package parity

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// Overload is one overload of the reference environment, as it was recorded.
type Overload struct {
	Function, ID string
	Member       bool
	Args         []string
	Result       string
}

func (o Overload) String() string {
	form := "global"
	if o.Member {
		form = "member"
	}
	return strings.Join([]string{o.Function, o.ID, form, strings.Join(o.Args, "; "), o.Result}, "\t")
}

// ReadOverloads reads a recorded list of overloads, one per line.
func ReadOverloads(file string) ([]Overload, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []Overload
	for s := bufio.NewScanner(f); s.Scan(); {
		col := strings.Split(s.Text(), "\t")
		if len(col) != 5 {
			return nil, fmt.Errorf("%s: %q does not have 5 columns", file, s.Text())
		}
		o := Overload{Function: col[0], ID: col[1], Member: col[2] == "member", Result: col[4]}
		if col[3] != "" {
			o.Args = strings.Split(col[3], "; ")
		}
		all = append(all, o)
	}
	return all, nil
}

// hidden are functions that have no form of their own in an expression: macros
// and selectors expand to them.
func hidden(function string) bool {
	switch function {
	case "@not_strictly_false", "__not_strictly_false__", "_in_", "in", "cel.@mapInsert", "@sortByAssociatedKeys", "_?._":
		return true
	}
	return false
}

// call writes the call of a function in the form of its overload.
func call(function string, member bool, args []string) string {
	wrap := func(s string) string {
		if strings.HasPrefix(s, "-") || strings.Contains(s, " ? ") {
			return "(" + s + ")"
		}
		return s
	}
	switch function {
	case "!_":
		return "!" + wrap(args[0])
	case "-_":
		return "-(" + args[0] + ")"
	case "@in":
		return wrap(args[0]) + " in " + wrap(args[1])
	case "_?_:_":
		return wrap(args[0]) + " ? " + wrap(args[1]) + " : " + wrap(args[2])
	case "_[_]":
		return wrap(args[0]) + "[" + args[1] + "]"
	case "_[?_]":
		return wrap(args[0]) + "[?" + args[1] + "]"
	}
	if op := strings.Trim(function, "_"); op != function {
		return wrap(args[0]) + " " + op + " " + wrap(args[1])
	}
	if member {
		return wrap(args[0]) + "." + function + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return function + "(" + strings.Join(args, ", ") + ")"
}
