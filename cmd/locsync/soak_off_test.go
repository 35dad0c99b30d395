//go:build !soak

package main

// soaking is whether tests may take minutes.
const soaking = false
