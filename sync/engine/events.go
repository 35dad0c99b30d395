package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// Events tell of the passes to readers who know the product and its languages, but neither git nor the interface.
// What lasts is told when it begins and when it ends: the state remembers what was going on.

// longBusy is for how long git may be in the middle of something before that is told.
const longBusy = 10 * time.Minute

// ended tells how a pass ended: once of equal failures, however often it is tried again, and once that it works again.
func (d *diary) ended(pass string, err error) {
	if errors.Is(err, context.Canceled) {
		return // it is taken up again
	}
	d.waited(pass, err)
	if errors.Is(err, gitops.ErrBusy) {
		return
	}
	for _, id := range slices.Compact([]string{d.about(pass), pass + "\x00"}) { // the line's; and the project's, which came as far as to a line
		before, failed := d.standing[id]
		switch {
		case err != nil && id == d.about(pass):
			row := ledger.Ongoing{Since: d.at, Times: 1}
			if failed {
				row = ledger.Ongoing{Since: before.Since, Times: before.Times + 1}
			}
			d.stand(id, row)
			d.again = &report.Event{At: d.at, What: pass, Base: d.line, Result: report.ResultFailed, Text: titled(pass) + " did not work: " + brief(err.Error())}
		case failed && err == nil:
			d.tell(report.Event{What: pass, Result: report.ResultRecovered, Since: before.Since, Count: before.Times,
				Text: fmt.Sprintf("%s works again, after %s.", titled(pass), counted(before.Times, "failure", "failures"))})
			fallthrough
		case failed:
			d.stand(id, ledger.Ongoing{})
		}
	}
}

// waited tells that git is in the middle of something for long, and that it is over.
func (d *diary) waited(pass string, err error) {
	id := d.about("git " + pass)
	before, waits := d.standing[id]
	switch busy := errors.Is(err, gitops.ErrBusy); {
	case busy && !waits:
		d.stand(id, ledger.Ongoing{Since: d.at})
	case busy && before.Times == 0 && d.at.Sub(before.Since) >= longBusy:
		d.tell(report.Event{What: "git", Result: report.ResultBegan, Since: before.Since,
			Text: fmt.Sprintf("Nothing is done for %d minutes now, for %s.", int(d.at.Sub(before.Since).Minutes()), brief(err.Error()))})
		d.stand(id, ledger.Ongoing{Since: before.Since, Times: 1})
	case !busy && waits:
		if before.Times > 0 {
			d.tell(report.Event{What: "git", Result: report.ResultEnded, Since: before.Since, Text: titled(pass) + " goes on: git is done with what it was in the middle of."})
		}
		d.stand(id, ledger.Ongoing{})
	}
}

// conflicts tells of keys that both sides changed since the last pass, and of those that are decided.
func (d *diary) conflicts() {
	all, err := ledger.Conflicts.List(d.tx, d.stateName())
	if err != nil {
		return // the passes say so
	}
	ids, byID := make([]string, 0, len(all)), make(map[string]conflict)
	for _, c := range all {
		sum := sha256.Sum256([]byte(c.ID()))
		id := hex.EncodeToString(sum[:8])
		ids, byID[id] = append(ids, id), conflict{c}
	}
	slices.Sort(ids)
	began, ended := d.became("conflict", ids)
	switch n := len(began); {
	case n == 1:
		c := d.shown(byID[began[0]])
		d.tell(report.Event{What: "conflict", Result: report.ResultBegan, Text: fmt.Sprintf(
			"%q of %s differs between the repository and the service; until it is decided, %s.", c.Key, c.File, c.Meanwhile())})
	case n > 1:
		d.tell(report.Event{What: "conflict", Result: report.ResultBegan, Text: fmt.Sprintf("%d translations differ between the repository and the service; they wait for a decision.", n)})
	}
	if n := len(ended); n > 0 {
		d.tell(report.Event{What: "conflict", Result: report.ResultEnded, Text: fmt.Sprintf("%s over: decided, or both sides have the same text.", counted(n, "conflict is", "conflicts are"))})
	}
}

