package admission

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"

	"github.com/kubecel/kubecel/admission"
)

// widgetSchemas has every kind of list and map. Gadgets have no schema.
const widgetSchemas = `{"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "paths": {}, "components": {"schemas": {
  "Meta": {"type": "object", "properties": {"name": {"type": "string"}, "namespace": {"type": "string"}, "generateName": {"type": "string"},
    "creationTimestamp": {"type": "string", "format": "date-time"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
    "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}}},
  "Spec": {"type": "object", "properties": {
    "replicas": {"type": "integer", "default": 1}, "ratio": {"type": "number"}, "whole": {"type": "number"}, "enabled": {"type": "boolean"}, "name": {"type": "string"},
    "none": {"type": "object", "nullable": true}, "empty": {"type": "object"}, "nothing": {"type": "array", "items": {}}, "trace": {"type": "string"}, "count": {"type": "integer"},
    "names": {"type": "array", "items": {"type": "string"}}, "numbers": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
    "mixed": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}, "x-kubernetes-list-type": "atomic"},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}}, "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
    "containers": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {"allOf": [{"$ref": "#/components/schemas/Container"}]}},
    "namespace": {"type": "string"}, "if": {"type": "string"}, "with-dash": {"type": "integer"}, "quantity": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"},
    "ip": {"type": "string", "format": "ipv4"}, "time": {"type": "string", "format": "date-time"}, "duration": {"type": "string"}, "added": {"type": "string"},
    "atomicMap": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
    "m": {"allOf": [{"$ref": "#/components/schemas/Free"}], "x-kubernetes-map-type": "atomic"}, "o": {"type": "string"}, "v": {"x-kubernetes-int-or-string": true},
    "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
  "Free": {"type": "object", "additionalProperties": true},
  "Container": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "image": {"type": "string"},
    "ports": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"}}},
  "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": "string"},
  "Widget": {"type": "object", "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"allOf": [{"$ref": "#/components/schemas/Meta"}], "default": {}},
    "spec": {"$ref": "#/components/schemas/Spec"}, "command": {"type": "string"}, "converted": {"type": "boolean"},
    "status": {"type": "object", "properties": {"phase": {"type": "string"}}, "additionalProperties": false}},
    "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Widget"}, {"group": "example.com", "version": "v2", "kind": "Widget"}]}}}}`

// TestMutationsWithSchemas compares what apply configurations do where a schema is known.
func TestMutationsWithSchemas(t *testing.T) {
	var document spec3.OpenAPI
	if err := json.Unmarshal([]byte(widgetSchemas), &document); err != nil {
		t.Fatal(err)
	}
	converter, err := managedfields.NewTypeConverter(document.Components.Schemas, false)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := admission.ParseMergeSchemas([]byte(widgetSchemas))
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	for i, c := range MutatingCases() {
		if i%4 == 0 || len(c.Policies) == 1 && len(c.Policies[0]["spec"].(object)["mutations"].(list)) == 1 {
			cases = append(cases, c)
		}
	}
	compareMutations(t, cases, converter, schemas)
}
