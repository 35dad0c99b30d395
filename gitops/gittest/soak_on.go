//go:build soak

package gittest

// Rounds is how often a test that races others tries: with -tags soak, often.
func Rounds(_, many int) int { return many }
