package admission

import (
	"maps"
	"slices"
	"testing"
)

func same(a, b Outcome) bool {
	return a.Allowed == b.Allowed && a.Message == b.Message && a.Reason == b.Reason && a.Code == b.Code && slices.Equal(a.Warnings, b.Warnings) &&
		maps.Equal(a.Annotations, b.Annotations)
}

// TestDecisions compares the decisions about all requests under all policies, with their
// texts, warnings and audit annotations.
func TestDecisions(t *testing.T) {
	world, requests, cases := NewWorld(), Requests(), Cases()
	compared, denied, errored, different := 0, 0, 0, 0
	for _, c := range cases {
		server, err := NewServer(c, world)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		ours, err := NewOurs(c, world)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		before := different
		for i, r := range requests {
			if c.Few && i > 4 {
				break
			}
			want := server.Decide(t.Context(), r)
			got, _, err := ours.Decide(t.Context(), r)
			compared++
			if !want.Allowed {
				denied++
			}
			if want.Code == 422 && want.Reason == "Invalid" {
				errored++
			}
			if err == nil && same(want, got) {
				continue
			}
			if different++; different == before+1 {
				t.Errorf("%s, %s: error %v\n policy %v\n server %+v\n ours   %+v", c.Name, r.Name, err, c.Policies[0]["spec"], want, got)
			}
		}
	}
	t.Logf("%d policies, %d requests, %d decisions: %d denied, %d different", len(cases), len(requests), compared, denied, different)
	if len(cases) < 300 || compared < 5000 || denied == 0 || denied == compared {
		t.Errorf("too little was compared")
	}
}
