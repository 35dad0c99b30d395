//go:build !soak

package gittest

// Rounds is how often a test that races others tries: few times, unless it is built with -tags soak.
func Rounds(few, _ int) int { return few }
