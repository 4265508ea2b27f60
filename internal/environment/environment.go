// Package environment compiles expressions as an API server does: one base
// environment that holds all functions, and cheap scopes on top of it that add
// the variables and types of a place.
package environment

import (
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/pricing"
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
	Server Server
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
	server  Server
	size    int
	// numbers tells whether numbers of different types compare, keywords whether
	// fields can be selected by reserved words, and optionals whether there are
	// optional types.
	numbers, keywords, optionals bool
	// checksFormat tells whether calls of format are checked.
	checksFormat bool
	// grammar is the same for environments that parse alike.
	grammar string
	// parser is set if that of cel knows more than the server's.
	parser *parser.Parser
	// signatures are what of other environments can be compared with.
	signatures func() map[string]string
}

// New builds a base environment.
func New(cfg Config) (*Env, error) {
	if cfg.Server == (Server{}) {
		cfg.Server = StoredIn(release.Newest())
	}
	prices := []pricing.Prices{pricing.Standard(cfg.Server.Release)}
	// The first library to price a name keeps it: that of a caller must not
	// change what a call of a server's function costs.
	named := map[string]bool{}
	var opts []cel.EnvOption
	var regexes []declare.Regex
	for _, lib := range cfg.Libraries {
		if !cfg.DocumentedOnly {
			lib = lib.Released()
		}
		opts = append(opts, lib.EnvOption())
		own := lib.Prices(cfg.Server.Release)
		maps.DeleteFunc(own.Functions, func(name string, _ cost.Model) bool { return named[name] })
		for name := range own.Functions {
			named[name] = true
		}
		prices = append(prices, own)
		regexes = append(regexes, lib.Regexes()...)
	}
	table := pricing.NewTable(prices...)
	opts = append(opts, cfg.Options...)
	// The checker below validates the declarations, so cel-go need not do it too.
	opts = append(opts, serverCosts(table), cel.EagerlyValidateDeclarations(false))
	env, err := cel.NewEnv(opts...)
	if err != nil {
		return nil, err
	}
	e := &Env{
		cel: env, prices: table, server: cfg.Server, size: cfg.ExpressionSize,
		numbers: has(cfg.Libraries, declare.Numbers), keywords: has(cfg.Libraries, declare.Keywords),
		optionals: has(cfg.Libraries, declare.Optionals), checksFormat: has(cfg.Libraries, declare.Formats),
	}
	e.signatures = sync.OnceValue(func() map[string]string { return signaturesOf(e, cfg.Libraries) })
	if err := e.setParser(has(cfg.Libraries, declare.Backquotes)); err != nil {
		return nil, err
	}
	if e.size == 0 {
		e.size = DefaultExpressionSize
	}
	e.checker, err = e.baseChecker()
	if err != nil {
		return nil, err
	}
	e.planner, err = eval.NewPlanner(eval.Config{
		Functions: env.Functions(),
		Container: env.Container,
		Adapter:   env.CELTypeAdapter(),
		Provider:  env.CELTypeProvider(),
		Price:     func(function, overloadID string) eval.Price { return price(table, function, overloadID) },
		Regexes:   regexes,
		Eager:     cfg.Server.Release.Before(lazySince),
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func has(libraries []library.Library, trait declare.Trait) bool {
	return slices.ContainsFunc(libraries, func(l library.Library) bool { return l.Trait() == trait })
}

// price is the runtime price of a call. What cannot be priced ends the
// evaluation, as in an API server, with an internal error.
func price(table *pricing.Table, function, overloadID string) eval.Price {
	price := table.Runtime(function, overloadID)
	fault := table.Fault(function, overloadID)
	if fault == nil {
		return eval.Price(price)
	}
	return func(args []ref.Val, result ref.Val) uint64 {
		if err := fault(args); err != nil {
			panic(err)
		}
		return price(args, result)
	}
}

// CEL returns the environment for those who program against cel-go.
func (e *Env) CEL() *cel.Env { return e.cel }

// Provider declares the types of a schema, under a name, beside those of
// another provider; nil means that of the environment.
func (e *Env) Provider(base types.Provider, schema *typesystem.Schema, name string) *typesystem.Provider {
	if base == nil {
		base = e.cel.CELTypeProvider()
	}
	provider := typesystem.NewProvider(base, schema, name)
	if !e.keywords {
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
		cel.CostTracking(table.Estimator(nil)),
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
	base, err := checker.NewEnv(env.Container, env.CELTypeProvider(), checker.CrossTypeNumericComparisons(e.numbers))
	if err != nil {
		return nil, err
	}
	if err := base.AddIdents(env.Variables()...); err != nil {
		return nil, err
	}
	functions := env.Functions()
	for _, name := range sortedKeys(functions) {
		if fn := functions[name]; !fn.IsDeclarationDisabled() {
			if err := base.AddFunctions(fn); err != nil {
				return nil, err
			}
		}
	}
	return base, nil
}

// Scope compiles the expressions of one place: the base environment, its
// variables, and the types that they need.
type Scope struct {
	env      *Env
	checker  *checker.Env
	provider types.Provider
	sizes    pricing.Sizer
}

// Scope adds variables to the environment. A nil provider means that of the
// environment, and nil sizes that nothing is known of the variables' sizes.
func (e *Env) Scope(provider types.Provider, sizes pricing.Sizer, vars ...*decls.VariableDecl) (*Scope, error) {
	if provider == nil {
		provider = e.cel.CELTypeProvider()
	}
	scoped, err := checker.NewEnv(e.cel.Container, provider,
		checker.CrossTypeNumericComparisons(e.numbers), checker.ValidatedDeclarations(e.checker))
	if err != nil {
		return nil, err
	}
	// Those of the base environment again, so that a name declared in both is an
	// error: since v0.31 the checker only looks at the last scope.
	if err := scoped.AddIdents(append(e.cel.Variables(), vars...)...); err != nil {
		return nil, err
	}
	return &Scope{env: e, checker: scoped, provider: provider, sizes: sizes}, nil
}

// Compile parses and type-checks an expression and runs the validators of
// literals. The error, if there is one, is a *Failure.
func (s *Scope) Compile(expr string) (*celast.AST, error) {
	source, parsed, err := s.parse(expr)
	if err != nil {
		return nil, err
	}
	return s.check(source, parsed)
}

func (s *Scope) parse(expr string) (common.Source, *celast.AST, error) {
	source, err := common.NewTextSourceWithLimit(expr, s.env.size)
	if err != nil {
		return nil, nil, sizeFailure(err)
	}
	parsed, issues := s.env.parseSource(source)
	if issues.Err() != nil {
		return nil, nil, s.syntaxFailure(expr, issues)
	}
	return source, parsed, nil
}

// check type-checks what was parsed, which it changes.
func (s *Scope) check(source common.Source, parsed *celast.AST) (*celast.AST, error) {
	checked, errs := checker.Check(parsed, source, s.checker)
	issues := cel.NewIssuesWithSourceInfo(errs, parsed.SourceInfo())
	if issues.Err() != nil {
		return nil, s.checkFailure(parsed, source, issues)
	}
	if err := s.validateLiterals(checked, issues); err != nil {
		return nil, err
	}
	return checked, nil
}

func (s *Scope) validateLiterals(checked *celast.AST, issues *cel.Issues) error {
	if err := validate(s.env.cel, s.env.checksFormat, checked, issues); err != nil {
		return err
	}
	if issues.Err() != nil {
		return literalFailure(issues)
	}
	if s.env.server.Release == formatPanics && formatsUnknown(checked) {
		return panicFailure("invalid memory address or nil pointer dereference")
	}
	return nil
}

func validate(env *cel.Env, format bool, checked *celast.AST, issues *cel.Issues) (err error) {
	// cel-go's validators of literals panic on some expressions, such as
	// [?dyn([])[?0]]; an API server answers such a request with an internal error.
	defer func() {
		if r := recover(); r != nil {
			err = panicFailure(r)
		}
	}()
	config := validatorConfig{cel.HomogeneousAggregateLiteralExemptFunctions: []string{}}
	validators := env.Validators()
	for _, v := range validators {
		if c, ok := v.(cel.ASTValidatorConfigurer); ok {
			if err := c.Configure(config); err != nil {
				return err
			}
		}
	}
	for _, v := range validators {
		if format || !isFormatValidator(v) {
			v.Validate(env, config, checked, issues)
		}
	}
	return nil
}

// Estimate prices a checked expression before evaluation.
func (s *Scope) Estimate(checked *celast.AST) (cost.Range, error) {
	return s.env.prices.Estimate(checked, s.sizes)
}

// Plan prepares a checked expression for evaluation.
func (s *Scope) Plan(checked *celast.AST) (*eval.Program, error) {
	return s.env.planner.Plan(checked, s.provider)
}

// validatorConfig is what the validators of literals tell each other.
type validatorConfig map[string]any

func (c validatorConfig) GetOrDefault(name string, value any) any {
	if v, ok := c[name]; ok {
		return v
	}
	return value
}

func (c validatorConfig) Set(name string, value any) error {
	c[name] = value
	return nil
}
