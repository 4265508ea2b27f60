package crd

import (
	"github.com/kubecel/kubecel/internal/document"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// readJSON reads a CRD from JSON. It leaves to decode what is no CRD, and what decode might refuse.
func readJSON(t *document.Text) (any, bool) {
	if !t.Is('{') {
		return nil, false
	}
	var version, is string
	d := &Definition{Versions: []Version{}}
	t.Object(func(key []byte) {
		switch string(key) {
		case "apiVersion":
			version = t.Name()
		case "kind":
			is = t.Name()
			if is != kind {
				t.Fail() // what it holds may be long
			}
		case "metadata":
			d.Name = ""
			t.Object(func(key []byte) {
				if string(key) == "name" {
					d.Name = t.String()
				} else {
					t.Skip()
				}
			})
		case "spec":
			d.readSpec(t)
		case "items":
			t.Fail() // not read by those who know CRDs, but judged
		default:
			t.Skip()
		}
	})
	return d, version == apiVersion && is == kind
}

// readSpec reads the last of several versions and of several spec, as each sets anew what it stands for.
func (d *Definition) readSpec(t *document.Text) {
	d.PreserveUnknownFields, d.Versions = false, []Version{}
	t.Object(func(key []byte) {
		switch string(key) {
		case "preserveUnknownFields":
			d.PreserveUnknownFields = t.Bool()
		case "versions":
			d.Versions = []Version{}
			t.Array(func() {
				d.Versions = append(d.Versions, Version{})
				d.Versions[len(d.Versions)-1].read(t)
			})
		default:
			t.Skip()
		}
	})
}

func (v *Version) read(t *document.Text) {
	t.Object(func(key []byte) {
		switch string(key) {
		case "name":
			v.Name = t.String()
		case "storage":
			v.Storage = t.Bool()
		case "served":
			v.Served = t.Bool()
		case "schema":
			v.Schema = nil
			t.Object(func(key []byte) {
				if string(key) != "openAPIV3Schema" {
					t.Skip()
				} else if v.Schema = nil; !t.Null() {
					v.Schema = &typesystem.OpenAPI{}
					typesystem.ReadOpenAPI(t, v.Schema)
				}
			})
		case "subresources":
			v.Status = false
			t.Object(func(key []byte) {
				if string(key) == "status" {
					v.Status = t.Object(func([]byte) { t.Skip() })
				} else {
					t.Skip()
				}
			})
		default:
			t.Skip()
		}
	})
}
