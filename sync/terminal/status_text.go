package terminal

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/sync/report"
)

// plainStatus writes a status as text whose lines mean the same wherever and whenever they are read: times in UTC,
// nothing left out. It is what a pipe gets, and scripts read it; the table for a terminal is beside it.
func plainStatus(out io.Writer, s report.Status) {
	if len(s.Projects) == 0 {
		fmt.Fprintln(out, report.NoProject)
	}
	for i, p := range s.Projects {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s: %s\n", p.Name, p.State)
		plainFacts(out, p)
		files, languages := &Table{flex: -1}, &Table{flex: -1}
		files.Row("FILE", "FORMAT", "COLLECTION", "KEYS", "PENDING")
		for _, f := range p.Files {
			files.Row(filepath.ToSlash(f.Path), f.Format, f.Collection, fmt.Sprint(f.Keys), waiting(p, f.Pending))
		}
		languages.Row("LANGUAGE", "KEYS", "MISSING", "PENDING")
		for _, l := range p.Languages {
			languages.Row(l.Language, fmt.Sprint(l.Keys), fmt.Sprint(l.Missing), waiting(p, l.Pending))
		}
		files.say(&Screen{}, out, "  ")
		languages.say(&Screen{}, out, "  ")
		for _, l := range p.Lines {
			fmt.Fprintf(out, "  %s\n", lineInWords(l))
		}
		for _, c := range p.Conflicts {
			plainConflict(out, c)
		}
		for _, problem := range p.OtherProblems() {
			fmt.Fprintf(out, "  problem: %s\n", problem)
		}
	}
	for _, short := range s.Incomplete {
		fmt.Fprintf(out, "incomplete: %s\n", short)
	}
	if s.Balance != nil {
		fmt.Fprintf(out, "%s\n", s.Balance)
	}
	fmt.Fprintf(out, "%s\n", s.Daemon)
}

// waiting is how many of a project's values wait, in a table; "?" where that is not known.
func waiting(p report.ProjectStatus, pending int) string {
	if p.PendingUnknown && pending > 0 {
		return "?"
	}
	return fmt.Sprint(pending)
}

// plainFacts are the lines about the project as a whole.
func plainFacts(out io.Writer, p report.ProjectStatus) {
	facts := &Table{flex: -1}
	if past := p.LastPush; past != nil {
		sent := "nothing sent yet"
		if past.SentAt != nil {
			sent = fmt.Sprintf("%s sent %s", Count(past.Keys, "key"), report.InUTC(*past.SentAt))
		}
		facts.Row("last push", report.InUTC(past.At), resultWords(past.Result), sent)
	}
	if past := p.LastPull; past != nil {
		facts.Row("last pull", report.InUTC(past.At), resultWords(past.Result), Count(past.Keys, "key"))
	}
	if p.NextPull != nil {
		facts.Row("next pull", report.InUTC(*p.NextPull))
	}
	if p.RequestURL != "" {
		facts.Row("request", p.RequestURL)
	}
	if p.Removed > 0 {
		facts.Row("removed", Count(p.Removed, "key")+" that the source no longer has")
	}
	if stale := p.Stale.String(); stale != "" {
		facts.Row("stale", stale)
	}
	facts.say(&Screen{}, out, "  ")
}

// lineInWords is one of several branches that are translated beside each other.
func lineInWords(l report.LineStatus) string {
	if l.Finished != nil {
		return fmt.Sprintf("branch %s is gone since %s; %s", l.Base, report.InUTC(*l.Finished),
			unused(l.Branch, l.Collections))
	}
	return fmt.Sprintf("branch %s: translations on branch %s, keys in %s", l.Base, l.Branch,
		cmp.Or(strings.Join(l.Collections, ", "), "no collection of its own"))
}

// plainConflict is a translation that waits for a decision: both texts, and how to decide.
func plainConflict(out io.Writer, c report.Conflict) {
	fmt.Fprintf(out, "  conflict: %s: %q (%s), since %s\n", filepath.ToSlash(c.File), c.Key, c.Language,
		report.InUTC(c.Since))
	fmt.Fprintf(out, "    repository: %s; to send it: %s\n", report.InQuotes(c.Ours), c.Command("ours"))
	fmt.Fprintf(out, "    service: %s; %s; %s: %s\n", report.InQuotes(c.Theirs), c.Meanwhile(), c.ToTake(),
		c.Command("theirs"))
}
