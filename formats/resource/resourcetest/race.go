//go:build race

package resourcetest

// many is fewer under the race detector, which makes everything ten times as slow and finds nothing in one goroutine.
const many = 50_000
