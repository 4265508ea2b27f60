package compile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/escaping"
)

// Reference is a variable, or a place in its value, that an expression reads.
type Reference struct {
	// Variable is the name of the variable.
	Variable string `json:"variable"`
	// Path are the steps to the place in its value, none for the value itself. A nil
	// step stands for each element of a list or map, or for one whose index or key is
	// computed. Fields have the names that they have in the data.
	Path diag.Segments `json:"path"`
}

// String writes the place as an expression does, such as self.rules[*].name.
func (r Reference) String() string {
	var b strings.Builder
	b.WriteString(r.Variable)
	for _, s := range r.Path {
		switch s := s.(type) {
		case nil:
			b.WriteString("[*]")
		case string:
			if plainName.MatchString(s) {
				b.WriteString("." + s)
			} else {
				fmt.Fprintf(&b, "[%q]", s)
			}
		default:
			fmt.Fprintf(&b, "[%d]", s)
		}
	}
	return b.String()
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// References are what the expression reads, in the order of their texts, each once.
func (x *Expression) References() []Reference {
	f := follower{checked: x.Checked, found: map[string]Reference{}}
	f.read(f.follow(x.Checked.Expr(), nil))
	sorted := make([]Reference, 0, len(f.found))
	for _, text := range slices.Sorted(maps.Keys(f.found)) {
		sorted = append(sorted, f.found[text])
	}
	return sorted
}

// origin is where a value may come from: places of variables and, for a list or map that
// the expression makes, the places of its elements.
type origin struct {
	places, elements []Reference
}

func (o origin) or(other origin) origin {
	return origin{append(slices.Clip(o.places), other.places...), append(slices.Clip(o.elements), other.elements...)}
}

// step is where what stands at a step of the value comes from.
func (o origin) step(step any) origin {
	var at origin
	for _, p := range o.places {
		at.places = append(at.places, Reference{p.Variable, append(slices.Clip(p.Path), step)})
	}
	at.places = append(at.places, o.elements...)
	return at
}

// follower follows values from variables to where they are read.
type follower struct {
	checked *celast.AST
	found   map[string]Reference
}

// read notes that an expression looks at a value.
func (f *follower) read(o origin) {
	for _, places := range [][]Reference{o.places, o.elements} {
		for _, p := range places {
			f.found[p.String()] = p
		}
	}
}

// scope are the variables that macros declare. It is never changed.
type scope map[string]origin

func (s scope) with(name string, o origin) scope {
	if name == "" {
		return s
	}
	inner := maps.Clone(s)
	if inner == nil {
		inner = scope{}
	}
	inner[name] = o
	return inner
}

// follow is where the value of an expression comes from. All that has to be read for it
// is noted.
func (f *follower) follow(e celast.Expr, s scope) origin {
	switch e.Kind() {
	case celast.IdentKind:
		if o, ok := s[e.AsIdent()]; ok {
			return o
		}
		if f.checked.GetType(e.ID()).Kind() == types.TypeKind {
			return origin{}
		}
		return origin{places: []Reference{{Variable: e.AsIdent(), Path: diag.Segments{}}}}
	case celast.SelectKind:
		sel := e.AsSelect()
		field := f.follow(sel.Operand(), s).step(f.property(sel.Operand(), sel.FieldName()))
		if sel.IsTestOnly() {
			f.read(field)
			return origin{}
		}
		return field
	case celast.ListKind:
		var list origin
		for _, element := range e.AsList().Elements() {
			o := f.follow(element, s)
			list.elements = append(list.elements, append(slices.Clip(o.places), o.elements...)...)
		}
		return list
	case celast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			f.read(f.follow(entry.AsMapEntry().Key(), s))
			f.read(f.follow(entry.AsMapEntry().Value(), s))
		}
	case celast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			f.read(f.follow(field.AsStructField().Value(), s))
		}
	case celast.CallKind:
		return f.call(e.AsCall(), s)
	case celast.ComprehensionKind:
		return f.comprehension(e.AsComprehension(), s)
	}
	return origin{}
}

// property is the name of a property that a field of an object stands for.
func (f *follower) property(object celast.Expr, field string) any {
	if t := f.checked.GetType(object.ID()); t.Kind() == types.StructKind {
		if name, ok := escaping.Unescape(field); ok {
			return name
		}
	}
	return field
}

// passing are functions whose result is one of their operands, or is in it.
var passing = map[string]bool{"dyn": true, "orValue": true, "or": true, "value": true, "optional.of": true, "optional.ofNonZeroValue": true}

func (f *follower) call(call celast.CallExpr, s scope) origin {
	args := call.Args()
	switch name := call.FunctionName(); {
	case name == operators.Index || name == operators.OptIndex:
		of := f.follow(args[0], s)
		if key := args[1]; key.Kind() == celast.LiteralKind {
			return of.step(step(key))
		}
		f.read(f.follow(args[1], s))
		return of.step(nil)
	case name == operators.OptSelect:
		field, _ := args[1].AsLiteral().(types.String)
		return f.follow(args[0], s).step(f.property(args[0], string(field)))
	case name == operators.Conditional:
		f.read(f.follow(args[0], s))
		return f.follow(args[1], s).or(f.follow(args[2], s))
	case name == operators.Add && f.isList(args[0]):
		return f.follow(args[0], s).or(f.follow(args[1], s))
	case passing[name]:
		var o origin
		if call.IsMemberFunction() {
			o = f.follow(call.Target(), s)
		}
		for _, arg := range args {
			o = o.or(f.follow(arg, s))
		}
		return o
	}
	if call.IsMemberFunction() {
		f.read(f.follow(call.Target(), s))
	}
	for _, arg := range args {
		f.read(f.follow(arg, s))
	}
	return origin{}
}

func (f *follower) isList(e celast.Expr) bool {
	return f.checked.GetType(e.ID()).Kind() == types.ListKind
}

// step is a literal index.
func step(key celast.Expr) any {
	switch v := key.AsLiteral().(type) {
	case types.String:
		return string(v)
	case types.Int:
		return int(v)
	}
	return nil
}

func (f *follower) comprehension(c celast.ComprehensionExpr, s scope) origin {
	over := f.follow(c.IterRange(), s)
	f.read(origin{places: over.places})
	element, key := over.step(nil), origin{}
	if c.HasIterVar2() {
		s = s.with(c.IterVar(), key).with(c.IterVar2(), element)
	} else if f.isList(c.IterRange()) || f.checked.GetType(c.IterRange().ID()).Kind() == types.DynKind {
		s = s.with(c.IterVar(), element)
	} else {
		s = s.with(c.IterVar(), key)
	}
	accumulated := f.follow(c.AccuInit(), s)
	f.read(f.follow(c.LoopCondition(), s.with(c.AccuVar(), accumulated)))
	accumulated = accumulated.or(f.follow(c.LoopStep(), s.with(c.AccuVar(), accumulated)))
	return f.follow(c.Result(), s.with(c.AccuVar(), accumulated))
}
