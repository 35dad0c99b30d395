package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/report"
)

// errPartial ends a command whose result is printed and that left something out.
var errPartial = errors.New("some keys or files were left out")

// errMisconfigured is the same where the configuration is the reason, as the files showed.
var errMisconfigured = errors.New("the configuration does not fit the files")

// app is one call of the program.
type app struct {
	out, err io.Writer
	in       io.Reader
	journal  bool     // err is a stream to systemd's journal
	args     []string // of the command line

	endWaits func() // ends telling what is waited for; nil

	document answered // with --json

	configFile string
	asJSON     bool
	logLevel   string
	logFormat  string
}

// answered is what a command has for its document.
type answered struct {
	result  any             // nil: none
	text    strings.Builder // for people
	printed bool
}

// errUnwell ends a doctor whose findings are printed and that found a fault which may pass.
var errUnwell = errors.New("something does not work now")

// sentence is what went wrong, each line once: both halves of a sync fail where the service is down.
func sentence(err error) string {
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return report.Printable(strings.Join(lines, "\n"))
}
