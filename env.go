package kubecel

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/accept"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// Env is an environment: functions, variables and types. It compiles, prices and
// reports on expressions. It is read-only and safe for concurrent use. The first one
// takes milliseconds to build; those that follow share what is equal. The zero value is
// empty: its methods return errors.
type Env struct {
	config envConfig
	base   *compile.Env
	scope  *compile.Scope
	cel    func() (*cel.Env, error)
	query  func() (*accept.Query, error)
}

type envConfig struct {
	libraries []library.Library
	options   []cel.EnvOption
	variables []variable
	providers []types.Provider
	exact     bool
	server    serverConfig
	size      int
	limit     uint64
	rebuild   bool
	err       error
}

type variable struct {
	name string
	typ  *cel.Type
	// source is the schema of the variable, nil if it has none, and schema what the
	// environment makes of it.
	source *Schema
	schema *typesystem.Schema
}

// fail keeps the first error of an option.
func (c *envConfig) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func errZeroEnv() error { return argumentError("the environment is empty: NewEnv builds one") }

func (e *Env) isZero() bool { return e == nil || e.scope == nil }

// NewEnv builds an environment with all libraries and language settings of the
// newest release, or of another with [ForRelease]. Without [ServerExact] and
// ForRelease it also has what is only documented. The error is an *InputError. So are
// the errors of all methods of Env, unless they say otherwise.
func NewEnv(opts ...EnvOption) (*Env, error) {
	return newEnv(envConfig{limit: cost.PerCallLimit, rebuild: true}, nil, opts)
}

// Extend returns an environment with more options. The environment itself stays as
// it is. Adding variables is cheap: everything else is shared.
func (e *Env) Extend(opts ...EnvOption) (*Env, error) {
	if e.isZero() {
		return nil, errZeroEnv()
	}
	config := e.config
	config.rebuild = false
	config.libraries = slices.Clip(config.libraries)
	config.options = slices.Clip(config.options)
	config.variables = slices.Clip(config.variables)
	config.providers = slices.Clip(config.providers)
	return newEnv(config, e.base, opts)
}

func newEnv(config envConfig, base *compile.Env, opts []EnvOption) (*Env, error) {
	each(opts, func(opt EnvOption) { opt.applyEnv(&config) })
	if config.err != nil {
		return nil, optionError(config.err)
	}
	if config.rebuild {
		built, err := buildBase(config)
		if err != nil {
			return nil, optionError(err)
		}
		base = built
	}
	config.variables = config.compiled()
	e := &Env{config: config, base: base}
	provider, declared, sizes := config.declare(base)
	scope, err := base.Scope(provider, sizes, declared...)
	if err != nil {
		return nil, optionError(err)
	}
	e.scope = scope
	e.cel = sync.OnceValues(func() (*cel.Env, error) {
		opts := []cel.EnvOption{cel.VariableDecls(declared...)}
		if provider != base.CEL().CELTypeProvider() {
			opts = append(opts, cel.CustomTypeProvider(provider))
		}
		env, err := base.CEL().Extend(opts...)
		return env, optionError(err)
	})
	if base.Interpreted() {
		if _, err := e.cel(); err != nil {
			return nil, err
		}
	}
	e.query = sync.OnceValues(func() (*accept.Query, error) { return newQuery(config) })
	return e, nil
}

// compiled are the variables with their schemas as the environment has them.
func (c *envConfig) compiled() []variable {
	_, explicit, _ := c.server.env()
	variables := slices.Clone(c.variables)
	for i, v := range variables {
		if v.source != nil {
			variables[i].schema = v.source.in(c.exact || explicit)
		}
	}
	return variables
}

// declare declares the variables, with the types that they need and what is
// known of their sizes.
func (c *envConfig) declare(base *compile.Env) (types.Provider, []*decls.VariableDecl, pricing.Sizer) {
	provider := typesystem.JoinProviders(base.CEL().CELTypeProvider(), c.providers...)
	declared := make([]*decls.VariableDecl, len(c.variables))
	sizes := variableSizes{}
	named := map[*typesystem.Schema]*cel.Type{}
	for i, v := range c.variables {
		t := v.typ
		if v.schema != nil {
			sizes[v.name] = base.Sizes(v.schema)
			t = named[v.schema]
		}
		if t == nil {
			scoped := base.Provider(provider, v.schema, typesystem.TypeName(v.name))
			provider, t = scoped, scoped.Type()
			named[v.schema] = t
		}
		declared[i] = decls.NewVariable(v.name, t)
	}
	return provider, declared, sizes
}

// buildBase builds the environment without its variables. It shares with others what
// the options leave as it is.
func buildBase(config envConfig) (*compile.Env, error) {
	base, exact, err := config.base()
	if err != nil || config.addition().IsZero() {
		return base, err
	}
	names := map[string]bool{"": true}
	for _, name := range base.LibraryNames() {
		names[name] = true
	}
	for _, lib := range config.libraries {
		if names[lib.Name] {
			return nil, fmt.Errorf("library %q: it needs a name that no other has", lib.Name)
		}
		names[lib.Name] = true
	}
	err = eachOverload(config.libraries, func(f library.Function, o library.Overload) error {
		if f.Name == "" || o.ID == "" || o.Result == nil || slices.Contains(o.Args, nil) {
			return errors.New("it needs a name, an id, a result type and types of its arguments")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if base, err = base.Extend(config.addition()); err != nil {
		return nil, err
	}
	functions := base.CEL().Functions()
	return base, eachOverload(config.libraries, func(f library.Function, o library.Overload) error {
		if o.DocumentedOnly && exact {
			return nil
		}
		declared := functions[f.Name]
		if declared == nil || !slices.ContainsFunc(declared.OverloadDecls(), func(d *decls.OverloadDecl) bool { return d.ID() == o.ID }) {
			return errors.New("it has no implementation")
		}
		return nil
	})
}

// base is the environment without what the caller adds; exact tells whether it is that
// of a server.
func (c *envConfig) base() (base *compile.Env, exact bool, err error) {
	s, explicit, err := c.server.env()
	switch {
	case err != nil:
		return nil, false, err
	case explicit:
		base, err = compile.ForServer(s)
	case c.exact:
		base, err = compile.ForServer(server.WrittenTo(release.Newest()))
	default:
		base, err = compile.Documented()
		return base, false, err
	}
	return base, true, err
}

// addition is what the caller adds to the environment.
func (c *envConfig) addition() compile.Addition {
	return compile.Addition{Libraries: c.libraries, Options: c.options, ExpressionSize: c.size}
}

// eachOverload finds the first overload with an error.
func eachOverload(libraries []library.Library, check func(library.Function, library.Overload) error) error {
	for _, lib := range libraries {
		for _, f := range lib.Functions {
			for _, o := range f.Overloads {
				if err := check(f, o); err != nil {
					return fmt.Errorf("library %q, function %q, overload %q: %w", lib.Name, f.Name, o.ID, err)
				}
			}
		}
	}
	return nil
}

// CEL returns the environment for programs that use cel-go directly. Programs that
// it plans run on cel-go's interpreter, and count and limit cost as an API server
// does.
func (e *Env) CEL() (*cel.Env, error) {
	if e.isZero() {
		return nil, errZeroEnv()
	}
	return e.cel()
}

// variableSizes answers how large variables can be by their schemas.
type variableSizes map[string]pricing.Sizer

// SizeOf returns the size of what a path of field names leads to.
func (s variableSizes) SizeOf(path []string) (cost.Range, bool) {
	if len(path) == 0 || s[path[0]] == nil {
		return cost.Range{}, false
	}
	return s[path[0]].SizeOf(path)
}
