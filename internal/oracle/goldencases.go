package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/release"
	"sigs.k8s.io/yaml"

	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// caseRecorder answers the rows of testdata/cases in the environments of all
// versions, the newest first.
type caseRecorder struct {
	versions []string
	envs     map[string]*cel.Env
	vars     map[string]any
}

// firstVersioned is the oldest environment version that differs from 1.0.
const firstVersioned = 25

func newCaseRecorder() (*caseRecorder, error) {
	c := &caseRecorder{envs: map[string]*cel.Env{}, vars: caseVariables()}
	newest := version.MustParseGeneric(release.Newest().String()).Minor()
	for minor := newest; minor >= firstVersioned; minor-- {
		c.versions = append(c.versions, fmt.Sprintf("1.%d", minor))
	}
	c.versions = append(c.versions, "1.0")
	for _, v := range c.versions {
		at := version.MustParseGeneric(v)
		opts := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: []cel.EnvOption{
			library.JSONPatch(),
			cel.Variable("text", cel.StringType), cel.Variable("freeText", cel.StringType), cel.Variable("any", cel.DynType),
			cel.Variable("texts", cel.ListType(cel.StringType)), cel.Variable("freeTexts", cel.ListType(cel.StringType)),
			cel.Variable("ints", cel.ListType(cel.IntType)), cel.Variable("anys", cel.ListType(cel.DynType)),
			cel.Variable("byText", cel.MapType(cel.StringType, cel.IntType)),
		}}
		if at.AtLeast(version.MajorMinor(1, 27)) {
			opts.EnvOptions = append(opts.EnvOptions, cel.Variable("authorizer", library.AuthorizerType))
		}
		set, err := environment.MustBaseEnvSet(at).Extend(opts)
		if err != nil {
			return nil, fmt.Errorf("version %s: %w", v, err)
		}
		c.envs[v] = set.NewExpressionsEnv()
	}
	return c, nil
}

func caseVariables() map[string]any {
	alice := &user.DefaultInfo{Name: "alice", UID: "7", Groups: []string{"dev", "system:authenticated"}}
	return map[string]any{
		"text":       "10.0.0.0/8",
		"freeText":   "1.2.3",
		"texts":      []string{"b", "a"},
		"freeTexts":  []string{"::1", "::2", "::1"},
		"ints":       []int64{3, 1, 2},
		"any":        "10.0.0.1",
		"anys":       []any{int64(1), "0123456789", 2.0},
		"byText":     map[string]int64{"0123456789": 1, "b": 2},
		"authorizer": library.NewAuthorizerVal(alice, byVerb{}),
	}
}

// caseSizes are the limits of some variables, as a schema would give them.
type caseSizes struct{}

func (caseSizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	switch strings.Join(node.Path(), ".") {
	case "text":
		return &checker.SizeEstimate{Min: 3, Max: 55}
	case "texts", "ints":
		return &checker.SizeEstimate{Min: 1, Max: 12}
	case "texts.@items":
		return &checker.SizeEstimate{Min: 2, Max: 33}
	case "byText", "any":
		return &checker.SizeEstimate{Max: 7}
	}
	return nil
}

func (caseSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// byVerb is the authorizer of the cases: authz.yaml says what it answers.
type byVerb struct{}

func (byVerb) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	switch a.GetVerb() {
	case "ignore":
		return authorizer.DecisionNoOpinion, "", nil
	case "deny":
		return authorizer.DecisionDeny, "forbidden by rule", nil
	case "fail":
		return authorizer.DecisionNoOpinion, "webhook", errors.New("connection refused")
	case "allowfail":
		return authorizer.DecisionAllow, "both", errors.New("stale cache")
	case "describe":
		return authorizer.DecisionNoOpinion, describeAccess(a), nil
	}
	return authorizer.DecisionAllow, "", nil
}

