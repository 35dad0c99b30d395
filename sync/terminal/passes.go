package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/report"
)

// What push, pull and sync print of what they did, for people.

// headline says what was done for a project.
func (s *Screen) headline(name, base, format string, args ...any) {
	s.line(called(name, base)+": ", strong, fmt.Sprintf(format, args...))
}

// Push prints what a push did for a project, or would do.
func (s *Screen) Push(p report.ProjectPush, dry bool) {
	did := "sent"
	if dry {
		did = "would send"
	}
	switch {
	case p.Requests > 0:
		s.headline(p.Name, p.Base, "%s %s in %s", did, Count(p.Keys, "value"), Count(p.Requests, "import"))
	case p.Skipped != "":
		s.headline(p.Name, p.Base, "nothing is pushed: %s", p.Skipped)
	case p.Error == "":
		s.headline(p.Name, p.Base, "nothing to push")
	}
	var e examples
	for _, f := range p.Files {
		keys := some(f.Keys)
		if dry && len(f.Keys) > mostOfFile && !s.All {
			keys = Count(len(f.Keys), "key")
		}
		s.line("  ", plainly, fmt.Sprintf("%s (%s): %s", f.Path, f.Language, keys))
		s.changes(f.Changes, &e)
	}
	s.hint(e)
	for _, d := range p.Settled {
		which := "resolved, the repository's text is sent"
		if d.Stands == "theirs" {
			which = "resolved, the service's text is taken"
		}
		s.line("  ", plainly, fmt.Sprintf("%s: %q (%s): %s", d.File, d.Key, d.Language, which))
	}
	for _, m := range p.Moved {
		s.line("  ", plainly, m.String())
	}
	for _, o := range slices.Concat(p.Orphaned, p.Replaced) {
		s.line("  ", plainly, o.String())
	}
	for _, m := range p.Renamed {
		from := fmt.Sprintf("%q", m.From)
		if m.FromFile != "" {
			from += " of " + m.FromFile
		}
		said := fmt.Sprintf("%s: %s is now %q", m.File, from, m.To)
		if len(m.Languages) > 0 {
			said += "; its translations moved along (" + strings.Join(m.Languages, ", ") + ")"
		}
		s.line("  ", plainly, said)
	}
	s.finished(p.Finished)
	s.leftOut(p.Problems)
}

// Pull prints what a pull did for a project, or would do.
func (s *Screen) Pull(p report.ProjectPull, dry bool) {
	switch {
	case p.Commit != "":
		where := "branch " + p.Branch
		if p.Pushed {
			where += ", pushed to the remote"
		}
		if len(p.Files) == 0 { // of an earlier pull
			s.headline(p.Name, p.Base, "delivered commit %.10s to %s", p.Commit, where)
			break
		}
		s.headline(p.Name, p.Base, "%s in commit %.10s on %s", much(p), p.Commit, where)
	case dry && len(p.Files) > 0:
		s.headline(p.Name, p.Base, "a pull would commit on branch %s: %s", p.Branch, much(p))
	case p.Error == "":
		s.headline(p.Name, p.Base, "nothing to pull")
	}
	var e examples
	for _, f := range p.Files {
		s.line("  ", plainly, fmt.Sprintf("%s (%s): %s", f.Path, f.Language, f.Summary()))
		s.changes(f.Changes, &e)
	}
	s.hint(e)
	if p.RequestURL != "" {
		s.line("  "+requestWords[p.Request]+": ", plainly, p.RequestURL)
	}
	s.finished(p.Finished)
	s.leftOut(p.Problems)
}

// much is what a pull did to all files together.
func much(p report.ProjectPull) string {
	var all report.PulledFile
	for _, f := range p.Files {
		all.Added, all.Changed, all.Removed = all.Added+f.Added, all.Changed+f.Changed, all.Removed+f.Removed
	}
	if p.Keys == 0 {
		return Count(len(p.Files), "file") + " brought up to date"
	}
	return all.Summary()
}

// mostOfFile bounds the values that a dry run shows of a file and language, and mostExamples those of a project.
const mostOfFile, mostExamples = 10, 100

// examples counts what a dry run shows of a project.
type examples struct {
	shown int
	cut   bool // more values are there
}

// of are the first values of a file, all where all are wanted, and how many more there are.
func (e *examples) of(values []report.Value, all bool) (shown []report.Value, more int) {
	n := min(len(values), mostOfFile, mostExamples-e.shown)
	if all {
		n = len(values)
	}
	e.shown += n
	e.cut = e.cut || n < len(values)
	return values[:n], len(values) - n
}

