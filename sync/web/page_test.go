package web

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/report"
)

// rendered is the page for projects as the engine tells of them.
func rendered(t rapid.TB, s *Options, projects ...report.ProjectStatus) string {
	t.Helper()
	return renderedFor(t, s, nil, projects...)
}

// renderedFor is the page for one who asks for a project, or searches for some.
func renderedFor(t rapid.TB, s *Options, asked url.Values, projects ...report.ProjectStatus) string {
	t.Helper()
	v := view{Version: "1.2.3", Now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Buttons: true,
		Editor: s.Translate != nil, Visit: visit{Nonce: "nonce"}}
	page := assemble(s).page
	page.fill(context.Background(), &v, projects, asked)
	answer := httptest.NewRecorder()
	page.write(answer, http.StatusOK, "page", v)
	if answer.Code != http.StatusOK {
		t.Fatalf("%d: %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// walk visits all nodes of a page.
func walk(t rapid.TB, page string, visit func(n *html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		visit(n)
	}
}

// skeleton is what a page is made of without its texts: elements and the names of their attributes.
func skeleton(t rapid.TB, page string) string {
	var b strings.Builder
	walk(t, page, func(n *html.Node) {
		if n.Type == html.ElementNode {
			b.WriteString("<" + n.Data)
			for _, a := range n.Attr {
				b.WriteString(" " + a.Key)
			}
			b.WriteString(">")
		}
		if n.Type == html.CommentNode {
			t.Errorf("a comment in the page: %q", n.Data)
		}
	})
	return b.String()
}

// texts that want to be more than texts.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</title><script>alert(1)</script>`, `</style>`, `<!--`, `-->`, `]]>`, `javascript:alert(1)`,
	`data:text/html,<script>alert(1)</script>`, "\u202egnp.exe", "\u2066\u200f", "\x00\x1b[31m\x07", "\xff\xfe",
	`{{.}}`, `${alert(1)}`, `&lt;b&gt;&#x3c;`, "`", `\u003cscript\u003e`, "a\r\nSet-Cookie: x=y",
	strings.Repeat("W", 10240), strings.Repeat("<b>", 4000), "مرحبا", "https://example.com/\"><script>",
	"//evil.example/x", "ftp://x/", "a b+c%20d/e?f#g",
}

// anyStatus is a project's status whose texts come from next.
func anyStatus(t *rapid.T, next func(label string) string) report.ProjectStatus {
	n := func(label string) int { return rapid.IntRange(0, 3).Draw(t, label) }
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	past := func() *report.Past {
		if n("past") == 0 {
			return nil
		}
		return &report.Past{At: at, Result: rapid.SampledFrom([]string{"ok", "partial", "failed"}).Draw(t, "result"),
			Keys: 3, Commit: next("commit"), CommitURL: next("url"), Error: next("error"), SentAt: &at}
	}
	s := report.ProjectStatus{Name: next("name"), ID: next("id"), State: next("state"), LastPush: past(),
		LastPull: past(), Pending: n("pending"),
		Delivery: report.Delivery{RequestURL: next("request"), Branch: next("branch"), BranchURL: next("branch url"),
			Base: next("base")}}
	for range n("files") {
		s.Files = append(s.Files, report.FileStatus{Path: next("path"), Format: next("format"),
			Collection: next("collection"), Keys: n("keys"), Pending: n("pending"), Error: next("error")})
	}
	for range n("languages") {
		s.Languages = append(s.Languages, report.LanguageStatus{Language: next("language"), Keys: n("keys"),
			Missing: n("missing"), Held: n("held")})
	}
	for range n("conflicts") {
		s.Conflicts = append(s.Conflicts, report.Conflict{File: next("file"), Language: next("language"),
			Key: next("key"), Since: at, Ours: map[string]string{next("form"): next("ours")},
			Theirs: map[string]string{next("form"): next("theirs")}})
	}
	for range n("problems") {
		s.Problems = append(s.Problems, report.Problem{File: next("file"), Line: n("line"), Key: next("key"),
			Language: next("language"), Problem: next("problem"), Remedy: next("remedy")})
	}
	for range n("events") {
		s.Events = append(s.Events, report.Event{At: at, What: next("what"), Base: next("base"), Result: next("result"),
			Text: next("text"), Count: n("count"), Since: at,
			Commit: next("commit"), URL: next("url")})
	}
	for range n("lines") {
		s.Lines = append(s.Lines, report.LineStatus{Base: next("base"), Branch: next("branch"),
			Collections: []string{next("collection")}, LastPull: past()})
	}
	for day := range n("days") {
		s.Activity = append(s.Activity, report.Day{Date: next("date"), Pushed: day, Pulled: n("pulled")})
	}
	return s
}

// Whatever the texts of a status are, the page is made of the same elements with the same attributes as with harmless ones, leads nowhere but to its own
// parts and by http and https, and shows no character that hides or reorders others.
func TestTextsStayTexts(t *testing.T) {
	s, _ := newServer(t)
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SliceOfN(rapid.IntRange(0, len(hostile)), 400, 400).Draw(t, "texts")
		i := 0
		status := anyStatus(t, func(string) string {
			i++
			if pick := bits[i%len(bits)]; pick < len(hostile) {
				return hostile[pick]
			}
			return ""
		})
		page := rendered(t, s, status)
		if got, want := skeleton(t, page), skeleton(t, rendered(t, s, tamed(status))); got != want {
			t.Fatalf("the page is made of\n%s\nwant\n%s", got, want)
		}
		walk(t, page, func(n *html.Node) {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				if a.Key != "href" && a.Key != "src" && a.Key != "action" {
					continue
				}
				if u, err := url.Parse(a.Val); err != nil || u.Scheme != "" &&
					u.Scheme != "http" && u.Scheme != "https" {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
			if n.Type == html.TextNode {
				if strings.ContainsAny(n.Data, "\u202e\u2066\u200f\x00\x1b\x07") || !utf8.ValidString(n.Data) ||
					utf8.RuneCountInString(n.Data) > 3*maxText {
					t.Errorf("the page shows %.200q", n.Data)
				}
			}
		})
	})
}

// tamed is a status with a harmless text in the place of each that is not empty.
func tamed(s report.ProjectStatus) report.ProjectStatus {
	tame := func(texts ...*string) {
		for _, t := range texts {
			if *t != "" {
				*t = "x"
			}
		}
	}
	past := func(p *report.Past) *report.Past {
		if p == nil {
			return nil
		}
		tamed := *p
		tame(&tamed.Commit, &tamed.CommitURL, &tamed.Error)
		return &tamed
	}
	s.LastPush, s.LastPull = past(s.LastPush), past(s.LastPull)
	tame(&s.Name, &s.ID, &s.State, &s.RequestURL, &s.Branch, &s.BranchURL, &s.Base)
	s.Files, s.Languages, s.Conflicts = slices.Clone(s.Files), slices.Clone(s.Languages), slices.Clone(s.Conflicts)
	s.Problems, s.Events, s.Lines, s.Activity = slices.Clone(s.Problems), slices.Clone(s.Events), slices.Clone(s.Lines), slices.Clone(s.Activity)
	for i := range s.Files {
		f := &s.Files[i]
		tame(&f.Path, &f.Format, &f.Collection, &f.Error)
	}
	languages := make(map[string]string) // which are the same ones stay so: what a language's conflicts are is found by its name
	language := func(name *string) {
		if *name != "" && languages[*name] == "" {
			languages[*name] = fmt.Sprint("x", len(languages))
		}
		*name = languages[*name]
	}
	for i := range s.Languages {
		language(&s.Languages[i].Language)
	}
	for i := range s.Conflicts {
		c := &s.Conflicts[i]
		tame(&c.File, &c.Key)
		language(&c.Language)
		c.Ours, c.Theirs = map[string]string{"": "x"}, map[string]string{"": "x"}
	}
	for i := range s.Problems {
		p := &s.Problems[i]
		tame(&p.File, &p.Key, &p.Language, &p.Problem, &p.Remedy)
	}
	for i := range s.Events {
		e := &s.Events[i]
		if e.Result != "failed" && e.Result != "partial" {
			tame(&e.Result)
		}
		tame(&e.What, &e.Base, &e.Text, &e.Commit, &e.URL)
	}
	for i := range s.Lines {
		l := &s.Lines[i]
		tame(&l.Base, &l.Branch, &l.Collections[0])
		l.LastPull = past(l.LastPull)
	}
	for i := range s.Activity {
		tame(&s.Activity[i].Date)
	}
	return s
}

// usual is a project as most are.
func usual(name string) report.ProjectStatus {
	at := time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)
	s := report.ProjectStatus{Name: name, State: "everything is pushed; last pulled 2026-11-21 11:00:00 UTC",
		NextPull: &at,
		Delivery: report.Delivery{Branch: "l10n", BranchURL: "https://git.example.com/team/app/tree/l10n"},
		LastPush: &report.Past{At: at, Result: "ok", Keys: 3, SentAt: &at},
		LastPull: &report.Past{At: at, Result: "ok", Keys: 12, Commit: "0123456789abcdef",
			CommitURL: "https://git.example.com/team/app/commit/0123456789abcdef"}}
	for _, l := range []string{"de", "fr", "ja", "pt-BR", "zh-Hans"} {
		s.Languages = append(s.Languages, report.LanguageStatus{Language: l, Keys: 110, Missing: 10, Held: 2})
	}
	for i := range 4 {
		s.Files = append(s.Files, report.FileStatus{Path: fmt.Sprintf("locales/en/file%d.json", i), Format: "json",
			Collection: "main", Keys: 30})
	}
	for i := range 30 {
		s.Activity = append(s.Activity, report.Day{Date: at.AddDate(0, 0, i-29).Format(time.DateOnly),
			Pushed: i % 3 * 4, Pulled: i % 5 * 7})
	}
	for i := range 8 {
		s.Events = append(s.Events, report.Event{At: at.Add(-time.Duration(i) * time.Hour), What: "pull", Result: "ok",
			Text: "Brought 12 translations in 3 languages; commit 0123456 on l10n."})
	}
	return s
}