// holds tells of files that are held back since the last pass of a kind, and of those that are not any more.
func (d *diary) holds(pass string, held []report.Problem) {
	var files []string
	for _, p := range held {
		files = append(files, p.File)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	began, ended := d.became("hold "+pass, files[:min(len(files), mostFiles)])
	if len(began) > 0 {
		first := held[slices.IndexFunc(held, func(p report.Problem) bool { return p.File == began[0] })]
		text := first.File + " " + brief(first.Advised().Problem) + "."
		if n := len(began) - 1; n > 0 {
			text += fmt.Sprintf(" %s held back like it.", counted(n, "other file is", "other files are"))
		}
		d.tell(report.Event{What: "hold", Result: report.ResultBegan, Text: text})
	}
	switch n := len(ended); {
	case n == 1:
		d.tell(report.Event{What: "hold", Result: report.ResultEnded, Text: ended[0] + " is not held back any more."})
	case n > 1:
		d.tell(report.Event{What: "hold", Result: report.ResultEnded, Text: fmt.Sprintf("%d files are not held back any more.", n)})
	}
}

// mostFiles bounds what is remembered of files that are held back.
const mostFiles = 200

// finished tells of branches that are gone, and forgets what went on with them.
func (d *diary) finished(lines []report.FinishedLine) {
	for _, l := range lines {
		d.tell(report.Event{What: "branch", Result: report.ResultEnded,
			Text: fmt.Sprintf("Branch %s is gone; the translations on %s are not used any more.", l.Base, l.Branch)})
		for id := range d.standing {
			if strings.HasSuffix(id, "\x00"+l.Base) {
				d.stand(id, ledger.Ongoing{})
			}
		}
	}
}

// brief is a bounded line of what was said.
func brief(said string) string {
	line := strings.Join(strings.Fields(said), " ")
	if runes := []rune(line); len(runes) > mostWords {
		return string(runes[:mostWords-1]) + "…"
	}
	return line
}

func titled(what string) string { return strings.ToUpper(what[:1]) + what[1:] }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// tell tells what a push did.
func (r *pushing) tell(d *diary, err error) {
	if d.day.Pushed += r.report.Keys; r.report.Keys > 0 {
		d.tell(report.Event{What: "push", Result: resultOf(r.report.Problems), Text: "Sent " + r.sentInWords() + "."})
	}
	d.skips(r.skipped)
	if r.skipped != "" {
		return
	}
	d.finished(r.report.Finished)
	if err == nil && r.accepted != nil {
		d.holds("push", r.accepted.holdings())
	}
	d.conflicts()
	d.ended("push", err)
}

// resultOf is the result of something that was done.
func resultOf(problems []report.Problem) string {
	if len(problems) > 0 {
		return report.ResultPartial
	}
	return report.ResultOK
}

// skips tells why nothing is pushed, once for as long as the reason stays; the same within a day is one event.
func (d *diary) skips(why string) {
	const id = "skip"
	switch before := d.standing[id]; {
	case why == "":
		d.stand(id, ledger.Ongoing{})
	case !slices.Equal(before.Of, []string{why}):
		d.again = &report.Event{At: d.at, What: "skip", Result: report.ResultSkipped, Since: d.at.AddDate(0, 0, -1), Text: "Nothing is pushed: " + why + "."}
		d.stand(id, ledger.Ongoing{Since: d.at, Of: []string{why}})
	}
}

// sentInWords is what was sent: keys of source files, and translations.
func (r *pushing) sentInWords() string {
	var paths []string
	languages := make(map[string]bool)
	keys, translations := 0, 0
	for _, f := range r.report.Files {
		if f.Language == r.cfg.SourceLanguage {
			keys += len(f.Keys)
			if !slices.Contains(paths, f.Path) {
				paths = append(paths, f.Path)
			}
			continue
		}
		translations += len(f.Keys)
		languages[f.Language] = true
	}
	var parts []string
	switch {
	case len(paths) == 1:
		parts = append(parts, counted(keys, "key", "keys")+" of "+paths[0])
	case len(paths) > 1:
		parts = append(parts, fmt.Sprintf("%s of %d files", counted(keys, "key", "keys"), len(paths)))
	}
	if translations > 0 {
		parts = append(parts, counted(translations, "translation", "translations")+" in "+counted(len(languages), "language", "languages"))
	}
	return strings.Join(parts, " and ")
}

// tell tells what a pull did.
func (r *pulling) tell(d *diary, err error) {
	if e := r.earlier; e != nil && e.Commit != "" {
		d.day.Pulled += e.Keys
		d.tell(report.Event{What: "pull", Result: report.ResultOK, Commit: e.Commit,
			Text: fmt.Sprintf("Delivered commit %.10s to %s, which an earlier pull had made, with %s.", e.Commit, r.report.Branch, counted(e.Keys, "text", "texts"))})
	}
	switch commit := r.report.Commit; { // also where the pass failed after that
	case r.redelivered:
		d.tell(report.Event{What: "pull", Result: report.ResultOK, Commit: commit, Text: fmt.Sprintf("Delivered commit %.10s to %s again, which the remote had lost.", commit, r.report.Branch)})
	case r.brought:
		d.day.Pulled += r.report.Keys
		d.tell(report.Event{What: "pull", Result: resultOf(r.report.Problems), Commit: commit, Text: fmt.Sprintf("Brought %s; commit %.10s on %s.", r.broughtInWords(), commit, r.report.Branch)})
	}
	d.finished(r.report.Finished)
	if err == nil && r.tip != nil {
		d.holds("pull", r.holds)
	}
	d.request()
	d.conflicts()
	d.ended("pull", err)
}

// request tells what became of the branch's pull or merge request since the last pull.
func (d *diary) request() {
	q, _, err := ledger.Requests.Get(d.tx, d.stateName(), d.cfg.Pull.Branch)
	if err != nil {
		return // the pass says so
	}
	branch := d.cfg.Pull.Branch
	open, failed := []string{}, []string{}
	if q.URL != "" {
		open = append(open, q.URL)
	}
	if q.Failed != "" {
		failed = append(failed, equal(q.Failed))
	}
	began, ended := d.became("request", open)
	switch {
	case len(began) > 0 && q.Did == requestOffered:
		d.tell(report.Event{What: "request", Result: requestOffered, URL: q.URL, Text: fmt.Sprintf("The remote offers to make a request for %s.", branch)})
	case len(began) > 0 && q.Did == string(forge.Made):
		d.tell(report.Event{What: "request", Result: string(forge.Made), URL: q.URL, Text: fmt.Sprintf("Asked for %s to be merged.", branch)})
	case len(began) > 0:
		d.tell(report.Event{What: "request", Result: q.Did, URL: q.URL, Text: fmt.Sprintf("There is a request to merge %s.", branch)})
	case len(ended) > 0 && q.Did == string(forge.Declined):
		d.tell(report.Event{What: "request", Result: string(forge.Declined), URL: ended[0], Text: fmt.Sprintf("The request to merge %s was closed; there is none until there is something new.", branch)})
	case len(ended) > 0:
		d.tell(report.Event{What: "request", Result: report.ResultEnded, URL: ended[0], Text: fmt.Sprintf("Everything of %s is merged.", branch)})
	}
	if began, _ = d.became("request failed", failed); len(began) > 0 {
		d.tell(report.Event{What: "request", Result: report.ResultFailed, Text: titled(brief(q.Failed))})
	}
}

// broughtInWords is what a pull changed: translations, and texts of the source.
func (r *pulling) broughtInWords() string {
	languages := make(map[string]bool)
	texts, translations := 0, 0
	for _, f := range r.report.Files {
		switch n := f.Added + f.Changed + f.Removed; {
		case n == 0:
		case f.Language == r.cfg.SourceLanguage:
			texts += n
		default:
			translations += n
			languages[f.Language] = true
		}
	}
	var parts []string
	if translations > 0 {
		parts = append(parts, counted(translations, "translation", "translations")+" in "+counted(len(languages), "language", "languages"))
	}
	if texts > 0 {
		parts = append(parts, counted(texts, "source text", "source texts"))
	}
	if len(parts) == 0 {
		return "the branch in step with its base"
	}
	return strings.Join(parts, " and ")
}

// Reloaded tells all projects that the configuration was read again: with an error, that the new one was refused.
func (e *Engine) Reloaded(err error) {
	event := report.Event{What: "reload", Result: report.ResultOK, Text: "The configuration was read again."}
	if err != nil {
		event.Result, event.Text = report.ResultFailed, "A new configuration is not used, and the old one stays: "+brief(err.Error())
	}
	for _, p := range e.projects {
		p.tellNow(event)
	}
}
