//go:build browser

package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/locsync/locsync/sync/report"
)

// browserPatience is how long a browser may take for one thing.
const browserPatience = 30 * time.Second

// browser is Chromium with one page, and what that page complained of.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string // errors and warnings in the console, exceptions, and whatever is said about the policy
}

// newBrowser starts one that ends with the test, with a profile of its own.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU)
	for _, flag := range []string{"disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	all, endAll := chromedp.NewExecAllocator(context.Background(), options...)
	b := &browser{t: t}
	ctx, end := chromedp.NewContext(all, chromedp.WithListener(b.hear))
	b.ctx = ctx
	t.Cleanup(func() {
		ended := make(chan error, 1)
		go func() { ended <- chromedp.Cancel(ctx) }() // waits for the browser to end
		select {
		case err := <-ended:
			check(t, err)
		case <-time.After(browserPatience):
			t.Log("the browser does not end, and is killed")
		}
		end()
		endAll()
	})
	check(t, chromedp.Do(ctx)) // starts it
	return b
}

func (b *browser) hear(event any) {
	said := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said = e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			said += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			for _, a := range e.Args {
				said += string(a.Value) + " "
			}
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Level == cdplog.EntryLevelWarning ||
			strings.Contains(e.Entry.Text, "Content Security Policy") {
			said = e.Entry.Text + " " + e.Entry.URL
		}
	}
	if said != "" {
		b.mu.Lock()
		b.complaints = append(b.complaints, said)
		b.mu.Unlock()
	}
}

// quiet fails the test where the page complained of anything but what is expected.
func (b *browser) quiet(expected ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, said := range b.complaints {
		known := false
		for _, part := range expected {
			known = known || strings.Contains(said, part)
		}
		if !known {
			b.t.Errorf("the browser says: %s", said)
		}
	}
	b.complaints = nil
}

// do does things one after the other.
func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open opens a page, and waits until its script hears events.
func (b *browser) open(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address))
	b.until(`document.getElementById("live")?.textContent === "live"`)
}

// told is what a thing says, such as the value of an expression in the page.
func told[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// eval is the value of an expression in the page.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	return told(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// until waits until an expression is true in the page, whichever page that is by then.
func (b *browser) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(browserPatience); ; time.Sleep(20 * time.Millisecond) {
		holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if err == nil && holds {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("never true in the page: %s (%v)", expression, err)
		}
	}
}

// press clicks on an element until an expression is true in the page: an update may move it away from under a click.
func (b *browser) press(id, expression string) {
	b.t.Helper()
	for range 5 {
		b.do(chromedp.Click(chromedp.JSPath(fmt.Sprintf(`document.getElementById(%q)`, id))))
		for end := time.Now().Add(browserPatience / 5); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); err == nil && holds {
				return
			}
		}
	}
	b.t.Fatalf("five clicks on %s, and never true in the page: %s", id, expression)
}

// call gives the browser a command of its protocol.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	r, err := chromedp.Call(b.ctx, command, params)
	check(b.t, err)
	return r
}

// look sets the size and the colours that the page is looked at with.
func (b *browser) look(width int64, scheme string) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900,
		DeviceScaleFactor: 1, Mobile: width < 500})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// shot keeps a picture of the whole page where LOCSYNC_SCREENSHOTS names a folder, for people to look at.
func (b *browser) shot(name string) {
	b.t.Helper()
	if dir := os.Getenv("LOCSYNC_SCREENSHOTS"); dir != "" {
		check(b.t, os.WriteFile(filepath.Join(dir, name+".png"), told(b, chromedp.FullScreenshot(100)), 0o644))
	}
}

