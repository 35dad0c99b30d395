package report

import (
	"fmt"
	"strings"
	"time"
)

// InUTC is a time as it is the same for everybody who reads it.
func InUTC(at time.Time) string { return at.UTC().Format(time.DateTime) + " UTC" }

// Sentence is the project's state as a person would say it, with times as when writes them.
func (s ProjectStatus) Sentence(when func(time.Time) string) string {
	parts, kept := s.failing(when), ""
	unread, problems := s.unread()
	if len(parts) > 0 {
		kept = ", nothing is lost"
	} else if s.NotPushed != "" {
		kept = ", and nothing is pushed: " + s.NotPushed
	}
	switch {
	case s.PendingUnknown:
		parts = append(parts, fmt.Sprintf("what waits to be pushed is not known before the first pass in this clone (at "+
			"most %s)", Counted(s.Pending, "value", "values"))+kept)
	case s.Pending == 1:
		parts = append(parts, "1 value waits to be pushed"+kept)
	case s.Pending > 1:
		parts = append(parts, fmt.Sprintf("%d values wait to be pushed", s.Pending)+kept)
	case len(unread) == 0 && (s.LastPush == nil || s.LastPush.Result != ResultFailed):
		parts = append(parts, "everything is pushed")
	}
	open := 0
	for _, c := range s.Conflicts {
		if c.Open {
			open++
		}
	}
	switch {
	case open == 1:
		parts = append(parts, "1 translation differs from the service's and waits for a decision")
	case open > 1:
		parts = append(parts, fmt.Sprintf("%d translations differ from the service's and wait for a decision", open))
	}
	switch n := len(s.Conflicts) - open; {
	case n == 1:
		parts = append(parts, "1 translation was changed on both sides and waits for a decision")
	case n > 1:
		parts = append(parts, fmt.Sprintf("%d translations were changed on both sides and wait for a decision", n))
	}
	switch {
	case len(unread) == 1:
		parts = append(parts, "1 source file cannot be read: "+unread[0].where())
	case len(unread) > 1:
		parts = append(parts, fmt.Sprintf("%d source files cannot be read", len(unread)))
	}
	switch {
	case len(problems) == 1 && problems[0].File != "":
		parts = append(parts, "1 problem: "+problems[0].where())
	case len(problems) == 1:
		parts = append(parts, "1 problem")
	case len(problems) > 1:
		parts = append(parts, fmt.Sprintf("%d problems", len(problems)))
	}
	switch {
	case s.LastPull == nil:
		parts = append(parts, "nothing was pulled yet")
	case s.LastPull.Result != ResultFailed:
		parts = append(parts, "last pulled "+when(s.LastPull.At))
	}
	parts = append(parts, s.lasting()...)
	return strings.Join(parts, "; ")
}

// unread are the problems of source files that cannot be read, one for each file, and the others that are open.
func (s ProjectStatus) unread() (unread, others []Problem) {
	broken := make(map[string]bool)
	for _, f := range s.Files {
		broken[f.Path] = f.Error != ""
	}
	for _, p := range s.OtherProblems() {
		if broken[p.File] && p.Key == "" {
			unread, broken[p.File] = append(unread, p), false
		} else {
			others = append(others, p)
		}
	}
	return unread, others
}

// where is a problem's file, with line and column as far as they are known.
func (p Problem) where() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// failing says which passes fail, since when, why (a cause that both have once), and when the next attempt is made.
func (s ProjectStatus) failing(when func(time.Time) string) (parts []string) {
	defer func() {
		if len(parts) > 0 && s.NextAttempt != nil {
			parts = append(parts, "next attempt "+when(*s.NextAttempt))
		}
	}()
	failed := func(past *Past) bool { return past != nil && past.Result == ResultFailed }
	say := func(what string, past *Past) {
		since := past.FailingSince
		if since.IsZero() {
			since = past.At
		}
		what += " since " + when(since)
		if past.Error != "" {
			what += ": " + past.Error
		}
		parts = append(parts, what)
	}
	push, pull := failed(s.LastPush), failed(s.LastPull)
	if push && pull && s.LastPush.Error == s.LastPull.Error {
		first := s.LastPush
		if s.LastPull.FailingSince.Before(first.FailingSince) {
			first = s.LastPull
		}
		say("push and pull fail", first)
		return parts
	}
	if push {
		say("push fails", s.LastPush)
	}
	if pull {
		say("pull fails", s.LastPull)
	}
	return parts
}

// lasting is what stays so until people do something, or for good.
func (s ProjectStatus) lasting() (parts []string) {
	var gone []string
	for _, l := range s.Lines {
		if l.Finished != nil {
			gone = append(gone, l.Base)
		}
	}
	switch n := len(gone); {
	case n == 1:
		parts = append(parts, "branch "+gone[0]+" is gone, so its collections are not used any more")
	case n > 1:
		parts = append(parts, fmt.Sprintf("%d branches are gone, so their collections are not used any more", n))
	}
	if s.Watch != nil && s.Watch.Why != "" {
		parts = append(parts, "files are compared every few seconds: "+s.Watch.Why)
	}
	return parts
}
