package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/release"
)

// patches are the patch releases whose modules answer for each minor release.
var patches = map[release.Release]string{
	release.Minor(28): "v0.28.3", release.Minor(29): "v0.29.6", release.Minor(30): "v0.30.14", release.Minor(31): "v0.31.14",
	release.Minor(32): "v0.32.13", release.Minor(33): "v0.33.13", release.Minor(34): "v0.34.13", release.Minor(35): "v0.35.10",
	release.Minor(36): "v0.36.6",
	release.Minor(37): "v0.37.2",
}

// recordRelease records how a release's answers differ from those of the next
// newer one, which must be recorded already.
func recordRelease(r release.Release) error {
	base, err := parity.BaseAnswers(testdata, r)
	if err != nil {
		return err
	}
	raw, err := askRelease(r)
	if err != nil {
		return err
	}
	answers, err := parity.DecodeAnswers(raw)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := parity.WriteAnswers(&b, answers, base); err != nil {
		return err
	}
	file := parity.AnswersFile(testdata, r)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	fmt.Printf("%v: %d answers, %d differ, %d bytes\n", r, len(answers), bytes.Count(b.Bytes(), []byte("\n")), b.Len())
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// askRelease builds the recorder with a release's modules in a work folder,
// which holds no more of this project than the recorder needs, and runs it.
func askRelease(r release.Release) ([]byte, error) {
	version, ok := patches[r]
	if !ok {
		return nil, fmt.Errorf("no modules of release %v are known", r)
	}
	work, err := os.MkdirTemp("", "kubecel-"+r.String()+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	module := fmt.Sprintf("module github.com/kubecel/kubecel\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/apiserver %[1]s\n\tk8s.io/apiextensions-apiserver %[1]s\n)\n", version)
	if err := os.WriteFile(filepath.Join(work, "go.mod"), []byte(module), 0o644); err != nil {
		return nil, err
	}
	for _, dir := range []string{"release", "internal/parity", "internal/oracle/reference", "internal/oracle/recorder"} {
		if err := copyPackage(filepath.Join("..", "..", dir), filepath.Join(work, dir)); err != nil {
			return nil, err
		}
	}
	recorder := filepath.Join(work, "recorder")
	build := exec.Command("go", "build", "-mod=mod", "-tags", strings.Join(tags(r), ","), "-o", recorder, "./internal/oracle/recorder")
	build.Dir, build.Stderr = work, os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the recorder of %v: %w", r, err)
	}
	args := []string{testdata}
	for _, g := range gatewayReleases {
		dir, err := gatewayDir(g)
		if err != nil {
			return nil, err
		}
		args = append(args, g+"="+filepath.Join(dir, "config", "crd"))
	}
	run := exec.Command(recorder, args...)
	run.Stderr = os.Stderr
	return run.Output()
}

// tags are the build tags of a release: before1.N for each later release.
func tags(r release.Release) []string {
	var all []string
	for _, later := range parity.Releases() {
		if r.Before(later) {
			all = append(all, "before"+later.String())
		}
	}
	return all
}

// copyPackage copies the Go files of a package, without its tests.
func copyPackage(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(f)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
