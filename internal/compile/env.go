// Package compile compiles expressions as an API server does: it parses, checks,
// plans and estimates them, and says in the words of a server why one does not
// compile.
//
// An [Env] holds all functions. A [Scope] adds the variables and types of a place
// to it, cheaply. [Rules] makes the scopes of the rules of a CRD.
package compile

import (
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/check"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/parse"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// DefaultExpressionSize is the size limit of an expression in code points, as
// cel-go's parser has it in every Kubernetes release.
const DefaultExpressionSize = 100_000

// Config says what an environment holds.
type Config struct {
	// Libraries are added in order.
	Libraries []library.Library
	// DocumentedOnly adds the overloads that are documented but in no released
	// server.
	DocumentedOnly bool
	// Server says which API server has the environment. The zero value means
	// the stored environment of the newest; Libraries are what counts for what
	// can be written.
	Server server.Environment
}

// Env is a base environment. It is read-only and safe for concurrent use.
type Env struct {
	cel     *cel.Env
	checker *checker.Env
	planner *eval.Planner
	prices  *pricing.Table
	server  server.Environment
	// documentedOnly tells whether the environment has what is only documented.
	documentedOnly bool
	// priced are the names of functions that a library prices. The first library to
	// price a name keeps it: that of a caller must not change what a call of a
	// server's function costs.
	priced map[string]bool
	// traits are those of the libraries.
	traits map[declare.Trait]bool
	// settings are those that options of cel-go can change.
	settings settings
	// foreign tells whether cel-go's interpreter evaluates expressions.
	foreign   bool
	libraries []library.Library
	regexes   []declare.Regex
	// grammar is equal for environments that parse alike.
	grammar string
	// parser is set if cel's own accepts names in backquotes and the server does not.
	parser *parser.Parser
	// fast parses most expressions that have no more bytes than size, nil if options set
	// up a parser of their own.
	fast func() *parse.Parser
	size int
	// functions are those of the environment by name. cel-go copies them for each who asks.
	functions func() map[string]*decls.FunctionDecl
	// calls are conversions by the name of their function.
	calls func() map[string]functions.FunctionOp
	// fastBase is what checks most expressions, nil if only cel-go can.
	fastBase func() *check.Base
	// typeRoots are the first parts of the names of types that have dots, nil if they are not known.
	typeRoots map[string]bool
	// signatures fingerprints each function; environments with equal fingerprints
	// share compilations.
	signatures func() map[string]string
}

// New builds a base environment.
func New(cfg Config) (*Env, error) {
	if cfg.Server == (server.Environment{}) {
		cfg.Server = server.StoredIn(release.Newest())
	}
	e := &Env{
		server: cfg.Server, documentedOnly: cfg.DocumentedOnly, size: DefaultExpressionSize,
		priced: map[string]bool{}, traits: map[declare.Trait]bool{},
	}
	opts, prices := e.add(cfg.Libraries)
	e.prices = pricing.NewTable(append([]pricing.Prices{pricing.Standard(cfg.Server.Release)}, prices...)...)
	// The checker below validates the declarations, so cel-go need not do it too.
	opts = append(opts, serverCosts(e.prices), cel.EagerlyValidateDeclarations(false))
	var err error
	if e.cel, err = cel.NewEnv(opts...); err != nil {
		return nil, err
	}
	e.settings = settings{numbers: e.traits[declare.Numbers]}
	e.signatures = sync.OnceValue(func() map[string]string { return signaturesOf(e) })
	if err := e.setParser(); err != nil {
		return nil, err
	}
	if e.checker, err = e.baseChecker(); err != nil {
		return nil, err
	}
	// Messages that cel-go knows have names that begin so.
	e.typeRoots = map[string]bool{"google": true}
	e.setChecker(Addition{Libraries: cfg.Libraries})
	e.planner, err = eval.NewPlanner(eval.Config{
		Functions: e.cel.Functions(),
		Adapter:   e.adapter(),
		Price:     e.prices.Runtime,
		Sized:     e.prices.Sized,
		Regexes:   e.regexes,
		Eager:     cfg.Server.Release.Before(server.LazySince),
	})
	return e, err
}

// add notes what libraries bring, and returns their options and prices.
func (e *Env) add(libraries []library.Library) (opts []cel.EnvOption, prices []pricing.Prices) {
	for _, lib := range libraries {
		if !e.documentedOnly {
			lib = lib.Released()
		}
		own := lib.Prices(e.server.Release)
		maps.DeleteFunc(own.Functions, func(name string, _ cost.Model) bool { return e.priced[name] })
		for name := range own.Functions {
			e.priced[name] = true
		}
		opts = append(opts, lib.EnvOption())
		prices = append(prices, own)
		e.regexes = append(e.regexes, lib.Regexes()...)
		e.traits[lib.Trait()] = true
		e.libraries = append(e.libraries, lib)
	}
	return opts, prices
}

// ForServer returns the environment of a server. It is built once, when it is
// first asked for, because it is immutable and costs milliseconds.
func ForServer(s server.Environment) (*Env, error) {
	build, _ := environments.LoadOrStore(s, sync.OnceValues(func() (*Env, error) {
		return New(Config{Libraries: s.Libraries(), Server: s})
	}))
	return build.(func() (*Env, error))()
}

// Documented returns the environment with everything that the newest server knows and
// what is only documented.
var Documented = sync.OnceValues(func() (*Env, error) {
	newest := server.StoredIn(release.Newest())
	return New(Config{Libraries: append(newest.Libraries(), library.JSONPatch()), Server: newest, DocumentedOnly: true})
})

// environments are builders by server. Callers ask only for known releases.
var environments sync.Map

// CEL returns the environment for those who program against cel-go.
func (e *Env) CEL() *cel.Env { return e.cel }

// LibraryNames are the names of the libraries of the environment.
func (e *Env) LibraryNames() []string {
	var names []string
	for _, lib := range e.libraries {
		names = append(names, lib.Name)
	}
	return names
}

// Provider declares the types of a schema, under a name, beside those of
// another provider.
func (e *Env) Provider(base types.Provider, schema *typesystem.Schema, name string) *typesystem.Provider {
	provider := typesystem.NewProvider(base, schema, name)
	if !e.traits[declare.Keywords] {
		provider = provider.WithoutKeywordFields()
	}
	return provider
}

// Sizes are the sizes by which the server estimates data of a schema.
func (e *Env) Sizes(schema *typesystem.Schema) pricing.Sizer { return schema.Sizes(e.server.Release) }

// serverCosts makes programs of the cel-go environment count and limit cost as
// an API server does.
func serverCosts(table *pricing.Table) cel.EnvOption {
	return cel.Lib(programOptions{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostLimit(cost.PerCallLimit),
		cel.CostTracking(table),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.InterruptCheckFrequency(eval.InterruptFrequency),
	})
}

type programOptions []cel.ProgramOption

func (programOptions) CompileOptions() []cel.EnvOption {
	return []cel.EnvOption{cel.CostEstimatorOptions(checker.PresenceTestHasCost(false))}
}

func (o programOptions) ProgramOptions() []cel.ProgramOption { return o }

// baseChecker validates all declarations once; scopes copy the outcome.
func (e *Env) baseChecker() (*checker.Env, error) {
	env := e.cel
	base, err := e.newChecker(env.CELTypeProvider(), nil)
	if err != nil {
		return nil, err
	}
	if err := base.AddIdents(env.Variables()...); err != nil {
		return nil, err
	}
	return base, addFunctions(base, env.Functions())
}

// newChecker returns a checker with what another has declared, which may be nil.
func (e *Env) newChecker(provider types.Provider, declared *checker.Env) (*checker.Env, error) {
	opts := []checker.Option{checker.CrossTypeNumericComparisons(e.settings.numbers), checker.JSONFieldNames(e.settings.jsonNames)}
	if declared != nil {
		opts = append(opts, checker.ValidatedDeclarations(declared))
	}
	return checker.NewEnv(e.cel.Container, provider, opts...)
}

func addFunctions(to *checker.Env, functions map[string]*decls.FunctionDecl) error {
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if fn := functions[name]; !fn.IsDeclarationDisabled() {
			if err := to.AddFunctions(fn); err != nil {
				return err
			}
		}
	}
	return nil
}
