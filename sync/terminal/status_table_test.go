package terminal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/report"
)

var statusNow = time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)

func before(d time.Duration) time.Time { return statusNow.Add(-d) }

// busyStatus has something of everything.
func busyStatus() report.Status {
	sent, next := before(2*time.Hour), statusNow.Add(12*time.Minute)
	p := report.ProjectStatus{
		Name: "app", State: "3 values wait to be pushed; the last pull failed", Pending: 3, Removed: 1, NextPull: &next,
		Delivery: report.Delivery{Branch: "l10n", BranchURL: "https://example.com/app/tree/l10n"},
		LastPush: &report.Past{At: before(3 * time.Minute), Result: report.ResultOK, Keys: 3, SentAt: &sent},
		LastPull: &report.Past{At: before(50 * time.Hour), Result: report.ResultFailed, Keys: 5,
			Commit: "0123456789abcdef0123",
			Error:  "start export: 503 Service Unavailable: down; it is tried again in a minute"},
		Languages: []report.LanguageStatus{{Language: "de", Keys: 119, Missing: 1, Held: 12},
			{Language: "zh-Hans", Keys: 120}, {Language: "fr", Missing: 120}},
		Stale: &report.StaleStatus{Unknown: true},
		Files: []report.FileStatus{{Path: "locales/日本語/アプリ.json", Format: "json", Collection: "main", Keys: 20},
			{Path: "a.json", Format: "structured-json", Collection: "other", Keys: 1200, Pending: 3},
			{Path: "b.json", Format: "json", Collection: "main", Error: "b.json:1:1: no"}},
		Findings: report.Findings{Conflicts: []report.Conflict{{File: "de.json", Language: "de", Key: "open",
			Ours: map[string]string{"": "Aufmachen"}, Theirs: map[string]string{"": "Eröffnen"},
			Since: before(time.Minute)}},
			Problems: []report.Problem{{File: "b.json", Line: 1, Column: 1, Problem: "it does not parse", Remedy: ""}}},
		History: report.History{Events: []report.Event{{At: before(time.Minute), What: "pull",
			Result: report.ResultFailed, Text: "The pull failed: the service is down.",
			Since: before(time.Hour), Count: 7}}},
	}
	for i := range 20 {
		p.Problems = append(p.Problems, report.Problem{File: "de.json", Key: fmt.Sprint("key", i), Language: "de",
			Problem: "lacks %s, which the source has", Remedy: "correct the translation"})
	}
	for i := range 20 {
		p.Files = append(p.Files, report.FileStatus{Path: fmt.Sprintf("more/file%d.json", i),
			Format: "json", Collection: "main"})
	}
	return report.Status{Projects: []report.ProjectStatus{p}}
}

func TestStatusAtATerminal(t *testing.T) {
	for _, width := range []int{80, 200} {
		s := &Screen{terminal: true, width: width, height: 50}
		text := s.statusText(busyStatus(), statusNow, false)

		for _, want := range []string{
			`(?m)^● app  3 values wait to be pushed; the last pull failed$`,
			`(?m)^  last push  3 min ago \(2026-11-21 19:57:00 UTC\)   ok      3 keys sent 2 h ago$`,
			`(?m)^  last pull  2 days ago \(2026-11-19 18:00:00 UTC\)  failed  5 keys$`,
			`(?m)^  branch     l10n, last commit 0123456789 https://example.com/app/tree/l10n$`,
			`(?m)^  the last pull: start export: 503 Service Unavailable: down; it is tried`,
			`(?m)^  next pull  in 12 min \(2026-11-21 20:12:00 UTC\)$`,
			`(?m)^  de       █+▒+░  +99 %  119 of 120 keys, 1 missing, 12 held back$`,
			`(?m)^  zh-Hans  █+  +100 %  120 of 120 keys$`,
			`(?m)^  fr       ░+ +0 %  0 of 120 keys, 120 missing$`,
			`(?m)^  a.json  .* 1200 +3$`,
			`(?m)^  b.json  .* broken$`,
			`(?m)^  and 11 more files \(--all\)$`,
			`(?m)^    20 × lacks %s, which the source has$`,
			`(?m)^      and 17 more \(--all\)$`,
			`(?m)^      -> correct the translation$`,
			`(?m)^    b.json:1:1: it does not parse$`,
			`(?m)^    de.json: "open" \(de\), 1 min ago$`,
			`(?m)^ +-> to send it: locsync push --ours --key\s+open\s+--file\s+de.json\s+--language\s+de$`,
			`(?m)^    1 min ago  The pull failed: the service is down. \(7 times since 2026-11-21\s+19:00:00 UTC\)$`,
		} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("%d columns: no %s", width, want)
			}
		}
		for line := range strings.Lines(text) {
			if n := Columns(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns in a screen of %d: %s", n, width, line)
			}
		}
		all := s.statusText(busyStatus(), statusNow, true)
		if strings.Contains(all, "--all") || strings.Count(all, `"key`) != 20 ||
			!strings.Contains(all, "more/file19.json") {
			t.Errorf("with --all something is missing:\n%s", all)
		}
	}
}

