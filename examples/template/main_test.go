package main

import (
	"os/exec"
	"strings"
	"testing"
)

const rendered = `---
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    example.com/grace: 1m30s
  labels:
    team: web
  name: shop
spec:
  replicas: 3
  selector:
    matchLabels:
      app: app-shop
  template:
    metadata:
      labels:
        app: app-shop
    spec:
      containers:
      - env:
        - name: MODE
          value: fast
        image: example.com/shop:1.4
        name: main
        ports:
        - containerPort: 8080
      terminationGracePeriodSeconds: 90
---
apiVersion: v1
kind: Service
metadata:
  name: shop
spec:
  ports:
  - name: port-8080
    targetPort: 8080
  selector:
    app: app-shop
`

func TestTemplate(t *testing.T) {
	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err != nil || string(out) != rendered {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = exec.Command("go", "run", ".", "wrong").CombinedOutput()
	want := "spec.template.spec.terminationGracePeriodSeconds: duration cannot be assigned to integer\n"
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s\nwant %s", err, out, want)
	}
}
