package events

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
)

const (
	mostEvents = 50
	mostDays   = 30
	mostWords  = 300 // of another program's words, in a sentence
)

// Brief is a bounded line of what was said.
func Brief(said string) string {
	line := strings.Join(strings.Fields(said), " ")
	if runes := []rune(line); len(runes) > mostWords {
		return string(runes[:mostWords-1]) + "…"
	}
	return line
}

func titled(what string) string { return strings.ToUpper(what[:1]) + what[1:] }

// resultOf is the result of something that was done.
func resultOf(problems []report.Problem) string {
	if report.LeavesOut(problems) {
		return report.ResultPartial
	}
	return report.ResultOK
}

// Sent tells what a push sent.
func (d *Entry) Sent(p report.ProjectPush, source string) {
	if d.day.Pushed += p.Keys; p.Keys > 0 {
		d.Tell(report.Event{What: "push", Result: resultOf(p.Problems), Text: "Sent " + sentInWords(p, source) + "."})
	}
}

// Delivered tells of a commit of an earlier pull that has arrived.
func (d *Entry) Delivered(e ledger.Delivery) {
	if e.Commit == "" {
		return
	}
	d.day.Pulled += e.Keys
	d.Tell(report.Event{What: "pull", Result: report.ResultOK, Commit: e.Commit,
		Text: fmt.Sprintf("Delivered commit %.10s to %s, which an earlier pull had made, with %s.",
			e.Commit, d.of.Branch, report.Counted(e.Keys, "text", "texts"))})
}

// DeliveredAgain tells of a commit that the remote had lost.
func (d *Entry) DeliveredAgain(commit string) {
	d.Tell(report.Event{What: "pull", Result: report.ResultOK, Commit: commit,
		Text: fmt.Sprintf("Delivered commit %.10s to %s again, which the remote had lost.", commit, d.of.Branch)})
}

// Brought tells what a pull brought.
func (d *Entry) Brought(p report.ProjectPull, source string) {
	d.day.Pulled += p.Keys
	for _, f := range p.Files {
		if n := f.Added + f.Changed; n > 0 && f.Language != source {
			d.day.Languages = plus(d.day.Languages, f.Language, n)
		}
	}
	d.Tell(report.Event{What: "pull", Result: resultOf(p.Problems), Commit: p.Commit,
		Text: fmt.Sprintf("Brought %s; commit %.10s on %s.", broughtInWords(p, source), p.Commit, d.of.Branch)})
}

// sentInWords is what was sent: keys of source files, and translations.
func sentInWords(p report.ProjectPush, source string) string {
	var paths []string
	languages := make(map[string]bool)
	keys, translations := 0, 0
	for _, f := range p.Files {
		if f.Language == source {
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
		parts = append(parts, report.Counted(keys, "key", "keys")+" of "+paths[0])
	case len(paths) > 1:
		parts = append(parts, fmt.Sprintf("%s of %d files", report.Counted(keys, "key", "keys"), len(paths)))
	}
	if translations > 0 {
		parts = append(parts, report.Counted(translations, "translation",
			"translations")+" in "+report.Counted(len(languages), "language", "languages"))
	}
	return strings.Join(parts, " and ")
}

// broughtInWords is what a pull changed: translations, and texts of the source.
func broughtInWords(p report.ProjectPull, source string) string {
	languages := make(map[string]bool)
	texts, translations := 0, 0
	for _, f := range p.Files {
		switch n := f.Added + f.Changed + f.Removed; {
		case n == 0:
		case f.Language == source:
			texts += n
		default:
			translations += n
			languages[f.Language] = true
		}
	}
	var parts []string
	if translations > 0 {
		parts = append(parts, report.Counted(translations, "translation",
			"translations")+" in "+report.Counted(len(languages), "language", "languages"))
	}
	if texts > 0 {
		parts = append(parts, report.Counted(texts, "source text", "source texts"))
	}
	if len(parts) == 0 {
		return "the branch in sync with its base"
	}
	return strings.Join(parts, " and ")
}
