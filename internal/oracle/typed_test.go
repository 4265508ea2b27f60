package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
)

// TestTypedObjects holds that a typed object of Kubernetes, an unstructured one and its data have
// one verdict, and that a result becomes a typed object again.
func TestTypedObjects(t *testing.T) {
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "web"}, CreationTimestamp: metav1.NewTime(time.Unix(1e9, 0).UTC())},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i", Ports: []corev1.ContainerPort{{ContainerPort: 80}}}}},
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := kubecel.ParseResourceSchema([]byte(`{type: object, properties: {spec: {type: object, properties: {containers: {type: array, items: {
		type: object, properties: {name: {type: string}, ports: {type: array, items: {type: object, properties: {containerPort: {type: integer},
		protocol: {type: string, default: TCP}}}}}}}}}}, x-kubernetes-validations: [
		{rule: "self.metadata.name == 'web'"}, {rule: "self.spec.containers.all(c, c.ports.all(p, p.containerPort == 80 && p.protocol == 'TCP'))"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := schema.Compile()
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.Variable("object", cel.DynType), kubecel.SchemaVariable("self", schema))
	if err != nil {
		t.Fatal(err)
	}
	x, err := env.Compile("object.metadata.labels.app == self.metadata.name ? object : null")
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []any{pod, *pod, content, &unstructured.Unstructured{Object: content}} {
		result, err := rules.Validate(t.Context(), object, object)
		if err != nil || !result.Valid() {
			t.Errorf("%T: %+v, %v", object, result, err)
		}
		value, err := x.Eval(t.Context(), map[string]any{"object": object, "self": object})
		if err != nil {
			t.Errorf("%T: %v", object, err)
			continue
		}
		var again corev1.Pod
		if err := value.As(&again); err != nil || again.String() != pod.String() {
			t.Errorf("%T: %v, %v", object, again, err)
		}
	}
	var none *unstructured.Unstructured
	if result, err := rules.Validate(t.Context(), pod, none); err != nil || !result.Valid() {
		t.Errorf("%+v, %v", result, err)
	}
}