func describeAccess(a authorizer.Attributes) string {
	var b strings.Builder
	fmt.Fprintf(&b, "user=%s groups=%s", a.GetUser().GetName(), strings.Join(a.GetUser().GetGroups(), ","))
	if !a.IsResourceRequest() {
		fmt.Fprintf(&b, " path=%s", a.GetPath())
		return b.String()
	}
	fmt.Fprintf(&b, " group=%s version=%s resource=%s subresource=%s namespace=%s name=%s",
		a.GetAPIGroup(), a.GetAPIVersion(), a.GetResource(), a.GetSubresource(), a.GetNamespace(), a.GetName())
	fields, err := a.GetFieldSelector()
	for _, r := range fields {
		fmt.Fprintf(&b, " field[%s %s %s]", r.Field, r.Operator, r.Value)
	}
	if err != nil {
		fmt.Fprintf(&b, " fieldError[%v]", err)
	}
	labels, err := a.GetLabelSelector()
	for _, r := range labels {
		fmt.Fprintf(&b, " label[%s]", r.String())
	}
	if err != nil {
		fmt.Fprintf(&b, " labelError[%v]", err)
	}
	return b.String()
}

// answer is what a version makes of an expression, as the lines of its row.
func (c *caseRecorder) answer(version, expr string) []string {
	ast, issues := c.envs[version].Compile(expr)
	if issues != nil && issues.Err() != nil {
		return []string{"  compile: " + quoteYAML(issues.Err().Error())}
	}
	estimator := &library.CostEstimator{SizeEstimator: caseSizes{}}
	estimate, err := c.envs[version].EstimateCost(ast, estimator)
	if err != nil {
		return []string{"  compile: " + quoteYAML(err.Error())}
	}
	estimated := fmt.Sprintf("  estimate: {min: %d, max: %d}", estimate.Min, estimate.Max)
	program, err := c.envs[version].Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.CostTracking(estimator),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		return []string{"  plan: " + quoteYAML(err.Error()), estimated}
	}
	value, details, err := program.ContextEval(context.Background(), c.vars)
	cost := fmt.Sprintf("  cost: %d", *details.ActualCost())
	if err != nil {
		return []string{"  error: " + quoteYAML(err.Error()), estimated, cost}
	}
	return []string{"  want: " + quoteYAML(literal(value)), estimated, cost}
}

// row is the answer of the newest version, and since which version it holds.
func (c *caseRecorder) row(expr string) []string {
	lines := c.answer(c.versions[0], expr)
	since := c.versions[0]
	for _, v := range c.versions[1:] {
		if !slices.Equal(c.answer(v, expr), lines) {
			return append(lines, "  since: "+quoteYAML(since))
		}
		since = v
	}
	return lines
}

// record writes the answers below each row's expression. Comments, blank lines
// and the expressions stay.
func (c *caseRecorder) record(old []byte) ([]byte, error) {
	return editLines(old, func(line string) ([]string, error) {
		switch {
		case line == "", strings.HasPrefix(line, "#"):
			return []string{line}, nil
		case strings.HasPrefix(line, "- expr: "):
			var rows []struct{ Expr string }
			if err := yaml.UnmarshalStrict([]byte(line), &rows); err != nil {
				return nil, err
			}
			return append([]string{line}, c.row(rows[0].Expr)...), nil
		case strings.HasPrefix(line, "  ") && strings.Contains(line, ": "):
			return nil, nil // an answer that was given before
		}
		return nil, errors.New("neither a comment, an expression nor an answer")
	})
}

// literal prints a value as the tests of the cases do: a text that tells its CEL
// type and all of its value.
func literal(v ref.Val) string {
	switch v := v.(type) {
	case types.Bool, types.Int:
		return fmt.Sprint(v.Value())
	case types.Uint:
		return fmt.Sprintf("%du", uint64(v))
	case types.Double:
		return "double(" + strconv.FormatFloat(float64(v), 'g', -1, 64) + ")"
	case types.String:
		return strconv.QuoteToASCII(string(v))
	case types.Bytes:
		return fmt.Sprintf("b%+q", string(v))
	case types.Duration:
		return "duration(" + v.Duration.String() + ")"
	case types.Timestamp:
		return "timestamp(" + v.Time.UTC().Format("2006-01-02T15:04:05.999999999Z") + ")"
	case types.Null:
		return "null"
	case *types.Optional:
		if v.HasValue() {
			return "optional(" + literal(v.GetValue()) + ")"
		}
		return "optional()"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case traits.Lister:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, literal(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			parts = append(parts, literal(k)+": "+literal(v.Get(k)))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.Type().TypeName() + "(" + fmt.Sprint(v.Value()) + ")"
}
