//go:build browser

package page_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a browser may take for one thing.
const patience = 30 * time.Second

// chromium is a browser with one page, and what that page complained of.
type chromium struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// newChromium starts one that ends with the test, with a profile of its own.
func newChromium(t *testing.T) *chromium {
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
	b := &chromium{t: t}
	ctx, end := chromedp.NewContext(all, chromedp.WithListener(b.hear))
	b.ctx = ctx
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits for the browser to end
			t.Error(err)
		}
		end()
		endAll()
	})
	if err := chromedp.Do(ctx); err != nil { // starts it
		t.Fatal(err)
	}
	return b
}

func (b *chromium) hear(event any) {
	said := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said = e.ExceptionDetails.Text
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

// quiet fails the test where a page complained of anything but what is expected.
func (b *chromium) quiet(expected ...string) {
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
}

func (b *chromium) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// eval is the value of an expression in the page.
func eval[T any](b *chromium, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// until waits until an expression is true in the page, whichever page that is by then.
func (b *chromium) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if err == nil && holds {
			return
		}
		if time.Now().After(end) {
			said, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
			b.t.Fatalf("never true in the page: %s (%v)\n%s", expression, err, said)
		}
	}
}

// look sets the size and the colours that the page is seen with.
func (b *chromium) look(width int64, scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500})
	if err == nil {
		_, err = chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
				Value: scheme}}})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// shot keeps a picture of the whole page where LOCSYNC_SCREENSHOTS names a folder, for people to see.
func (b *chromium) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("LOCSYNC_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// sound fails the test where the page is wider than the window, or breaks a rule of accessibility.
func (b *chromium) sound(where string) {
	b.t.Helper()
	if eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		b.t.Errorf("%s: wider than the window", where)
	}
	file := os.Getenv("LOCSYNC_AXE")
	if file == "" {
		b.t.Log("not checked: LOCSYNC_AXE does not name axe.min.js of the npm package axe-core")
		return
	}
	source, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	eval[bool](b, string(source)+"; true")
	found := eval[[]struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}](b, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => { if (r.passes.length < 10) throw new Error("axe saw nothing"); return r.violations })`)
	for _, v := range found {
		for _, n := range v.Nodes {
			b.t.Errorf("%s: %s: %s: %.300s\n%s", where, v.ID, v.Help, n.HTML, n.FailureSummary)
		}
	}
}

// keys types into what has the focus; names in the kb package are keys without a text.
func (b *chromium) keys(text string, modifiers ...chromedp.KeyOption) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(text, modifiers...))
}
