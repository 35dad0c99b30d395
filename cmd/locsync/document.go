package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/document"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/process"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
)

// With --json a command prints one document on standard output, whatever becomes of it: its result, at its end, when it
// is known whether it failed. Text for people goes into the document of a command that has no other result.

// results is standard output.
type results struct {
	app *app
	to  *standardOutput
}

func (r *results) Write(b []byte) (int, error) {
	if r.app.asJSON {
		return r.app.document.text.Write(b)
	}
	return r.to.Write(b)
}

// print takes the result of a command with --json.
func (a *app) print(v any) error {
	a.document.result = v
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
	found := document.Misconfigured{Problems: []report.Problem{}}
	var problems config.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			found.Problems = append(found.Problems, ofConfig(p))
		}
	}
	return found
}

// asksForJSON reports whether a command line that cannot be read asks for JSON.
func asksForJSON(a *app) bool {
	return slices.ContainsFunc(a.args, func(arg string) bool { return arg == "--json" || arg == "--json=true" })
}
