// The command matrix tests the modules with the dependencies that users have, and
// builds and runs a program of a user with each minor of controller-runtime. It prints
// a line for each combination. The sums of what it requires are in
// testdata/matrix.sum; with -record it writes them.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A suite is a run of the tests with one combination.
type suite struct {
	apimachinery, celgo string
	// golang is the go directive, which chooses settings of the standard library.
	golang string
	// modules are those whose tests run.
	modules []string
}

var (
	library = []string{"."}
	both    = []string{".", "internal/parity"}
)

// suites have each release of each dependency, and their extremes in pairs. The floors
// in both modules are what make test runs.
var suites = []suite{
	{"v0.34.0", "v0.31.0", "1.25.0", library},
	{"v0.35.0", "v0.30.0", "1.25.0", both},
	{"v0.36.0", "v0.31.0", "1.26.0", library},
	{"v0.37.2", "v0.29.2", "1.26.0", library},
	{"v0.37.2", "v0.31.0", "1.26.0", both},
}

// A consumer is a program with one minor of controller-runtime.
type consumer struct{ controllerRuntime, clientGo, golang string }

// consumers have the lowest release of each minor, which bring the lowest of what they
// need. controller-runtime 0.21 comes with client-go 0.33, which apimachinery 0.34 breaks.
var consumers = []consumer{
	{"v0.21.0", "v0.34.0", "1.24.0"},
	{"v0.22.0", "v0.34.0", "1.24.0"},
	{"v0.23.0", "v0.35.0", "1.25.0"},
	{"v0.24.0", "v0.36.0", "1.26.0"},
	{"v0.25.0", "v0.37.0", "1.26.0"},
}

// said is what the program of testdata/consumer prints.
const said = "spec: Invalid value: replicas must be odd\n"

func main() {
	record := flag.Bool("record", false, "write testdata/matrix.sum")
	only := flag.String("only", "", "run the combinations whose line matches this regular expression")
	flag.Parse()
	root, err := os.Getwd()
	check(err)
	m := matrix{root: root, work: filepath.Join(root, ".matrix"), only: regexp.MustCompile(*only), record: *record}
	m.all()
	if *record {
		m.writeSums()
	}
	if m.failed {
		os.Exit(1)
	}
}

type matrix struct {
	root, work string
	only       *regexp.Regexp
	// record only lists packages, which is enough to know all sums.
	record, failed bool
}

func (m *matrix) all() {
	check(os.MkdirAll(m.work, 0o755))
	for i, s := range suites {
		for _, module := range s.modules {
			line := fmt.Sprintf("apimachinery %s, cel-go %s, go %s: %s", s.apimachinery, s.celgo, s.golang, module)
			m.line(line, func() (string, error) { return m.test(fmt.Sprint(i), s, module) })
		}
	}
	for _, c := range consumers {
		line := fmt.Sprintf("controller-runtime %s, client-go %s, go %s", c.controllerRuntime, c.clientGo, c.golang)
		m.line(line, func() (string, error) { return m.consume(c) })
	}
}

// line prints one combination, how long it took, and if it fails what it said.
func (m *matrix) line(name string, run func() (string, error)) {
	if !m.only.MatchString(name) {
		return
	}
	start := time.Now()
	out, err := run()
	took := time.Since(start).Round(time.Second)
	if err == nil {
		fmt.Printf("ok   %s (%v)\n", name, took)
		return
	}
	m.failed = true
	fmt.Printf("FAIL %s (%v): %v\n%s\n", name, took, err, out)
}

// test runs the tests of a module with a go.mod of its own beside the module's.
func (m *matrix) test(name string, s suite, module string) (string, error) {
	dir := filepath.Join(m.root, module)
	mod := filepath.Join(m.work, name+"-"+strings.ReplaceAll(module, "/", "-")+".mod")
	required, err := exec.Command("go", "-C", dir, "mod", "edit", "-print", "-go="+s.golang,
		"-require=k8s.io/apimachinery@"+s.apimachinery, "-require=github.com/google/cel-go@"+s.celgo).Output()
	check(err)
	check(os.WriteFile(mod, required, 0o644))
	m.sums(strings.TrimSuffix(mod, ".mod")+".sum", filepath.Join(dir, "go.sum"))
	// By the environment, so that the commands which tests run have the modules too.
	flags := "GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -modfile="+mod+" -mod=mod")
	if m.record {
		return output(dir, flags, "list", "-deps", "-test", "./...")
	}
	return output(dir, flags, "test", "-timeout=30m", "./...")
}

// consume builds and runs the program of a user in a module of its own.
func (m *matrix) consume(c consumer) (string, error) {
	dir := filepath.Join(m.work, "controller-runtime-"+c.controllerRuntime)
	check(os.MkdirAll(dir, 0o755))
	source, err := os.ReadFile(filepath.Join(m.root, "internal/matrix/testdata/consumer/main.go"))
	check(err)
	check(os.WriteFile(filepath.Join(dir, "main.go"), source, 0o644))
	module := fmt.Sprintf("module example.com/consumer\n\ngo %s\n\nrequire (\n\tgithub.com/kubecel/kubecel v0.0.0\n"+
		"\tk8s.io/client-go %s\n\tsigs.k8s.io/controller-runtime %s\n)\n\nreplace github.com/kubecel/kubecel => %s\n",
		c.golang, c.clientGo, c.controllerRuntime, m.root)
	check(os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o644))
	m.sums(filepath.Join(dir, "go.sum"), filepath.Join(m.root, "go.sum"))
	if m.record {
		return output(dir, "GOFLAGS=-mod=mod", "list", "-deps", ".")
	}
	out, err := output(dir, "GOFLAGS=-mod=mod", "run", ".")
	// The text of the module downloads comes before that of the program.
	if err == nil && !strings.HasSuffix(out, said) {
		err = fmt.Errorf("it does not say %q", said)
	}
	return out, err
}

// sums writes a go.sum of the module's own and those of testdata/matrix.sum.
func (m *matrix) sums(path, own string) {
	var all []byte
	for _, file := range []string{own, filepath.Join(m.root, "testdata/matrix.sum")} {
		text, err := os.ReadFile(file)
		check(err)
		all = append(all, text...)
	}
	check(os.WriteFile(path, all, 0o644))
}

// writeSums writes the sums that the combinations needed beyond those of the modules.
func (m *matrix) writeSums() {
	own, err := os.ReadFile(filepath.Join(m.root, "go.sum"))
	check(err)
	var all []string
	for _, pattern := range []string{"*.sum", "*/go.sum"} {
		files, err := filepath.Glob(filepath.Join(m.work, pattern))
		check(err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			check(err)
			for line := range strings.Lines(string(text)) {
				if !strings.Contains(string(own), line) {
					all = append(all, line)
				}
			}
		}
	}
	slices.Sort(all)
	check(os.WriteFile(filepath.Join(m.root, "testdata/matrix.sum"), []byte(strings.Join(slices.Compact(all), "")), 0o644))
}

// output runs the go command with one more variable in its environment.
func output(dir, variable string, args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Dir, command.Env = dir, append(os.Environ(), variable)
	out, err := command.CombinedOutput()
	return string(out), err
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}