// BenchmarkPage makes the page of three projects from what is known of them.
func BenchmarkPage(b *testing.B) {
	s, _ := newServer(b)
	for b.Loop() {
		rendered(b, s, usual("web"), usual("mobile"), usual("documentation"))
	}
}

// A page of three projects is small, and a page of a project in which everything is wrong is not much larger.
func TestPageIsSmall(t *testing.T) {
	s, _ := newServer(t)
	size := len(rendered(t, s, usual("web"), usual("mobile"), usual("documentation")))
	t.Logf("three projects: %d bytes, besides %d of style and script, which browsers keep", size,
		len(assets[assetNames["page.css"]].body)+len(assets[assetNames["page.js"]].body))
	if size > 30<<10 {
		t.Errorf("three projects make %d bytes", size)
	}
	all := usual("all")
	for i := range 2000 {
		text := strings.Repeat(fmt.Sprint("<", i), 1000)
		all.Problems = append(all.Problems, report.Problem{File: text, Key: text, Language: "de",
			Problem: text, Remedy: text})
		all.Conflicts = append(all.Conflicts, report.Conflict{File: text, Key: text, Language: "de"})
		all.Files = append(all.Files, report.FileStatus{Path: text})
		all.Events = append(all.Events, report.Event{Text: text})
	}
	page := rendered(t, s, all)
	if len(page) > 512<<10 {
		t.Errorf("a project in which everything is wrong makes %d bytes", len(page))
	}
	for _, more := range []string{"And 1\u202f975 more",
		"And 1\u202f979 more"} { // problems, conflicts and events; files
		if !strings.Contains(page, more) {
			t.Errorf("the page does not say: %s", more)
		}
	}
}

