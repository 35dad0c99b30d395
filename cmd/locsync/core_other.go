//go:build !unix

package main

// leaveNoCore does nothing: this system leaves no core files.
func leaveNoCore() {}
