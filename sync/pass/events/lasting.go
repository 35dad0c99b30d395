package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/request"
	"github.com/locsync/locsync/sync/report"
)

// stand remembers that something goes on, or with the zero value that it does not.
func (d *Entry) stand(id string, now ledger.Ongoing) {
	before, is := d.standing[id]
	switch {
	case now.Since.IsZero() && !is, is && now.Since.Equal(before.Since) && now.Times == before.Times &&
		slices.Equal(now.Of, before.Of):
		return
	case now.Since.IsZero():
		delete(d.standing, id)
	default:
		d.standing[id] = now
	}
	d.changed = true
}

// about is the id of something that goes on with the line of the pass.
func (d *Entry) about(what string) string { return what + "\x00" + d.of.Line }

// became compares what something is about with what it was about before, and remembers it.
func (d *Entry) became(what string, now []string) (began, ended []string) {
	id := d.about(what)
	before := d.standing[id]
	began = slices.DeleteFunc(slices.Clone(now),
		func(of string) bool { _, there := slices.BinarySearch(before.Of, of); return there })
	ended = slices.DeleteFunc(slices.Clone(before.Of),
		func(of string) bool { _, there := slices.BinarySearch(now, of); return there })
	switch {
	case len(now) == 0:
		d.stand(id, ledger.Ongoing{})
	case len(before.Of) == 0:
		d.stand(id, ledger.Ongoing{Since: d.at, Of: now})
	default:
		d.stand(id, ledger.Ongoing{Since: before.Since, Of: now})
	}
	return began, ended
}

// longBusy is for how long git may be in the middle of something before that is told.
const longBusy = 10 * time.Minute

// Ended tells how a pass ended: once of equal failures, however often it is tried again, and once that it works again.
func (d *Entry) Ended(pass string, err error) {
	if d.Part || errors.Is(err, context.Canceled) {
		return // it is taken up again
	}
	d.waited(pass, err)
	if errors.Is(err, gitops.ErrBusy) {
		return
	}
	// the line's; and the project's, which came as far as to a line
	for _, id := range slices.Compact([]string{d.about(pass), pass + "\x00"}) {
		before, failed := d.standing[id]
		switch {
		case err != nil && id == d.about(pass):
			row := ledger.Ongoing{Since: d.at, Times: 1}
			if failed {
				row = ledger.Ongoing{Since: before.Since, Times: before.Times + 1}
			}
			d.stand(id, row)
			d.again = &report.Event{At: d.at, What: pass, Base: d.of.Line, Result: report.ResultFailed, Text: titled(pass) +
				" did not work: " + Brief(failure.Text(err))}
		case failed && err == nil:
			d.Tell(report.Event{What: pass, Result: report.ResultRecovered, Since: before.Since, Count: before.Times,
				Text: fmt.Sprintf("%s works again, after %s.", titled(pass), report.Counted(before.Times, "failure", "failures"))})
			fallthrough
		case failed:
			d.stand(id, ledger.Ongoing{})
		}
	}
}

// waited tells that git is in the middle of something for long, and that it is over.
func (d *Entry) waited(pass string, err error) {
	id := d.about("git " + pass)
	before, waits := d.standing[id]
	switch busy := errors.Is(err, gitops.ErrBusy); {
	case busy && !waits:
		d.stand(id, ledger.Ongoing{Since: d.at})
	case busy && before.Times == 0 && d.at.Sub(before.Since) >= longBusy:
		d.Tell(report.Event{What: "git", Result: report.ResultBegan, Since: before.Since,
			Text: fmt.Sprintf("Nothing is done for %d minutes now, for %s.", int(d.at.Sub(before.Since).Minutes()),
				Brief(err.Error()))})
		d.stand(id, ledger.Ongoing{Since: before.Since, Times: 1})
	case !busy && waits:
		if before.Times > 0 {
			d.Tell(report.Event{What: "git", Result: report.ResultEnded, Since: before.Since, Text: titled(pass) +
				" goes on: git is done with what it was in the middle of."})
		}
		d.stand(id, ledger.Ongoing{})
	}
}

// Conflicts tells of keys that both sides changed since the last pass, and of those that are decided.
func (d *Entry) Conflicts() {
	all, err := ledger.Conflicts.List(d.tx, d.of.Scope)
	if err != nil {
		return // the passes say so
	}
	ids, byID := make([]string, 0, len(all)), make(map[string]ledger.Conflict)
	for _, c := range all {
		id := ledger.Digest([]byte(c.ID()))
		ids, byID[id] = append(ids, id), c
	}
	slices.Sort(ids)
	began, ended := d.became("conflict", ids)
	switch n := len(began); {
	case n == 1:
		c := d.of.Shown(byID[began[0]])
		d.Tell(report.Event{What: "conflict", Result: report.ResultBegan, Text: fmt.Sprintf(
			"%q of %s differs between the repository and the service; until it is decided, %s.", c.Key, c.File, c.Meanwhile())})
	case n > 1:
		d.Tell(report.Event{What: "conflict", Result: report.ResultBegan,
			Text: fmt.Sprintf("%d translations differ between the repository and the service; they wait for a decision.", n)})
	}
	if n := len(ended); n > 0 {
		d.Tell(report.Event{What: "conflict", Result: report.ResultEnded,
			Text: fmt.Sprintf("%s over: decided, or both sides have the same text.",
				report.Counted(n, "conflict is", "conflicts are"))})
	}
}

