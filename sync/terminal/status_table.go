package terminal

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// A screen narrower than this has less of everything that is there for convenience: the table's last columns, the times
// in full, long bars.
const narrow = 60

// leastName is how few columns names of files are cut to for the sake of another column of their table.
const leastName = 24

// leastColumns is how few columns a text may have beside its name; with less it is below.
const leastColumns = 20

// How much of each list a terminal shows without --all.
const (
	someFiles    = 12
	someProblems = 3 // of a problem that many keys have
	someEvents   = 5
)

// Status prints a status.
func (s *Screen) Status(st report.Status, now time.Time, all bool) error {
	_, err := io.WriteString(s.to, s.statusText(st, now, all))
	return err
}

// status is a status as this screen shows it: a table for a person at a terminal, else plain text.
func (s *Screen) statusText(st report.Status, now time.Time, all bool) string {
	var b strings.Builder
	if !s.terminal {
		plainStatus(Printable{To: &b}, st)
		return b.String()
	}
	if len(st.Projects) == 0 {
		fmt.Fprintln(&b, report.NoProject)
	}
	for i, p := range st.Projects {
		if i > 0 {
			b.WriteByte('\n')
		}
		v := &statusView{on: s, b: &b, now: now, all: all, p: p}
		v.state()
		v.facts()
		v.languages()
		v.conflicts()
		v.problems()
		v.files()
		v.events()
	}
	v := &statusView{on: s, b: &b}
	for _, short := range st.Incomplete {
		v.para(yellow, "", "  ", short.String())
	}
	if st.Balance != nil {
		v.para(faint, "", "  ", st.Balance.String())
	}
	v.para(faint, "", "  ", st.Daemon.Sentence(func(at time.Time) string { return local(at, now) }))
	return b.String()
}

// statusView draws one project.
type statusView struct {
	on  *Screen
	b   *strings.Builder
	now time.Time
	all bool
	p   report.ProjectStatus
}

// para writes a text that may take several lines: first is before the first of them, and rest, which is at least as
// wide and plain, before the others. Where the screen is too narrow for it behind first, the text is below it. What is
// longer than a line, like an address, is the terminal's to break: people copy it.
func (v *statusView) para(st style, first, rest, text string) {
	const below = "    "
	text = report.Printable(text)
	columns, longest := v.on.width-Columns(rest), 0
	for word := range strings.FieldsSeq(text) {
		longest = max(longest, Columns(word))
	}
	if Columns(rest) > Columns(below) && (columns < leastColumns || longest > columns) {
		switch strings.TrimSpace(first) {
		case "":
			first = below
		case "->":
			first = " -> "
		default:
			fmt.Fprintln(v.b, strings.TrimRight(first, " "))
			first = below
		}
		rest, columns = below, v.on.width-Columns(below)
	}
	for i, line := range Wrapped(text, max(10, columns)) {
		if i == 0 {
			fmt.Fprintf(v.b, "%s%s\n", first, v.on.in(st, line))
		} else {
			fmt.Fprintf(v.b, "%s%s\n", rest, v.on.in(st, line))
		}
	}
}

func (v *statusView) heading(text string) { fmt.Fprintf(v.b, "\n  %s\n", v.on.in(strong, text)) }

// statusColor is how a project is: red where something failed, yellow where something waits for a decision.
func statusColor(p report.ProjectStatus) style {
	failed := func(past *report.Past) bool { return past != nil && past.Result == report.ResultFailed }
	switch {
	case failed(p.LastPush), failed(p.LastPull):
		return red
	case p.Pending > 0, p.Held > 0, len(p.Problems) > 0, len(p.Conflicts) > 0:
		return yellow
	}
	return green
}

// sentence is the project's state with local times, or what a pass is doing.
func (v *statusView) sentence() string {
	if v.p.State != v.p.Sentence(report.InUTC) {
		return v.p.State
	}
	return v.p.Sentence(func(at time.Time) string { return local(at, v.now) })
}

func (v *statusView) state() {
	name := Shortened(report.Printable(v.p.Name), max(leastColumns, v.on.width/2))
	space := strings.Repeat(" ", Columns(name)+4)
	v.para(plainly, v.on.in(statusColor(v.p), "●")+" "+v.on.in(strong, name)+"  ", space, v.sentence())
}

