//go:build !before1.31

package reference

import structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

// nested are the schemas under allOf, which can have rules of their own.
func nested(s *structuralschema.Structural) []*structuralschema.Structural {
	if s.ValueValidation == nil {
		return nil
	}
	var all []*structuralschema.Structural
	for i := range s.ValueValidation.AllOf {
		all = append(all, fromNested(&s.ValueValidation.AllOf[i]))
	}
	return all
}

// fromNested is the part of allOf that can carry rules, as a schema.
func fromNested(n *structuralschema.NestedValueValidation) *structuralschema.Structural {
	s := &structuralschema.Structural{ValueValidation: &n.ValueValidation, ValidationExtensions: n.ValidationExtensions}
	if n.Items != nil {
		s.Items = fromNested(n.Items)
	}
	for name, p := range n.Properties {
		if s.Properties == nil {
			s.Properties = map[string]structuralschema.Structural{}
		}
		s.Properties[name] = *fromNested(&p)
	}
	if n.AdditionalProperties != nil {
		s.AdditionalProperties = &structuralschema.StructuralOrBool{Structural: fromNested(n.AdditionalProperties)}
	}
	return s
}
