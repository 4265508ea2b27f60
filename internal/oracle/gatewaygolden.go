package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
)

// gatewayLine is what is kept of a schema of the Gateway API: places, numbers
// and hashes, none of its text.
type gatewayLine struct {
	Schema string `json:"schema"`
	// Rules are "path[index] maxCost cardinality hash", the hash of the outcome.
	Rules []string `json:"rules"`
	// Objects were validated, Refused of them; Cost is what all of them spent.
	Objects int   `json:"objects"`
	Refused int   `json:"refused"`
	Cost    int64 `json:"cost"`
	// Hash is over the outcomes of all objects.
	Hash string `json:"hash"`
}

// summarise reduces an outcome to what may be kept.
func summarise(name string, o parity.SchemaOutcome) gatewayLine {
	l := gatewayLine{Schema: name, Rules: []string{}, Objects: len(o.Objects)}
	for _, r := range o.Rules {
		l.Rules = append(l.Rules, fmt.Sprintf("%s[%d] %d %d %s", r.Path, r.Index, r.MaxCost, r.Cardinality, parity.Hash(asJSON(r))))
	}
	var all strings.Builder
	for _, obj := range o.Objects {
		if len(obj.Errors) > 0 {
			l.Refused++
		}
		l.Cost += 10_000_000 - obj.Remaining
		all.WriteString(reference.OutcomeKey(obj))
	}
	l.Hash = parity.Hash(all.String())
	return l
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func gatewayGolden(release string) string {
	return filepath.Join(parity.Goldens(testdata), "gateway-api-"+release+".jsonl")
}

// recordGateway writes the summaries of every schema of a release.
func recordGateway(release string) error {
	r := reference.New(reference.Versioned)
	r.Runs = 1
	crds, err := gatewayCRDs(release)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, crd := range crds {
		schemas, err := gatewaySchemas(crd)
		if err != nil {
			return err
		}
		for _, s := range schemas {
			b.WriteString(asJSON(summarise(s.Name, r.Schema(s))) + "\n")
		}
	}
	return os.WriteFile(gatewayGolden(release), b.Bytes(), 0o644)
}

// readGateway reads the summaries of a release by schema.
func readGateway(release string) (map[string]gatewayLine, error) {
	data, err := os.ReadFile(gatewayGolden(release))
	if err != nil {
		return nil, err
	}
	all := map[string]gatewayLine{}
	for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
		var l gatewayLine
		if err := dec.Decode(&l); err != nil {
			return nil, err
		}
		all[l.Schema] = l
	}
	return all, nil
}
