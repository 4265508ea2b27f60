package admission

import (
	"testing"

	"k8s.io/apiserver/pkg/admission"
)

// benchCases are a policy with variables, a message and an annotation, and several policies.
func benchCases() map[string]Case {
	one := of(object{
		"variables": list{
			object{"name": "containers", "expression": "object.spec.containers"}, object{"name": "images", "expression": "variables.containers.map(c, c.image)"},
		},
		"matchConditions": list{object{"name": "m", "expression": "!('system:nodes' in request.userInfo.groups)"}},
		"validations": list{
			object{"expression": "object.spec.replicas <= 5", "messageExpression": "'has ' + string(object.spec.replicas)"},
			object{"expression": "variables.images.all(i, i.size() < 100)", "message": "too long"},
			object{"expression": "namespaceObject.metadata.labels.tier == 'front'"},
		},
		"auditAnnotations": list{object{"key": "images", "valueExpression": "variables.images.join(',')"}},
	})
	several := Case{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		several.Policies = append(several.Policies, policy(name, one.Policies[0]["spec"].(object)))
		several.Bindings = append(several.Bindings, binding(name, name, nil))
	}
	return map[string]Case{"one": one, "five": several}
}

// TestPeer prints how many times less CPU time and bytes a decision needs than in the
// server's own dispatcher, measured in turns in one process.
func TestPeer(t *testing.T) {
	world := NewWorld()
	for _, name := range []string{"one", "five"} {
		c := benchCases()[name]
		server, err := NewServer(c, world)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := NewOurs(c, world)
		if err != nil {
			t.Fatal(err)
		}
		r := Requests()[0]
		if r.Operation != admission.Create {
			t.Fatal("the first request creates")
		}
		if want := server.Decide(t.Context(), r); !want.Allowed {
			t.Fatalf("%+v", want)
		}
		var theirs, own testing.BenchmarkResult
		for range 3 {
			theirs = testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					server.Decide(b.Context(), r)
				}
			})
			own = testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				request := r.ours()
				for b.Loop() {
					if _, err := ours.set.Evaluate(b.Context(), request, ours.cluster); err != nil {
						b.Fatal(err)
					}
				}
			})
			t.Logf("%s: server %d ns, %d B, %d allocations; ours %d ns, %d B, %d allocations: %.1f times faster, %.1f times fewer bytes", name,
				theirs.NsPerOp(), theirs.AllocedBytesPerOp(), theirs.AllocsPerOp(), own.NsPerOp(), own.AllocedBytesPerOp(), own.AllocsPerOp(),
				float64(theirs.NsPerOp())/float64(own.NsPerOp()), float64(theirs.AllocedBytesPerOp())/float64(own.AllocedBytesPerOp()))
		}
	}
}
