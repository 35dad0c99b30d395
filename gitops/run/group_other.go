//go:build !unix

package run

import "os/exec"

func ownGroup(*exec.Cmd) {}

// limit does nothing: such systems have no limit that the programs of a program inherit.
func limit(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
