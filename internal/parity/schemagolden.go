package parity

// numbering gives each distinct thing a number and a line when it first occurs.
type numbering[K comparable] map[K]int

func (n numbering[K]) of(k K, first func()) int {
	i, ok := n[k]
	if !ok {
		i = len(n)
		n[k] = i
		first()
	}
	return i
}

// schemaLines writes an outcome; what an object refers to stands before it.
func schemaLines(o SchemaOutcome) []any {
	lines := []any{schemaLine{Error: o.Error}}
	for i := range o.Rules {
		lines = append(lines, schemaLine{Rule: &o.Rules[i]})
	}
	errs, warnings := numbering[FieldError]{}, numbering[string]{}
	var line func(o ObjectOutcome) objectLine
	line = func(o ObjectOutcome) objectLine {
		o = o.normal()
		l := objectLine{Name: o.Name, Left: o.Remaining, Panic: o.Panic}
		for _, e := range o.Errors {
			l.Errors = append(l.Errors, errs.of(e, func() { lines = append(lines, schemaLine{FieldError: &e}) }))
		}
		for _, w := range o.Warnings {
			l.Warnings = append(l.Warnings, warnings.of(w, func() { lines = append(lines, schemaLine{Warning: w}) }))
		}
		for _, other := range o.Others {
			l.Others = append(l.Others, line(other))
		}
		return l
	}
	for _, obj := range o.Objects {
		l := line(obj)
		lines = append(lines, schemaLine{Object: &l})
	}
	return lines
}

// readSchema reads what schemaLines wrote.
func readSchema(file string) (SchemaOutcome, error) {
	var o SchemaOutcome
	var errs []FieldError
	var warnings []string
	var object func(l objectLine) ObjectOutcome
	object = func(l objectLine) ObjectOutcome {
		o := ObjectOutcome{Name: l.Name, Remaining: l.Left, Panic: l.Panic}
		for _, e := range l.Errors {
			o.Errors = append(o.Errors, errs[e])
		}
		for _, w := range l.Warnings {
			o.Warnings = append(o.Warnings, warnings[w])
		}
		for _, other := range l.Others {
			o.Others = append(o.Others, object(other))
		}
		return o
	}
	err := readLines(file, func(l schemaLine) {
		switch {
		case l.Rule != nil:
			o.Rules = append(o.Rules, *l.Rule)
		case l.FieldError != nil:
			errs = append(errs, *l.FieldError)
		case l.Warning != "":
			warnings = append(warnings, l.Warning)
		case l.Object != nil:
			o.Objects = append(o.Objects, object(*l.Object))
		default:
			o.Error = l.Error
		}
	})
	return o, err
}
