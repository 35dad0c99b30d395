//go:build browser

package web

import (
	"context"
	"encoding/json"
	"fmt"
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

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/service"
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
	for _, flag := range []string{"disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	all, endAll := chromedp.NewExecAllocator(context.Background(), options...)
	b := &browser{t: t}
	ctx, end := chromedp.NewContext(all, chromedp.WithListener(b.hear))
	b.ctx = ctx
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits for the browser to end
			t.Error(err)
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
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Level == cdplog.EntryLevelWarning || strings.Contains(e.Entry.Text, "Content Security Policy") {
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
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500})
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

func (w *world) pull(project string) {
	w.t.Helper()
	_, err := w.engine.Pull(w.t.Context(), engine.PullOptions{Project: project})
	check(w.t, err)
}

// write puts a file into a project's working tree.
func (w *world) write(project, path, content string) {
	w.t.Helper()
	file := filepath.Join(w.repos[project], filepath.FromSlash(path))
	check(w.t, os.MkdirAll(filepath.Dir(file), 0o755))
	check(w.t, os.WriteFile(file, []byte(content), 0o644))
}

// translate does what a translator does at the service.
func (w *world) translate(project, language, file, content string) {
	w.t.Helper()
	id, err := w.client.StartImport(w.t.Context(), service.ImportRequest{Project: w.ids[project], Collection: "main", Language: language, Format: "json",
		CompletionState: service.Final, Files: []service.Upload{{Name: file, Body: []byte(content)}}})
	check(w.t, err)
	_, err = w.client.WaitImport(w.t.Context(), id)
	check(w.t, err)
}

// aMonth is three projects after a month's work: one that is in step, one with things to look at, and one that never worked.
func aMonth(t *testing.T, o func(*Options)) *world {
	t.Helper()
	w := newWorld(t, "", o,
		worldProject{name: "web-app", languages: []string{"de", "fr", "ja", "pt-BR", "zh-Hans"}, files: map[string]string{"locales/en/app.json": keys("app", 40), "locales/en/mail.json": keys("mail", 12)}},
		worldProject{name: "mobile", languages: []string{"de", "ar"}, files: map[string]string{"locales/en/ui.json": keys("ui", 20)}},
		worldProject{name: "documentation", languages: []string{"de"}, files: map[string]string{"locales/en/doc.json": keys("doc", 5)}})
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

// conflict has a German translation changed on both sides, and finds out.
func (w *world) conflict(project, key, ours, theirs string) {
	w.t.Helper()
	tree := filepath.Join(w.t.TempDir(), "tree")
	gittest.Git(w.t, w.repos[project], "worktree", "add", "-q", "--force", tree, "l10n")
	file := filepath.Join(tree, "locales/de/ui.json")
	data, err := os.ReadFile(file)
	check(w.t, err)
	var texts map[string]string
	check(w.t, json.Unmarshal(data, &texts))
	texts[key] = ours
	data, err = json.Marshal(texts)
	check(w.t, err)
	check(w.t, os.WriteFile(file, data, 0o644))
	gittest.Git(w.t, tree, "commit", "-q", "-a", "-m", "by a person")
	gittest.Git(w.t, w.repos[project], "worktree", "remove", "--force", tree)
	data, err = json.Marshal(map[string]string{key: theirs})
	check(w.t, err)
	w.translate(project, "de", "de.json", string(data))
	w.pull(project)
}

// keys is a flat JSON file.
func keys(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",\n  \"%s.key%03d\": \"Text number %d of %s\"", prefix, i, i, prefix)
	}
	return "{" + b.String()[1:] + "\n}\n"
}

// withToken gives the page buttons.
func withToken(o *Options) { o.PageToken = pageToken }

// unlockIn types the token into the browser's form.
func unlockIn(b *browser, address, token string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address+"/unlock"), chromedp.SendKeys(chromedp.CSS("#token"), token), chromedp.Click(chromedp.CSS("main button")))
}

// accessible fails the test where axe-core, the file that LOCSYNC_AXE names, finds anything wrong with the page that the browser shows.
func (b *browser) accessible(where string) {
	b.t.Helper()
	file := os.Getenv("LOCSYNC_AXE")
	if file == "" {
		b.t.Skip("LOCSYNC_AXE does not name axe.min.js of the npm package axe-core")
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
	empty := newWorld(t, "", nil, worldProject{name: "new-project", languages: []string{"de"}, files: map[string]string{"locales/en/app.json": keys("app", 3)}})
	b := newBrowser(t)
	for _, c := range []struct {
		width  int64
		scheme string
	}{{1200, "light"}, {1200, "dark"}, {768, "light"}, {320, "light"}, {320, "dark"}} {
		name := fmt.Sprintf("%s-%d", c.scheme, c.width)
		b.look(c.width, c.scheme)
		for _, page := range []struct{ name, address string }{{"month", w.server.URL}, {"empty", empty.server.URL}} {
			b.open(page.address)
			eval[bool](b, `document.querySelectorAll("details").forEach(d => { d.open = true }) === undefined`)
			b.shot(page.name + "-" + name)
			b.accessible(page.name + " " + name)
			b.fits(page.name + " " + name)
		}
		unlockIn(b, w.server.URL, "wrong")
		b.until(`document.querySelector("[role=alert]")`)
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

// fits fails the test where the page is wider than the window.
func (b *browser) fits(where string) {
	b.t.Helper()
	if over := eval[[]string](b, `[...document.querySelectorAll("body *")].filter(e => !e.closest(".wide, .defs, .hush, .skip") && e.getBoundingClientRect().right > (e.parentNode.closest(".card, nav a, body").getBoundingClientRect().right + 1)).map(e => e.outerHTML.slice(0, 200))`); len(over) > 0 ||
		eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		b.t.Errorf("%s: wider than the window: %q", where, over)
	}
}
