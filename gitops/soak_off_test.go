//go:build !soak

package gitops

// rounds is how often a test that races others tries: few times, unless it is built with -tags soak.
func rounds(few, _ int) int { return few }
