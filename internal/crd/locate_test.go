package crd

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/diag"
)

// faulty is a CRD with findings at many places, behind another document.
const faulty = `kind: Other
---
# a comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  versions:
  - name: v1
    storage: true
    schema:
      openAPIV3Schema: &schema
        type: object
        nullable: true
  - name: v2
    schema: {}
  - name: v3
    schema:
      openAPIV3Schema:
        type: object
        properties:
          a.b[0]:
            type: string
            x-kubernetes-map-type: atomic
          a: &a
            type: object
            x-kubernetes-validations:
            - rule: |
                true &&
                  self.x == 1 && self.y == 2
              message: m
            - {rule: 'self', messageExpression: "1"}
            - message: no rule
          "on": *a
          list:
            type: array
            items:
              type: object
              x-kubernetes-validations:
              - rule: >-
                  self ==
                  oldSelf
                  && self.z
                message: m
`

func locate(t *testing.T, text string) (found []string, findings []diag.Finding) {
	t.Helper()
	all, err := ReadAll([]byte(text))
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	d := all[0]
	findings = d.Locate(Check(d, testRules(t)))
	for _, f := range findings {
		segments, _ := json.Marshal(f.Segments)
		found = append(found, fmt.Sprintf("%d %v %s %s", f.Place.Document, f.Place, f.Code, segments))
	}
	return found, findings
}

func TestLocate(t *testing.T) {
	found, _ := locate(t, faulty)
	const v3 = `["spec","versions",2,"schema","openAPIV3Schema"`
	want := []string{
		`2 16:13 SchemaMissing ["spec","versions",1,"schema","openAPIV3Schema"]`,
		`2 14:19 SchemaInvalid ["spec","versions",0,"schema","openAPIV3Schema","nullable"]`,
		`2 33:15 RuleMissing ` + v3 + `,"properties","a","x-kubernetes-validations",2,"rule"]`,
		`2 23:19 SchemaInvalid ` + v3 + `,"properties","a.b[0]","type"]`,
		`2 33:15 RuleMissing ` + v3 + `,"properties","on","x-kubernetes-validations",2,"rule"]`,
		`2 43:26 RuleInvalid ` + v3 + `,"properties","list","items","x-kubernetes-validations",0,"rule"]`,
	}
	if strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// TestLocateIssues holds that each issue of an expression has its place, also where several rules share an error.
func TestLocateIssues(t *testing.T) {
	text := strings.NewReplacer("- message: no rule", "- rule: 'true'", "x-kubernetes-map-type: atomic", "minLength: 1", "        nullable: true\n", "").Replace(faulty)
	_, findings := locate(t, text)
	var issues []string
	for _, f := range findings {
		if failed, ok := f.Err.(*diag.CompileError); ok {
			for _, issue := range failed.Issues {
				issues = append(issues, fmt.Sprintf("%v %v %v", f.Place, issue.Position, issue.Place))
			}
		}
	}
	want := []string{
		"29:23 2:7 29:23", "29:23 2:22 29:38", "31:22 0:0 31:22",
		"42:26 1:24 42:26",
		"29:23 2:7 29:23", "29:23 2:22 29:38", "31:22 0:0 31:22",
	}
	if strings.Join(issues, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(issues, "\n"), strings.Join(want, "\n"))
	}
}

// TestLocateSegments splits paths whose keys look like more of a path.
func TestLocateSegments(t *testing.T) {
	schema := parseSchema(t, `{properties: {"a]": {}, "a].type": {}, "[b].c": {properties: {d: {}}}, e: {allOf: [{}, {items: [{}, {not: {properties: {f: {}}}}]}]}},
dependencies: {g: {definitions: {h: {additionalProperties: {}}}}}, patternProperties: {"^i[0-9]": {}}}`)
	for path, want := range map[string]string{
		"": "[]", ".type": `["type"]`, ".properties": `["properties"]`,
		".properties[a]].type":                                  `["properties","a]","type"]`,
		".properties[a].type]":                                  `["properties","a].type"]`,
		".properties[[b].c].properties[d].maxLength":            `["properties","[b].c","properties","d","maxLength"]`,
		".properties[e].allOf[1].items[1].not.properties[f].id": `["properties","e","allOf",1,"items",1,"not","properties","f","id"]`,
		".properties[missing].properties[too].type":             `["properties","missing","properties","too","type"]`,
		".dependencies[g].definitions[h].additionalProperties":  `["dependencies","g","definitions","h","additionalProperties"]`,
		".patternProperties[^i[0-9]].type":                      `["patternProperties","^i[0-9]","type"]`,
		".properties[0].x-kubernetes-validations[12].rule":      `["properties","0","x-kubernetes-validations",12,"rule"]`,
		".properties[unclosed":                                  `["properties","unclosed"]`,
		".properties[" + strings.Repeat("]", 300):               "",
	} {
		got, err := json.Marshal(appendSteps(diag.Segments{}, schema, path))
		if err != nil || want != "" && string(got) != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
