package admission

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/kubecel/kubecel/admission"
)

// newMutatingWorld can convert in both directions.
func newMutatingWorld() *World {
	w := NewWorld()
	w.Equivalents[widgets("v2")] = map[schema.GroupVersionResource]schema.GroupVersionKind{
		widgets("v1"): {Group: "example.com", Version: "v1", Kind: "Widget"},
	}
	return w
}

var undeclared = regexp.MustCompile(`\.\S+: field not declared in schema`)

// sorted makes texts equal whose lines or paths have no order in a server.
func sorted(text string) string {
	// Which of several unknown fields is reported is random in a server.
	text = undeclared.ReplaceAllString(text, "a field not declared in schema")
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n,: ", r) })
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

func sameMutation(a, b Mutated) bool {
	for _, m := range []*Mutated{&a, &b} {
		m.Message, m.Causes = sorted(m.Message), slices.Clone(m.Causes)
		for i := range m.Causes {
			m.Causes[i] = sorted(m.Causes[i])
		}
	}
	return same(a.Outcome, b.Outcome) && slices.Equal(a.Causes, b.Causes) && (!a.Allowed || reflect.DeepEqual(a.Object, b.Object))
}

// TestMutations compares what becomes of all requests under all mutating policies: objects,
// texts, reasons, codes and causes.
func TestMutations(t *testing.T) {
	cases := MutatingCases()
	if compared := compareMutations(t, cases, nil, nil); len(cases) < 300 || compared < 5000 {
		t.Errorf("too little was compared")
	}
}

// compareMutations compares with and without schemas, and returns how much.
func compareMutations(t *testing.T, cases []Case, converter managedfields.TypeConverter, schemas *admission.MergeSchemas) int {
	world, requests := newMutatingWorld(), Requests()
	var compared, denied, changed, panics, different int
	for _, c := range cases {
		server, err := NewMutatingServer(c, world, converter)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		ours, err := NewMutatingOurs(c, world, schemas)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		before := different
		for i, r := range requests {
			if c.Few && i > 4 {
				break
			}
			want := server.Mutate(t.Context(), r)
			got, _, err := ours.Mutate(t.Context(), r)
			compared++
			if want.Panic != "" {
				panics++
				t.Logf("%s, %s: the server panics: %s; ours: %+v %v", c.Name, r.Name, want.Panic, got.Outcome, err)
				continue
			}
			if !want.Allowed {
				denied++
			} else if !reflect.DeepEqual(want.Object, r.Object) {
				changed++
			}
			if err == nil && sameMutation(want, got) {
				continue
			}
			if different++; different == before+1 {
				spec, _ := json.Marshal(c.Policies)
				t.Errorf("%s, %s: error %v\n policies %s\n server %+v\n ours   %+v", c.Name, r.Name, err, spec, want, got)
			}
		}
	}
	t.Logf("%d policies, %d requests, %d mutations: %d changed, %d denied, %d panics of the server, %d different",
		len(cases), len(requests), compared, changed, denied, panics, different)
	if denied == 0 || changed == 0 {
		t.Errorf("too little was compared")
	}
	return compared
}
