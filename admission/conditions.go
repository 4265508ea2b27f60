package admission

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/policy"
	"github.com/kubecel/kubecel/internal/server"
)

// Conditions are the match conditions of a webhook, compiled. Unlike those of a policy
// they have neither params nor variables.
type Conditions struct {
	conditions    []MatchCondition
	failurePolicy string
	written       []*policy.Expression
	group         *policy.Group
}

// NewConditions compiles the match conditions of a webhook with the failurePolicy Fail or
// Ignore; an empty one is Fail. A condition that does not compile is no error: it fails
// when it is evaluated, and [Conditions.Check] tells. The error is an *InputError.
func NewConditions(conditions []MatchCondition, failurePolicy string, opts ...Option) (*Conditions, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	switch failurePolicy {
	case "":
		failurePolicy = fail
	case fail, ignore:
	default:
		return nil, argumentError("failurePolicy %q: Fail and Ignore are known", failurePolicy)
	}
	m := &Conditions{conditions: append([]MatchCondition(nil), conditions...), failurePolicy: failurePolicy}
	if m.written, _, err = m.compile(c.written()); err == nil {
		_, m.group, err = m.compile(c.stored())
	}
	if err != nil {
		return nil, optionError(err)
	}
	return m, nil
}

func (m *Conditions) compile(s server.Environment) (all []*policy.Expression, group *policy.Group, err error) {
	c, err := policy.NewCompiler(policy.Config{Server: s})
	if err != nil {
		return nil, nil, err
	}
	for _, condition := range m.conditions {
		x, err := c.Compile(policy.WebhookMatchCondition, condition.Expression)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, x)
	}
	return all, c.Group(policy.WebhookMatchCondition, all), nil
}

// Check says what an API server says of the conditions when they are written, with paths
// such as matchConditions[0].expression.
func (m *Conditions) Check() []diag.Finding {
	if m == nil {
		return nil
	}
	f, path := &findings{}, field.NewPath("matchConditions")
	f.matchConditions(path, m.conditions)
	for i, x := range m.written {
		f.expression(part{path.Index(i).Child("expression"), m.conditions[i].Name, x})
	}
	return f.found
}

// Match is what match conditions say of a request.
type Match struct {
	// Matches tells whether all conditions are true.
	Matches bool `json:"matches"`
	// Condition is the name of the first condition that is false.
	Condition string `json:"condition,omitempty"`
	// Cost is what the evaluation cost, in cost units.
	Cost uint64 `json:"cost"`
}

// Match evaluates the conditions on a request. If none is false and one has no value,
// failurePolicy decides: Ignore means that they do not match, and Fail that the request
// fails. The error is then that of the conditions, and unwraps to *EvalErrors. If the
// request or the context is nil, it is an *InputError.
func (m *Conditions) Match(ctx context.Context, r *Request, cluster *Cluster) (Match, error) {
	switch {
	case ctx == nil:
		return Match{}, argumentError("the context is nil")
	case m == nil || r == nil:
		return Match{}, argumentError("the conditions or the request are nil")
	}
	if err := r.check(); err != nil {
		return Match{}, err
	}
	if len(m.conditions) == 0 {
		return Match{Matches: true}, nil
	}
	own := newMatcher(r, cluster)
	in, err := own.inputs(ctx, target{resource: r.Resource, kind: r.Kind})
	if err != nil {
		return Match{}, argumentError("%v", err)
	}
	outcome := m.group.Evaluate(ctx, in, policy.Limits{Call: cost.PerCallLimit, Budget: MatchBudget})
	result := match(outcome, m.conditions, m.failurePolicy)
	return Match{Matches: result.Matches, Condition: result.Condition, Cost: spent(outcome)}, result.Err
}