// The words behind a result stand below it where the screen ends before them, and no line is wider than the screen.
func TestStatusOfLongFacts(t *testing.T) {
	st, sent := busyStatus(), before(59*time.Minute)
	p := &st.Projects[0]
	p.LastPush = &report.Past{At: before(59 * time.Minute), Result: report.ResultPartial, Keys: 12345, SentAt: &sent}
	p.Languages = []report.LanguageStatus{{Language: "zh-Hans", Keys: 11000, Missing: 1345, Held: 1200}}
	text := (&Screen{terminal: true, width: 80, height: 50}).statusText(st, statusNow, false)
	for _, want := range []string{
		"\n  last push  59 min ago (2026-11-21 19:01:00 UTC)  with problems\n             12345 keys sent 59 min ago\n",
		"  next pull  in 12 min (2026-11-21 20:12:00 UTC)\n",
		"  11000 of 12345 keys, 1345 missing, 1200\n" + strings.Repeat(" ", 40) + "held back\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := Columns(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

var (
	cutInside   = regexp.MustCompile(`\S…\S`)
	wholeNumber = regexp.MustCompile(`\d+`)
)

// On screens of every width the lines end where the screen does, unless one word is longer, and every number is there
// whole: what is cut is names, in the middle.
func TestStatusFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := func(label string, longest int) string {
			return rapid.StringMatching(fmt.Sprintf(`[a-z語]{1,%d}(/[a-z語]{1,9}){0,6}\.[a-z]{2,4}`, longest)).Draw(t,
				label)
		}
		number := func(label string) int { return rapid.IntRange(0, 99999).Draw(t, label) }
		st, numbers := busyStatus(), []string{}
		p := &st.Projects[0]
		p.Name, p.Branch, p.BranchURL = name("project", 40), "l10n/"+name("branch", 20), "https://"+name("host", 20)
		p.Languages, p.Files, p.Conflicts, p.Problems = nil, nil, nil, nil
		for range rapid.IntRange(1, 3).Draw(t, "languages") {
			l := report.LanguageStatus{Language: rapid.SampledFrom([]string{"de", "zh-Hans",
				"sr-Latn-RS-variant1"}).Draw(t, "language"), Keys: number("keys"), Missing: number("missing"), Held: number("held")}
			p.Languages = append(p.Languages, l)
			numbers = append(numbers, fmt.Sprint(l.Keys), fmt.Sprint(l.Keys+l.Missing))
		}
		for range rapid.IntRange(1, 5).Draw(t, "files") {
			f := report.FileStatus{Path: name("file", 30), Format: "structured-json", Collection: name("collection",
				30), Keys: number("keys"), Pending: number("pending")}
			p.Files = append(p.Files, f)
			numbers = append(numbers, fmt.Sprint(f.Keys), fmt.Sprint(f.Pending))
		}
		sent := before(59 * time.Minute)
		p.LastPush = &report.Past{At: before(59 * time.Minute), Result: report.ResultPartial,
			Keys: number("sent"), SentAt: &sent}
		numbers = append(numbers, fmt.Sprint(p.LastPush.Keys))
		p.Conflicts = []report.Conflict{{File: name("conflict", 20), Language: "de", Key: name("key", 20),
			Ours: map[string]string{"": "unser"}, Theirs: map[string]string{"": "ihr"}, Since: before(time.Minute)}}
		p.Problems = []report.Problem{p.Conflicts[0].Problem(), {File: name("broken", 20), Line: number("line") + 1,
			Column: 1, Problem: "it does not parse; repair it", Remedy: "repair it"}}
		numbers = append(numbers, fmt.Sprint(p.Problems[1].Line))
		for _, width := range []int{40, 60, 80, 120} {
			s := &Screen{terminal: true, width: width, height: 50}
			text := s.statusText(st, statusNow, true)
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "-> ")); Columns(line) > width &&
					len(words) > 1 {
					t.Fatalf("%d columns in a screen of %d: %q\n%s", Columns(line), width, line, text)
				}
				if strings.Contains(line, "…") && !cutInside.MatchString(line) {
					t.Fatalf("cut at an end: %q", line)
				}
			}
			shown := wholeNumber.FindAllString(text, -1)
			for _, n := range numbers {
				if !slices.Contains(shown, n) {
					t.Fatalf("%d columns: no %s in\n%s", width, n, text)
				}
			}
		}
	})
}