// What a person reads of a project: the sentence, the numbers, the times, the links.
func TestPageTells(t *testing.T) {
	s, _ := newServer(t)
	one := usual("app")
	since := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	one.Pending, one.State = 2, "2 values wait to be pushed"
	one.Problems = []report.Problem{{File: "en.json", Line: 3, Column: 4, Key: "a", Language: "de",
		Problem: "is broken", Remedy: "repair it"}}
	one.Conflicts = []report.Conflict{{File: "de.json", Language: "de", Key: "k", Ours: map[string]string{"": "unser"},
		Theirs: map[string]string{"": "ihr"}, Since: since}}
	one.Problems = append(one.Problems, one.Conflicts[0].Problem())
	one.Jobs = []report.Job{{Kind: "import", Since: since}}
	one.Languages[4] = report.LanguageStatus{Language: "zh-Hans", Keys: 120}
	one.GitBusy = 90 * time.Second
	one.Stale = &report.StaleStatus{Commit: "0123456789abcdef", Languages: []report.StaleCount{{Language: "de", Keys: 3}},
		Command: report.ListStale}
	one.Events = append(one.Events[:1:1], report.Event{At: since, What: "pull", Result: "failed",
		Text: "The pull failed.", Count: 3, Since: since, URL: "https://git.example.com/team/app/commit/abc",
		Commit: "abc"})
	late := usual("late")
	late.Overdue = since
	late.LastPull.Commit = ""
	late.Pending, late.PendingUnknown = 4, true
	late.Events[1].Commit, late.Events[1].URL = "feedface0000", "javascript:alert(1)"
	var said strings.Builder
	page := rendered(t, s, one, usual("other"), late)
	walk(t, page, func(n *html.Node) {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script" &&
			n.Parent.Data != "noscript" {
			said.WriteString(n.Data + " ")
		}
	})
	text := strings.Join(strings.Fields(said.String()), " ")
	for _, want := range []string{
		"locsync: 1 of 3 projects failing", "Needs attention 2 values wait to be pushed.", "Waiting to be pushed 2 values",
		"import at the service since 2 days ago 2026-11-19 12:00 UTC",
		"ok, 60 min ago 2026-11-21 11:00 UTC 3 keys sent", "12 keys changed, commit 0123456789",
		"Next push as soon as a file changes",
		"Problems 1", "en.json:3:4 a de is broken What to do: repair it", "Conflicts 1",
		`Repository "unser" send it: locsync push --ours --key k`,
		`Service "ihr" leave it: locsync push --theirs --key k`,
		"German (de) 91 % 110 10 2 decide on 1 conflict · review 1 held back · translate 10 at the service",
		"French (fr) 91 % 110 10 2 review 2 held back · translate", "Complete: Simplified Chinese (zh-Hans)",
		"Stale: translations older than their source texts at 0123456789: 3 in de; locsync check --stale lists them",
		"40 missing · 1 of 5 languages complete", "2 values wait to be pushed. 1 problem 1 conflict",
		"120 keys pushed, 420 pulled", "2026-11-20 4 21", "Brought 12 translations in 3 languages", "4 source files",
		"other In sync · 50 missing",
		"It waits for git, which has been in the middle of something since 2 min ago 2026-11-21 11:58 UTC .",
		"The pull failed. (3 times since 2026-11-19 12:00 UTC ) show commit abc", "late Failing",
		"Two that were due did not work.", "Waiting to be pushed not known before the first pass Last push",
		"12 keys changed; last commit feedface00 2 h ago",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, want := range []string{`<meta http-equiv="refresh"`, `href="https://git.example.com/team/app/commit/abc"`,
		`href="https://git.example.com/team/app/commit/0123456789abcdef"`,
		`href="https://git.example.com/team/app/tree/l10n"`, `href="#p-other"`, `id="p-other"`, `aria-live="polite"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// Each language is told of once: as complete, or with all that there is to do for it, by whom.
func TestWhatLanguagesLack(t *testing.T) {
	s, _ := newServer(t)
	rapid.Check(t, func(t *rapid.T) {
		status := usual("app")
		status.Languages, status.Problems = nil, []report.Problem{{Problem: "p"}}
		for i := range rapid.IntRange(0, 45).Draw(t, "languages") {
			l := report.LanguageStatus{Language: fmt.Sprint("l", i), Keys: rapid.IntRange(0, 2).Draw(t, "keys"),
				Missing: rapid.IntRange(0, 2).Draw(t, "missing")}
			l.HeldMissing = rapid.IntRange(0, l.Missing).Draw(t, "held and missing")
			l.Held = l.HeldMissing + rapid.IntRange(0, l.Keys).Draw(t, "held")
			for range rapid.IntRange(0, l.Held).Draw(t, "conflicts") {
				status.Conflicts = append(status.Conflicts, report.Conflict{Language: l.Language})
			}
			status.Languages = append(status.Languages, l)
		}
		p := assemble(s).page.project(status, view{Now: time.Now()})
		rows := slices.Concat(p.Languages.First, p.Languages.Rest)
		if len(rows)+len(p.Complete) != len(status.Languages) || p.LanguagesTotal() != len(status.Languages) ||
			p.Told != (len(status.Languages) > 0) {
			t.Errorf("of %d languages %d are complete and %d are not", len(status.Languages), len(p.Complete),
				len(rows))
		}
		ours := true
		for _, l := range rows {
			if now := l.Decide+l.Review > 0; now && !ours {
				t.Errorf("%s is behind one for which only translators can do something", l.Language)
			} else {
				ours = now
			}
			if l.Decide+l.Review != l.Held || l.Translate+l.HeldMissing != l.Missing ||
				l.Decide+l.Review+l.Translate == 0 {
				t.Errorf("%+v", l)
			}
		}
		for _, l := range status.Languages {
			if complete := slices.Contains(p.Complete, l.Language); complete != (l.Missing+l.Held == 0) {
				t.Errorf("%+v is complete: %v", l, complete)
			}
		}
	})
}

// Why something may be missing though it is translated.
func TestWhyLanguagesLack(t *testing.T) {
	s, _ := newServer(t)
	pull := &s.Engine.Config.Projects[0].Pull
	app := usual("app")
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		change func()
		pulled bool
		want   string
	}{
		{func() {}, true, "pulls bring those that are final at the service"},
		{func() { pull.CompletionState = "intermediate" }, true, "intermediate or final at the service."},
		{func() { pull.CompletionState = "draft" }, true, ""},
		{func() { app.Pending, app.Languages[0].Pending = 1, 1 }, true, ""}, // a translation
		{func() { app.Pending, app.Files[0].Pending = 2, 1 }, true, "waits to be pushed"},
		{func() { app.Overdue = now.Add(-time.Minute) }, false, "did not work"},
		{func() { app.Overdue, app.LastPull = time.Time{}, &report.Past{Result: report.ResultFailed} }, false,
			"did not work"},
		{func() { app.LastPull = nil }, false, "Nothing was pulled yet"},
		{func() { pull.Enabled = false }, false, "turned off"},
	} {
		c.change()
		p := assemble(s).page.project(app, view{Now: now})
		if !strings.Contains(p.Lacking, c.want) || c.want == "" && p.Lacking != "" || p.Pulled != c.pulled {
			t.Errorf("%q and pulled %v, want %q", p.Lacking, p.Pulled, c.want)
		}
		does := "translate 10 at the service"
		if !c.pulled {
			does = "10 not pulled yet"
		}
		if page := rendered(t, s, app); c.want != "did not work" && !strings.Contains(page, does) {
			t.Errorf("the page does not say %q", does)
		}
		whole := app
		whole.Languages = []report.LanguageStatus{{Language: "de", Keys: 120}}
		if page := rendered(t, s, whole); !strings.Contains(page, "Complete: <bdi>German (de)</bdi>") ||
			p.Lacking != "" && strings.Contains(page, p.Lacking) == c.pulled {
			t.Errorf("where nothing is missing and what the service had is here is %v, the page says %q: %v", c.pulled,
				p.Lacking, strings.Contains(page, p.Lacking))
		}
	}
}

// The times of the state are shown as the others are, by the reader's clock.
func TestTimesOfTheState(t *testing.T) {
	s, _ := newServer(t)
	one := usual("app")
	next := one.LastPull.At.Add(time.Hour)
	one.Pending, one.NextAttempt = 2, &next
	one.LastPush = &report.Past{At: one.LastPull.At, Result: report.ResultFailed, FailingSince: one.LastPull.At,
		Error: "cannot reach the translation service at http://127.0.0.1:1 (connection refused)"}
	one.State = one.Sentence(report.InUTC)
	page := rendered(t, s, one)
	for _, want := range []string{
		`Push fails since <time class="abs" datetime="2026-11-21T11:00:00Z">2026-11-21 11:00 UTC</time>: cannot reach the ` +
			`translation service at http://127.0.0.1:1 (connection refused); next attempt <time class="abs" ` +
			`datetime="2026-11-21T12:00:00Z">2026-11-21 12:00 UTC</time>; 2 values wait to be pushed, nothing is lost`,
		`<dt>Next push</dt><dd>next attempt <time`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	if n := strings.Count(page, "connection refused"); n != 1 {
		t.Errorf("the cause is on the page %d times", n)
	}
}

// What has no translation leads to the page for translators, where there is one.
func TestTranslateLinks(t *testing.T) {
	s, _ := newServer(t)
	s.Translate = http.NotFoundHandler()
	link := `<a href="translate/list?project=` + usual("app").ID + `&amp;language=de&amp;show=untranslated">translate `
	if page := rendered(t, s, usual("app")); !strings.Contains(page, link) {
		t.Errorf("no link %s", link)
	}
}

// While a pass works the page says what it is about, for every step; and no longer, though a status that was made meanwhile would still be good.
func TestPageTellsWhatGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil, worldProject{name: "app", languages: []string{"de"},
		files: map[string]string{"locales/en/app.json": `{"a": "A"}`}})
	state := func() string {
		_, page := get(w.server.Config.Handler, "/")
		_, page, _ = strings.Cut(page, `<div class="state`)
		page, _, _ = strings.Cut(page, "</div>")
		return page
	}
	said := 0
	w.saying = func(d report.Doing) {
		said++
		if now := state(); d.Project != "app" || !strings.Contains(now, html.EscapeString(sentence(d.String()))) ||
			!strings.Contains(now, `aria-live="off"`) || !strings.Contains(now, `class="busy"`) {
			t.Errorf("while the pass is %s the page says %s", d, now)
		}
	}
	w.push("app")
	if now := state(); said < 2 || !strings.Contains(now, "Everything is pushed") ||
		!strings.Contains(now, `aria-live="polite"`) || strings.Contains(now, "busy") {
		t.Errorf("after %d steps the page says %s", said, now)
	}
}