// aMonth is three projects after a month's work: one that is in sync, one with problems, and one that never
// worked.
func aMonth(t *testing.T, o func(*Options)) *world {
	t.Helper()
	w := newWorld(t, "", o,
		worldProject{name: "web-app", languages: []string{"de", "fr", "ja", "pt-BR", "zh-Hans"},
			files: map[string]string{"locales/en/app.json": keys("app", 40), "locales/en/mail.json": keys("mail", 12)}},
		worldProject{name: "mobile", languages: []string{"de", "ar"},
			files: map[string]string{"locales/en/ui.json": keys("ui", 20)}},
		worldProject{name: "documentation", languages: []string{"de"},
			files: map[string]string{"locales/en/doc.json": keys("doc", 5)}})
	today := w.now
	for day := 29; day >= 1; day -= 4 {
		w.now = today.AddDate(0, 0, -day)
		w.write("web-app", "locales/en/app.json", keys("app", 40+(29-day)))
		w.push("web-app")
		w.pull("web-app")
		if day > 20 {
			w.push("mobile")
			w.pull("mobile")
		}
	}
	w.now = today.Add(-2 * time.Hour)
	w.pull("web-app")
	w.conflict("mobile", "ui.key003", "Text von uns", "نص من الخدمة")
	w.write("mobile", "locales/en/broken.json", "{\"a\": \"A\",\n  b}")
	w.write("mobile", "locales/en/ui.json", keys("ui", 23))
	w.now = today
	w.push("mobile")
	w.write("mobile", "locales/en/ui.json", keys("ui", 25))
	return w
}

// unlockIn types the token into the browser's form.
func unlockIn(b *browser, address, token string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address+"/unlock"), chromedp.SendKeys(chromedp.CSS("#token"), token),
		chromedp.Click(chromedp.CSS("main button")))
	b.until(`document.querySelector("[role=alert], .project") !== null`)
}

