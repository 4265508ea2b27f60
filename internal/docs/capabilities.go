package docs

import (
	"bytes"
	"encoding/json"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/release"
)

// CapabilitiesDir is where the capabilities of each release stand.
const CapabilitiesDir = "testdata/capabilities"

// Capabilities renders the capabilities of a release.
func Capabilities(r release.Release) ([]byte, error) {
	capabilities, err := kubecel.Capabilities(r)
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
