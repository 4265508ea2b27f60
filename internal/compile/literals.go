package compile

import (
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/diag"
)

// formatsUnknown tells whether an expression calls format on a text that is no literal.
func formatsUnknown(checked *celast.AST) (found bool) {
	celast.PostOrderVisit(checked.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		ref := checked.ReferenceMap()[e.ID()]
		if e.Kind() == celast.CallKind && ref != nil && slices.Contains(ref.OverloadIDs, overloads.ExtFormatString) {
			found = found || e.AsCall().Target().Kind() != celast.LiteralKind
		}
	}))
	return found
}

// formatValidator checks calls of format. It is the only validator that comes
// with cel-go's library of strings; a test holds that it is there.
var formatValidator = sync.OnceValue(func() cel.ASTValidator {
	env, _ := cel.NewCustomEnv(ext.Strings(ext.StringsVersion(2)))
	return env.Validators()[0]
})

// validate runs validators of literals, that of format only if format is set.
func (e *Env) validate(expr string, validators []cel.ASTValidator, format bool, checked *celast.AST, issues *cel.Issues) (err *diag.CompileError) {
	// cel-go's validators of literals panic on some expressions, such as
	// [?dyn([])[?0]]; an API server answers such a request with an internal error.
	defer func() {
		if r := recover(); r != nil {
			err = panicError(expr, r)
		}
	}()
	found := literals{env: e, tree: checked}
	found.add(checked.Expr())
	idle := func(v cel.ASTValidator) bool {
		return !format && v.Name() == formatValidator().Name() || found.idle(v.Name())
	}
	if !slices.ContainsFunc(validators, func(v cel.ASTValidator) bool { return !idle(v) }) {
		return nil
	}
	config := validatorConfig{}
	for _, v := range validators {
		if c, ok := v.(cel.ASTValidatorConfigurer); ok {
			if err := c.Configure(config); err != nil {
				return panicError(expr, err)
			}
		}
	}
	for _, v := range validators {
		if !idle(v) {
			v.Validate(e.cel, config, checked, issues)
		}
	}
	return nil
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

// FormatIssues are the literals in calls of format that only some servers reject.
// There are none if the check panics, as it does where no server accepts the
// expression.
func (x *Expression) FormatIssues() []*common.Error {
	issues := cel.NewIssues(common.NewErrors(common.NewTextSource(x.Source)))
	if x.scope.env.validate(x.Source, []cel.ASTValidator{formatValidator()}, true, x.Checked, issues) != nil {
		return nil
	}
	return issues.Errors()
}
