//go:build !unix

package terminal

import "os"

// notifyTerminal would tell when the terminal has another size; here the next picture does.
func notifyTerminal(chan<- os.Signal) {}

func suspends(os.Signal) bool { return false }

func suspend() error { return nil }
