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
	"github.com/kubecel/kubecel/internal/environment"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/library"
)

// Env compiles expressions. It holds functions, variables and types, is
// read-only and safe for concurrent use. Building one takes milliseconds:
// build it once and share it, and use [Env.Extend] for more variables. The zero
// value is empty: its methods return errors.
type Env struct {
	config envConfig
	base   *environment.Env
	scope  *environment.Scope
	cel    func() (*cel.Env, error)
	query  func() (*environment.Query, error)
}

type envConfig struct {
	libraries []library.Library
	options   []cel.EnvOption
	variables []variable
	exact     bool
	server    serverConfig
	size      int
	limit     uint64
	rebuild   bool
	err       error
}

type variable struct {
	name   string
	typ    *cel.Type
	schema *typesystem.Schema
}

// EnvOption configures an environment at construction. A nil option does
// nothing.
type EnvOption interface{ applyEnv(*envConfig) }

type envOption func(*envConfig)

func (o envOption) applyEnv(c *envConfig) { o(c) }

var errZeroEnv = errors.New("the environment is empty: NewEnv builds one")

func (e *Env) isZero() bool { return e == nil || e.scope == nil }

// Variable declares a variable of a CEL type.
func Variable(name string, t *cel.Type) EnvOption {
	return envOption(func(c *envConfig) {
		if name == "" || t == nil {
			c.err = fmt.Errorf("variable %q: it needs a name and a type", name)
			return
		}
		c.variables = append(c.variables, variable{name: name, typ: t})
	})
}

// SchemaVariable declares a variable whose type an OpenAPI schema gives. Its
// fields are type-checked, the bounds of the schema bound the estimates, and its
// values are unstructured data: map[string]any, []any, string, bool, int64,
// float64 and nil.
func SchemaVariable(name string, schema *typesystem.Schema) EnvOption {
	return envOption(func(c *envConfig) {
		switch {
		case name == "" || schema == nil:
			c.err = fmt.Errorf("variable %q: it needs a name and a schema", name)
		case !schema.Exposed():
			c.err = fmt.Errorf("variable %q: expressions cannot see data of its schema", name)
		default:
			c.variables = append(c.variables, variable{name: name, schema: schema})
		}
	})
}

// Libraries adds function libraries to those of Kubernetes: the caller's own,
// declared as [library.Library] values, with the same cost tracking and
// documentation. Each needs a name of its own.
func Libraries(libs ...library.Library) EnvOption {
	return envOption(func(c *envConfig) {
		c.libraries = append(c.libraries, libs...)
		c.rebuild = true
	})
}

// CELOptions adds options of cel-go: types, functions, macros.
func CELOptions(opts ...cel.EnvOption) EnvOption {
	return envOption(func(c *envConfig) {
		if slices.ContainsFunc(opts, func(o cel.EnvOption) bool { return o == nil }) {
			c.err = errors.New("an option of cel-go is nil")
			return
		}
		c.options = append(c.options, opts...)
		c.rebuild = true
	})
}

// ServerExact leaves out what the documentation of Kubernetes describes and no
// released API server has, so that the environment rejects what a server of
// Kubernetes 1.37 rejects.
func ServerExact() EnvOption {
	return envOption(func(c *envConfig) {
		c.exact = true
		c.rebuild = true
	})
}

// ExpressionSizeLimit bounds the size of an expression in code points. The
// default, that of an API server, is 100,000.
func ExpressionSizeLimit(codePoints int) EnvOption {
	return envOption(func(c *envConfig) {
		if codePoints <= 0 {
			c.err = fmt.Errorf("expression size limit %d: it must be positive", codePoints)
			return
		}
		c.size = codePoints
		c.rebuild = true
	})
}

// CostLimit bounds the cost of each evaluation in cost units. The default, that
// of an API server, is cost.PerCallLimit, 1,000,000.
func CostLimit(units uint64) EnvOption {
	return envOption(func(c *envConfig) { c.limit = units })
}

// NewEnv builds an environment with all libraries and language settings of
// Kubernetes 1.37, or of another release with [ForRelease].
func NewEnv(opts ...EnvOption) (*Env, error) {
	return newEnv(envConfig{limit: cost.PerCallLimit, rebuild: true}, nil, opts)
}

