package celgo

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNewer compares with what the go command says it links.
func TestNewer(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/google/cel-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(out))
	t.Logf("cel-go %s", version)
	if newer := Newer(t); newer == strings.HasPrefix(version, "v0.29.") {
		t.Errorf("newer %v: %s", newer, version)
	}
}
