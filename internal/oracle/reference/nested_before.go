//go:build before1.31

package reference

import structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

// nested is empty: rules under allOf came in 1.31.
func nested(*structuralschema.Structural) []*structuralschema.Structural { return nil }