// changes are the values that a dry run would add (+), remove (-) or change (~).
func (s *Screen) changes(all []report.Value, e *examples) {
	changes, more := e.of(all, s.All)
	text := func(st style, v *string) string { return s.in(st, fmt.Sprintf("%q", *v)) }
	for _, v := range changes {
		key := v.Key
		if v.Form != "" {
			key += " [" + v.Form + "]"
		}
		key = report.Printable(key)
		switch {
		case v.Changed && v.Old == nil && v.New != nil:
			fmt.Fprintf(s.to, "    ~ %s: %s\n", key, text(green, v.New))
		case v.Old == nil && v.New != nil:
			fmt.Fprintf(s.to, "    + %s: %s\n", key, text(green, v.New))
		case v.New == nil && v.Old != nil:
			fmt.Fprintf(s.to, "    - %s: %s\n", key, text(red, v.Old))
		case v.New != nil:
			fmt.Fprintf(s.to, "    ~ %s: %s -> %s\n", key, text(red, v.Old), text(green, v.New))
		}
	}
	if more > 0 && len(changes) > 0 {
		fmt.Fprintf(s.to, "    and %d more\n", more)
	}
}

// hint says how to see all values where some are not shown.
func (s *Screen) hint(e examples) {
	if e.cut {
		s.line("  ", plainly, "--all shows all texts, and --json has them too")
	}
}

// Drafts says how what the first sync brought to the embedded service comes back: where texts were sent in one
// language, and no translation came.
func (s *Screen) Drafts(sent []report.ProjectPush, pulled []report.ProjectPull, listen string) {
	languages := make(map[string]bool)
	for _, p := range sent {
		for _, f := range p.Files {
			languages[f.Language] = true
		}
	}
	for _, p := range pulled {
		if len(languages) == 1 && p.Commit == "" && p.Error == "" && listen != "" {
			s.line("", plainly, "Translations come back once they are final. To review drafts and to translate:")
			s.line("  ", plainly, fmt.Sprintf("locsync run              # serves http://%s/translate/", listen))
			s.line("  ", plainly, "locsync service invite   # while it runs: a link with which a person signs in there")
			return
		}
	}
}

// finished names branches that are gone, and what is not used any more because of that.
func (s *Screen) finished(lines []report.FinishedLine) {
	for _, f := range lines {
		s.line("  ", plainly, fmt.Sprintf("branch %s is gone; %s", f.Base, unused(f.Branch, f.Collections)))
	}
}

// mostAlike bounds the problems of one code that are printed one by one: all those of a repository may have one cause.
const mostAlike = 100

func (s *Screen) leftOut(problems []report.Problem) {
	line := func(p report.Problem, text string) {
		before := "  skipped: "
		if p.Severity == report.Warning {
			before = "  " // nothing is left out
		}
		s.line(before, yellow, text)
	}
	alike := make(map[string][]report.Problem)
	for _, p := range problems {
		alike[p.Code] = append(alike[p.Code], p)
		if len(alike[p.Code]) <= mostAlike {
			line(p, p.String())
		}
	}
	for _, code := range slices.Sorted(maps.Keys(alike)) {
		if more := alike[code][min(mostAlike, len(alike[code])):]; len(more) > 0 {
			files := make(map[string]bool)
			for _, p := range more {
				files[p.File] = true
			}
			line(more[0], fmt.Sprintf("%d more like them (%s), in %s; --json has all", len(more), code,
				report.Counted(len(files), "file", "files")))
		}
	}
}

// requestWords say what became of the pull or merge request for the branch.
var requestWords = map[string]string{"made": "request made", "updated": "request brought up to date", "kept": "request",
	"offered": "to make a request for the branch, visit"}

// called is a project, and the branch of it where several are translated beside each other.
func called(name, base string) string {
	if base == "" {
		return name
	}
	return name + " (" + base + ")"
}

// unused tells of a translation branch and its collections that they are not used any more.
func unused(branch string, collections []string) string {
	what, are := "branch "+branch, "are"
	switch len(collections) {
	case 0:
		are = "is"
	case 1:
		what += " and collection " + collections[0]
	default:
		what += " and collections " + strings.Join(collections, ", ")
	}
	return what + " " + are + " not used any more"
}

// some lists keys, and only how many more there are after the first few.
func some(keys []string) string {
	const most = 8
	if len(keys) <= most {
		return strings.Join(keys, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(keys[:most], ", "), len(keys)-most)
}
