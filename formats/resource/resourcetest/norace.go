//go:build !race

package resourcetest

// many is how many keys the largest file has.
const many = 1_000_000
