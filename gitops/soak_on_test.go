//go:build soak

package gitops

// rounds is how often a test that races others tries: with -tags soak, often.
func rounds(_, many int) int { return many }
