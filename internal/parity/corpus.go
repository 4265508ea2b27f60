package parity

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kubecel/kubecel/release"
)

// Corpus is every case that is asked.
type Corpus struct {
	Expressions []ExprGroup
	Schemas     []SchemaCase
	CRDs        []CRDCase
}

// ExprGroup is a set of expressions; its goldens share a file.
type ExprGroup struct {
	Name  string
	Cases []ExprCase
}

// Goldens is the folder of the answers of the newest release below testdata.
func Goldens(testdata string) string {
	return filepath.Join(testdata, "goldens", release.Newest().String())
}

// LoadCorpus puts the corpus together: hand-written cases from testdata/oracle
// and generated ones, for every recorded overload. The same testdata gives the
// same corpus in the same order.
func LoadCorpus(testdata string) (*Corpus, error) {
	overloads, err := ReadOverloads(filepath.Join(Goldens(testdata), "overloads.txt"))
	if err != nil {
		return nil, err
	}
	c := &Corpus{}
	schemas, err := loadSchemas(filepath.Join(testdata, "oracle", "schemas"))
	if err != nil {
		return nil, err
	}
	envs := map[string]*Environment{}
	for _, e := range []*Environment{plainEnv(), varsEnv(), olderEnv(), patchEnv()} {
		envs[e.Name] = e
	}
	for _, s := range schemas {
		c.Schemas = append(c.Schemas, s.SchemaCase)
		if len(s.SchemaCase.Objects) > 0 {
			self := s.SchemaCase
			envs["schema-"+s.Name] = &Environment{Name: "schema-" + s.Name, Self: &self}
		}
	}
	c.generate(overloads, envs)
	for _, s := range schemas {
		if env := envs["schema-"+s.Name]; env != nil {
			exprs := s.expressions
			if s.fields {
				exprs = append(exprs, fieldCases(s.SchemaCase)...)
			}
			if s.prices {
				exprs = append(exprs, priceCases()...)
			}
			if len(exprs) > 0 {
				c.add("schema-"+s.Name, env, exprs)
			}
		}
	}
	if err := c.loadExpressions(filepath.Join(testdata, "oracle", "expressions"), envs); err != nil {
		return nil, err
	}
	c.CRDs, err = loadCRDs(filepath.Join(testdata, "oracle", "crds"))
	return c, err
}

// generate adds the groups that code makes.
func (c *Corpus) generate(overloads []Overload, envs map[string]*Environment) {
	g := newGen()
	byGroup := map[string][]string{}
	var groups, functions []string
	for _, o := range overloads {
		functions = append(functions, o.Function)
		if hidden(o.Function) {
			continue
		}
		name := "overloads-" + groupOf(o)
		if _, ok := byGroup[name]; !ok {
			groups = append(groups, name)
		}
		byGroup[name] = append(byGroup[name], g.overloadCases(o)...)
	}
	slices.Sort(groups)
	for _, name := range groups {
		c.add(name, envs["vars"], byGroup[name])
	}
	c.add("misuse", envs["vars"], misuse(slices.Compact(functions)))
	c.add("comprehensions", envs["vars"], comprehensions())
	c.add("optionals", envs["vars"], optionalCases())
	c.add("equality", envs["vars"], equality(g))
}

// add appends a group without repetitions.
func (c *Corpus) add(name string, env *Environment, exprs []string) {
	group := ExprGroup{Name: name}
	seen := map[string]bool{}
	for _, e := range exprs {
		if !seen[e] {
			seen[e] = true
			group.Cases = append(group.Cases, ExprCase{Env: env, Expr: e})
		}
	}
	c.Expressions = append(c.Expressions, group)
}

// loadExpressions reads hand-written expressions: each file names its
// environments and lists expressions, which are asked in each of them.
func (c *Corpus) loadExpressions(dir string, envs map[string]*Environment) error {
	files, err := readAll(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		r := &reader{}
		names, exprs := get[[]any](r, f, "environments"), get[[]any](r, f, "expressions")
		if r.err != nil {
			return r.err
		}
		group := ExprGroup{Name: f["@file"].(string)}
		for _, n := range names {
			env := envs[fmt.Sprint(n)]
			if env == nil {
				return fmt.Errorf("%s: no environment %v", group.Name, n)
			}
			for _, e := range exprs {
				s, ok := e.(string)
				if !ok {
					return fmt.Errorf("%s: %v is not a string", group.Name, e)
				}
				group.Cases = append(group.Cases, ExprCase{Env: env, Expr: s})
			}
		}
		c.Expressions = append(c.Expressions, group)
	}
	return nil
}
