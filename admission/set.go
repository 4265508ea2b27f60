package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/policy"
)

func quote(s string) string { return strconv.Quote(s) }

// Set is policies with their bindings, compiled. It is read-only and safe for concurrent
// use.
type Set struct{ hooks []hook }

// hook is a validating policy with its bindings.
type hook = bound[*Policy, *Binding, *program]

// bound is a policy with its bindings, compiled.
type bound[P, B, C any] struct {
	policy   P
	program  C
	bindings []B
}

// bind compiles the policies that have bindings, in the order of names. Policies and
// bindings are of the kinds; readers name the functions that read them.
func bind[P interface {
	Name() string
	isZero() bool
}, B interface {
	Name() string
	PolicyName() string
	isZero() bool
}, C any](policies []P, bindings []B, policyKind, bindingKind, readers string, compile func(P) (C, error)) (hooks []bound[P, B, C], err error) {
	if slices.ContainsFunc(policies, P.isZero) || slices.ContainsFunc(bindings, B.isZero) {
		return nil, argumentError("a policy or binding is empty: %s read them", readers)
	}
	policies, bindings = byName(policies), byName(bindings)
	if err := unique(policies, policyKind); err != nil {
		return nil, err
	}
	if err := unique(bindings, bindingKind); err != nil {
		return nil, err
	}
	for _, p := range policies {
		h := bound[P, B, C]{policy: p}
		for _, b := range bindings {
			if b.PolicyName() == p.Name() {
				h.bindings = append(h.bindings, b)
			}
		}
		if len(h.bindings) == 0 {
			continue
		}
		if h.program, err = compile(p); err != nil {
			return nil, optionError(err)
		}
		hooks = append(hooks, h)
	}
	return hooks, nil
}

// NewSet compiles policies with their bindings. Policies are evaluated in the order of
// their names, and so are the bindings of each; a server has no order. A policy without
// a binding, and a binding without its policy, do nothing, as in a server.
//
// An expression that does not compile is no error here: a server keeps such a policy, and
// the expression fails when it is evaluated. [Policy.Check] tells. The error is an
// *InputError: of an option, of an empty or nil policy or binding, or of two of a name.
func NewSet(policies []*Policy, bindings []*Binding, opts ...Option) (*Set, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	hooks, err := bind(policies, bindings, policyKind, bindingKind, "ParsePolicy and ParseBinding",
		func(p *Policy) (*program, error) { return p.compile(c.stored()) })
	if err != nil {
		return nil, err
	}
	return &Set{hooks: hooks}, nil
}

func unique[T interface{ Name() string }](sorted []T, kind string) error {
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Name() == sorted[i-1].Name() {
			return argumentError("there are two of %s %q", kind, sorted[i].Name())
		}
	}
	return nil
}

// exempt are the resources to which a server applies no policies of its API.
var exempt = []string{
	"validatingadmissionpolicies", "validatingadmissionpolicybindings", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
}

