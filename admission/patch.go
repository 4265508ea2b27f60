package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/kubecel/kubecel/internal/policy"
)

// guardedPatch makes an error of a panic: libraries that patch panic on some values that
// are not like JSON.
func guardedPatch(patch func() (map[string]any, error)) (object map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			object, err = nil, fmt.Errorf("the patch cannot be applied: %v", r)
		}
	}()
	return patch()
}

// applyJSONPatch applies a list of operations. A test that fails leaves the object as it
// is.
func applyJSONPatch(result ref.Val, object map[string]any) (map[string]any, error) {
	patch, err := jsonPatch(result)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("failed to create JSON patch: %w", err)
	}
	patched, err := patch.Apply(data)
	if errors.Is(err, jsonpatch.ErrTestFailed) {
		return object, nil
	}
	if err != nil {
		return nil, fmt.Errorf("JSON Patch: %w", err)
	}
	return patchedObject(patched)
}

// patchedObject decodes what a patch has made. What is no object of Kubernetes is an
// error that ends the evaluation.
func patchedObject(data []byte) (map[string]any, error) {
	// The error has this type in its text.
	kind := struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}{}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, internalError(fmt.Errorf("couldn't get version/kind; json parse error: %v", err))
	}
	if strings.Count(kind.APIVersion, "/") > 1 {
		return nil, internalError(fmt.Errorf("unexpected GroupVersion string: %v", kind.APIVersion))
	}
	object := map[string]any{}
	if err := utiljson.Unmarshal(data, &object); err != nil {
		return nil, internalError(err)
	}
	if name, _ := object["kind"].(string); name == "" {
		return nil, internalError(fmt.Errorf("Object 'Kind' is missing in '%s'", data))
	}
	return object, nil
}

func jsonPatch(result ref.Val) (jsonpatch.Patch, error) {
	list, ok := result.(traits.Lister)
	if !ok {
		return nil, errors.New("type mismatch: JSONPatchType.expression should evaluate to array")
	}
	patch := jsonpatch.Patch{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		o, ok := elem.(*policy.Operation)
		if !ok {
			return nil, fmt.Errorf("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch, got element of %T", elem)
		}
		// As in a server, which quotes texts as Go does.
		operation := jsonpatch.Operation{"op": raw(strconv.Quote(o.Op)), "path": raw(strconv.Quote(o.Path))}
		if o.From != "" {
			operation["from"] = raw(strconv.Quote(o.From))
		}
		if o.Val != nil {
			text, err := jsonValue(o.Val)
			if err != nil {
				return nil, err
			}
			operation["value"] = raw(text)
		}
		patch = append(patch, operation)
	}
	return patch, nil
}

func raw(text string) *json.RawMessage {
	message := json.RawMessage(text)
	return &message
}

// jsonValue is the value of an operation in JSON.
func jsonValue(v ref.Val) (string, error) {
	if made, ok := v.(*policy.Object); ok {
		if err := made.CheckTypes(); err != nil {
			return "", fmt.Errorf("type mismatch: %w", err)
		}
	}
	native, err := v.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	var data []byte
	if err == nil {
		data, err = json.Marshal(native)
	}
	if err != nil {
		return "", fmt.Errorf("JSONPath valueExpression evaluated to a type that could not marshal to JSON: %w", err)
	}
	return string(data), nil
}

// applyConfiguration merges an object that an expression has made into another.
func applyConfiguration(result ref.Val, object map[string]any, t typed.ParseableType) (map[string]any, error) {
	made, ok := result.(*policy.Object)
	if !ok {
		return nil, fmt.Errorf("unsupported return type from ApplyConfiguration expression: %v", result.Type())
	}
	if err := made.CheckTypes(); err != nil {
		return nil, fmt.Errorf("type mismatch: %w", err)
	}
	patch, err := made.Unstructured()
	if err != nil {
		// The text has the name of a type of the server.
		return nil, errors.New("invalid return type: *dynamic.ObjectVal")
	}
	// A patch never changes these.
	for _, name := range []string{"apiVersion", "kind"} {
		text, _ := object[name].(string)
		patch[name] = text
	}
	merged, err := merge(patch, object, t)
	if err != nil {
		return nil, fmt.Errorf("error applying patch: %w", err)
	}
	return merged, nil
}

func merge(patch, object map[string]any, t typed.ParseableType) (map[string]any, error) {
	typedPatch, err := t.FromUnstructured(patch)
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", inOrder(err))
	}
	if atomics := atomicsIn(nil, typedPatch.Schema(), typedPatch.TypeRef(), typedPatch.AsValue()); len(atomics) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %v", strings.Join(atomics, ", "))
	}
	live, err := t.FromUnstructured(object, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", inOrder(err))
	}
	merged, err := live.Merge(typedPatch)
	if err != nil {
		return nil, fmt.Errorf("failed to merge patch: %w", inOrder(err))
	}
	fields, ok := merged.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("failed to convert typed object to object: failed to convert value to unstructured for type %T", merged.AsValue().Unstructured())
	}
	return fields, nil
}

// inOrder sorts the errors of a merge, which have no order in a server.
func inOrder(err error) error {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return err
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b typed.ValidationError) int { return strings.Compare(a.Error(), b.Error()) })
	return all
}

// atomicsIn are the paths of atomic lists, maps and structs that a patch sets. It would
// remove all of them that it does not have.
func atomicsIn(path fieldpath.Path, s *schema.Schema, t schema.TypeRef, v value.Value) (found []string) {
	atom, ok := s.Resolve(t)
	if !ok {
		return nil
	}
	if v.IsMap() && atom.Map != nil {
		if atom.Map.ElementRelationship == schema.Atomic {
			found = append(found, path.String())
		}
		v.AsMap().Iterate(func(name string, elem value.Value) bool {
			if field, ok := atom.Map.FindField(name); ok {
				found = append(found, atomicsIn(append(path[:len(path):len(path)], fieldpath.PathElement{FieldName: &name}), s, field.Type, elem)...)
			}
			return true
		})
	}
	if v.IsList() && atom.List != nil {
		if atom.List.ElementRelationship == schema.Atomic {
			found = append(found, path.String())
		}
		for i, list := 0, v.AsList(); i < list.Length(); i++ {
			found = append(found, atomicsIn(append(path[:len(path):len(path)], fieldpath.PathElement{Index: &i}), s, atom.List.ElementType, list.At(i))...)
		}
	}
	return found
}
