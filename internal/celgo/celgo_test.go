package celgo

import (
	"os/exec"
	"strings"
	"testing"

	"fmt"
)

// TestMinor compares with what the go command says it links.
func TestMinor(t *testing.T) {
	minor, err := Minor()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/google/cel-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(out))
	t.Logf("cel-go %s", version)
	if !strings.HasPrefix(version, fmt.Sprintf("v0.%d.", minor)) {
		t.Errorf("minor %d of %s", minor, version)
	}
}