// accessible fails the test where axe-core, the file that LOCSYNC_AXE names, finds anything wrong with the page that
// the browser shows. Without that file it says that nothing was checked.
func (b *browser) accessible(where string) {
	b.t.Helper()
	file := os.Getenv("LOCSYNC_AXE")
	if file == "" {
		b.t.Log("not checked: LOCSYNC_AXE does not name axe.min.js of the npm package axe-core")
		return
	}
	source, err := os.ReadFile(file)
	check(b.t, err)
	told(b, chromedp.Evaluate[bool](string(source)+"; true"))
	found := eval[[]struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}](b, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => { if (r.passes.length < 10) throw new Error("axe looked at nothing"); return r.violations })`)
	for _, v := range found {
		for _, n := range v.Nodes {
			b.t.Errorf("%s: %s: %s: %.300s\n%s", where, v.ID, v.Help, n.HTML, n.FailureSummary)
		}
	}
}

// The page in every light and width breaks no rule of accessibility, and fits. The pictures are for people.
func TestBrowserLooks(t *testing.T) {
	w := aMonth(t, withToken)
	empty := newWorld(t, "", nil, worldProject{name: "new-project", languages: []string{"de"},
		files: map[string]string{"locales/en/app.json": keys("app", 3)}})
	all := httptest.NewServer(everything(t))
	defer all.Close()
	full := httptest.NewServer(many(t))
	defer full.Close()
	lines := httptest.NewServer(crowded(t))
	defer lines.Close()
	b := newBrowser(t)
	for _, c := range []struct {
		width  int64
		scheme string
	}{{1200, "light"}, {1200, "dark"}, {768, "light"}, {320, "light"}, {320, "dark"}} {
		name := fmt.Sprintf("%s-%d", c.scheme, c.width)
		b.look(c.width, c.scheme)
		for _, page := range []struct{ name, address string }{{"month", w.server.URL}, {"empty", empty.server.URL},
			{"all", all.URL}, {"many", full.URL}, {"crowded", lines.URL}} {
			b.open(page.address)
			b.shot(page.name + "-closed-" + name)
			eval[bool](b, `document.querySelectorAll("details").forEach(d => { d.open = true }) === undefined`)
			b.shot(page.name + "-" + name)
			b.accessible(page.name + " " + name)
			b.fits(page.name + " " + name)
		}
		unlockIn(b, w.server.URL, "wrong")
		b.shot("unlock-" + name)
		b.accessible("unlock " + name)
		b.fits("unlock " + name)
	}
	unlockIn(b, w.server.URL, pageToken)
	b.until(`document.querySelector("#p-mobile-push")`)
	b.shot("unlocked")
	b.accessible("unlocked")
	b.quiet("403 (Forbidden)") // the wrong tokens
}

// The page is fit for a phone and a desk when all is well, in a conflict and while the service is away.
func TestBrowserStates(t *testing.T) {
	now := time.Now()
	since := now.Add(-26 * time.Minute)
	well := usual("app")
	well.Languages, well.Files = nil, well.Files[:1]
	for _, l := range []string{"de", "fr", "ja", "pt-BR", "zh-Hans"} {
		well.Languages = append(well.Languages, report.LanguageStatus{Language: l, Keys: 120})
		well.Activity[len(well.Activity)-1].Languages = map[string]int{"de": 12, "zh-Hans": 1240}
	}
	torn := usual("app")
	for _, key := range []string{"checkout.button", strings.Repeat("settings.notifications.", 5) + "title"} {
		torn.Conflicts = append(torn.Conflicts, report.Conflict{File: "locales/de/app.json", Language: "de", Key: key,
			Ours: map[string]string{"": "Jetzt kaufen"}, Since: since,
			Theirs: map[string]string{"one": "Donaudampfschifffahrtsgesellschaftskapitän", "other": "Kaufen"}})
	}
	torn.Problems = []report.Problem{torn.Conflicts[0].Problem().Advised(), torn.Conflicts[1].Problem().Advised()}
	well.State, torn.State = well.Sentence(report.InUTC), torn.Sentence(report.InUTC)
	away := usual("app")
	for _, s := range []*report.ProjectStatus{&well, &torn, &away} {
		next := now.Add(9 * time.Minute)
		s.NextPull = &next
		s.Languages[2] = report.LanguageStatus{Language: "ja", Keys: 116, Missing: 4}
		s.Gaps = map[string][]report.Gap{"ja": {{File: "locales/en/app.json", Key: "cart.empty",
			Text: "Your basket is empty"},
			{File: "locales/en/app.json", Key: strings.Repeat("settings.notifications.", 5) +
				"title", Text: "Notifications"},
			{File: "locales/en/app.json", Key: `a/b?c=d&e="<ü>" %`, Text: "عربي " +
				strings.Repeat("Donaudampfschifffahrt", 6)}}}
	}
	retry := now.Add(2 * time.Minute)
	away.Pending, away.NextAttempt = 9, &retry
	away.LastPush = &report.Past{At: now.Add(-time.Minute), Result: report.ResultFailed, FailingSince: since,
		ErrorCode: report.FailedUnreachable, Error: "import into \"main\": cannot reach the translation service at " +
			"https://translate.example.com/a/rather/long/path: connection refused"}
	away.LastPull.At = now.Add(-time.Minute)
	away.LastPull.Result, away.LastPull.Error, away.LastPull.FailingSince = report.ResultFailed, away.LastPush.Error, since
	away.State = away.Sentence(report.InUTC)
	b := newBrowser(t)
	for _, state := range []struct {
		name     string
		status   report.ProjectStatus
		notReady []string
	}{{"healthy", well, nil}, {"conflict", torn, nil}, {"outage", away, []string{away.LastPush.Error}}} {
		s, _ := newServer(t)
		s.Engine.Config.Service.Link = "https://translate.example.com/{PROJECT}/{LANGUAGE}?key={KEY}"
		page := http.NewServeMux()
		page.Handle("/", New(*s))
		page.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			v := view{Version: "1.2.3", Now: now, Buttons: true, NotReady: list(state.notReady, maxListed)}
			v.add(assemble(s).page.project(state.status, v))
			v.choose(nil)
			assemble(s).page.write(w, http.StatusOK, "page", v)
		})
		at := httptest.NewServer(page)
		for _, width := range []int64{1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				where := fmt.Sprintf("%s %s %d", state.name, scheme, width)
				b.look(width, scheme)
				b.open(at.URL)
				b.shot("state-" + strings.ReplaceAll(where, " ", "-"))
				if where == "healthy light 1280" && os.Getenv("LOCSYNC_UPDATE") != "" { // the picture in README.md
					check(t, os.WriteFile("../../.github/media/status-page.png", told(b, chromedp.FullScreenshot(100)), 0o644))
				}
				b.fits(where)
				eval[bool](b, `document.querySelectorAll("details").forEach(d => { d.open = true }) === undefined`)
				b.shot("state-opened-" + strings.ReplaceAll(where, " ", "-"))
				b.accessible(where)
				b.fits(where + ", opened")
				links := eval[[]string](b,
					`[...document.querySelectorAll(".gaps a")].map(a => new URL(a.href).searchParams.get("key"))`)
				if len(links) != 3 || links[2] != well.Gaps["ja"][2].Key {
					t.Errorf("%s: the keys lead to %q", where, links)
				}
			}
		}
		b.do(chromedp.Navigate("about:blank")) // which ends the stream of events
		at.Close()
	}
	b.quiet()
}

// everything is a page with all parts that a page may have.
func everything(t *testing.T) http.Handler {
	t.Helper()
	s, _ := newServer(t)
	now := time.Now()
	before := now.Add(-3 * time.Hour)
	one := usual("Produktseite / Русский")
	one.Base, one.Branch, one.Pending, one.Removed, one.RequestURL = "main", "l10n/main", 1234, 3, "https://git.example.com/team/app/pulls/17"
	one.State = "1234 values wait to be pushed; the last push failed"
	one.LastPush = &report.Past{At: before, Result: report.ResultFailed,
		Error: "start the import: the service failed repeatedly, the next request goes out in 1m0s", SentAt: &before,
		Keys: 2}
	one.LastPull.Result = report.ResultPartial
	one.Jobs = []report.Job{{Kind: "import", Since: before}}
	one.Languages = append(one.Languages, report.LanguageStatus{Language: "zh-Hant-HK", Keys: 3, Missing: 120000,
		Held: 40000, HeldMissing: 40000}, report.LanguageStatus{Language: "ar", Keys: 120003, Held: 30000})
	one.Gaps = map[string][]report.Gap{"ja": {{File: "locales/en/app.json", Key: "checkout.button", Text: "Buy now"},
		{File: "locales/en/app.json", Key: "checkout.terms", Text: strings.Repeat("You agree to all of it. ", 30)}},
		"ar": {{File: "locales/en/a-folder-with-a-rather-long-name/app.json", Key: strings.Repeat("settings.", 12) +
			"title", Text: "العنوان"}}}
	one.Lines = []report.LineStatus{{Base: "main", Branch: "l10n/main", Collections: []string{"main-ui", "main-mail"},
		LastPull: one.LastPull}, {Base: "feature/with-a-rather-long-name",
		Branch: "l10n/feature/with-a-rather-long-name", Finished: &before}}
	one.Events = append([]report.Event{{At: before, What: "push", Base: "main", Result: report.ResultFailed,
		Text: "The push failed: the service failed repeatedly.", Since: before, Count: 12}}, one.Events...)
	for i := range 30 {
		one.Problems = append(one.Problems, report.Problem{File: "locales/de/app.json", Key: fmt.Sprint("greeting.", i),
			Language: "de", Problem: "it lacks {name}, which the source has; correct it at the service",
			Remedy: "correct it at the service"})
	}
	page := http.NewServeMux()
	page.Handle("/", New(*s))
	page.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		v := view{Version: "1.2.3", Now: now, Buttons: true, Visit: visit{Nonce: "nonce",
			Project: "app", Said: "Push requested."}}
		app := usual("app")
		app.LastPull.Commit = ""
		app.Events[0].Commit = "0123456789abcdef"
		for _, status := range []report.ProjectStatus{one, app, {Name: "untold", State: "pending changes unknown",
			Findings: report.Findings{Problems: []report.Problem{{Problem: "the repository is gone"}}}}} {
			v.add(assemble(s).page.project(status, v))
		}
		v.choose(nil)
		assemble(s).page.write(w, http.StatusOK, "page", v)
	})
	return page
}

// crowded is a page of forty projects, of which one is shown whole.
func crowded(t *testing.T) http.Handler {
	t.Helper()
	s, _ := newServer(t)
	page := http.NewServeMux()
	page.Handle("/", New(*s))
	page.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		v := view{Version: "1.2.3", Now: time.Now()}
		for i := range 40 {
			status := usual(fmt.Sprintf("project-%02d", i))
			if i%7 == 3 {
				status.LastPush = &report.Past{Result: report.ResultFailed, Error: "no way"}
			}
			v.add(assemble(s).page.project(status, v))
		}
		v.choose(url.Values{"q": {"project"}, "project": {"project-07"}})
		assemble(s).page.write(w, http.StatusOK, "page", v)
	})
	return page
}

// many is a page of three projects with long names, of which one fails and one has forty languages.
func many(t *testing.T) http.Handler {
	t.Helper()
	s, _ := newServer(t)
	configured := s.Engine.Config.Projects[0]
	now := time.Now()
	wide := usual("customer-facing-web-application-with-a-name-that-somebody-wrote-out-in-full")
	wide.Languages = nil
	for i, l := range strings.Fields("ar bg bn ca cs da de el en-GB es es-419 et fa fi fil fr fr-CA he hi hr hu id it ja ko lt lv ms nb nl pl pt-BR pt-PT ro ru sk sr-Latn-RS sv th zh-Hant-HK") {
		wide.Languages = append(wide.Languages, report.LanguageStatus{Language: l, Keys: 2400 - i%4*37*(i/13),
			Missing: i % 4 * 37 * (i / 13)})
	}
	wide.Languages[6].Held, wide.Languages[6].Keys, wide.Languages[6].Missing = 2, 2399, 1
	wide.Conflicts = []report.Conflict{{File: "locales/de/app.json", Language: "de", Key: "checkout.button",
		Ours: map[string]string{"": "Jetzt kaufen"}, Theirs: map[string]string{"": "Kaufen"},
		Since: now.Add(-time.Hour)}}
	wide.Problems = []report.Problem{wide.Conflicts[0].Problem(), {File: "locales/de/app.json", Key: "greeting",
		Language: "de", Problem: "it lacks {name}, which the source has; correct it at the service",
		Remedy: "correct it at the service"}}
	wide.State = "1 translation was changed on both sides and waits for a decision; 1 problem: locales/en/broken.json:2:3; last pulled 2026-11-21 11:00:00 UTC"
	bad := usual("mobile")
	bad.LastPull = &report.Past{At: now.Add(-time.Minute), Result: report.ResultFailed,
		Error:  "fetch l10n of git@git.example.com:team/app.git: the host does not answer",
		GoodAt: now.Add(-26 * time.Hour)}
	bad.State = "the last pull failed"
	page := http.NewServeMux()
	page.Handle("/", New(*s))
	page.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		v := view{Version: "1.2.3", Now: now}
		good := usual("documentation")
		for i := range good.Languages {
			good.Languages[i] = report.LanguageStatus{Language: good.Languages[i].Language, Keys: 120}
		}
		for _, status := range []report.ProjectStatus{wide, bad, good} {
			configured.Name = status.Name
			s.Engine.Config.Projects = append(s.Engine.Config.Projects[:0:0], configured)
			v.add(assemble(s).page.project(status, v))
		}
		v.choose(nil)
		assemble(s).page.write(w, http.StatusOK, "page", v)
	})
	return page
}

// fits fails the test where the page is wider than the window.
func (b *browser) fits(where string) {
	b.t.Helper()
	if over := eval[[]string](b,
		`[...document.querySelectorAll("body *")].filter(e => !e.closest(".wide, .defs, .hush, .skip") && e.getBoundingClientRect().right > (e.parentNode.closest(".card, nav a, body").getBoundingClientRect().right + 1)).map(e => e.outerHTML.slice(0, 200))`); len(over) > 0 ||
		eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		b.t.Errorf("%s: wider than the window: %q", where, over)
	}
}

// unlocked is whether the page has buttons.
const unlocked = `document.querySelector("button[value=push]") !== null`

// The buttons are there for who types the right token alone; a press is told on the page and makes a real
// pass. With and without scripts.
func TestBrowserButtons(t *testing.T) {
	files := map[string]string{"locales/en/app.json": `{"a": "A"}`}
	w := newWorld(t, "", withToken, worldProject{name: "app", languages: []string{"de"}, files: files,
		more: "[project.pull]\nschedule = \"0 0 1 1 *\"\n"})
	none := newWorld(t, "", nil, worldProject{name: "app", languages: []string{"de"}, files: files})
	w.run()
	b := newBrowser(t)
	b.open(none.server.URL)
	if eval[bool](b, unlocked) || eval[bool](b, `document.querySelector("form, a[href=unlock]") !== null`) {
		t.Error("without a token the page has buttons, or a way to them")
	}
	for _, scripts := range []bool{true, false} {
		call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts})
		unlockIn(b, w.server.URL, "wrong token, wrong token")
		if said := eval[string](b, `document.querySelector("[role=alert]").textContent`); !strings.Contains(said,
			"not the token") {
			t.Errorf("of a wrong token it says %q", said)
		}
		b.do(chromedp.Navigate(w.server.URL))
		if eval[bool](b, unlocked) {
			t.Error("after a wrong token the page has buttons")
		}
		unlockIn(b, w.server.URL, pageToken)
		b.until(unlocked)
		if said := eval[string](b, `document.cookie`); said != "" {
			t.Errorf("a script can read the cookie: %s", said)
		}
		before := w.engine.Ended()
		b.do(chromedp.Click(chromedp.CSS(`#p-app-pull`)))
		b.until(`document.querySelector(".said")?.textContent === "Pull requested."`)
		for end := time.Now().Add(browserPatience); w.engine.Ended() == before; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nothing was pulled")
			}
		}
		b.do(chromedp.Navigate(w.server.URL))
		b.until(`!document.querySelector("#p-app .c dd").textContent.includes("never")`)
		b.do(chromedp.Click(chromedp.CSS(`footer button`)))
		b.until(`document.querySelector("a[href=unlock]") !== null`)
		if eval[bool](b, unlocked) {
			t.Error("after it was locked the page has buttons")
		}
	}
	b.quiet("403 (Forbidden)") // the wrong tokens
}