// Evaluate decides about a request. A denied request is no error.
//
// An expression without a value, and a policy or binding that cannot be used, deny the
// request or not as failurePolicy says. So does the end of the context. The decision then
// counts, and beside it the error is an *EvalError that unwraps to that of the context.
// Any other error is an *InputError, without a decision.
func (s *Set) Evaluate(ctx context.Context, r *Request, cluster *Cluster) (*Decision, error) {
	switch {
	case ctx == nil:
		return nil, argumentError("the context is nil")
	case s == nil:
		return nil, argumentError("the set is nil: NewSet makes one")
	case r == nil:
		return nil, argumentError("the request is nil")
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	d := &dispatch{matcher: newMatcher(r, cluster), seen: map[seenAs]*seen{}}
	if r.Resource.Group != apiGroup || !slices.Contains(exempt, r.Resource.Resource) {
		for _, h := range s.hooks {
			if err := d.dispatch(ctx, h); err != nil {
				d.decision.Status = statusOf(err)
				d.decision.Denials = nil
				return &d.decision, cancelled(ctx)
			}
		}
	}
	d.publish()
	d.decision.Allowed = len(d.decision.Denials) == 0
	if !d.decision.Allowed {
		d.decision.Status = r.denied(d.decision.Denials[0])
	}
	return &d.decision, cancelled(ctx)
}

// statusOf is the status of an error that ends the evaluation.
func statusOf(err error) *Status {
	var status *statusError
	if !errors.As(err, &status) {
		status = internalError(err)
	}
	s := &Status{Status: "Failure", Message: status.text, Reason: status.reason, Code: int32(status.code)}
	if status.cause != nil {
		s.Details = &StatusDetails{Causes: []StatusCause{{status.cause.Error()}}}
	}
	return s
}

// cancelled is the error of a context that is done.
func cancelled(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	err := ctx.Err()
	if cause := context.Cause(ctx); !errors.Is(cause, err) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return &diag.EvalError{Code: diag.Cancelled, Server: err.Error(), Cause: err}
}

// dispatch is the evaluation of all policies for one request.
type dispatch struct {
	matcher
	decision Decision
	failures []failure
	seen     map[seenAs]*seen
	// namespace is that of the request, nil if it is in none, once it was looked up.
	namespace      map[string]any
	namespaceKnown bool
}

// failure is what a binding that audits records.
type failure struct {
	Message           string   `json:"message"`
	Policy            string   `json:"policy"`
	Binding           string   `json:"binding"`
	ExpressionIndex   int      `json:"expressionIndex"`
	ValidationActions []string `json:"validationActions"`
}

// configError denies the request because of a policy or binding that cannot be used.
func (d *dispatch) configError(err error, p *Policy, b *Binding) {
	what, binding := "policy", ""
	if b != nil {
		what, binding = "binding", b.name
	}
	denial := Denial{Policy: p.name, Binding: binding, Index: -1, Err: err}
	switch f := p.failurePolicy(); f {
	case ignore:
		return
	case fail:
		denial.Message = fmt.Sprintf("failed to configure %s: %v", what, err)
	default:
		denial.Message = fmt.Sprintf("unrecognized failure policy: '%v'", f)
	}
	d.decision.Denials = append(d.decision.Denials, denial)
}

func (d *dispatch) dispatch(ctx context.Context, h hook) error {
	p := h.policy
	if p.spec.MatchConstraints == nil {
		d.configError(errors.New("policy contained no match constraints, a required field"), p, nil)
		return nil
	}
	as, matched, err := d.matches(ctx, p.spec.MatchConstraints)
	if err == nil && matched {
		err = d.unknownKind(p.spec.ParamKind)
	}
	if err != nil {
		d.configError(err, p, nil)
		return nil
	}
	if !matched {
		return nil
	}
	annotations := map[string][]string{}
	for _, b := range h.bindings {
		if b.spec.MatchResources != nil {
			_, matched, err := d.matches(ctx, b.spec.MatchResources)
			if err != nil {
				d.configError(err, p, b)
			}
			if err != nil || !matched {
				continue
			}
		}
		params, err := d.params(ctx, p.spec.ParamKind, b.spec.ParamRef)
		if err != nil {
			d.configError(err, p, b)
			continue
		}
		if err := d.bound(ctx, h, b, as, params, annotations); err != nil {
			return err
		}
	}
	d.annotate(p, annotations)
	return nil
}

// seen is a request as a policy sees it.
type seen struct {
	in *policy.Inputs
	// matching is what match conditions see: the kind is that of the equivalent, and the
	// resource that of the request.
	matching *policy.Inputs
}

// see returns the variables of the request. They are made once for all policies that see
// it alike.
func (d *dispatch) see(ctx context.Context, as target) (*seen, error) {
	key := seenAs{as.resource, as.kind}
	if s := d.seen[key]; s != nil {
		return s, nil
	}
	in, err := d.inputs(ctx, as)
	if err != nil {
		return nil, err
	}
	s := &seen{in: in, matching: in}
	if as.resource != d.request.Resource {
		matching := *in
		matching.Request = d.request.shown(target{resource: d.request.Resource, kind: as.kind})
		s.matching = &matching
	}
	d.seen[key] = s
	return s, nil
}

type seenAs struct {
	resource GroupVersionResource
	kind     GroupVersionKind
}

// bound evaluates a policy as a binding has it.
func (d *dispatch) bound(ctx context.Context, h hook, b *Binding, as target, params []param, annotations map[string][]string) error {
	var s *seen
	if len(params) > 0 {
		var err error
		if s, err = d.see(ctx, as); err != nil {
			d.configError(err, h.policy, b)
			return nil
		}
	}
	namespace, err := d.requestNamespace(ctx)
	if err != nil {
		return err
	}
	for _, param := range params {
		in, matching := *s.in, *s.matching
		in.Params = policy.Value(param.content)
		matching.Params = in.Params
		in.Namespace = namespace
		e := evaluator{policy: h.policy, program: h.program, in: &in, matching: &matching, call: cost.PerCallLimit}
		result := e.run(ctx)
		result.Policy, result.Binding, result.Param = h.policy.name, b.name, param.name
		d.decision.Evaluations = append(d.decision.Evaluations, result)
		d.act(h.policy, b, result, annotations)
	}
	return nil
}

// requestNamespace is the namespace of the request, looked up once. A namespace is in
// none.
func (d *dispatch) requestNamespace(ctx context.Context) (map[string]any, error) {
	if d.namespaceKnown {
		return d.namespace, nil
	}
	var found map[string]any
	unknown := d.cluster == nil || d.cluster.Namespace == nil
	if !unknown && d.request.Namespace != "" && d.request.Kind != (GroupVersionKind{Version: "v1", Kind: "Namespace"}) {
		var err error
		if found, err = d.cluster.namespace(ctx, d.request.Namespace); err != nil {
			return nil, err
		}
	}
	d.namespace, d.namespaceKnown = found, true
	return d.namespace, nil
}

// act does what the binding says of a result.
func (d *dispatch) act(p *Policy, b *Binding, result Evaluation, annotations map[string][]string) {
	for i, v := range result.Validations {
		if !v.Denies {
			continue
		}
		for _, action := range b.spec.ValidationActions {
			switch action {
			case deny:
				d.decision.Denials = append(d.decision.Denials, Denial{
					Policy: p.name, Binding: b.name, Message: v.Message, Reason: v.Reason, Index: v.Index, Err: v.Err,
				})
			case audit:
				d.failures = append(d.failures, failure{v.Message, b.spec.PolicyName, b.name, i, b.spec.ValidationActions})
			case warn:
				d.decision.Warnings = append(d.decision.Warnings, fmt.Sprintf(
					"Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", p.name, b.name, v.Message))
			}
		}
	}
	for _, a := range result.AuditAnnotations {
		if a.Error != "" {
			// Whatever the binding's actions are.
			d.decision.Denials = append(d.decision.Denials, Denial{
				Policy: p.name, Binding: b.name, Message: a.Error, Index: -1, Err: a.Err,
			})
		} else if a.Value != "" {
			value := a.Value[:min(len(a.Value), maxAnnotation)]
			if !slices.Contains(annotations[a.Key], value) {
				annotations[a.Key] = append(annotations[a.Key], value)
			}
		}
	}
}

const (
	// maxAnnotation is the size in bytes to which the value of an audit annotation is cut.
	maxAnnotation = 10 << 10
	// maxFailures is how many failures are audited.
	maxFailures = 50
	// failureKey is the key of the audit annotation of bindings that audit.
	failureKey = "validation.policy.admission.k8s.io/validation_failure"
)

// annotate publishes the audit annotations of a policy. A key that is not a qualified
// name is left out.
func (d *dispatch) annotate(p *Policy, annotations map[string][]string) {
	for key, values := range annotations {
		d.setAnnotation(p.name+"/"+key, strings.Join(values, ", "))
	}
}

// publish publishes what bindings audit.
func (d *dispatch) publish() {
	if len(d.failures) == 0 {
		return
	}
	// Texts and numbers always have a JSON form.
	if value, err := json.Marshal(d.failures[:min(len(d.failures), maxFailures)]); err == nil {
		d.setAnnotation(failureKey, string(value))
	}
}

func (d *dispatch) setAnnotation(key, value string) {
	if strings.Count(key, "/") != 1 || len(apivalidation.IsQualifiedName(key)) > 0 {
		return
	}
	if d.decision.AuditAnnotations == nil {
		d.decision.AuditAnnotations = map[string]string{}
	}
	d.decision.AuditAnnotations[key] = value
}