// A narrow screen has the same rows, with less in each.
func TestStatusOnANarrowScreen(t *testing.T) {
	for width, want := range map[int][]string{
		40: {"\n  last pull  2 days ago  failed\n             5 keys\n",
			"\n  de       ████████▒░   99 %\n    119 of 120 keys, 1 missing, 12 held\n    back\n",
			"\n        -> to send it: locsync push\n           --ours --key open --file\n           de.json --language de\n",
			"\n  FILE                     KEYS  PENDING\n",
			"\n  locales…語/アプリ.json     20        0\n",
			"\n  branch\n    l10n, last commit 0123456789\n    https://example.com/app/tree/l10n\n"},
		60: {"\n  last pull  2 days ago (2026-11-19 18:00:00 UTC)  failed\n",
			"\n  FILE                        COLLECTION  KEYS  PENDING\n",
			"\n  locales/日本語/アプリ.json  main          20        0\n"},
		120: {"\n  FILE                        FORMAT           COLLECTION  KEYS  PENDING\n"},
	} {
		text := (&Screen{terminal: true, width: width, height: 50}).statusText(busyStatus(), statusNow, false)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%d columns: no %q in\n%s", width, part, text)
			}
		}
	}
}

// texts are of every width that a character may have, with some that a terminal must not see.
func texts(t *rapid.T, label string) string {
	return rapid.StringOf(rapid.RuneFrom([]rune{'a', 'B', '/', ' ', '日', '語', 'ｱ', 'ß', '\u0301', '한', '🎉',
		'\u200b', '\x1b'})).Draw(t, label)
}

// In a table whose last column is flush right all lines are equally wide, and none is wider than the screen unless its
// numbers alone are.
func TestTablesAlign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{0, 40, 80, 200}).Draw(t, "width")
		s := &Screen{terminal: width > 0, width: width}
		tab := &Table{flex: 0, right: map[int]bool{2: true}}
		for range rapid.IntRange(1, 8).Draw(t, "rows") {
			tab.row(cell{text: texts(t, "first")}, cell{text: rapid.SampledFrom([]string{"json", "日本", ""}).Draw(t,
				"second")}, cell{text: fmt.Sprint(rapid.IntRange(0, 99999).Draw(t, "number"))})
		}
		var b strings.Builder
		tab.say(s, &b, "  ")
		widest := -1
		for line := range strings.Lines(b.String()) {
			n := Columns(strings.TrimSuffix(line, "\n"))
			if widest < 0 {
				widest = n
			}
			if n != widest || width > 0 && n > width || strings.ContainsRune(line, '\x1b') {
				t.Fatalf("%d columns, the first line has %d, the screen %d:\n%s", n, widest, width, b.String())
			}
		}
	})
}

