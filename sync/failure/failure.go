// Package failure names what kind of failure an error is, for reports: credentials, a service or remote that does not
// answer or refuses, work elsewhere, or something that has to be changed here. It knows the errors of all that is
// called.
package failure

import (
	"cmp"
	"context"
	"errors"
	"net"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// codes are the causes of failures with their codes. Of several causes the first of this list counts: what has to be
// changed comes before what passes.
var codes = []struct {
	code   string
	causes []error
}{
	{report.FailedAuth, []error{service.ErrAuth, gitops.ErrAuth, gitops.ErrUntrusted, gitops.ErrOwner,
		forge.ErrToken, forge.ErrForbidden}},
	{report.FailedBusy, []error{gitops.ErrBusy, syscall.EADDRINUSE}},
	{report.FailedRefused, []error{service.ErrRefused, service.ErrNotFound, service.ErrExportFailed, service.ErrTaskFailed,
		service.ErrDisassembly, gitops.ErrRefused, forge.ErrInvalid, forge.ErrNotFound}},
	{report.FailedUnreachable, []error{service.ErrTemporary, service.ErrRate, service.ErrUnknownOutcome,
		service.ErrUnusable, service.ErrNotReady, gitops.ErrUnavailable, forge.ErrTemporary, forge.ErrLimited,
		context.DeadlineExceeded}},
}

// Of is the failure of an error; none of nil.
func Of(err error) report.Failure {
	if err == nil {
		return report.Failure{}
	}
	return report.Failure{Error: Text(err), ErrorCode: Code(err)}
}

// Text is what people read of an error; of several that are joined a line each, none of them twice. Where the service
// gives no answer, takes no credentials or does not work for now, it does not say which of the requests that was. A
// problem of the configuration begins with its file and line.
func Text(err error) string {
	if many, is := err.(interface{ Unwrap() []error }); is {
		var all, lines []string
		for _, one := range many.Unwrap() {
			all = append(all, one.Error())
			line := Text(one)
			again := func(other string) bool { // a push and a pull that fail alike
				return line == other || passOf.MatchString(line) &&
					passOf.ReplaceAllString(line, "$1") == passOf.ReplaceAllString(other, "$1")
			}
			if !slices.ContainsFunc(lines, again) {
				lines = append(lines, line)
			}
		}
		if err.Error() == strings.Join(all, "\n") { // by errors.Join
			return strings.Join(lines, "\n")
		}
	}
	if errors.Is(err, context.Canceled) {
		return "interrupted before it was done"
	}
	if problem, is := errors.AsType[config.Problem](err); is && !strings.Contains(err.Error(), "\n") {
		_, more, _ := strings.Cut(err.Error(), problem.Error())
		return problem.Error() + more
	}
	if said := ofBranch(err); said != "" {
		return passOf.FindString(err.Error()) + said
	}
	var unreachable *service.UnreachableError
	if errors.As(err, &unreachable) && !strings.Contains(err.Error(), "\n") {
		return unreachable.Error()
	}
	if answer, is := errors.AsType[*service.Error](err); is && !strings.Contains(err.Error(), "\n") {
		said := cmp.Or(answer.Rejection(), Outage(answer))
		if said != "" {
			_, more, _ := strings.Cut(err.Error(), answer.Error())
			return said + more
		}
	}
	return err.Error()
}

// passOf is what the failure of a pass begins with.
var passOf = regexp.MustCompile(`^(?:check|push|pull) ("[^"]*": )`)

// ofBranch is what people are told of a remote that cannot be used as it is configured, and of a branch that is not
// there: without the calls that met it. It is empty for other errors.
func ofBranch(err error) string {
	if strings.Contains(err.Error(), "\n") {
		return ""
	}
	if rejected, is := errors.AsType[*gitops.Rejection](err); is {
		return rejected.Told()
	}
	if none, is := errors.AsType[*gitops.NoBranch](err); is {
		return none.Error()
	}
	return ""
}

// Code is the code of a failure. An error with a method ErrorCode has it from there, where its cause has none.
func Code(err error) string {
	for _, of := range codes {
		for _, cause := range of.causes {
			if errors.Is(err, cause) {
				return of.code
			}
		}
	}
	var coded interface{ ErrorCode() string }
	var newer *ledger.NewerError
	var network net.Error
	switch {
	case errors.As(err, &coded):
		return coded.ErrorCode()
	case errors.As(err, &newer):
		return report.FailedConfig
	case errors.As(err, &network):
		if _, bare := network.(syscall.Errno); bare {
			break // of a file: every number of the system has a network error's methods
		}
		return report.FailedUnreachable
	}
	return report.FailedInternal
}

// UsageError is a problem that only a change of the configuration or the arguments ends: the exit code 2 of commands.
type UsageError struct{ Err error }

// Usage marks an error as one that only a change ends.
func Usage(err error) error { return &UsageError{Err: err} }

func (e *UsageError) Error() string { return e.Err.Error() }

// ErrorCode is what reports call it.
func (e *UsageError) ErrorCode() string {
	if code := Code(e.Err); code != report.FailedInternal {
		return code
	}
	return report.FailedConfig
}

func (e *UsageError) Unwrap() error { return e.Err }