// After a real push of a changed file the page shows it, without having been loaded again: focus, scrolling and open
// parts stay, and it is the page that a browser which loads it now would show.
func TestBrowserLive(t *testing.T) {
	w := newWorld(t, "", withToken,
		worldProject{name: "app", languages: []string{"de"},
			files: map[string]string{"locales/en/app.json": keys("app", 30)}},
		worldProject{name: "other", languages: []string{"de", "fr"},
			files: map[string]string{"locales/en/app.json": keys("other", 3)}})
	w.run()
	b := newBrowser(t)
	b.look(800, "light")
	unlockIn(b, w.server.URL, pageToken)
	b.open(w.server.URL)
	b.until(`document.querySelector("#p-app .state").textContent.includes("Everything is pushed")`)
	b.until(`document.querySelector("#unready") === null`)
	eval[bool](b,
		`(window.kept = document.querySelector("#p-app-files"), kept.open = true, document.querySelector("#p-other-push").focus(), scrollTo(0, 300), window.scrolled = scrollY, kept.open)`)
	w.write("app", "locales/en/app.json", keys("app", 34))
	b.until(`document.querySelector("#p-app-events").textContent.includes("Sent 4 keys of locales/en/app.json")`)
	for _, kept := range []string{`document.querySelector("#p-app-files") === kept`, `kept.open`,
		`document.activeElement.id === "p-other-push"`, `scrollY === scrolled`, `scrolled > 0`} {
		if !eval[bool](b, kept) {
			t.Errorf("not any more: %s", kept)
		}
	}
	w.write("app", "locales/en/broken.json", `{"a": }`)
	b.until(`document.querySelector("#p-app-problems")?.textContent.includes("broken.json:1:7")`)
	b.until(`document.title === "locsync: 1 of 2 projects needs attention" && document.querySelector("link[rel=icon]").href.includes("/warn.")`)
	eval[bool](b,
		`(document.querySelector("#p-app-problems").tabIndex = -1, document.querySelector("#p-app-problems").focus(), true)`)
	w.write("app", "locales/en/broken.json", `{"b": "B"}`)
	b.until(`document.querySelector("#p-app-problems") === null`)
	if got := eval[string](b,
		`document.activeElement.closest("section")?.id ?? document.activeElement.id`); got != "p-app" && got != "main" {
		t.Errorf("the focus was in a part that is gone, and is now at %q", got)
	}
	for end := time.Now().Add(browserPatience); !eval[bool](b, sameAsNow); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the page is\n%s", eval[string](b, `document.querySelector("main").outerHTML`))
		}
	}
	b.quiet()
}

