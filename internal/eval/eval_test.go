package eval

import "testing"

func TestSmoke(t *testing.T) {
	env := newEnv(t)
	for _, p := range []pricing{fingerprint, standard} {
		e := newEngines(t, env, p)
		for _, text := range []string{
			`1 + i == 4`, `self.items.all(e, e.name.matches('^[a-z]$'))`, `has(self.x.y) && self.x.y.z`, `self.?a.orValue(1)`,
			`lm.all(e, e.a > 0)`, `lm.exists(e, e.a == 4)`, `lm.map(e, e.s)`, `lm.filter(e, has(e.s)).map(e, e.s)`, `[1,2].exists_one(z, z in [1, 3])`,
			`lm.all(self, .self.name == 'foo')`, `three(1, self.q, 2)`, `lm.all(e, three(e.s, e.a, e.s) > 0)`, `li[i - 3]`, `ld[b ? 0 : 1]`,
			`m.all(k, v, k == 'one' && v == 1)`, `li.transformList(a, c, a + c)`, `cel.bind(q, self.count, q + q)`,
		} {
			e.compare(t, text, nativeVars(), 1000)
			e.compare(t, text, valueVars(), 1000)
		}
	}
}