// Extend returns an environment that has more than this one, which stays as it
// is. Adding variables is cheap: everything else is shared.
func (e *Env) Extend(opts ...EnvOption) (*Env, error) {
	if e.isZero() {
		return nil, errZeroEnv
	}
	config := e.config
	config.rebuild = false
	config.libraries = slices.Clip(config.libraries)
	config.options = slices.Clip(config.options)
	config.variables = slices.Clip(config.variables)
	return newEnv(config, e.base, opts)
}

func newEnv(config envConfig, base *environment.Env, opts []EnvOption) (*Env, error) {
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if opt.applyEnv(&config); config.err != nil {
			return nil, fmt.Errorf("environment: %w", config.err)
		}
	}
	if config.rebuild {
		built, err := buildBase(config)
		if err != nil {
			return nil, fmt.Errorf("environment: %w", err)
		}
		base = built
	}
	e := &Env{config: config, base: base}
	provider, declared, sizes := config.declare(base)
	scope, err := base.Scope(provider, sizes, declared...)
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	e.scope = scope
	e.cel = sync.OnceValues(func() (*cel.Env, error) { return celEnv(base, provider, declared) })
	e.query = sync.OnceValues(func() (*environment.Query, error) { return newQuery(config) })
	return e, nil
}

// declare declares the variables, with the types that they need and what is
// known of their sizes.
func (c *envConfig) declare(base *environment.Env) (types.Provider, []*decls.VariableDecl, pricing.Sizer) {
	provider := base.CEL().CELTypeProvider()
	declared := make([]*decls.VariableDecl, len(c.variables))
	sizes := variableSizes{}
	for i, v := range c.variables {
		t := v.typ
		if v.schema != nil {
			// Were the type named as the variable is, self.items would be a type.
			scoped := base.Provider(provider, v.schema, v.name+"Type1")
			provider, t = scoped, scoped.Type()
			sizes[v.name] = base.Sizes(v.schema)
		}
		declared[i] = decls.NewVariable(v.name, t)
	}
	return provider, declared, sizes
}

func buildBase(config envConfig) (*environment.Env, error) {
	server, given, err := config.server.env()
	if err != nil {
		return nil, err
	}
	config.exact = config.exact || given
	libraries := server.Libraries()
	switch {
	case config.exact && config.asServers():
		return server.Env()
	case !config.exact:
		libraries = append(libraries, library.JSONPatch())
	}
	names := map[string]bool{"": true}
	for _, lib := range slices.Concat(libraries, config.libraries) {
		if names[lib.Name] {
			return nil, fmt.Errorf("library %q: it needs a name that no other has", lib.Name)
		}
		names[lib.Name] = true
	}
	if err := eachOverload(config.libraries, hasTypes); err != nil {
		return nil, err
	}
	base, err := environment.New(environment.Config{
		Libraries:      append(libraries, config.libraries...),
		Server:         server,
		DocumentedOnly: !config.exact,
		Options:        config.options,
		ExpressionSize: config.size,
	})
	if err != nil {
		return nil, err
	}
	functions := base.CEL().Functions()
	return base, eachOverload(config.libraries, func(f library.Function, o library.Overload) error {
		if o.DocumentedOnly && config.exact {
			return nil
		}
		declared := functions[f.Name]
		if declared == nil || !slices.ContainsFunc(declared.OverloadDecls(), func(d *decls.OverloadDecl) bool { return d.ID() == o.ID }) {
			return errors.New("it has no implementation")
		}
		return nil
	})
}

// asServers tells whether nothing was added to the environment of a server.
func (c *envConfig) asServers() bool {
	return len(c.libraries) == 0 && len(c.options) == 0 && c.size == 0
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

func hasTypes(f library.Function, o library.Overload) error {
	if f.Name == "" || o.ID == "" || o.Result == nil || slices.Contains(o.Args, nil) {
		return errors.New("it needs a name, an id, a result type and types of its arguments")
	}
	return nil
}

func celEnv(base *environment.Env, provider types.Provider, declared []*decls.VariableDecl) (*cel.Env, error) {
	opts := []cel.EnvOption{cel.VariableDecls(declared...)}
	if provider != base.CEL().CELTypeProvider() {
		opts = append(opts, cel.CustomTypeProvider(provider))
	}
	return base.CEL().Extend(opts...)
}

// CEL returns the environment for those who program against cel-go directly.
// Its programs count and limit cost as an API server does.
func (e *Env) CEL() (*cel.Env, error) {
	if e.isZero() {
		return nil, errZeroEnv
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
