package crd

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/internal/document"
)

const (
	head = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a.b"},`
	tail = `]}}`
	// versions begins a CRD that only lacks its versions, schemas one that lacks a schema.
	versions = head + `"spec":{"versions":[`
	schemas  = versions + `{"name":"v1","storage":true,"schema":{"openAPIV3Schema":`
)

// readable are documents that readJSON reads, others it leaves to decode.
var readable = map[string]bool{
	versions + tail: true,
	versions + `{"name":"v1","storage":true,"served":true,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{"x":1},"scale":[]}},null` + tail: true,
	versions + `{"schema":null,"subresources":null},{"schema":{},"subresources":{}},{"schema":{"openAPIV3Schema":null},"subresources":{"status":null}}` + tail:      true,
	versions + `{"schema":{"openAPIV3Schema":{"type":"object"}},"schema":{}},{"subresources":{"status":{}},"subresources":{}}` + tail:                               true,
	versions + `{"schema":{"openAPIV3Schema":{"type":"object"},"openAPIV3Schema":{"title":"x"}},"name":"a","name":null}` + tail:                                     true,
	versions + `{}],"versions":[{"name":"x"}` + tail:                                                  true,
	versions + `{}],"versions":null,"preserveUnknownFields":true}}`:                                   true,
	versions + `{}]},"spec":{},"metadata":{"labels":{"name":"y"}}}`:                                   true,
	head + `"metadata":null,"spec":null,"status":{"conditions":[1e300]}}`:                             true,
	`{"spec":{},"kind":"x","kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1"}`: false,
	head + `"items":null}`:                                            false,
	head + `"items":1}`:                                               false,
	head + `"kind":"List"}`:                                           false,
	head + `"apiVersion":"v1"}`:                                       false,
	head + `"spec":1}`:                                                false,
	versions + `1` + tail:                                             false,
	versions + `{"name":1}` + tail:                                    false,
	versions + `{"name":1,"name":"x"}` + tail:                         false,
	versions + `{"schema":{"openAPIV3Schema":[]}}` + tail:             false,
	versions + `{"subresources":{"status":true}}` + tail:              false,
	versions + `{"storage":"true"}` + tail:                            false,
	head + `"metadata":[]}`:                                           false,
	`{"apiVersion":"v1","kind":"List","items":[` + versions + `]}}]}`: false,
	strings.TrimSuffix(head, ",") + `} {}`:                            false, head: false, `[]`: false, `null`: false, `{}`: false,
}

// fields are fields of schemas with a value of each kind.
func fields() (all []string) {
	names := []string{"unknown", "Type"}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(Version{}.Schema).Elem()) {
		names = append(names, field.Tag.Get("json"))
	}
	for _, name := range names {
		for _, value := range []string{
			`null`, `true`, `false`, `0`, `-0`, `1`, `1.0`, `1.5`, `1e2`, `9223372036854775808`, `""`, `"é\n\u003c"`, `"\ud83d\ude00"`, `[]`, `[null]`, `["a","b"]`, `["a",1]`, `[1,1.5]`, `[{"rule":"r"}]`, `[{"type":"x"},null]`,
			`{}`, `{"a":null}`, `{"a":{"type":"x"},"b":{}}`, `{"a":["b"]}`, `{"a":1}`, `{"type":"x"}`, `{"description":"x","url":"y","z":1}`, `{"type":1}`, `{"description":null,"url":null}`,
			`[{"rule":"r","message":"m","messageExpression":"e","reason":"a","fieldPath":".a","optionalOldSelf":true,"x":[]}]`, `[{"reason":null,"optionalOldSelf":false,"rule":null,"fieldPath":null}]`, `[{"rule":1}]`,
		} {
			all = append(all, `{"`+name+`":`+value+`}`, `{"`+name+`":{"type":"y"},"`+name+`":`+value+`}`, `{"`+name+`":["y"],"`+name+`":`+value+`}`)
		}
	}
	return all
}

// decoded is what decode makes of a text, without the reading of JSON.
func decoded(text []byte) (*Definition, error) {
	var tree any
	if json.Unmarshal(text, &tree) != nil {
		text, err := yaml.YAMLToJSON(text)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &tree); err != nil {
			return nil, err
		}
	}
	return decode(tree)
}

// judge compares what readJSON reads in JSON with what decode does. It tells whether readJSON reads it.
func judge(t *testing.T, text []byte) bool {
	t.Helper()
	documents, _, err := document.Read(text, readJSON)
	if err != nil || len(documents) != 1 {
		return false
	}
	got, ok := documents[0].Value.(*Definition)
	if !ok {
		return false
	}
	want, err := decoded(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%.300s:\n%+v, want\n%+v, %v", text, got, want, err)
	}
	return true
}

func TestReadJSON(t *testing.T) {
	for text, want := range readable {
		if got := judge(t, []byte(text)); got != want {
			t.Errorf("%s: read %v, want %v", text, got, want)
		}
	}
	read := 0
	for _, schema := range fields() {
		text := schemas + schema + `}}` + tail
		if judge(t, []byte(text)) {
			read++
		} else if _, err := decoded([]byte(text)); err == nil && !strings.Contains(schema, `"items"`) && !strings.Contains(schema, `"dependencies"`) && strings.Count(schema, `":`) == 1 {
			t.Errorf("%s is not read", text)
		}
	}
	if read < 500 {
		t.Errorf("%d of %d are read", read, len(fields()))
	}
}

// TestReadCRDs reads the CRDs of testdata, and those in the folder of the variable CRDS, such as a module cache.
func TestReadCRDs(t *testing.T) {
	count := 0
	for _, root := range []string{"../../testdata", "../../examples", os.Getenv("CRDS")} {
		if root == "" {
			continue
		}
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, ".json") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(data, []byte("openAPIV3Schema")) {
				return err
			}
			for _, part := range bytes.Split(append([]byte("\n"), data...), []byte("\n---")) {
				if !utilyaml.IsJSONBuffer(part) {
					if part, err = yaml.YAMLToJSON(part); err != nil {
						continue
					}
				}
				if judge(t, part) {
					count++
				} else if def, err := Read(part); err == nil && len(def.origin.within) == 0 {
					t.Errorf("%s: a CRD is not read: %.100s", path, part)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if count == 0 {
		t.Error("no CRDs")
	}
	t.Log(count, "CRDs")
}

func FuzzReadJSON(f *testing.F) {
	for text := range readable {
		f.Add([]byte(text))
	}
	for i, schema := range fields() {
		if i%7 == 0 {
			f.Add([]byte(schemas + schema + `}}` + tail))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { judge(t, text) })
}
