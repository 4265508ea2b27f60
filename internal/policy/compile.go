package policy

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/library"
)

// Config says what a compiler compiles for.
type Config struct {
	// Server is the environment of a server.
	Server server.Environment
	// Params tells whether the policy has a paramKind.
	Params bool
	// Types are the types of variables that are dyn without one.
	Types map[string]Typed
	// AnyResult tells not to look at the types of results.
	AnyResult bool
}

// Typed is a type of data.
type Typed struct {
	// Name is the name of the type. Equal names are of equal schemas.
	Name string
	// Schema describes the data.
	Schema *typesystem.Schema
}

// Expression is a compiled expression, or one that does not compile.
type Expression struct {
	// Kind is the kind of the expression.
	Kind Kind
	// Source is the text.
	Source string
	// Type is the type of the result, nil if there is none.
	Type *types.Type
	// Estimate is what one evaluation may cost, in cost units, without the variables
	// that it computes.
	Estimate cost.Range
	// Variables are the names of the variables that it selects, sorted. A name may be
	// of no variable.
	Variables []string
	// Dynamic tells whether it uses `variables` otherwise than by selecting one.
	Dynamic bool
	// Err says why the expression does not compile, nil if it does.
	Err *diag.CompileError

	program *eval.Program
}

// Compiler compiles the expressions of one policy. It is not safe for concurrent use.
type Compiler struct {
	config    Config
	env       *compile.Env
	provider  *provider
	variables *decl
	scopes    map[Traits]*compile.Scope
	// typed are the types of data by name.
	typed map[string]*types.Type
	// computed are the variables by name: the last of a name counts.
	computed map[string]*Expression
}

// NewCompiler returns a compiler.
func NewCompiler(config Config) (*Compiler, error) {
	env, err := compile.ForServer(config.Server)
	if err != nil {
		return nil, err
	}
	variables, base := object(variablesType, map[string]*decl{}), env.CEL().CELTypeProvider()
	typed := map[string]*types.Type{}
	for _, name := range slices.Sorted(maps.Keys(config.Types)) {
		if t := config.Types[name]; typed[t.Name] == nil {
			provider := env.Provider(base, t.Schema, t.Name)
			base, typed[t.Name] = provider, provider.Type()
		}
	}
	return &Compiler{
		config:    config,
		env:       env,
		provider:  newProvider(base, namespaceType(), requestType(), variables),
		typed:     typed,
		variables: variables,
		scopes:    map[Traits]*compile.Scope{},
		computed:  map[string]*Expression{},
	}, nil
}

// typeOf returns the type of a variable, dyn if none is known.
func (c *Compiler) typeOf(variable string) *types.Type {
	if t := c.typed[c.config.Types[variable].Name]; t != nil {
		return t
	}
	return types.DynType
}

// patching returns the environment of mutations, which has one more library.
func (c *Compiler) patching() (*compile.Env, error) {
	server := c.config.Server
	build, _ := patchingEnvs.LoadOrStore(server, sync.OnceValues(func() (*compile.Env, error) {
		return compile.New(compile.Config{Libraries: append(server.Libraries(), library.JSONPatch()), Server: server})
	}))
	return build.(func() (*compile.Env, error))()
}

// patchingEnvs are the environments of mutations by server, each built once.
var patchingEnvs sync.Map

// scope returns the variables of a kind of expression.
func (c *Compiler) scope(traits Traits) (*compile.Scope, error) {
	traits.Params = traits.Params && c.config.Params
	if s := c.scopes[traits]; s != nil {
		return s, nil
	}
	declared := []*decls.VariableDecl{
		decls.NewVariable(ObjectName, c.typeOf(ObjectName)),
		decls.NewVariable(OldObjectName, c.typeOf(OldObjectName)),
		decls.NewVariable(NamespaceName, types.NewObjectType("kubernetes.Namespace")),
		decls.NewVariable(RequestName, types.NewObjectType("kubernetes.AdmissionRequest")),
	}
	if traits.Params {
		declared = append(declared, decls.NewVariable(ParamsName, c.typeOf(ParamsName)))
	}
	if traits.Authorizer {
		declared = append(declared, decls.NewVariable(AuthorizerName, library.AuthorizerType()),
			decls.NewVariable(RequestResourceName, library.ResourceCheckType()))
	}
	env, provider, err := c.env, types.Provider(c.provider), error(nil)
	if traits.Patches {
		if env, err = c.patching(); err != nil {
			return nil, err
		}
		provider = patchProvider{c.provider}
	}
	if traits.Variables {
		declared = append(declared, decls.NewVariable(VariablesName, c.variables.cel))
	}
	s, err := env.Scope(provider, nil, declared...)
	if err == nil {
		c.scopes[traits] = s
	}
	return s, err
}

// Variable compiles the expression of a variable. Expressions that are compiled later
// see it, even if it does not compile: then it may be of any type.
func (c *Compiler) Variable(name, source string) (*Expression, error) {
	x, err := c.Compile(Variable, source)
	if err != nil {
		return nil, err
	}
	c.variables.fields[name] = scalar(variableType(x.Type))
	c.computed[name] = x
	return x, nil
}

// Compile compiles an expression. The error is of the environment; that of the
// expression is part of it.
func (c *Compiler) Compile(kind Kind, source string) (*Expression, error) {
	traits := Kinds[kind]
	scope, err := c.scope(traits.Traits)
	if err != nil {
		return nil, err
	}
	x := &Expression{Kind: kind, Source: source}
	compiled, failed := scope.Compile(source)
	if compiled != nil && !c.config.AnyResult {
		// A result of the wrong type counts before a program that cannot be planned.
		if wrong := checkResult(source, compiled.Type(), traits.Results); wrong != nil {
			x.Err = wrong
			return x, nil
		}
	}
	if failed != nil {
		x.Err = compile.RuleWords.Put(failed)
		return x, nil
	}
	x.Type, x.Estimate, x.program = compiled.Type(), compiled.Estimate, compiled.Program
	x.Variables, x.Dynamic = variablesOf(compiled.Checked)
	return x, nil
}

// checkResult says in the words of a server that a result has a wrong type.
func checkResult(source string, t *types.Type, want []*types.Type) *diag.CompileError {
	if len(want) == 0 || slices.ContainsFunc(want, t.IsExactType) {
		return nil
	}
	text := fmt.Sprintf("must evaluate to %v but got %v", want[0], t)
	if len(want) > 1 {
		text = fmt.Sprintf("must evaluate to one of %v but got %v", want, t)
	}
	return &diag.CompileError{
		Expression: source, Stage: diag.StageCheck, Server: text,
		Issues: []diag.Issue{{Code: diag.ResultType, Position: diag.Position{Line: 1, Column: 1}, Message: text}},
	}
}