// sameAsNow is whether the page's main part, node by node, is that of a page that is loaded now; but for what a reader
// did to it, and times, which go on and are by its clock.
const sameAsNow = `new Promise((resolve, reject) => {
	const bare = (page) => {
		const main = page.querySelector("main").cloneNode(true);
		main.querySelectorAll("details").forEach((e) => e.removeAttribute("open"));
		main.querySelectorAll("section").forEach((e) => e.removeAttribute("tabindex"));
		main.querySelectorAll(".ago, .abs").forEach((e) => { e.textContent = ""; });
		return main;
	};
	const r = new XMLHttpRequest();
	r.open("GET", location.href);
	r.responseType = "document";
	r.onload = () => resolve(bare(document).isEqualNode(bare(r.response)));
	r.onerror = reject;
	r.send();
})`

// A reader who looked away, or whose connection broke, sees how things are when the daemon is there again; and is told that
// the page is old as long as it is.
func TestBrowserReconnects(t *testing.T) {
	w := newWorld(t, "", nil, worldProject{name: "app", languages: []string{"de"},
		files: map[string]string{"locales/en/app.json": keys("app", 3)}})
	b := newBrowser(t)
	b.open(w.server.URL)
	address := strings.TrimPrefix(w.server.URL, "http://")
	w.server.Listener.Close()
	w.server.CloseClientConnections()
	b.until(`document.getElementById("live").textContent.startsWith("not connected")`)
	w.push("app")
	listener, err := net.Listen("tcp", address)
	check(t, err)
	again := &http.Server{Handler: w.server.Config.Handler, ReadHeaderTimeout: time.Minute}
	over := make(chan error, 1)
	go func() { over <- again.Serve(listener) }()
	b.until(`document.getElementById("live").textContent === "live" && document.querySelector("#p-app-events").textContent.includes("Sent 3 keys")`)
	check(t, again.Close())
	if err := <-over; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	b.quiet("net::ERR_") // however Chromium calls a cut connection
}

