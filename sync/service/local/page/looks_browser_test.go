//go:build browser

package page_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const ctrl = chromedp.ModifierCtrl

// signIn opens the form and types a name and a password, by keys alone.
func (b *chromium) signIn(w *world) {
	b.t.Helper()
	b.do(chromedp.Navigate(w.server.URL + "/translate/"))
	b.until(`document.activeElement?.id === "name"`)
	b.keys("Anna" + kb.Tab + "long enough" + kb.Enter)
	b.until(`document.querySelector("h1")?.textContent === "Projects"`)
}

// Every page in both lights and at two widths breaks no rule of accessibility, and fits; hostile texts are text. The
// pictures are for people.
func TestBrowserLooks(t *testing.T) {
	w := filled(t)
	link, err := w.service.Page().Invite("", false)
	w.check(err)
	asks := form(w.get("account"), "mails")
	asks.Set("do", "ask")
	asks.Set("address", "anna@example.com")
	w.has(w.post(w.client, "mails", asks), "200 ")
	w.makesFeed(w.client)
	b := newChromium(t)
	stranger := newChromium(t)
	b.signIn(w)
	for _, c := range []struct {
		width  int64
		scheme string
	}{{1280, "light"}, {1280, "dark"}, {390, "light"}, {390, "dark"}} {
		name := func(page string) string { return fmt.Sprintf("%s-%s-%d", page, c.scheme, c.width) }
		b.look(c.width, c.scheme)
		for _, page := range allPages {
			b.do(chromedp.Navigate(w.server.URL + "/translate/" + page.path))
			eval[bool](b, `document.querySelectorAll("details").forEach(d => { d.open = true }) === undefined`)
			b.shot(name(page.name))
			b.sound(name(page.name))
			if eval[bool](b,
				`window.hacked !== undefined || document.querySelectorAll("main img, main script, [onerror]").length > 0`) {
				t.Errorf("%s: a text was more than a text", name(page.name))
			}
		}
		stranger.look(c.width, c.scheme)
		for page, path := range map[string]string{"sign-in": "/translate/sign-in", "invitation": link,
			"unsubscribe": "/translate/unsubscribe?word=w"} {
			stranger.do(chromedp.Navigate(w.server.URL + path))
			stranger.shot(name(page))
			stranger.sound(name(page))
		}
	}
	b.quiet("404 (Not Found)") // the key that is gone
	stranger.quiet()
}

// By keys alone a translator goes from the first key to the last; the checks speak while typing; a suggestion is taken
// over; and it is all stored.
func TestBrowserKeyboard(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Hello {name}", "b": "Hello {name}!", "c": "Bye"}`)
	b := newChromium(t)
	b.signIn(w)
	tabTo := func(what string) {
		t.Helper()
		for range 60 {
			if eval[bool](b, `Boolean(document.activeElement?.matches(`+fmt.Sprintf("%q", what)+`))`) {
				return
			}
			b.keys(kb.Tab)
		}
		t.Fatalf("no number of tabs leads to %s", what)
	}
	on := func(key string) {
		t.Helper()
		b.until(fmt.Sprintf(`document.querySelector("h1").textContent === %q && document.activeElement.tagName === "TEXTAREA" && !document.querySelector(".keysays").hidden`, key))
	}
	tabTo(`a[href*="language=de"]`)
	b.keys(kb.Enter)
	b.until(`document.getElementById("begin")`)
	tabTo("#begin")
	b.keys(kb.Enter)
	on("a")
	b.keys(kb.ArrowDown, chromedp.KeyModifiers(chromedp.ModifierAlt))
	on("b")
	b.keys(kb.ArrowUp, chromedp.KeyModifiers(chromedp.ModifierAlt))
	on("a")
	b.keys("Hallo {nome}")
	b.until(`document.querySelector("#found-text- .holds")?.textContent.includes("{nome}")`)
	b.keys(strings.Repeat(kb.Backspace, 6) + "{name}")
	b.until(`document.querySelectorAll("#found-text- li").length === 0`)
	b.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	on("b")
	b.until(`document.querySelector(".said").textContent === "Saved."`)
	tabTo(".suggestions button.use")
	b.keys(kb.Enter)
	b.until(`document.activeElement.value === "Hallo {name}"`)
	b.keys("a", chromedp.KeyModifiers(ctrl))
	b.keys("Hi ")
	b.until(`document.querySelector(".length").textContent === "3"`)
	b.keys("1", chromedp.KeyModifiers(ctrl))
	b.until(`document.activeElement.value === "Hi {name}"`)
	b.until(`document.querySelector(".inserts .used")?.textContent === "{name}"`)
	b.keys("1", chromedp.KeyModifiers(ctrl, chromedp.ModifierShift))
	b.until(`document.activeElement.value === "Hallo {name}"`)
	b.keys("!")
	b.keys("2", chromedp.KeyModifiers(ctrl)) // the no-break space
	b.until(`document.querySelector(".shown:not([hidden]) .sign")?.textContent === "NBSP"`)
	b.keys(kb.Backspace)
	b.keys(kb.Enter, chromedp.KeyModifiers(ctrl, chromedp.ModifierShift))
	on("c")
	b.keys("Tschüs")
	tabTo("button[value=draft]")
	b.keys(kb.Enter)
	b.until(`document.querySelector(".said")?.textContent.includes("no further keys")`)
	page := w.get("list?" + inGerman + "&show=all")
	for _, want := range []string{`final">final`, `confirmed">confirmed`, `draft">draft`, "Hallo {name}!", "Tschüs"} {
		w.has(page, want)
	}
	b.quiet()
}

