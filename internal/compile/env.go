// Package compile compiles expressions as an API server does: it parses, checks,
// plans and estimates them, and says in the words of a server why one does not
// compile.
//
// An [Env] holds all functions. A [Scope] adds the variables and types of a place
// to it, cheaply. [Rules] makes the scopes of the rules of a CRD.
package compile

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/data"
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
	// Options are cel-go options of the caller.
	Options []cel.EnvOption
	// ExpressionSize is the limit of an expression in code points; zero means
	// DefaultExpressionSize.
	ExpressionSize int
}

// Env is a base environment. It is read-only and safe for concurrent use.
type Env struct {
	cel     *cel.Env
	checker *checker.Env
	planner *eval.Planner
	prices  *pricing.Table
	server  server.Environment
	size    int
	// traits are those of the libraries.
	traits map[declare.Trait]bool
	// grammar is equal for environments that parse alike.
	grammar string
	// parser is set if cel's own accepts more than the server's.
	parser *parser.Parser
	// fast parses most expressions, nil if the environment has a syntax of its own.
	fast func() *parse.Parser
	// signatures fingerprints each function; environments with equal fingerprints
	// share compilations.
	signatures func() map[string]string
}

// New builds a base environment.
func New(cfg Config) (*Env, error) {
	if cfg.Server == (server.Environment{}) {
		cfg.Server = server.StoredIn(release.Newest())
	}
	var opts []cel.EnvOption
	var regexes []declare.Regex
	prices, traits := []pricing.Prices{pricing.Standard(cfg.Server.Release)}, map[declare.Trait]bool{}
	// The first library to price a name keeps it: that of a caller must not
	// change what a call of a server's function costs.
	named := map[string]bool{}
	for _, lib := range cfg.Libraries {
		if !cfg.DocumentedOnly {
			lib = lib.Released()
		}
		own := lib.Prices(cfg.Server.Release)
		maps.DeleteFunc(own.Functions, func(name string, _ cost.Model) bool { return named[name] })
		for name := range own.Functions {
			named[name] = true
		}
		opts = append(opts, lib.EnvOption())
		prices = append(prices, own)
		regexes = append(regexes, lib.Regexes()...)
		traits[lib.Trait()] = true
	}
	table := pricing.NewTable(prices...)
	// The checker below validates the declarations, so cel-go need not do it too.
	opts = append(append(opts, cfg.Options...), serverCosts(table), cel.EagerlyValidateDeclarations(false))
	env, err := cel.NewEnv(opts...)
	if err != nil {
		return nil, err
	}
	e := &Env{cel: env, prices: table, server: cfg.Server, size: cmp.Or(cfg.ExpressionSize, DefaultExpressionSize), traits: traits}
	e.signatures = sync.OnceValue(func() map[string]string { return signaturesOf(e, cfg.Libraries) })
	if err := e.setParser(cfg); err != nil {
		return nil, err
	}
	if e.checker, err = e.baseChecker(); err != nil {
		return nil, err
	}
	e.planner, err = eval.NewPlanner(eval.Config{
		Functions: env.Functions(),
		Adapter:   data.Adapter(env.CELTypeAdapter()),
		Price:     table.Runtime,
		Regexes:   regexes,
		Eager:     cfg.Server.Release.Before(server.LazySince),
	})
	return e, err
}

// ForServer returns the environment of a server. It is built once, when it is
// first asked for, because it is immutable and costs milliseconds.
func ForServer(s server.Environment) (*Env, error) {
	build, _ := environments.LoadOrStore(s, sync.OnceValues(func() (*Env, error) {
		return New(Config{Libraries: s.Libraries(), Server: s})
	}))
	return build.(func() (*Env, error))()
}

// environments are builders by server. Callers ask only for known releases.
var environments sync.Map

// CEL returns the environment for those who program against cel-go.
func (e *Env) CEL() *cel.Env { return e.cel }

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
	base, err := checker.NewEnv(env.Container, env.CELTypeProvider(), checker.CrossTypeNumericComparisons(e.traits[declare.Numbers]))
	if err != nil {
		return nil, err
	}
	if err := base.AddIdents(env.Variables()...); err != nil {
		return nil, err
	}
	functions := env.Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if fn := functions[name]; !fn.IsDeclarationDisabled() {
			if err := base.AddFunctions(fn); err != nil {
				return nil, err
			}
		}
	}
	return base, nil
}
