package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kubecel/kubecel/internal/parity"
)

// patches are the patch releases whose modules answer for each minor release.
var patches = map[string]string{
	"1.28": "v0.28.3", "1.29": "v0.29.6", "1.30": "v0.30.14", "1.31": "v0.31.14", "1.32": "v0.32.13",
	"1.33": "v0.33.13", "1.34": "v0.34.13", "1.35": "v0.35.10", "1.36": "v0.36.6", "1.37": "v0.37.2",
}

// recordRelease records how a release's answers differ from those of the next
// newer one, which must be recorded already.
func recordRelease(release string) error {
	base, err := parity.BaseAnswers(testdata, release)
	if err != nil {
		return err
	}
	raw, err := askRelease(release)
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
	file := parity.AnswersFile(testdata, release)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	fmt.Printf("%s: %d answers, %d differ, %d bytes\n", release, len(answers), bytes.Count(b.Bytes(), []byte("\n")), b.Len())
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// askRelease builds the recorder with a release's modules in a work folder,
// which holds no more of this project than the recorder needs, and runs it.
func askRelease(release string) ([]byte, error) {
	version, ok := patches[release]
	if !ok {
		return nil, fmt.Errorf("no modules of release %q are known", release)
	}
	work, err := os.MkdirTemp("", "kubecel-"+release+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	module := fmt.Sprintf("module github.com/kubecel/kubecel\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/apiserver %[1]s\n\tk8s.io/apiextensions-apiserver %[1]s\n)\n", version)
	if err := os.WriteFile(filepath.Join(work, "go.mod"), []byte(module), 0o644); err != nil {
		return nil, err
	}
	for _, dir := range []string{"parity", "oracle/reference", "oracle/recorder"} {
		if err := copyPackage(filepath.Join("..", dir), filepath.Join(work, "internal", dir)); err != nil {
			return nil, err
		}
	}
	recorder := filepath.Join(work, "recorder")
	build := exec.Command("go", "build", "-mod=mod", "-tags", strings.Join(tags(release), ","), "-o", recorder, "./internal/oracle/recorder")
	build.Dir, build.Stderr = work, os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the recorder of %s: %w", release, err)
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
func tags(release string) []string {
	var all []string
	for _, r := range parity.Releases() {
		if minor(r) > minor(release) {
			all = append(all, "before"+r)
		}
	}
	return all
}

func minor(release string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(release, "1."))
	return n
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
