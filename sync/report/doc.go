// Package report is what passes, checks and the status report, and its JSON: what `push`, `pull`, `sync`, `check` and
// `status` print, what the page shows, and what scripts read.
//
// The package is a leaf: values and their words, without a clock, disk, network, logger or goroutine.
package report
