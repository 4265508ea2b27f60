package docs

import (
	"bytes"
	"encoding/json"

	"github.com/kubecel/kubecel"
)

// CapabilitiesDir is where the capabilities of each release stand.
const CapabilitiesDir = "testdata/capabilities"

// Capabilities renders the capabilities of a release.
func Capabilities(release kubecel.Release) ([]byte, error) {
	capabilities, err := kubecel.Capabilities(release)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(capabilities)
	return b.Bytes(), err
}
