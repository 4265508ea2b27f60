// Package reference answers the cases of the corpus with the API server's own
// packages.
//
// It compiles against the modules of every release from 1.28 on. What they
// declare differently stands in files of its own, chosen by build tags:
// before1.35 is set for all releases before 1.35, and none for the newest.
package reference

import (
	"context"
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/internal/parity"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// Stage is the point in the life of an expression at which it is compiled.
type Stage int

const (
	// Versioned compiles in the version that the case's environment names.
	Versioned Stage = iota
	// Stored compiles what is already stored: with all that the release knows.
	Stored
	// Written compiles what a client writes: with what the release accepts by
	// default so that a cluster can be rolled back.
	Written
)

// Reference is the API server as an implementation of the cases.
type Reference struct {
	// Runs is how often an object is validated. The reference walks maps in
	// random order, and some outcomes depend on it: all that show are recorded.
	Runs  int
	stage Stage
	envs  map[*parity.Environment]*builtEnv
}

// New makes a reference with no environment built yet.
func New(stage Stage) *Reference {
	return &Reference{Runs: 12, stage: stage, envs: map[*parity.Environment]*builtEnv{}}
}

type builtEnv struct {
	env       *cel.Env
	estimator *library.CostEstimator
	vars      map[string]any
}

func (r *Reference) environment(e *parity.Environment) (*builtEnv, error) {
	if b, ok := r.envs[e]; ok {
		return b, nil
	}
	b := &builtEnv{vars: map[string]any{}, estimator: &library.CostEstimator{}}
	opts := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0)}
	for _, v := range e.Vars {
		opts.EnvOptions = append(opts.EnvOptions, cel.Variable(v.Name, v.Type))
		b.vars[v.Name] = v.Value
	}
	if e.Authorizer {
		opts.EnvOptions = append(opts.EnvOptions, cel.Variable("authorizer", library.AuthorizerType))
		b.vars["authorizer"] = library.NewAuthorizerVal(&user.DefaultInfo{Name: parity.AuthorizerUser}, authorizing{})
	}
	if e.JSONPatch {
		opts.EnvOptions = append(opts.EnvOptions, jsonPatch()...)
	}
	if e.Self != nil {
		s, err := Structural(e.Self.Schema)
		if err != nil {
			return nil, err
		}
		decl := model.SchemaDeclType(s, e.Self.Root)
		if decl == nil {
			return nil, errors.New("the schema has no CEL type")
		}
		decl = decl.MaybeAssignTypeName("selfType1")
		opts.EnvOptions = append(opts.EnvOptions, cel.Variable("self", decl.CelType()), cel.Variable("oldSelf", decl.CelType()))
		opts.DeclTypes = []*apiservercel.DeclType{decl}
		b.estimator.SizeEstimator = &sizes{decl}
		if e.Self.Root {
			s = model.WithTypeAndObjectMeta(s)
		}
		first := e.Self.Objects[0]
		b.vars["self"] = common.UnstructuredToVal(first.New, &model.Structural{Structural: s})
		if first.Old != nil {
			b.vars["oldSelf"] = common.UnstructuredToVal(first.Old, &model.Structural{Structural: s})
		}
	}
	compatible := environment.DefaultCompatibilityVersion()
	if r.stage == Versioned {
		compatible = version.MustParseGeneric(e.Version().String())
	}
	set, err := baseEnvSet(compatible).Extend(opts)
	if err != nil {
		return nil, err
	}
	b.env = set.NewExpressionsEnv()
	if r.stage == Stored {
		b.env = set.StoredExpressionsEnv()
	}
	r.envs[e] = b
	return b, nil
}

// Expression compiles, plans, estimates and evaluates as the server does with
// a rule.
func (r *Reference) Expression(c parity.ExprCase) (o parity.ExprOutcome) {
	b, err := r.environment(c.Env)
	if err != nil {
		o.CompileError = "environment: " + err.Error()
		return o
	}
	ast, issues := b.env.Compile(c.Expr)
	if issues != nil {
		o.CompileError = issues.String()
		return o
	}
	o.Type = ast.OutputType().String()
	estimate, err := b.env.EstimateCost(ast, b.estimator)
	if err != nil {
		o.EstimateError = err.Error()
	}
	o.Estimate = [2]uint64{estimate.Min, estimate.Max}
	prog, err := b.env.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.CostTracking(b.estimator),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		o.ProgramError = err.Error()
		return o
	}
	if exhausting(c.Expr) {
		o.Error = "not evaluated: the server runs out of memory"
		return o
	}
	vars, err := interpreter.NewActivation(b.vars)
	if err != nil {
		o.Error = err.Error()
		return o
	}
	evaluate(prog, vars, &o)
	if r.stage == Versioned {
		return o
	}
	for range evaluations - 1 {
		again := o
		if evaluate(prog, vars, &again); again != o {
			o.Result, o.Error, o.Cost = "", "varies from run to run", 0
			return o
		}
	}
	return o
}

// evaluations is how often a release is asked for a result: some older ones
// stop at whichever error they meet first in a map.
const evaluations = 12

func evaluate(prog cel.Program, vars interpreter.Activation, o *parity.ExprOutcome) {
	o.Result, o.Error, o.Cost = "", "", 0
	val, details, err := prog.ContextEval(context.Background(), vars)
	if details != nil && details.ActualCost() != nil {
		o.Cost = *details.ActualCost()
	}
	if err != nil {
		o.Error = err.Error()
		return
	}
	o.Result = parity.Print(val)
}

// sizes bounds the sizes of self and oldSelf by the schema's type. The server
// has the same for rules, but does not export it; a test holds the two together.
type sizes struct{ root *apiservercel.DeclType }

// Sizes estimates by a type as the estimates of expressions do, and prices nothing.
func Sizes(root *apiservercel.DeclType) checker.CostEstimator { return &sizes{root} }

func (s *sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	path := node.Path()
	if len(path) == 0 {
		return nil
	}
	at := s.root
	for _, step := range path[1:] {
		next := at.ElemType
		switch step {
		case "@items", "@values":
		case "@keys":
			next = at.KeyType
		default:
			next = nil
			if f, ok := at.Fields[step]; ok {
				next = f.Type
			}
		}
		if next == nil {
			return nil
		}
		at = next
	}
	return &checker.SizeEstimate{Max: uint64(at.MaxElements)}
}

func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// authorizing asks parity.Authorize.
type authorizing struct{}

func (authorizing) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	q := parity.Access{User: a.GetUser().GetName(), Verb: a.GetVerb(), Path: a.GetPath(), Resource: a.IsResourceRequest()}
	if q.Resource {
		q.Group, q.Version, q.Kind = a.GetAPIGroup(), a.GetAPIVersion(), a.GetResource()
		q.Subresource, q.Namespace, q.ObjectName = a.GetSubresource(), a.GetNamespace(), a.GetName()
		selectors(&q, a)
	}
	allowed, denied, reason, err := parity.Authorize(q)
	switch {
	case allowed:
		return authorizer.DecisionAllow, reason, err
	case denied:
		return authorizer.DecisionDeny, reason, err
	}
	return authorizer.DecisionNoOpinion, reason, err
}
