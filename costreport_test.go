package kubecel_test

import (
	"testing"

	"github.com/kubecel/kubecel"
)

const listeners = `{type: object, properties: {spec: {type: object, properties: {
	listeners: {type: array, items: {type: object, required: [name],
		properties: {name: {type: string}, hosts: {type: array, maxItems: 64, items: {type: string}}},
		x-kubernetes-validations: [{rule: "self.hosts.all(h, h.contains(self.name))", message: bad host}]}}}}}}`

func TestReportCRD(t *testing.T) {
	r, err := kubecel.ReportCRD(crdOf(listeners), "v1")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", r.Text(0))
}