// facts are the rows below the name.
func (v *statusView) facts() {
	t := v.passes(func(at time.Time) string { return v.on.when(at, v.now) })
	if Columns("  ")+t.width() > v.on.width {
		t.breakAt(3)
	}
	if Columns("  ")+t.width() > v.on.width {
		t = v.passes(func(at time.Time) string { return Ago(at, v.now) })
		if Columns("  ")+t.width() > v.on.width {
			t.breakAt(3)
		}
	}
	t.say(v.on, v.b, "  ")
	named := func(name, text string) {
		if text != "" {
			v.para(plainly, "  "+v.on.in(faint, Padded(name, 9))+"  ", strings.Repeat(" ", 13), text)
		}
	}
	branch, at := v.p.Branch, v.p.BranchURL
	if past := v.p.LastPull; past != nil && past.Commit != "" {
		branch, at = fmt.Sprintf("%s, last commit %.10s", branch, past.Commit), cmp.Or(past.CommitURL, at)
	}
	named("branch", strings.TrimSpace(branch+" "+at))
	named("request", v.p.RequestURL)
	if v.p.Removed > 0 {
		named("removed", Count(v.p.Removed, "key")+" that the source no longer has")
	}
	named("stale", v.p.Stale.String())
	if w := v.p.Watch; w != nil && w.Why != "" {
		named("watching", "by comparing files every few seconds: "+w.Why)
	}
	for _, l := range v.p.Lines {
		named("", lineInWords(l))
	}
	for _, past := range []struct {
		of   string
		past *report.Past
	}{{"the last push: ", v.p.LastPush}, {"the last pull: ", v.p.LastPull}} {
		if past.past != nil && past.past.Error != "" && !strings.Contains(v.sentence(), past.past.Error) {
			v.para(red, "  ", "    ", past.of+past.past.Error)
		}
	}
}

// passes are the last push and pull and the next one, as a table.
func (v *statusView) passes(when func(time.Time) string) *Table {
	t := &Table{flex: -1}
	row := func(name, at string, st style, result, more string) {
		t.row(cell{name, faint}, cell{at, plainly}, cell{result, st}, cell{more, plainly})
	}
	if past := v.p.LastPush; past != nil {
		more := "nothing sent yet"
		if past.SentAt != nil {
			more = Count(past.Keys, "key") + " sent " + Ago(*past.SentAt, v.now)
		}
		row("last push", when(past.At), resultStyle(past.Result), resultWords(past.Result), more)
	}
	if past := v.p.LastPull; past != nil {
		row("last pull", when(past.At), resultStyle(past.Result), resultWords(past.Result), Count(past.Keys, "key"))
	}
	if v.p.NextPull != nil {
		row("next pull", when(*v.p.NextPull), plainly, "", "")
	}
	return t
}

func resultStyle(result string) style {
	return map[string]style{report.ResultOK: green, report.ResultPartial: yellow, report.ResultFailed: red}[result]
}

func resultWords(result string) string {
	if result == report.ResultPartial {
		return "with problems"
	}
	return result
}

// languages draws a bar for each: what it has, what of that is held back, what is missing.
func (v *statusView) languages() {
	if len(v.p.Languages) == 0 {
		return
	}
	fmt.Fprintln(v.b)
	length := 20
	switch {
	case v.on.width >= 2*narrow:
		length = 40
	case v.on.width < narrow:
		length = 10
	}
	name := func(l report.LanguageStatus) string {
		return Shortened(report.Printable(l.Language), max(8, v.on.width/4))
	}
	widest := 0
	for _, l := range v.p.Languages {
		widest = max(widest, Columns(name(l)))
	}
	for _, l := range v.p.Languages {
		whole := l.Keys + l.Missing
		text := fmt.Sprintf("%d of %s", l.Keys, Count(whole, "key"))
		if l.Missing > 0 {
			text += fmt.Sprintf(", %d missing", l.Missing)
		}
		if l.Held > 0 {
			text += fmt.Sprintf(", %d held back", l.Held)
		}
		if l.Pending > 0 && !v.p.PendingUnknown {
			text += fmt.Sprintf(", %d to push", l.Pending)
		}
		sound, heldBack, _ := l.Parts()
		good, held := share(sound, whole, length), share(heldBack, whole, length)
		bar := v.on.in(green, strings.Repeat("█", good)) + v.on.in(yellow, strings.Repeat("▒", held)) +
			v.on.in(faint, strings.Repeat("░", max(0, length-good-held)))
		first := fmt.Sprintf("  %s  %s %4d %%  ", Padded(name(l), widest), bar, share(l.Keys, whole, 100))
		v.para(plainly, first, strings.Repeat(" ", 2+widest+2+length+9), text)
	}
}

// share is which part of a whole something is, in so many steps. Whatever is there shows, and nothing looks whole that
// is not.
func share(part, whole, steps int) int {
	switch {
	case whole <= 0 || part <= 0:
		return 0
	case part >= whole:
		return steps
	}
	return min(steps-1, max(1, part*steps/whole))
}

// files lists the source files; where there are many, those first that there is something to say of.
func (v *statusView) files() {
	files := v.p.Files
	if len(files) == 0 {
		return
	}
	hidden := 0
	if !v.all && len(files) > someFiles {
		busy := func(f report.FileStatus) int {
			if f.Pending > 0 || f.Error != "" {
				return 0
			}
			return 1
		}
		files = slices.Clone(files)
		slices.SortStableFunc(files, func(a, b report.FileStatus) int { return cmp.Compare(busy(a), busy(b)) })
		hidden = len(files) - someFiles
		files = files[:someFiles]
	}
	fmt.Fprintln(v.b)
	v.fileTable(files).say(v.on, v.b, "  ")
	if hidden > 0 {
		fmt.Fprintf(v.b, "  %s\n", v.on.in(faint, "and "+Count(hidden, "more file")+" (--all)"))
	}
}

