package report

import (
	"fmt"
	"strings"
	"time"
)

// Sentence is the project's state as a person would say it.
func (s ProjectStatus) Sentence() string {
	var parts []string
	switch {
	case s.Pending == 1:
		parts = append(parts, "1 value waits to be pushed")
	case s.Pending > 1:
		parts = append(parts, fmt.Sprintf("%d values wait to be pushed", s.Pending))
	case s.LastPush != nil && s.LastPush.Result == ResultFailed:
		parts = append(parts, "the last push failed")
	default:
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
	switch n := len(s.OtherProblems()); {
	case n == 1:
		parts = append(parts, "1 thing is left out")
	case n > 1:
		parts = append(parts, fmt.Sprintf("%d things are left out", n))
	}
	switch {
	case s.LastPull == nil:
		parts = append(parts, "nothing was pulled yet")
	case s.LastPull.Result == ResultFailed:
		parts = append(parts, "the last pull failed")
	default:
		parts = append(parts, "last pulled "+s.LastPull.At.UTC().Format(time.DateTime)+" UTC")
	}
	parts = append(parts, s.lasting()...)
	return strings.Join(parts, "; ")
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