// Holds tells of files that are held back since the last pass of a kind, and of those that are not any more.
func (d *Entry) Holds(pass string, held []report.Problem) {
	if d.Part {
		return
	}
	var files []string
	for _, p := range held {
		files = append(files, p.File)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	began, ended := d.became("hold "+pass, files[:min(len(files), mostFiles)])
	if len(began) > 0 {
		first := held[slices.IndexFunc(held, func(p report.Problem) bool { return p.File == began[0] })]
		text := first.File + " " + Brief(first.Advised().Problem) + "."
		if n := len(began) - 1; n > 0 {
			text += fmt.Sprintf(" %s held back like it.", report.Counted(n, "other file is", "other files are"))
		}
		d.Tell(report.Event{What: "hold", Result: report.ResultBegan, Text: text})
	}
	switch n := len(ended); {
	case n == 1:
		d.Tell(report.Event{What: "hold", Result: report.ResultEnded, Text: ended[0] + " is not held back any more."})
	case n > 1:
		d.Tell(report.Event{What: "hold", Result: report.ResultEnded,
			Text: fmt.Sprintf("%d files are not held back any more.", n)})
	}
}

// mostFiles bounds what is remembered of files that are held back.
const mostFiles = 200

// Finished tells of branches that are gone, and forgets what went on with them.
func (d *Entry) Finished(lines []report.FinishedLine) {
	for _, l := range lines {
		d.Tell(report.Event{What: "branch", Result: report.ResultEnded,
			Text: fmt.Sprintf("Branch %s is gone; the translations on %s are not used any more.", l.Base, l.Branch)})
		for id := range d.standing {
			if strings.HasSuffix(id, "\x00"+l.Base) {
				d.stand(id, ledger.Ongoing{})
			}
		}
	}
}

// Skips tells why nothing is pushed, once for as long as the reason stays; the same within a day is one event.
func (d *Entry) Skips(why string) {
	const id = "skip"
	switch before := d.standing[id]; {
	case d.Part:
	case why == "":
		d.stand(id, ledger.Ongoing{})
	case !slices.Equal(before.Of, []string{why}):
		d.again = &report.Event{At: d.at, What: "skip", Result: report.ResultSkipped, Since: d.at.AddDate(0, 0, -1),
			Text: "Nothing is pushed: " + why + "."}
		d.stand(id, ledger.Ongoing{Since: d.at, Of: []string{why}})
	}
}

// Request tells what became of the branch's pull or merge request since the last pull.
func (d *Entry) Request() {
	q, _, err := ledger.Requests.Get(d.tx, d.of.Scope, d.of.Branch)
	if err != nil {
		return // the pass says so
	}
	branch := d.of.Branch
	open, failed := []string{}, []string{}
	if q.URL != "" {
		open = append(open, q.URL)
	}
	if q.Failed != "" {
		failed = append(failed, equal(q.Failed))
	}
	began, ended := d.became("request", open)
	switch {
	case len(began) > 0 && q.Did == request.Offered:
		d.Tell(report.Event{What: "request", Result: request.Offered, URL: q.URL,
			Text: fmt.Sprintf("The remote offers to make a request for %s.", branch)})
	case len(began) > 0 && q.Did == string(forge.Made):
		d.Tell(report.Event{What: "request", Result: string(forge.Made), URL: q.URL,
			Text: fmt.Sprintf("Asked for %s to be merged.", branch)})
	case len(began) > 0:
		d.Tell(report.Event{What: "request", Result: q.Did, URL: q.URL,
			Text: fmt.Sprintf("There is a request to merge %s.", branch)})
	case len(ended) > 0 && q.Did == string(forge.Declined):
		d.Tell(report.Event{What: "request", Result: string(forge.Declined), URL: ended[0],
			Text: fmt.Sprintf("The request to merge %s was closed; there is none until there is something new.", branch)})
	case len(ended) > 0:
		d.Tell(report.Event{What: "request", Result: report.ResultEnded, URL: ended[0],
			Text: fmt.Sprintf("Everything of %s is merged.", branch)})
	}
	if began, _ = d.became("request failed", failed); len(began) > 0 {
		d.Tell(report.Event{What: "request", Result: report.ResultFailed, Text: titled(Brief(q.Failed))})
	}
}
