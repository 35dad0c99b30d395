//go:build !unix

package main

import "os"

// notifyResize would tell when the terminal has another size; here the next picture does.
func notifyResize(chan<- os.Signal) {}
