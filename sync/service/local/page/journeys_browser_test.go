//go:build browser

package page_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func (b *chromium) opens(w *world, path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(w.server.URL + "/translate/" + path))
}

func (b *chromium) click(css string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(css)))
}

// types writes into the field that has the focus, in place of what it has.
func (b *chromium) types(text string) {
	b.t.Helper()
	b.until(`document.querySelector(".keysays")?.hidden === false`)
	b.keys("a", chromedp.KeyModifiers(ctrl))
	b.keys(text)
}

// says waits for what came of a form.
func (b *chromium) says(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector(".said, [role=alert]")?.textContent.includes(%q)`, text))
}

// A manager invites a translator into a language, who makes an account, writes a draft, and sees it approved.
func TestBrowserInviteToApproved(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"greeting": "Hello {name}"}`)
	manager, translator := newChromium(t), newChromium(t)
	manager.signIn(w)
	manager.click(`nav a[href="people"]`)
	manager.until(`document.querySelector("h1").textContent.includes("People")`)
	invite := `form[action="people"] `
	manager.do(chromedp.SendKeys(chromedp.CSS(invite+"#name"), "Ben"))
	manager.click(invite + `input[name=role][value=translator]`)
	manager.click(invite + `input[name=into][value=de]`)
	manager.keys(kb.Enter)
	manager.until(`document.getElementById("link")`)
	translator.do(chromedp.Navigate(eval[string](manager, `document.getElementById("link").href`)))
	translator.until(`document.activeElement?.id === "password"`)
	translator.keys("a good password" + kb.Enter)
	translator.until(`document.querySelector("h1")?.textContent === "Projects"`)
	if n := eval[int](translator, `document.querySelectorAll(".languages a").length`); n != 1 {
		t.Errorf("the translator has %d languages", n)
	}
	translator.click(".languages a")
	translator.click("#begin")
	translator.types("Hallo {name}")
	translator.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	translator.says("no further keys")
	manager.opens(w, "list?"+inGerman)
	manager.click(`a[href^="approve?"]`)
	manager.click(`form[action=approve] button`)
	manager.says("1 text is final now.")
	translator.opens(w, "key?"+inGerman+"&show=final")
	translator.until(`document.querySelector("h1 + .tag")?.textContent === "final"`)
	w.has(w.exported("de"), `"Hallo {name}"`)
	manager.quiet()
	translator.quiet()
}

// The source of a text that is done changes: its key is to do again, and shows what changed beside the text.
func TestBrowserChangedSource(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Save the file", "b": "Close"}`)
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"a": "Datei speichern", "b": "Zu"}`)
	w.imports("language=en&format=json&overwrite-conflicting-values=true", "app.json", `{"a": "Save the folder"}`)
	b := newChromium(t)
	b.signIn(w)
	b.click(`a[href*="language=de"]`)
	b.until(`document.querySelector(".keys .tag.wrong")?.textContent === "source changed"`)
	b.click("#begin")
	b.until(`document.querySelector("#was del")?.textContent === "file"`)
	b.until(`document.querySelector("#was ins")?.textContent === "folder"`)
	b.until(`document.activeElement.value === "Datei speichern"`)
	b.types("Ordner speichern")
	b.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	b.says("no further keys")
	b.until(`document.querySelector(".progress")?.textContent.includes("2 of 2 final")`)
	b.quiet()
}

// Two people save one text: the second one sees both, and decides. What an import has otherwise waits for a person.
func TestBrowserConflict(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Save"}`)
	b := newChromium(t)
	b.signIn(w)
	b.opens(w, "key?"+inGerman+"&show=all")
	b.types("Ablegen")
	other := form(w.get("key?"+inGerman+"&show=all"), "key")
	other.Set("text-", "Sichern")
	other.Set("state", "final")
	w.has(w.post(w.client, "key", other), "200 ")
	b.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	b.says("Not saved")
	b.until(`document.querySelector("#changed ~ div")?.textContent.trim() === "Sichern"`)
	b.until(`document.activeElement.value === "Ablegen"`)
	b.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	b.says("no further keys")
	w.imports("language=de&format=json", "app.json", `{"a": "Aufheben"}`)
	b.opens(w, "key?"+inGerman+"&show=conflict")
	b.click(`section:has(#offered) button.use`)
	b.until(`document.activeElement.value === "Aufheben"`)
	b.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	b.says("no further keys")
	w.has(w.exported("de"), `"Aufheben"`)
	b.quiet("409 (Conflict)")
}

// A phone: each step is a touch of something large enough, and no page is wider than it.
func TestBrowserPhone(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Hello {name}", "b": "Goodbye {name}"}`)
	b := newChromium(t)
	b.look(390, "light")
	b.signIn(w)
	touch := func(css string) {
		t.Helper()
		b.until(fmt.Sprintf(`document.querySelector(%q)`, css))
		size := eval[[]float64](b, fmt.Sprintf(`(r => [r.width, r.height, r.left, r.right])(`+
			`document.querySelector(%q).getBoundingClientRect())`, css))
		if size[0] < 24 || size[1] < 24 || size[2] < 0 || size[3] > 390 {
			t.Errorf("%s is hard to touch: %v", css, size)
		}
		b.sound(css)
		b.click(css)
	}
	touch(`a[href*="language=de"]`)
	b.until(`document.getElementById("begin")`)
	b.opens(w, "list?"+inGerman+"&show=all")
	touch("#begin")
	b.types("Hallo ")
	touch(".inserts button")
	b.until(`document.activeElement.value === "Hallo {name}"`)
	touch("button[value=final]")
	b.says("Saved.")
	touch("#previous")
	b.until(`document.querySelector("h1").textContent === "a"`)
	touch("#next")
	b.until(`document.querySelector("h1").textContent === "b"`)
	b.types("Tschüs")
	b.until(`document.querySelector("#found-text- .holds")?.textContent.includes("{name} is missing.")`)
	touch("button[value=draft]")
	b.until(`document.querySelector(".said")`)
	w.has(w.get("list?"+inGerman+"&show=all"), "Hallo {name}", "Tschüs", "failing a check")
	b.quiet()
}

