package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// tuesday is before the first status of the tests.
var tuesday = time.Date(2026, 11, 17, 12, 0, 0, 0, time.FixedZone("", 3600))

// known applies changes to what people know, and returns the kinds and texts of the messages.
func (s State) known(changes []Change) (told []string) {
	for _, c := range changes {
		s[c.Fact.ID()] = c.Fact
		if c.Message != nil {
			told = append(told, c.Message.Kind+" "+c.Message.Text)
		}
	}
	return told
}

func app(edits ...func(*report.ProjectStatus)) report.Status {
	p := report.ProjectStatus{Name: "app"}
	for _, edit := range edits {
		edit(&p)
	}
	return report.Status{Projects: []report.ProjectStatus{p}}
}

func conflicts(keys ...string) func(*report.ProjectStatus) {
	return func(p *report.ProjectStatus) {
		for _, k := range keys {
			p.Conflicts = append(p.Conflicts, report.Conflict{File: "de.json", Language: "de", Key: k})
		}
	}
}

func question(text, key string) func(*report.ProjectStatus) {
	return func(p *report.ProjectStatus) {
		p.Problems = append(p.Problems, report.Problem{Code: report.CodeQuestion, Key: key, Language: "de", Problem: text})
	}
}

func missing(n int) func(*report.ProjectStatus) {
	return func(p *report.ProjectStatus) {
		p.Languages = []report.LanguageStatus{{Language: "de", Keys: 10 - n, Missing: n}}
	}
}

func pull(result string) func(*report.ProjectStatus) {
	return func(p *report.ProjectStatus) { p.LastPull = &report.Past{Result: result, Error: "no network"} }
}

func unseen(p *report.ProjectStatus) { p.Unseen = true }

func activity(days ...report.Day) func(*report.ProjectStatus) {
	return func(p *report.ProjectStatus) { p.Activity = days }
}

