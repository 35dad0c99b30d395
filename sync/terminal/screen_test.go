package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/report"
)

// A line of a report keeps its words: in a pipe it is one line, at a terminal none of its lines is wider than the
// terminal unless a word is, and colours change nothing about the text.
func TestReportLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lead := rapid.SampledFrom([]string{"", "  ", "  skipped: ", "app: "}).Draw(t, "lead")
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z日é]{1,12}`), 1, 30).Draw(t, "words")
		width := rapid.IntRange(40, 200).Draw(t, "width")
		text := strings.Join(words, " ")
		var pipe, coloured, plain bytes.Buffer
		(&Screen{to: &pipe}).line(lead, yellow, text)
		(&Screen{to: &coloured, terminal: true, colours: true, width: width}).line(lead, yellow, text)
		(&Screen{to: &plain, terminal: true, width: width}).line(lead, yellow, text)
		if pipe.String() != lead+text+"\n" {
			t.Fatalf("in a pipe: %q", pipe.String())
		}
		if got := strings.NewReplacer("\x1b[33m", "", "\x1b[0m", "").Replace(coloured.String()); got != plain.String() {
			t.Fatalf("coloured %q, plain %q", got, plain.String())
		}
		if got, want := strings.Fields(plain.String()), strings.Fields(lead+text); strings.Join(got,
			" ") != strings.Join(want, " ") {
			t.Fatalf("%q, want %q", got, want)
		}
		for line := range strings.Lines(plain.String()) {
			if Columns(strings.TrimSuffix(line, "\n")) > width {
				t.Fatalf("%d columns of %d: %q", Columns(line), width, line)
			}
		}
	})
}

// Whatever keys and texts are, a terminal shows them and obeys none of them; blanks that a problem is about are shown
// as they are.
func TestReportIsPrintable(t *testing.T) {
	old, now := "a\x1b[2Jb", "two  blanks"
	var out bytes.Buffer
	s := &Screen{to: &out, terminal: true, colours: true, width: 60}
	s.Push(report.ProjectPush{Scope: report.Scope{Name: "app\x1b]0;x\a"}, Requests: 1, Keys: 1,
		Outcome: report.Outcome{Problems: []report.Problem{{File: "x\x1b[31m.json",
			Problem: `"two  blanks" is not "two blanks" and this text is longer than the sixty columns`}}},
		Files: []report.PushedFile{{Path: "a\u202e.json", Language: "en", Keys: []string{"k\x1b[1A"},
			Changes: []report.Value{{Key: "k\x1b[1A", Old: &old, New: &now}}}}}, true)
	rest := strings.NewReplacer("\x1b[1m", "", "\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "",
		"\x1b[0m", "").Replace(out.String())
	if strings.ContainsAny(rest, "\x1b\a\u202e") {
		t.Errorf("%q", rest)
	}
	for _, want := range []string{"\x1b[31m\"a\\x1b[2Jb\"\x1b[0m -> \x1b[32m\"two  blanks\"",
		`"two  blanks" is not "two blanks" and`, "\x1b[33mskipped: \x1b[0m"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

// A dry run shows a summary of each file and language with ten texts, at most a hundred in all; or all of them.
func TestDryRunIsASummary(t *testing.T) {
	p := report.ProjectPush{Scope: report.Scope{Name: "app"}, Requests: 1, Keys: 2000 * 12}
	text := "text"
	for i := range 12 {
		f := report.PushedFile{Path: fmt.Sprintf("%d.json", i), Language: "en"}
		for j := range 2000 {
			f.Keys = append(f.Keys, fmt.Sprint(j))
			f.Changes = append(f.Changes, report.Value{Key: fmt.Sprint(j), New: &text})
		}
		p.Files = append(p.Files, f)
	}
	for _, all := range []bool{false, true} {
		var out bytes.Buffer
		s := &Screen{to: &out, All: all}
		s.Push(p, true)
		shown, more := strings.Count(out.String(), "    + "), strings.Count(out.String(), "    and 1990 more\n")
		files, hint := strings.Count(out.String(), ".json (en): "), strings.Contains(out.String(), "--all shows all")
		if want := map[bool]int{false: 100, true: 24000}[all]; shown != want || files != 12 || hint == all || (more == 10) == all {
			t.Errorf("all %v: %d texts and %d files, %d cut, hint %v", all, shown, files, more, hint)
		}
	}
}

// A table that fits is a table; one that does not tells the same, each value whole and by its name.
// Of many problems of one kind the first are printed, and how many more there are. Other kinds are printed as well.
func TestManyProblemsAreCounted(t *testing.T) {
	var out bytes.Buffer
	var problems []report.Problem
	for i := range 250 {
		problems = append(problems, report.Problem{Code: report.CodeConflict, File: fmt.Sprintf("f%d.json", i/2),
			Key: fmt.Sprint("k", i), Language: "en", Problem: "is wrong"})
	}
	problems = append(problems, report.Problem{Code: report.CodePath, File: "z.json", Problem: "is not a file"})
	(&Screen{to: &out}).leftOut(problems)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 102 {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
	for _, want := range []string{`skipped: f0.json: "k0" (en): is wrong`, `skipped: f49.json: "k99" (en): is wrong`,
		"skipped: z.json: is not a file", "skipped: 150 more like them (conflict), in 75 files; --json has all"} {
		if !strings.Contains(out.String(), "  "+want+"\n") {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func TestNarrowLists(t *testing.T) {
	rows := NewTable("TASK", "ID", "STATUS")
	id := "59b83f44-408a-4854-92ce-31e31c781b9c"
	rows.Row("T-1", id, "completed")
	for width, want := range map[int]string{
		0:  "TASK  ID                                    STATUS\nT-1   " + id + "  completed\n",
		80: "TASK  ID                                    STATUS\nT-1   " + id + "  completed\n",
		50: "TASK T-1  ID " + id + "\n  STATUS completed\n",
		30: "TASK T-1\n  ID " + id + "\n  STATUS completed\n",
	} {
		var out bytes.Buffer
		rows.Fit(&Screen{to: &out, width: width})
		if out.String() != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, out.String(), want)
		}
	}
}

// Times are by the clock of a reader at a terminal, and in UTC elsewhere.
func TestTimesInLists(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	time.Local = time.FixedZone("JST", 9*60*60)
	for want, s := range map[string]*Screen{"2026-12-08 08:27:19 UTC": {}, "2026-12-08 17:27:19 JST": {terminal: true}} {
		var out bytes.Buffer
		s.to = &out
		rows := NewTable("ID", "UNTIL")
		rows.Times(1)
		rows.Row("a", "2026-12-08T08:27:19.223Z")
		rows.Row("b", "none")
		rows.Fit(s)
		if got := strings.Fields(out.String()); strings.Join(got, " ") != "ID UNTIL a "+want+" b none" {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

// What the program says on standard error at a terminal: whose word it is in the colour of its weight, and each problem
// of several by itself.
func TestRemarks(t *testing.T) {
	for _, c := range []struct {
		level      zapcore.Level
		text, want string
	}{
		{zapcore.ErrorLevel, "locsync: one\nand another that is too long for the line\n",
			"\x1b[31mlocsync: \x1b[0mone\nand another that is too long for the\n    line\n"},
		{zapcore.WarnLevel, "locsync: warning: x\n", "\x1b[33mlocsync: warning: \x1b[0mx\n"},
	} {
		var out bytes.Buffer
		(&Screen{to: &out, terminal: true, colours: true, width: 40}).Remark(c.level, c.text)
		if out.String() != c.want {
			t.Errorf("%q: %q, want %q", c.text, out.String(), c.want)
		}
	}
}
