package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.uber.org/zap/zapcore"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/daemon"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
)

// errPartial ends a command whose result is printed and that left something out.
var errPartial = errors.New("some keys or files were left out")

// errMisconfigured is the same where the configuration is the reason, as the files showed.
var errMisconfigured = errors.New("the configuration does not fit the files")

// errInterrupted ends a command that a signal ended before its work was done.
var errInterrupted = errors.New("interrupted; run the command again to continue, nothing is lost")

// app is one call of the program.
type app struct {
	out, err io.Writer
	in       io.Reader
	journal  bool     // err is a stream to systemd's journal
	args     []string // of the command line

	endWaits func() // ends telling what is waited for; nil

	document answered // with --json, and with --quiet

	configFile string
	asJSON     bool
	quiet      bool
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
var errUnwell = errors.New("one or more checks failed")

// sentence is what went wrong, and what to do where it is the network or the service.
func sentence(err error) string {
	said := failure.Text(err)
	_, unreachable := errors.AsType[*service.UnreachableError](err)
	answer, is := errors.AsType[*service.Error](err)
	switch {
	case unreachable:
		said += "; check service.url and the network, then run this again: nothing is lost"
	case is && failure.Outage(answer) != "":
		said += "; run this again later: nothing is lost"
	}
	return report.Printable(said)
}

// standardOutput is where results go. It remembers the first one that did not arrive: on a full disk, say. A command
// whose result is lost has failed, whatever it did.
type standardOutput struct {
	file *os.File
	lost error
}

func (o *standardOutput) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	if err != nil && o.lost == nil {
		o.lost = err
	}
	return n, err
}

// lost is why a result did not arrive; nil where all did.
func (a *app) lost() error {
	if o := outputOf(a.out); o != nil {
		return o.lost
	}
	return nil
}

// outputOf is the standard output behind a writer of results; nil where it is something else.
func outputOf(w io.Writer) *standardOutput {
	if p, ok := w.(terminal.Printable); ok {
		w = p.To
	}
	if r, ok := w.(*results); ok {
		return r.to
	}
	o, _ := w.(*standardOutput)
	return o
}

// progress begins to watch over some work for a person; with --json and --quiet it tells nothing.
func (a *app) progress() *terminal.Progress {
	if a.asJSON || a.quiet {
		return &terminal.Progress{}
	}
	return terminal.Watch(a.err)
}

// screen is the one that standard output is.
func (a *app) screen() *terminal.Screen {
	out, ok := a.out.(terminal.Printable)
	if !ok {
		return terminal.NewScreen(a.out, nil)
	}
	if o := outputOf(a.out); o != nil && !a.asJSON {
		return terminal.NewScreen(out.To, o.file)
	}
	return terminal.NewScreen(out.To, nil)
}

// errorScreen is the one that errors and warnings go to: standard error, above the line of progress.
func (a *app) errorScreen() *terminal.Screen {
	if e, ok := a.err.(*terminal.StandardError); ok {
		f, _ := e.To.(*os.File)
		return terminal.NewScreen(a.err, f)
	}
	return terminal.NewScreen(a.err, nil)
}

// remark writes what the program says on standard error beside its log, in one piece.
func (a *app) remark(level zapcore.Level, format string, args ...any) {
	if a.quiet && level < zapcore.WarnLevel {
		return // what is waited for
	}
	text := fmt.Sprintf(format, args...) + "\n"
	if a.errorScreen().Remark(level, text) {
		return
	}
	if a.journal {
		text = daemon.Marked(level, text)
	}
	fmt.Fprint(a.err, text)
}

// With --json a command prints one document on standard output, whatever becomes of it: its result, at its end, when it
// is known whether it failed. Text for people goes into the document of a command that has no other result. With
// --quiet text is kept until that is known.

// results is standard output.
type results struct {
	app *app
	to  *standardOutput
}

func (r *results) Write(b []byte) (int, error) {
	if r.app.asJSON || r.app.quiet {
		return r.app.document.text.Write(b)
	}
	return r.to.Write(b)
}

// sayHeldBack prints what --quiet kept, for a command that failed or left something out.
func (a *app) sayHeldBack() error {
	if !a.quiet || a.asJSON {
		return nil
	}
	_, err := io.WriteString(outputOf(a.out), a.document.text.String())
	return err
}

// print takes the result of a command with --json.
func (a *app) print(v any) error {
	a.document.result = v
	return nil
}

// sayResult prints what a command has to answer, as a document or for people.
func (a *app) sayResult(r operation.Result) error {
	switch {
	case a.asJSON:
		if err := a.print(r.Document); err != nil {
			return err
		}
	case r.Table != nil && !r.Table.Empty():
		r.Table.Fit(a.screen())
	default:
		fmt.Fprint(a.out, r.Text)
	}
	if r.Partial {
		return errPartial
	}
	return nil
}

// sayDocument prints the document of a command that ends with an error, or with none.
func (a *app) sayDocument(ended error) error {
	if !a.asJSON || a.document.printed {
		return nil
	}
	result, failure := a.document.result, failureOf(ended)
	switch text := a.document.text.String(); {
	case result != nil:
	case failure.Error != "":
		result = wrongIn(ended)
	case text != "":
		result = document.Spoken{Text: text}
	}
	doc, err := report.Indented(result, failure)
	if err != nil {
		return err
	}
	return a.writeDocument(doc)
}

// printLine writes a document at once, on a line: one of many.
func (a *app) printLine(v any) error {
	doc, err := report.Document(v, report.Failure{})
	if err != nil {
		return err
	}
	return a.writeDocument(append(doc, '\n'))
}

func (a *app) writeDocument(doc []byte) error {
	a.document.printed = true
	out := a.out
	if to := outputOf(out); to != nil {
		out = terminal.Printable{To: to}
	}
	_, err := out.Write(doc)
	return err
}

// sayListening tells where the service listens, which callers wait for.
func sayListening(a *app, url string) error {
	if a.asJSON {
		return a.printLine(document.Listening{URL: url})
	}
	_, err := fmt.Fprintf(a.out, "listening on %s\n", url)
	return err
}

// failureOf is why a command failed. One that left something out, or whose findings are its result, did not.
func failureOf(err error) report.Failure {
	for _, told := range []error{nil, errMisconfigured, errUnwell, errPartial} {
		if errors.Is(err, told) {
			return report.Failure{}
		}
	}
	code := failure.Code(err)
	if code == report.FailedInternal && process.Lasting(err) {
		code = report.FailedConfig
	}
	return report.Failure{Error: sentence(err), ErrorCode: code}
}

// wrongIn are the problems of the configuration that made a command fail.
func wrongIn(err error) document.Misconfigured {
	return document.Misconfigured{Problems: inspect.OfConfiguration(err)}
}

// asksForJSON reports whether a command line that cannot be read asks for JSON.
func asksForJSON(a *app) bool {
	return slices.ContainsFunc(a.args, func(arg string) bool { return arg == "--json" || arg == "--json=true" })
}