// The script says how long ago something was in the words that the page has. Its clock is stopped and is set by the
// page that it shows, so however long anything takes, what it says is to be told from that page's own time.
func TestBrowserSaysTimes(t *testing.T) {
	w := newWorld(t, "", nil, worldProject{name: "app", languages: []string{"de"},
		files: map[string]string{"locales/en/app.json": keys("app", 3)}})
	b := newBrowser(t)
	b.open(w.server.URL)
	now := time.Now().UTC().Truncate(time.Second)
	var list []string
	for far := time.Duration(0); far < 1e7; far += max(far/7, 1) { // seconds: each of the first, then fewer and fewer
		list = append(list, now.Add(far*time.Second).Format(time.RFC3339),
			now.Add(-far*time.Second).Format(time.RFC3339))
	}
	data, err := json.Marshal(list)
	check(t, err)
	// The live sign is the only part that an update leaves alone.
	eval[bool](b,
		fmt.Sprintf(`(Date.now = () => 0, %s.forEach(at => { const time = document.createElement("time"), span = document.createElement("span"); span.className = "ago"; time.dateTime = at; time.append(span); document.getElementById("live").append(time) }), true)`, data))
	w.push("app")
	b.until(`document.querySelector("#p-app-events").textContent.includes("Sent 3 keys")`)
	type said struct {
		Now   time.Time
		Times [][2]string
	}
	page := eval[said](b,
		`({Now: document.getElementById("now").dateTime, Times: [...document.querySelectorAll("#live time")].map(t => [t.dateTime, t.textContent])})`)
	if len(page.Times) != len(list) {
		t.Errorf("%d times are there, want %d", len(page.Times), len(list))
	}
	for _, one := range page.Times {
		at, err := time.Parse(time.RFC3339, one[0])
		check(t, err)
		if want := ago(page.Now, at); one[1] != want {
			t.Errorf("%s is %q at %s, want %q", one[0], one[1], page.Now, want)
		}
	}
	b.quiet()
}