// Every part that is worked with has a name of its own in the page, so that it is found again in the next one, also with projects of similar names.
func TestIdentifiersAreUnique(t *testing.T) {
	s, _ := newServer(t)
	names := []string{"a b", "a+b", "a%20b", "a%2Bb", "ä", `a"b`}
	anchors := make(map[string]bool)
	for _, name := range names {
		anchors[anchor(name)] = true
	}
	if len(anchors) < len(names) {
		t.Errorf("%q are called %q", names, slices.Sorted(maps.Keys(anchors)))
	}
	for alike := range slices.Chunk(names, 3) {
		var projects []report.ProjectStatus
		for _, name := range alike {
			projects = append(projects, usual(name))
		}
		identified(t, rendered(t, s, projects...))
	}
}

// identified fails where a name is there twice in a page, or leads nowhere.
func identified(t *testing.T, page string) {
	t.Helper()
	ids, links := map[string]bool{}, map[string]bool{}
	walk(t, page, func(n *html.Node) {
		for _, a := range n.Attr {
			switch {
			case a.Key == "id" && (ids[a.Val] || strings.ContainsAny(a.Val, " \t\n")):
				t.Errorf("id %q is there twice, or is none", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "aria-labelledby", a.Key == "aria-describedby", a.Key == "for":
				links[a.Val] = true
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				to, err := url.PathUnescape(a.Val[1:])
				if err != nil {
					t.Error(err)
				}
				links[to] = true
			}
		}
	})
	for to := range links {
		if !ids[to] {
			t.Errorf("nothing is called %q", to)
		}
	}
	if len(links) < 8 {
		t.Errorf("only %v lead anywhere", slices.Sorted(maps.Keys(links)))
	}
}

func TestHealth(t *testing.T) {
	de := []report.LanguageStatus{{Language: "de"}}
	broken := report.Findings{Problems: []report.Problem{{Problem: "p"}}}
	now := time.Now()
	for name, c := range map[string]struct {
		status report.ProjectStatus
		want   health
	}{
		"a pull is not overdue yet": {report.ProjectStatus{Languages: de,
			Process: report.Process{Overdue: now.Add(time.Minute)}}, inStep},
		"pulls are overdue": {report.ProjectStatus{Languages: de,
			Process: report.Process{Overdue: now.Add(-time.Minute)}}, failing},
		"new":             {report.ProjectStatus{Languages: de}, inStep},
		"something waits": {report.ProjectStatus{Languages: de, Pending: 1}, waiting},
		"something is on its way": {report.ProjectStatus{Languages: de,
			Process: report.Process{Jobs: []report.Job{{}}}}, waiting},
		"a problem, and more waits": {report.ProjectStatus{Languages: de, Pending: 1, Findings: broken}, attention},
		"held back":                 {report.ProjectStatus{Languages: de, Findings: report.Findings{Held: 1}}, attention},
		"the push failed": {report.ProjectStatus{Languages: de, Findings: broken,
			LastPush: &report.Past{Result: report.ResultFailed}}, failing},
		"the pull failed": {report.ProjectStatus{Languages: de,
			LastPull: &report.Past{Result: report.ResultFailed}}, failing},
		"nothing can be told": {report.ProjectStatus{Findings: broken}, failing},
	} {
		if got := healthOf(c.status, now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got.Word(), c.want.Word())
		}
	}
}