// A reviewer rejects one draft with a reason, and approves the others at once; the translator reads the reason, takes an
// older text from the history, and saves it.
func TestBrowserReview(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One", "b": "Two", "c": "Three"}`)
	w.imports("language=de&format=json", "app.json", `{"a": "Eins", "b": "Zwei", "c": "Drei"}`)
	w.imports("language=de&format=json&overwrite-conflicting-values", "app.json", `{"b": "Zwo"}`)
	b := newChromium(t)
	b.signIn(w)
	click := func(css string) {
		t.Helper()
		b.do(chromedp.Click(chromedp.CSS(css)))
	}
	b.do(chromedp.Navigate(w.server.URL + "/translate/key?" + inGerman + "&q=b"))
	b.until(`document.getElementById("rank")?.textContent === "1 of 1"`)
	click("details:has(#reason) summary")
	b.do(chromedp.SendKeys(chromedp.CSS("#reason"), "Zwo is for telephones."))
	click("form[action=reject] button")
	b.until(`document.querySelector(".said")?.textContent.includes("Rejected.")`)
	b.do(chromedp.Navigate(w.server.URL + "/translate/list?" + inGerman))
	click(`a[href^="approve?"]`)
	b.until(`document.querySelectorAll("input[name=take]:checked").length === 2`)
	click("form[action=approve] button")
	b.until(`document.querySelector(".said")?.textContent === "2 texts are final now."`)
	b.until(`document.querySelector(".progress")?.textContent.includes("2 of 3 final")`)
	b.do(chromedp.Navigate(w.server.URL + "/translate/key?" + inGerman + "&show=rejected"))
	b.until(`document.querySelector("#rejected + p")?.textContent === "Zwo is for telephones."`)
	click("details:has(.history) summary")
	click(`.history button[data-text="Zwei"]`)
	b.until(`document.activeElement.value === "Zwei"`)
	b.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	b.until(`document.querySelector(".said")?.textContent.includes("no further keys")`)
	b.until(`document.querySelector(".progress")?.textContent.includes("3 of 3 final")`)
	b.quiet()
}

// Without scripts a text is saved the same way, and its checks are told with the page.
func TestBrowserWithoutScripts(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Hello {name}", "b": "Bye"}`)
	b := newChromium(t)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.signIn(w)
	b.do(chromedp.Navigate(w.server.URL + "/translate/key?" + inGerman))
	b.until(`document.activeElement?.tagName === "TEXTAREA"`)
	b.keys("Hallo {nome}" + kb.Tab + kb.Enter)
	b.until(`document.querySelector(".said")?.textContent.includes("It is not published until")`)
	b.do(chromedp.Navigate(w.server.URL + "/translate/key?" + inGerman + "&show=failing"))
	b.until(`document.querySelector("#found-text- .holds")?.textContent.includes("{nome}")`)
	b.quiet()
}

// A person opens the link that the demo prints, types a translation, and a moment later the commit is on the branch.
func TestBrowserTextToCommit(t *testing.T) {
	b := newChromium(t)
	program := filepath.Join(t.TempDir(), "locsync")
	if out, err := exec.Command("go", "build", "-o", program,
		"github.com/locsync/locsync/cmd/locsync").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	repository := filepath.Join(t.TempDir(), "demo")
	var out output
	cmd := exec.Command(program, "demo", "--dir", repository, "--keep-running")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
	}()
	link := regexp.MustCompile(`http://\S+/translate/invitation\?word=\w+`)
	wait := func(what string, holds func() bool) {
		t.Helper()
		for end := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never: %s\n%s", what, out.String())
			}
		}
	}
	wait("the daemon runs", func() bool {
		at := link.FindString(out.String())
		if at == "" {
			return false
		}
		answer, err := http.Get(at)
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	b.do(chromedp.Navigate(link.FindString(out.String())))
	b.until(`document.activeElement?.id === "name"`)
	b.keys("Mira" + kb.Tab + "a good password" + kb.Enter)
	b.until(`document.querySelector("h1")?.textContent === "Projects"`)
	b.do(chromedp.Click(chromedp.CSS(`a[href*="language=de"]`)))
	b.until(`document.getElementById("q")`)
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "Save changes"+kb.Enter))
	b.until(`document.querySelectorAll(".keys a").length === 1`)
	b.do(chromedp.Click(chromedp.CSS("#begin")))
	b.until(`document.querySelector(".keysays")?.hidden === false`)
	b.keys("Das hier speichern")
	began := time.Now()
	b.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	b.until(`document.querySelector(".said")`)
	wait("the commit is on the branch", func() bool {
		text, err := exec.Command("git", "-C", repository, "show", "l10n:web/locales/de.json").CombinedOutput()
		return err == nil && bytes.Contains(text, []byte("Das hier speichern"))
	})
	t.Logf("from the text to the commit: %v", time.Since(began).Round(10*time.Millisecond))
	b.quiet()
}

// output is what a program prints, read while it runs.
type output struct {
	mu sync.Mutex
	b  strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