// What a screen reader is told of the page of a key: its landmarks, the heading, each field by its language, what is
// wrong as a description and while typing, and each button by its name.
func TestBrowserTree(t *testing.T) {
	w := filled(t)
	b := newChromium(t)
	b.signIn(w)
	b.opens(w, "key?"+inGerman+"&show=all&q=more09")
	b.until(`document.querySelector(".keysays")?.hidden === false`)
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	w.check(err)
	value := func(v *accessibility.Value) (text string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &text) // a number is no name
		}
		return text
	}
	var told []string
	nodes := make(map[accessibility.NodeID]*accessibility.Node)
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	var tell func(n *accessibility.Node)
	tell = func(n *accessibility.Node) {
		role, name := value(n.Role), value(n.Name)
		switch {
		case n.Ignored:
		case slices.Contains([]string{"button", "link", "textbox", "checkbox", "progressbar"}, role) && name == "":
			t.Errorf("a %s has no name", role)
		case role == "textbox" && name == "German (de)" && !strings.Contains(value(n.Description), "{n} is missing."):
			t.Errorf("the field is described by %q", value(n.Description))
		}
		if !n.Ignored {
			told = append(told, strings.TrimSpace(role+" "+name))
		}
		for _, id := range n.ChildIDs {
			tell(nodes[id])
		}
	}
	tell(tree.Nodes[0])
	at := 0
	for _, want := range []string{"link Skip to the content", "banner", "navigation Account", "link People",
		"button Sign out", "main", "link German (de)", "heading more09", "progressbar Final", "region Source text",
		"heading Source text", "deletion", "insertion", "heading Glossary", "button Insert Ordner",
		"textbox German (de)", "button Copy the source", "list", "listitem", "button {n}", "button no-break space",
		"button Save as final", "button Save as confirmed", "button Save as draft", "navigation Keys",
		"textbox Comment", "button Store the comment"} {
		i := at
		for i < len(told) && told[i] != want {
			i++
		}
		if i == len(told) {
			t.Fatalf("no %q behind %q in\n%s", want, told[:at], strings.Join(told[at:], "\n"))
		}
		at = i
	}
	b.until(`document.getElementById("found-text-").getAttribute("aria-live") === "polite"`)
	b.quiet()
}

// Thirty texts, with placeholders, plural forms, suggestions and a check that speaks, and never the mouse.
func TestBrowserThirtyTexts(t *testing.T) {
	w := newWorld(t)
	texts := make(map[string]string)
	for i := range 28 {
		texts[fmt.Sprintf("key%02d", i)] = fmt.Sprintf("Open {name} in the window %d", i)
	}
	texts["key28"], texts["key29"] = "{n, plural, one {# file} other {# files}}", "Goodbye"
	source, err := json.Marshal(texts)
	w.check(err)
	w.imports("language=en&format=json", "app.json", string(source))
	b := newChromium(t)
	b.signIn(w)
	tab := func(css string) {
		t.Helper()
		for range 60 {
			if eval[bool](b, fmt.Sprintf(`Boolean(document.activeElement?.matches(%q))`, css)) {
				return
			}
			b.keys(kb.Tab)
		}
		t.Fatalf("no number of tabs leads to %s", css)
	}
	tab(`a[href*="language=de"]`)
	b.keys(kb.Enter)
	b.until(`document.getElementById("begin")`)
	tab("#begin")
	b.keys(kb.Enter)
	for i := range 30 {
		b.until(fmt.Sprintf(`document.querySelector("h1").textContent === "key%02d" && `+
			`document.querySelector(".keysays")?.hidden === false`, i))
		switch {
		case i == 0:
			b.keys("Öffne ")
			b.keys("1", chromedp.KeyModifiers(ctrl)) // {name}
			b.keys(" im Fenster 0")
		case i < 28:
			b.keys("1", chromedp.KeyModifiers(ctrl, chromedp.ModifierShift)) // what the memory has
			b.until(`document.activeElement.value.startsWith("Öffne {name} im Fenster ")`)
			b.keys("a", chromedp.KeyModifiers(ctrl))
			b.keys(fmt.Sprintf("Öffne {name} im Fenster %d", i))
		case i == 28:
			b.keys("{n, plural, one {# Datei} other {# Dateien}}")
		default:
			b.keys("Auf Wiedersehen")
		}
		b.keys(kb.Enter, chromedp.KeyModifiers(ctrl))
	}
	b.says("no further keys")
	b.until(`document.querySelector(".progress")?.textContent.includes("30 of 30 final")`)
	b.quiet()
}
