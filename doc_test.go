package kubecel_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDocumented holds that every exported name that others can import has a doc
// comment: packages, types, functions, methods, fields, constants, variables.
func TestDocumented(t *testing.T) {
	fset := token.NewFileSet()
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (slices.Contains([]string{"internal", "testdata", "examples"}, entry.Name()) || strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range []string{".", "escaping", "cost", "library", "release", "diag"} {
		if packages[layer] == nil {
			t.Errorf("no package in %s", layer)
		}
	}
	names := 0
	for dir, files := range packages {
		check := func(at token.Pos, name, comment string) {
			names++
			if strings.TrimSpace(comment) == "" {
				t.Errorf("%v: %s has no doc comment", fset.Position(at), name)
			}
		}
		p, err := doc.NewFromFiles(fset, files, dir)
		if err != nil {
			t.Fatal(err)
		}
		check(files[0].Package, "package "+p.Name, p.Doc)
		values := func(groups []*doc.Value) {
			for _, v := range groups {
				for _, spec := range v.Decl.Specs {
					spec := spec.(*ast.ValueSpec)
					for _, name := range spec.Names {
						if name.IsExported() {
							// A group of names may share a comment, but only those of one line.
							comment := spec.Doc.Text() + spec.Comment.Text()
							if len(v.Decl.Specs) == 1 {
								comment += v.Doc
							}
							check(name.Pos(), name.Name, comment)
						}
					}
				}
			}
		}
		functions := func(of string, list []*doc.Func) {
			for _, f := range list {
				check(f.Decl.Pos(), of+f.Name, f.Doc)
			}
		}
		values(slices.Concat(p.Consts, p.Vars))
		functions("", p.Funcs)
		for _, typ := range p.Types {
			check(typ.Decl.Pos(), typ.Name, typ.Doc)
			values(slices.Concat(typ.Consts, typ.Vars))
			functions("", typ.Funcs)
			functions(typ.Name+".", typ.Methods)
			for _, spec := range typ.Decl.Specs {
				for _, field := range fields(spec.(*ast.TypeSpec).Type) {
					for _, name := range field.Names {
						if name.IsExported() {
							check(name.Pos(), typ.Name+"."+name.Name, field.Doc.Text()+field.Comment.Text())
						}
					}
				}
			}
		}
	}
	if names < 300 {
		t.Errorf("found %d names, want at least 300", names)
	}
	t.Logf("%d names in %d packages", names, len(packages))
}

// fields are the fields of a struct and the methods of an interface.
func fields(typ ast.Expr) []*ast.Field {
	switch typ := typ.(type) {
	case *ast.StructType:
		return typ.Fields.List
	case *ast.InterfaceType:
		return typ.Methods.List
	}
	return nil
}