// What is shortened fits and keeps both ends; what fits stays. What is wrapped has the same words, and lines that fit
// unless one word does not.
func TestTextsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, to := texts(t, "text"), rapid.IntRange(4, 30).Draw(t, "to")
		short := Shortened(text, to)
		switch {
		case Columns(text) <= to && short != text:
			t.Fatalf("%q became %q", text, short)
		case Columns(short) > to:
			t.Fatalf("%q has %d columns, not %d", short, Columns(short), to)
		case short != text:
			head, tail, _ := strings.Cut(short, "…")
			if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || tail == "" {
				t.Fatalf("%q became %q", text, short)
			}
		}
		lines := Wrapped(text, to)
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(text); strings.Join(got,
			" ") != strings.Join(want, " ") {
			t.Fatalf("%q became %q", text, lines)
		}
		for _, line := range lines {
			if Columns(line) > to && strings.Contains(line, " ") {
				t.Fatalf("%q is wider than %d", line, to)
			}
		}
	})
}

func TestTimesForPeople(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Second: "just now", 40 * time.Second: "40 s ago",
		3 * time.Minute: "3 min ago", 47 * time.Hour: "47 h ago", 72 * time.Hour: "3 days ago",
		-90 * time.Second: "in 1 min", -time.Second: "in 1 s"} {
		if got := Ago(before(d), statusNow); got != want {
			t.Errorf("%v: %s", d, got)
		}
	}
	at := time.Date(2026, 11, 21, 23, 30, 0, 0, time.FixedZone("", 3600))
	here := statusNow.In(time.FixedZone("CET", 3600)) // a person's clock
	if got := (&Screen{}).when(at, here); got != "2026-11-21 22:30:00 UTC" {
		t.Error(got)
	}
	if got := (&Screen{terminal: true}).when(at, here); got != "in 2 h (2026-11-21 23:30:00 CET)" {
		t.Error(got)
	}
}

// A bar never looks full or empty that is not.
func TestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.IntRange(0, 5000).Draw(t, "whole")
		part, steps := rapid.IntRange(0, whole).Draw(t, "part"), rapid.IntRange(2, 100).Draw(t, "steps")
		n := share(part, whole, steps)
		if n < 0 || n > steps || (n == steps) != (part == whole && whole > 0) || (n == 0) != (part == 0) {
			t.Fatalf("%d of %d are %d of %d", part, whole, n, steps)
		}
	})
}

// In a pipe nothing depends on a terminal, a zone or the time of day, and every problem has its line.
func TestStatusInAPipe(t *testing.T) {
	s := &Screen{}
	text := s.statusText(busyStatus(), statusNow, false)
	if later := s.statusText(busyStatus(), statusNow.Add(time.Hour), true); later != text {
		t.Error("an hour later it is another text")
	}
	if n := strings.Count(text, "  problem: "); n != 21 {
		t.Errorf("%d lines of problems\n%s", n, text)
	}
	for _, want := range []string{"app: 3 values",
		"  stale      unknown, as the history of this clone ends too early; fetch all of it: git fetch --unshallow\n",
		"  last push  2026-11-21 19:57:00 UTC  ok      3 keys sent 2026-11-21 18:00:00 UTC\n",
		"  problem: de.json: \"key7\" (de): lacks %s, which the source has; correct the translation\n",
		"  conflict: de.json: \"open\" (de), since 2026-11-21 19:59:00 UTC\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\x1b█…") {
		t.Errorf("ornaments in\n%s", text)
	}
}

// Colours are around texts that were made printable, and only where they are wanted.
func TestColours(t *testing.T) {
	st := busyStatus()
	st.Projects[0].Name = "\x1b[2Japp"
	coloured := (&Screen{terminal: true, colours: true, width: 80, height: 50}).statusText(st, statusNow, false)
	without := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, "")
	if without == coloured || strings.ContainsRune(without, '\x1b') {
		t.Errorf("%q", coloured)
	}
	if plain := (&Screen{terminal: true, width: 80, height: 50}).statusText(st, statusNow, false); plain != without {
		t.Errorf("without colours it is another text:\n%s\n%s", plain, without)
	}
}

// A picture fills the screen and no more: nothing scrolls.
func TestFramesFit(t *testing.T) {
	for _, height := range []int{6, 24, 400} {
		s := &Screen{terminal: true, width: 80, height: height}
		picture := s.frame(busyStatus(), statusNow, true)
		if lines := strings.Count(picture, "\r\n") + 1; lines > height {
			t.Errorf("%d lines in a screen of %d", lines, height)
		}
		if below := strings.Contains(picture, "lines below"); below != (height < 100) {
			t.Errorf("a screen of %d: %s", height, picture)
		}
	}
}
