package ours

import (
	"testing"

	"github.com/google/cel-go/common/decls"

	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/parse/judge"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// judgedScope is the scope of an environment of the cases.
func judgedScope(i *Implementation, e *parity.Environment) (*compile.Scope, error) {
	if e.Self != nil {
		s, err := i.ruleScope(e)
		if err != nil {
			return nil, err
		}
		return s.Scope, nil
	}
	servers := server.StoredIn(i.release)
	if e.Older {
		servers = server.WrittenTo(i.release)
	}
	env, err := compile.ForServer(servers)
	if err == nil && e.JSONPatch {
		env, err = compile.Documented()
	}
	if err != nil {
		return nil, err
	}
	var vars []*decls.VariableDecl
	for _, v := range e.Vars {
		vars = append(vars, decls.NewVariable(v.Name, v.Type))
	}
	if e.Authorizer {
		vars = append(vars, decls.NewVariable("authorizer", library.AuthorizerType()))
	}
	return env.Scope(env.CEL().CELTypeProvider(), nil, vars...)
}

// TestJudgment compares the trees of the whole corpus with those of cel-go's parser and checker,
// node by node, and holds how few expressions are left to these although they have no error.
func TestJudgment(t *testing.T) {
	t.Parallel()
	corpus := loadCorpus(t)
	i := NewRelease(release.Newest())
	scopes := map[*parity.Environment]*compile.Scope{}
	var cases []parity.ExprCase
	for _, g := range corpus.Expressions {
		cases = append(cases, g.Cases...)
	}
	count, checked, unparsed, unchecked := 0, 0, 0, 0
	for _, c := range cases {
		if scopes[c.Env] == nil {
			var err error
			if scopes[c.Env], err = judgedScope(i, c.Env); err != nil {
				t.Fatal(err)
			}
		}
		j := scopes[c.Env].Judge(c.Expr, judge.Difference)
		count++
		if j.Difference != "" {
			t.Errorf("%s: %s: %s", c.Env.Name, c.Expr, j.Difference)
		}
		if j.FastChecked {
			checked++
		} else if j.Checked {
			unchecked++
			t.Logf("%s: %.200s: left to cel-go's checker", c.Env.Name, c.Expr)
		}
		if j.Parsed && !j.Fast {
			unparsed++
			t.Logf("%s: %.200s: left to cel-go's parser", c.Env.Name, c.Expr)
		}
	}
	t.Logf("%d expressions, %d checked, %d without an error left to cel-go's checker, %d to its parser", count, checked, unchecked, unparsed)
	if checked < 25_000 || unchecked > 16 || unparsed > 0 {
		t.Errorf("more are left to cel-go than the messages of protocol buffers")
	}
}
