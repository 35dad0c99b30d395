package report

import (
	"strings"
	"testing"
	"time"
)

// A cause that push and pull have is said once, with when it began, and what waits behind it.
func TestSentenceOfAnOutage(t *testing.T) {
	began := time.Date(2026, 11, 21, 13, 57, 0, 0, time.UTC)
	failed := func(since time.Time, why string) *Past {
		return &Past{At: began.Add(time.Hour), Result: ResultFailed, Error: why, FailingSince: since}
	}
	good := &Past{At: began, Result: ResultOK}
	for _, c := range []struct {
		push, pull *Past
		want       string
	}{
		{failed(began.Add(time.Minute), "no way"), failed(began, "no way"),
			"push and pull fail since 2026-11-21 13:57:00 UTC: no way; 9 values wait to be pushed, nothing is lost"},
		{failed(began, "no way"), failed(began, "another way"), "push fails since 2026-11-21 13:57:00 UTC: no way; " +
			"pull fails since 2026-11-21 13:57:00 UTC: another way; 9 values wait to be pushed, nothing is lost"},
		{failed(time.Time{}, "no way"), good, "push fails since 2026-11-21 14:57:00 UTC: no way; 9 values wait to be pushed, nothing is lost; " +
			"last pulled 2026-11-21 13:57:00 UTC"},
		{good, good, "9 values wait to be pushed; last pulled 2026-11-21 13:57:00 UTC"},
	} {
		s := ProjectStatus{Pending: 9, LastPush: c.push, LastPull: c.pull}
		if got := s.Sentence(InUTC); got != c.want {
			t.Errorf("%q\nis not %q", got, c.want)
		}
	}
	next := began.Add(2 * time.Minute)
	waits := ProjectStatus{Pending: 9, LastPush: failed(began, "no way"), LastPull: failed(began, "no way"),
		Process: Process{NextAttempt: &next}}
	if got, want := waits.Sentence(InUTC), "push and pull fail since 2026-11-21 13:57:00 UTC: no way; next attempt "+
		"2026-11-21 13:59:00 UTC; 9 values wait to be pushed, nothing is lost"; got != want {
		t.Errorf("%q\nis not %q", got, want)
	}
	broken := ProjectStatus{LastPush: good, LastPull: good, Findings: Findings{Problems: []Problem{
		{Code: CodeSyntax, File: "en.json", Line: 4, Column: 3, Problem: "unterminated string"}}}}
	if got := broken.Sentence(InUTC); !strings.HasPrefix(got, "everything is pushed; 1 problem: en.json:4:3; last pulled") {
		t.Errorf("%q", got)
	}
	s := ProjectStatus{LastPush: failed(began, "no way"), LastPull: good}
	if got := s.Sentence(InUTC); strings.Contains(got, "everything is pushed") {
		t.Errorf("%q", got)
	}
	unknown := ProjectStatus{Pending: 9, PendingUnknown: true}
	if got, want := unknown.Sentence(InUTC), "what waits to be pushed is not known before the first pass in this clone "+
		"(at most 9 values); nothing was pulled yet"; got != want {
		t.Errorf("%q\nis not %q", got, want)
	}
}
