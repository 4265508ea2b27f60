package main

import (
	"context"
	"encoding/json"
	"flag"
	"runtime"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// peerSchema is the HTTPRoute of the standard channel of v1.4.1, which has 77
// rules, and the object that all of them accept.
func peerSchema(tb testing.TB) (schema map[string]any, route map[string]any) {
	tb.Helper()
	crds, err := gatewayCRDs("v1.4.1")
	if err != nil {
		tb.Fatal(err)
	}
	for _, c := range crds {
		if c.Name != "v1.4.1/standard/gateway.networking.k8s.io_httproutes" {
			continue
		}
		version := c.CRD["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
		schema = version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		s, err := reference.Structural(schema)
		if err != nil {
			tb.Fatal(err)
		}
		route = examplesOf("HTTPRoute")[0]
		defaulting.Default(route, s)
		return schema, route
	}
	tb.Fatal("no HTTPRoute")
	return nil, nil
}

// figures are what one side needs for one operation.
type figures struct {
	nanoseconds, bytes, allocs int64
	// retained is the heap that what was compiled keeps alive.
	retained int64
}

func measure(f func(b *testing.B)) figures {
	r := testing.Benchmark(f)
	return figures{nanoseconds: r.NsPerOp(), bytes: r.AllocedBytesPerOp(), allocs: r.AllocsPerOp()}
}

// retained is the growth of the heap by what make returns, averaged over a few
// of them; what make shares between calls does not count.
func retained(make func() any) int64 {
	const n = 8
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	make()
	var kept [n]any
	before := heap()
	for i := range kept {
		kept[i] = make()
	}
	after := heap()
	runtime.KeepAlive(kept)
	return (after - before) / n
}

// peer is one side of the comparison.
type peer struct {
	name string
	// prepare decodes a schema, which is not measured, and gives the function
	// that compiles it; validate tells how many errors an object has.
	prepare func(schema map[string]any) (compile func() any)
	// ready gives what validates.
	ready    func(schema map[string]any) any
	validate func(compiled any, object map[string]any) int
}

type compiledReference struct {
	schema    *structuralschema.Structural
	validator *schemacel.Validator
}

func prepareReference(schema map[string]any) func() any {
	props, err := reference.SchemaProps(schema)
	if err != nil {
		panic(err)
	}
	return func() any {
		s, err := structuralschema.NewStructural(props)
		if err != nil {
			panic(err)
		}
		return compiledReference{s, schemacel.NewValidator(s, true, celconfig.PerCallLimit)}
	}
}

func compileReference(schema map[string]any) any { return prepareReference(schema)() }

var referencePeer = peer{
	name:    "reference",
	prepare: prepareReference,
	ready:   compileReference,
	validate: func(compiled any, object map[string]any) int {
		c := compiled.(compiledReference)
		errs, _ := c.validator.Validate(context.Background(), nil, c.schema, object, nil, celconfig.RuntimeCELCostBudget)
		return len(errs)
	},
}

// ourPeer compiles from a decoded schema, as the reference does, and validates
// through the public façade.
var ourPeer = peer{
	name: "kubecel",
	prepare: func(schema map[string]any) func() any {
		doc, err := typesystem.ParseOpenAPI(encoded(schema))
		if err != nil {
			panic(err)
		}
		env, err := compile.ForServer(server.StoredIn(release.Newest()))
		if err != nil {
			panic(err)
		}
		return func() any {
			v, err := crd.NewValidator(doc, true, env.Rules())
			if err != nil {
				panic(err)
			}
			return v
		}
	},
	ready: func(schema map[string]any) any {
		parsed, err := kubecel.ParseResourceSchema(encoded(schema))
		if err != nil {
			panic(err)
		}
		rules, err := parsed.Compile()
		if err != nil {
			panic(err)
		}
		return rules
	},
	validate: func(compiled any, object map[string]any) int {
		report, err := compiled.(*kubecel.RuleSet).Validate(context.Background(), object, nil, kubecel.AlreadyDefaulted())
		if err != nil {
			panic(err)
		}
		return len(report.Violations)
	},
}

func encoded(schema map[string]any) []byte {
	data, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return data
}

// rounds is how often each side is measured, in turns, so that a load on the
// machine falls on both; the shortest time of each counts.
const rounds = 3

func best(all *[]figures, i int, f figures) {
	if i == len(*all) {
		*all = append(*all, f)
	} else if f.nanoseconds < (*all)[i].nanoseconds {
		(*all)[i] = f
	}
}

func measureValidate(t *testing.T, p peer, schema, route map[string]any) figures {
	compiled := p.ready(schema)
	if n := p.validate(compiled, route); n != 0 {
		t.Fatalf("%s: the object is refused with %d errors", p.name, n)
	}
	return measure(func(b *testing.B) {
		for b.Loop() {
			p.validate(compiled, route)
		}
	})
}

func measureCompile(p peer, schema map[string]any) figures {
	prepared := p.prepare(schema)
	f := measure(func(b *testing.B) {
		for b.Loop() {
			prepared()
		}
	})
	f.retained = retained(prepared)
	return f
}

// TestPeer prints the figures of both sides, measured in one run, and their
// ratios. It runs only when asked for by name.
func TestPeer(t *testing.T) {
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "TestPeer") {
		t.Skip("run by make bench-peer")
	}
	schema, route := peerSchema(t)
	outcome := reference.New(reference.Versioned).Schema(parity.SchemaCase{Schema: schema, Root: true})
	t.Logf("HTTPRoute of Gateway API v1.4.1, standard channel: %d rules", len(outcome.Rules))
	var validate, compile []figures
	peers := []peer{referencePeer, ourPeer}
	for range rounds {
		for i, p := range peers {
			best(&validate, i, measureValidate(t, p, schema, route))
			best(&compile, i, measureCompile(p, schema))
		}
	}
	for i, p := range peers {
		v, c := validate[i], compile[i]
		t.Logf("%-10s validate %9d ns %9d B %7d allocs", p.name, v.nanoseconds, v.bytes, v.allocs)
		t.Logf("%-10s compile  %9d ns %9d B %7d allocs %9d B retained", p.name, c.nanoseconds, c.bytes, c.allocs, c.retained)
	}
	checkRatio(t, "validate, time", validate[0].nanoseconds, validate[1].nanoseconds, 5)
	checkRatio(t, "validate, bytes", validate[0].bytes, validate[1].bytes, 10)
	checkRatio(t, "compile, time", compile[0].nanoseconds, compile[1].nanoseconds, 2)
	checkRatio(t, "compile, retained heap", compile[0].retained, compile[1].retained, 2)
}

// checkRatio prints how many times less kubecel needs, and fails below a least.
func checkRatio(t *testing.T, what string, reference, ours int64, least float64) {
	t.Helper()
	ratio := float64(reference) / float64(max(ours, 1))
	t.Logf("%-24s %6.1f times less (at least %.0f wanted)", what, ratio, least)
	if ratio < least {
		t.Errorf("%s: only %.2f times less than the reference", what, ratio)
	}
}

func BenchmarkReferenceValidate(b *testing.B) {
	schema, route := peerSchema(b)
	compiled := referencePeer.prepare(schema)()
	b.ReportAllocs()
	for b.Loop() {
		referencePeer.validate(compiled, route)
	}
}

func BenchmarkReferenceCompile(b *testing.B) {
	schema, _ := peerSchema(b)
	compile := referencePeer.prepare(schema)
	b.ReportAllocs()
	for b.Loop() {
		compile()
	}
}