// Each row is a story: statuses, each some time after the one before, and what is told at each.
func TestNoticesOfStatuses(t *testing.T) {
	t.Parallel()
	type step struct {
		after time.Duration
		now   report.Status
		want  string // messages, joined; "" for none
	}
	failed, ok := app(pull(report.ResultFailed)), app(pull(report.ResultOK))
	week := activity(report.Day{Date: "2026-11-15", Pushed: 100}, report.Day{Date: "2026-11-16", Pushed: 3},
		report.Day{Date: "2026-11-22", Pushed: 1, Pulled: 7}, report.Day{Date: "2026-11-23", Pulled: 50})
	const decides = " `locsync status` shows both texts, and the command that decides."
	for name, story := range map[string][]step{
		"what was so before is not told": {{0, app(conflicts("a"), missing(0), pull(report.ResultFailed)), ""},
			{time.Minute, app(conflicts("a"), missing(0), pull(report.ResultFailed)), ""}},
		"conflicts": {{0, app(conflicts("a")), ""},
			{time.Minute, app(conflicts("a", "b")), "conflict app: 1 new conflict waits for a decision: b (de)." +
				decides},
			{time.Minute, app(conflicts("a", "b")), ""},
			{time.Minute, app(conflicts("a", "b", "c", "d", "e", "f", "g")),
				"conflict app: 5 new conflicts wait for a decision: c (de), d (de), e (de), 2 more." + decides},
			{time.Minute, app(), ""},
			{time.Minute, app(conflicts("a")), "conflict app: 1 new conflict waits for a decision: a (de)." + decides}},
		"questions": {{0, app(), ""},
			{time.Minute, app(question("Ben asks: What?", "a")),
				"question app: 1 new question of a translator: Ben asks: What? (a, de). Answer on the page for translators."},
			{time.Minute, app(question("Ben asks: What?", "a")), ""}, {time.Minute, app(), ""},
			{time.Minute, app(question("Ben asks: And now?", "a")),
				"question app: 1 new question of a translator: Ben asks: And now? (a, de). Answer on the page for translators."}},
		"what cannot be seen is neither new nor gone": {{0, app(unseen), ""},
			{time.Minute, app(conflicts("a"), missing(0)), ""},
			{time.Minute, app(unseen), ""},
			{time.Minute, app(conflicts("a"), missing(0)), ""}},
		"failing": {{0, ok, ""}, {time.Minute, failed, ""}, {59 * time.Minute, failed, ""},
			{time.Minute, failed, "failing app: pulls fail since 2026-11-17 11:01 UTC: no network"},
			{3 * time.Hour, failed, ""}, {time.Minute, app(unseen), ""},
			{time.Minute, ok, "recovered app works again; it failed since 2026-11-17 11:01 UTC."},
			{time.Minute, ok, ""}},
		"a short failure": {{0, ok, ""}, {time.Minute, failed, ""}, {59 * time.Minute, ok, ""}, {time.Hour, failed, ""},
			{30 * time.Minute, failed, ""}},
		"a language": {{0, app(missing(3)), ""}, {time.Minute, app(missing(1)), ""},
			{time.Minute, app(missing(0)), "complete app: de is complete, with 10 keys translated."},
			{time.Minute, app(missing(0)), ""}, {time.Minute, app(missing(10)), ""},
			{time.Minute, app(missing(0)), "complete app: de is complete, with 10 keys translated."}},
		"a language of nothing": {{0, app(missing(3)), ""},
			{time.Minute,
				app(func(p *report.ProjectStatus) { p.Languages = []report.LanguageStatus{{Language: "de"}} }), ""}},
		"a week": {{0, app(week), ""}, {5*24*time.Hour + 20*time.Hour + 59*time.Minute, app(week), ""},
			{time.Minute, app(week),
				"digest The week from 2026-11-16, in keys:\napp: 4 pushed, 7 pulled, 0 open conflicts"},
			{time.Hour, app(week), ""}},
		"a quiet week": {{0, app(), ""}, {7 * 24 * time.Hour, app(), ""}},
		"no project":   {{0, report.Status{}, ""}, {0, report.Status{}, ""}},
	} {
		before, at := State{}, tuesday
		for i, s := range story {
			at = at.Add(s.after)
			if got := strings.Join(before.known(New(before, s.now, at)), "\n"); got != s.want {
				t.Errorf("%s, step %d: told %q, want %q", name, i, got, s.want)
			}
		}
	}
}

// A status that changes nothing writes nothing.
func TestNothingChanges(t *testing.T) {
	t.Parallel()
	before, now := State{}, app(conflicts("a"), missing(2), pull(report.ResultFailed))
	before.known(New(before, now, tuesday))
	if again := New(before, now, tuesday.Add(time.Minute)); len(again) > 0 {
		t.Errorf("changes %+v", again)
	}
}

func TestWeekOf(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", -5*3600)
	for day, want := range map[int]string{16: "2026-11-16", 17: "2026-11-16", 22: "2026-11-16", 23: "2026-11-23"} {
		if got := weekOf(time.Date(2026, 11, day, 9, 0, 0, 0, zone)); got.Format(time.DateOnly) != want ||
			got.Hour() != 9 {
			t.Errorf("the %dth at 9: %v, want %s", day, got, want)
		}
	}
	if got := weekOf(time.Date(2026, 11, 23, 8, 59, 59, 0, zone)); got.Day() != 16 {
		t.Errorf("before nine: %v", got)
	}
}

// A message is fit to be shown, and of bounded length.
func TestTextOfAMessage(t *testing.T) {
	t.Parallel()
	before := State{}
	before.known(New(before, app(), tuesday))
	told := before.known(New(before, app(conflicts(strings.Repeat("é", 2*mostText), "\x1b[2J")), tuesday))
	if len(told) != 1 || strings.Contains(told[0], "\x1b") || len([]rune(told[0])) > mostText+len("conflict …") {
		t.Errorf("told %d messages: %.100q", len(told), fmt.Sprint(told))
	}
}