// fileTable is a table of files with as many columns as fit.
func (v *statusView) fileTable(files []report.FileStatus) *Table {
	var t *Table
	for _, shape := range []struct{ format, collection bool }{{true, true}, {false, true}, {false, false}} {
		t = &Table{flex: 0, right: make(map[int]bool)}
		add := func(path, format, collection, keys, pending cell) {
			row := []cell{path}
			if shape.format {
				row = append(row, format)
			}
			if shape.collection {
				collection.text = Shortened(report.Printable(collection.text), max(12, v.on.width/4))
				row = append(row, collection)
			}
			t.right[len(row)], t.right[len(row)+1] = true, true
			t.row(append(row, keys, pending)...)
		}
		add(cell{"FILE", faint}, cell{"FORMAT", faint}, cell{"COLLECTION", faint}, cell{"KEYS", faint},
			cell{"PENDING", faint})
		for _, f := range files {
			pending, st, name := waiting(v.p, f.Pending), plainly, plainly
			if f.Pending > 0 {
				st = yellow
			}
			if f.Error != "" {
				pending, st, name = "broken", red, red
			}
			add(cell{filepath.ToSlash(f.Path), name}, cell{f.Format, plainly}, cell{f.Collection, plainly},
				cell{fmt.Sprint(f.Keys), plainly}, cell{pending, st})
		}
		if Columns("  ")+t.width() <= v.on.width || Columns("  ")+t.least()-leastFlex+leastName <= v.on.width {
			break // the names are whole, or can be told apart
		}
	}
	return t
}

func (v *statusView) conflicts() {
	if len(v.p.Conflicts) == 0 {
		return
	}
	v.heading("wait for a decision")
	indent := 18
	if v.on.width < narrow {
		indent = 8
	}
	for _, c := range v.p.Conflicts {
		v.para(yellow, "    ", "      ", fmt.Sprintf("%s: %q (%s), %s", filepath.ToSlash(c.File), c.Key, c.Language,
			Ago(c.Since, v.now)))
		for _, side := range []struct{ name, text, do string }{
			{"repository", report.InQuotes(c.Ours), "to send it: " + c.Command("ours")},
			{"service", report.InQuotes(c.Theirs) + "; " + c.Meanwhile(), c.ToTake() + ": " + c.Command("theirs")},
		} {
			v.para(plainly, "      "+v.on.in(faint, Padded(side.name, 10))+"  ", strings.Repeat(" ", 18), side.text)
			v.para(plainly, strings.Repeat(" ", indent)+"-> ", strings.Repeat(" ", indent+3), side.do)
		}
	}
}

func (v *statusView) problems() {
	type kind struct{ cause, remedy string }
	groups := alikes(v.p.OtherProblems(), func(p report.Problem) kind { return kind{p.Problem, p.Remedy} })
	if len(groups) == 0 {
		return
	}
	v.heading("left out")
	for _, g := range groups {
		cause, positions := g[0].Problem, positionsOf(g)
		switch n := len(positions); {
		case n == 0:
			v.para(yellow, "    ", "    ", cause)
		case n == 1:
			v.para(yellow, "    ", "    ", positions[0]+": "+cause)
		default:
			v.para(yellow, "    ", "    ", fmt.Sprintf("%d × %s", n, cause))
			shown := positions
			if !v.all && n > someProblems+1 {
				shown = positions[:someProblems]
			}
			for _, position := range shown {
				v.para(plainly, "      ", "        ", position)
			}
			if hidden := n - len(shown); hidden > 0 {
				fmt.Fprintf(v.b, "      %s\n", v.on.in(faint, fmt.Sprintf("and %d more (--all)", hidden)))
			}
		}
		if remedy := g[0].Remedy; remedy != "" {
			v.para(plainly, "      -> ", "         ", remedy)
		}
	}
}

// positionsOf are the files, keys and languages of problems, as far as they have any.
func positionsOf(problems []report.Problem) []string {
	var positions []string
	for _, p := range problems {
		p.Problem = ""
		if position := strings.TrimSuffix(p.String(), ": "); position != "" {
			positions = append(positions, position)
		}
	}
	return positions
}

func (v *statusView) events() {
	events := v.p.Events
	if !v.all && len(events) > someEvents {
		events = events[:someEvents]
	}
	if len(events) == 0 {
		return
	}
	v.heading("recently")
	widest := 0
	for _, e := range events {
		widest = max(widest, Columns(Ago(e.At, v.now)))
	}
	for _, e := range events {
		text := e.Text
		if e.Count > 1 {
			text += fmt.Sprintf(" (%d times since %s)", e.Count, local(e.Since, v.now))
		}
		st := plainly
		if e.Result != report.ResultOK {
			st = resultStyle(e.Result)
		}
		v.para(st, "    "+v.on.in(faint, Padded(Ago(e.At, v.now), widest))+"  ", strings.Repeat(" ", 6+widest), text)
	}
}