// Without scripts the page is whole, and renews itself; unless somebody does not want that.
func TestBrowserWithoutScripts(t *testing.T) {
	w := newWorld(t, "", nil, worldProject{name: "app", languages: []string{"de"},
		files: map[string]string{"locales/en/app.json": keys("app", 3)}})
	w.push("app")
	b := newBrowser(t)
	b.look(320, "light")
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.do(chromedp.Navigate(w.server.URL))
	if refresh := eval[string](b, `document.querySelector("meta[http-equiv=refresh]").content`); refresh != "30" {
		t.Errorf("it renews itself every %q seconds", refresh)
	}
	b.do(chromedp.Click(chromedp.CSS("#p-app-files summary")))
	b.until(`document.querySelector("#p-app-files").open && document.querySelector("#p-app-files td").getBoundingClientRect().height > 0`)
	if said := eval[string](b, `document.querySelector("header").innerText`); !strings.Contains(said,
		"renewed every 30 seconds (stop)") || strings.Contains(said, "live") {
		t.Errorf("the page says %q", said)
	}
	b.fits("without scripts")
	b.do(chromedp.Click(chromedp.CSS("header a")))
	b.until(`location.search === "?still" && document.querySelector("meta[http-equiv=refresh]") === null`)
	b.quiet()
}