// A bar ends where it should, whatever the numbers: full is all, empty is nothing, and what is held back can be seen.
func TestBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, missing := rapid.IntRange(0, math.MaxInt/200).Draw(t, "keys"), rapid.IntRange(0,
			math.MaxInt/200).Draw(t, "missing")
		old, lacking := rapid.IntRange(0, keys).Draw(t, "held"), rapid.IntRange(0, missing).Draw(t, "held and missing")
		held := old + lacking
		l := barOf(report.LanguageStatus{Keys: keys, Missing: missing, Held: held, HeldMissing: lacking})
		if (l.Have == 100) != (missing == 0) || (l.Have == 0) != (keys == 0 && missing > 0) {
			t.Errorf("%d of %d are %d percent", keys, keys+missing, l.Have)
		}
		if l.From < 0 || l.To > 100 || l.From > l.To || (held > 0 && keys+missing > 0) != (l.To > l.From) {
			t.Errorf("%d of %d held back stand from %d to %d", held, keys+missing, l.From, l.To)
		}
		if held > 0 && keys+missing > 0 && (l.To < l.Have-2 || l.From > l.Have+2) {
			t.Errorf("translated ends at %d, and held back stands from %d to %d", l.Have, l.From, l.To)
		}
	})
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", 44 * time.Second: "just now", -44 * time.Second: "in a moment", 45 * time.Second: "1 min ago", 89 * time.Second: "1 min ago", 90 * time.Second: "2 min ago", -10 * time.Minute: "in 10 min",
		89 * time.Minute: "89 min ago", 90 * time.Minute: "2 h ago", 35 * time.Hour: "35 h ago",
		36 * time.Hour: "2 days ago", -50 * 24 * time.Hour: "in 50 days", 3 * 365 * 24 * time.Hour: "1095 days ago",
	} {
		if got := ago(now, now.Add(-d)); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1_000", 1234567: "1_234_567",
		-1000: "-1_000", -100: "-100"} {
		if got := strings.ReplaceAll(number(n), "\u202f", "_"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// The first keys without a translation are named with their source texts, as texts.
func TestGaps(t *testing.T) {
	s, _ := newServer(t)
	app := usual("app")
	app.Gaps = map[string][]report.Gap{"de": {{File: "en.json", Key: "a<b>", Text: "Hello <script>"},
		{File: "en.json", Key: "c", Text: "C"}}}
	page := rendered(t, s, app)
	for _, want := range []string{"first 2 without a translation",
		"<bdi>a&lt;b&gt;</bdi></b> <span dir=\"auto\">Hello &lt;script&gt;</span>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Where the configuration says so, each of them is linked at the service, with its key escaped; else none is.
func TestGapsAreLinked(t *testing.T) {
	s, _ := newServer(t)
	app := usual("app")
	app.Gaps = map[string][]report.Gap{"de": {{File: "en.json", Key: `a/b?c=d&e="<ü>" %`, Text: "A"}}}
	gap := func() string {
		_, page, _ := strings.Cut(rendered(t, s, app), `<ul class="gaps">`)
		item, _, _ := strings.Cut(page, "</ul>")
		return item
	}
	if got := gap(); !strings.Contains(got, "<bdi>a/b") || strings.Contains(got, "<a ") {
		t.Errorf("without a link: %s", got)
	}
	s.Engine.Config.Service.Link = "https://translate.example.com/{PROJECT}/{LANGUAGE}?view=all&key={KEY}"
	want := `<b><a href="https://translate.example.com/` + app.ID + `/de?view=all&amp;key=` +
		`a%2Fb%3Fc%3Dd%26e%3D%22%3C%C3%BC%3E%22%20%25" rel="noreferrer"><bdi>a/b`
	if got := gap(); !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// What arrived in the last week is shown above the languages; what came before is not.
func TestArrivals(t *testing.T) {
	s, _ := newServer(t)
	app := usual("app")
	app.Activity[len(app.Activity)-1].Languages = map[string]int{"de": 1200, "tlh": 1}
	app.Activity[len(app.Activity)-7].Languages = map[string]int{"de": 34}
	app.Activity[len(app.Activity)-8].Languages = map[string]int{"fr": 5}
	want := "Arrived in the last 7 days: German (de) 1\u202f234, tlh 1<"
	if page := rendered(t, s, app); !strings.Contains(page, want) {
		t.Errorf("the page does not say %q", want)
	}
	if page := rendered(t, s, usual("app")); strings.Contains(page, "Arrived") {
		t.Error("nothing arrived, and the page says that something did")
	}
}

// Of many projects the page has a line each, what needs attention first, and whole only the one that is asked for.
func TestManyProjects(t *testing.T) {
	s, _ := newServer(t)
	var many []report.ProjectStatus
	for i := range 2 * maxLines {
		p := report.ProjectStatus{Name: fmt.Sprintf("project-%04d", i), State: "everything is pushed",
			Languages: []report.LanguageStatus{{Language: "de", Keys: 3}}}
		if i == 321 {
			p = usual("broken")
			p.LastPush = &report.Past{Result: report.ResultFailed, Error: "no way"}
		}
		many = append(many, p)
	}
	lines := func(asked url.Values, projects []report.ProjectStatus) (names, whole []string) {
		walk(t, renderedFor(t, s, asked, projects...), func(n *html.Node) {
			switch {
			case n.Data == "a" && strings.HasPrefix(attribute(n, "href"), "?project="):
				name, _, _ := strings.Cut(strings.TrimPrefix(attribute(n, "href"), "?project="), "#")
				names = append(names, name)
			case n.Data == "section" && strings.Contains(attribute(n, "class"), "project"):
				whole = append(whole, attribute(n, "id"))
			}
		})
		return names, whole
	}
	for _, c := range []struct {
		asked       url.Values
		lines       int
		first, open string
	}{
		{nil, maxLines, "broken", ""},
		{url.Values{"project": {"project-0042"}}, maxLines, "broken", anchor("project-0042")},
		{url.Values{"project": {"nothing"}}, maxLines, "broken", ""},
		{url.Values{"page": {"1"}}, maxLines, "project-0500", ""},
		{url.Values{"page": {"99"}}, maxLines, "project-0500", ""},
		{url.Values{"q": {"PROJECT-004"}}, 10, "project-0040", ""},
		{url.Values{"q": {"failing"}}, 1, "broken", ""},
		{url.Values{"q": {"no such"}}, 0, "", ""},
	} {
		names, whole := lines(c.asked, many)
		if len(names) != c.lines || c.lines > 0 && names[0] != c.first || strings.Join(whole, ",") != c.open {
			t.Errorf("%v: %d lines, %q whole", c.asked, len(names), whole)
		}
	}
	if names, whole := lines(nil, many[:wholeProjects]); len(names) != 0 || len(whole) != wholeProjects {
		t.Errorf("few projects: %q, %q whole", names, whole)
	}
}

// A bar is as long as its part of the most, and at least to be seen; none makes none, and none leaves the drawing.
func TestPlot(t *testing.T) {
	if plotOf(nil) != nil || plotOf([]report.Day{{Date: "2026-11-21"}}) != nil {
		t.Error("nothing is drawn")
	}
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.Custom(func(t *rapid.T) report.Day {
			return report.Day{Date: "2026-11-21", Pushed: rapid.IntRange(0, 1<<40).Draw(t, "pushed"),
				Pulled: rapid.IntRange(0, 1000).Draw(t, "pulled")}
		})
		days := rapid.SliceOfN(day, 1, 30).Draw(t, "days")
		up := ""
		if p := plotOf(days); p != nil {
			up = p.Up
		}
		bars := map[int]float64{} // by what they stand for
		n := 0
		for _, path := range strings.Split(up, "M")[1:] {
			var x, y, h float64
			if _, err := fmt.Sscanf(path, "%g %gv-%g", &x, &y, &h); err != nil || h < 0 || h > plotHeight ||
				x < plotMargin || x > float64(plotMargin+len(days)) {
				t.Fatalf("%q: %v", path, err)
			}
			for days[n].Pushed == 0 {
				n++
			}
			bars[days[n].Pushed] = h
			n++
		}
		for keys, high := range bars {
			most := plotOf(days).MostUp
			if want := max(leastBar, plotHeight*float64(keys)/float64(most)); math.Abs(high-want) > .06 || most < keys {
				t.Errorf("%d keys are %g high where %d are the most", keys, high, most)
			}
		}
		for ; n < len(days); n++ {
			if days[n].Pushed > 0 {
				t.Errorf("day %d has no bar", n)
			}
		}
	})
}

// The page's own files are served under the names that the page has, to be kept for ever; no other file is.
func TestAssets(t *testing.T) {
	s, _ := newServer(t)
	handler := New(*s)
	fetch := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet,
			"http://127.0.0.1"+path, nil))
		return answer
	}
	page := fetch("/")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'",
		"frame-ancestors 'none'", "trusted-types 'none'"} {
		if policy := page.Header().Get("Content-Security-Policy"); !strings.Contains(policy, part) ||
			strings.Contains(policy, "unsafe") {
			t.Errorf("the page's policy is %s", policy)
		}
	}
	used := 0
	walk(t, page.Body.String(), func(n *html.Node) {
		for _, a := range n.Attr {
			if !strings.HasPrefix(a.Val, "static/") {
				continue
			}
			used++
			answer := fetch("/" + a.Val)
			if answer.Code != http.StatusOK || !strings.Contains(answer.Header().Get("Cache-Control"), "immutable") ||
				answer.Body.Len() == 0 {
				t.Errorf("%s: %d, %v", a.Val, answer.Code, answer.Header())
			}
			kind, _, _ := strings.Cut(answer.Header().Get("Content-Type"), ";")
			if want := map[string]string{"stylesheet": "text/css", "icon": "image/svg+xml",
				"": "text/javascript"}[attribute(n, "rel")]; kind != want {
				t.Errorf("%s is %q", a.Val, kind)
			}
		}
	})
	files, err := fs.Glob(staticFiles, "static/*")
	check(t, err)
	if used != 3 || len(assets) != len(files) {
		t.Errorf("the page uses %d files; %d of %d are served", used, len(assets), len(files))
	}
	for _, path := range []string{"/static/page.css", "/static/page.000000000000.css", "/static/",
		"/static/../page.html", "/static/%2e%2e/page.html"} {
		if answer := fetch(path); answer.Code == http.StatusOK {
			t.Errorf("%s is served", path)
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