// On paper there is what is told, and nothing to press.
func TestBrowserPrints(t *testing.T) {
	w := newWorld(t, "", withToken, worldProject{name: "a", languages: []string{"de"},
		files: map[string]string{"locales/en/app.json": keys("app", 3)}},
		worldProject{name: "b", languages: []string{"de"},
			files: map[string]string{"locales/en/app.json": keys("app", 3)}})
	b := newBrowser(t)
	unlockIn(b, w.server.URL, pageToken)
	b.open(w.server.URL)
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	for selector, want := range map[string]bool{"nav": false, "form": false, "#live": false, "h2": true,
		".bars": true, "#p-a-files td": true} {
		sign := "!"
		if want {
			sign = ""
		}
		// What a closed part hides is drawn with the next frame only.
		b.until(fmt.Sprintf(`%s(e => e.checkVisibility({contentVisibilityAuto: true}) && e.getBoundingClientRect().height > 0)(document.querySelector(%q))`, sign, selector))
	}
}

// Names of projects, files and keys, and texts that want to run, to load or to turn others around do nothing, and break
// nothing at any width.
func TestBrowserIsNotFooled(t *testing.T) {
	long := strings.Repeat("W", 10240)
	nasty := []string{`<script>hacked=1</script>`, `"><img src=x onerror=hacked=1>`, `'><svg onload=hacked=1>`,
		"\u202egnp.exe\u202c", "\u05d0\u05d1\u05d2 abc", `</title><script>hacked=1</script>`, long}
	names := []string{`<script>hacked=1<!--`, `"><img src=x onerror=hacked=1>`, strings.Repeat("W", 100),
		"\u05d0\u05d1 ' onclick='hacked=1"}
	texts := func(which string) string {
		all := map[string]string{}
		for i, text := range nasty {
			all[text] = fmt.Sprint(text, which, i)
		}
		data, err := json.Marshal(all)
		check(t, err)
		return string(data)
	}
	var projects []worldProject
	for i, name := range names {
		p := worldProject{name: name, languages: []string{"de"},
			files: map[string]string{"locales/en/app.json": texts("A"), "locales/en/<script>hacked=1.json": texts("B"),
				`locales/en/"><img src=x onerror=hacked=1>.json`: `{"a": }`, "locales/en/" + strings.Repeat("W", 200) +
					".json": `{`, "locales/en/\u202egnp.json": "{"}}
		if i == 0 { // texts of a conflict
			p.files = map[string]string{"locales/en/ui.json": texts("A")}
		}
		projects = append(projects, p)
	}
	w := newWorld(t, "", withToken, projects...)
	for _, name := range names {
		w.push(name)
		w.pull(name)
	}
	w.conflict(names[0], nasty[1], nasty[1]+"\u202eOURS", nasty[1]+"\u05d0THEIRS"+long)
	b := newBrowser(t)
	unlockIn(b, w.server.URL, pageToken)
	for _, width := range []int64{1200, 320} {
		b.look(width, "light")
		b.open(w.server.URL)
		eval[bool](b, `document.querySelectorAll("details").forEach(d => { d.open = true }) === undefined`)
		b.shot(fmt.Sprint("hostile-", width))
		b.fits(fmt.Sprint("hostile ", width))
		b.accessible(fmt.Sprint("hostile ", width))
	}
	w.push(names[1]) // what an update brings is as harmless
	b.until(`document.querySelectorAll(".project").length === 4`)
	if hacked := eval[bool](b,
		`window.hacked !== undefined || document.querySelectorAll("main img, main script, [onerror], [onload], [onclick]").length > 0`); hacked {
		t.Error("a text was more than a text")
	}
	said := eval[string](b, `document.querySelector("main").textContent`)
	for _, want := range []string{`<script>hacked=1<!--`, `"><img src=x onerror=hacked=1>.json:1:7`, `\u202egnp.json`,
		`onerror=hacked=1>\u202eOURS"`, `onerror=hacked=1>אTHEIRSWW`, "(10\u202f2"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	for _, name := range names { // buttons and links work for them all
		id := anchor(name)
		if eval[int](b,
			fmt.Sprintf(`[...document.querySelectorAll("nav a")].filter(a => decodeURIComponent(a.hash.slice(1)) === %q && document.getElementById(%q)).length`, id, id)) != 1 {
			t.Errorf("no link leads to project %q", name)
		}
		b.press(id+"-push", fmt.Sprintf(`document.getElementById(%q)?.querySelector(".said")?.textContent === "Push requested."`,
			id))
	}
	b.quiet()
}
