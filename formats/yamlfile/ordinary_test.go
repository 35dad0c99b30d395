package yamlfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// styledFile draws a resource file as people and their tools write them, each in one style throughout: indented by two
// or four, lists below their name or at its column, LF or CRLF, plain or quoted, with or without a Rails root, a head
// comment, blank lines, comments, and a last line end.
type styledFile struct {
	*rapid.T
	b        strings.Builder
	root     string // of Rails; none when empty
	step     int
	listStep int
	quotes   string // "", "'", "\"", or "mixed"
	comments bool
	untidy   bool // trailing spaces, comments in odd columns, uneven indentation, spaces before colons
	names    int
	last     bool // the last line is one of a block text
}

func (h *styledFile) pick(of ...string) string { return rapid.SampledFrom(of).Draw(h.T, "pick") }
func (h *styledFile) n(to int) int             { return rapid.IntRange(0, to).Draw(h.T, "n") }
func (h *styledFile) chance(in int) bool       { return h.n(in-1) == 0 }

// phrases are texts of applications; the first ones may stand without quotes.
var phrases = []string{
	"Save", "Save as", "Couldn't open it", "Delete %{count} items", "Hello, %{name}!", "Über uns", "Сохранить файл", "保存", "http://example.org/a#b", "a - b", "5 of 7", "Don't \"quote\" me",
	"<b>Bold</b> & more", "100%", "back\\slash", "C:\\dir", "(none)", "$t(other)", "…", "\U0001F600 smile", "e.g. this",
	"12:30 Uhr", "x", "No.", "yes, please", "a,b", "1st",
	"Note: this", "a #hash", "- dash", "[brackets]", "{{name}} is here", "%{a}", "@me", "*star", "&amp;", "!bang",
	"`tick`", "? what", "| pipe", "> more", "yes", "no", "null", "~", "5", "1.0", "0x10",
	"2020-01-01", "12:30", " leading", "trailing ", "tab\there", "", "two\nlines", "ends\n", "para\n\ngraph\n",
	"  indented\nblock\n", "it's", "\"all\"", "'all'", ":", "#", "-", "a:", "é\u00a0!",
}

const unquoted = 27 // of the phrases

func (h *styledFile) name() string {
	h.names++
	name := h.pick("title", "save_button", "error-404", "Ключ", "two words", "a.b", "CamelCase", "k")
	return fmt.Sprint(name, h.names)
}

func (h *styledFile) spelledName(name string) string {
	switch {
	case h.quotes == "'" && h.chance(4):
		return "'" + name + "'"
	case h.quotes == "\"":
		return "\"" + name + "\""
	}
	return name
}

// text writes a value behind its indicator, ending its line, for an entry in column col.
func (h *styledFile) text(col int) {
	quotes := h.quotes
	if quotes == "mixed" {
		quotes = h.pick("", "'", "\"")
	}
	in := "\n" + strings.Repeat(" ", col+h.step)
	if h.last = false; h.chance(8) {
		body := h.pick("One line", "First line"+in+"second line", "First line\n"+in+"third: # line",
			"A line"+in+"  more of it"+in+"end")
		header := h.pick("|", "|-", ">", ">-", "|+", "|2-"[:1+2*b2i(h.step == 2)])
		h.b.WriteString(" " + header + in + body + "\n")
		h.last = true
		return
	}
	phrase := rapid.SampledFrom(phrases).Draw(h.T, "phrase")
	switch {
	case quotes == "'" && !strings.Contains(phrase, "\n"):
		phrase = "'" + strings.ReplaceAll(phrase, "'", "''") + "'"
	case quotes == "" && slices.Contains(phrases[:unquoted], phrase):
		if h.chance(6) && strings.Count(phrase, " ") > 0 {
			phrase = strings.Replace(phrase, " ", in, 1)
		}
	default:
		phrase = "\"" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\t",
			h.pick("\\t", "\t")).Replace(phrase) + "\""
	}
	h.b.WriteString(" " + phrase)
	if h.untidy && h.chance(4) {
		h.b.WriteString(h.pick(" ", "   ", "\t"))
	}
	if h.comments && h.chance(6) {
		h.b.WriteString(" # as on the button")
	}
	h.b.WriteString("\n")
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (h *styledFile) flowText() string {
	return h.pick("Mon", "'Tue, or so'", "\"Wed\"", "Thu day", "7", "true", "null", "\"\"")
}

// mapping writes entries in column col; the first begins where the line is when started says so.
func (h *styledFile) mapping(col, depth int, started bool) {
	for i := range 1 + h.n(4) {
		if i > 0 || !started {
			if h.chance(6) {
				h.b.WriteString("\n")
			}
			if h.untidy && h.chance(4) {
				h.b.WriteString(strings.Repeat(" ", h.n(col+3)) + h.pick("# old: value", "", "", "#") + "\n")
			}
			if h.comments && h.chance(4) {
				h.b.WriteString(strings.Repeat(" ", col) + "# for translators: " +
					h.pick("a button", "no: it's \"not\"") + "\n")
			}
			h.b.WriteString(strings.Repeat(" ", col))
		}
		h.b.WriteString(h.spelledName(h.name()))
		if h.untidy && h.chance(6) {
			h.b.WriteString(" ")
		}
		h.b.WriteString(":")
		h.last = false
		switch k := h.n(11); {
		case k < 2 && depth < 4:
			h.b.WriteString(h.pick("", "", " # a group", " ") + "\n")
			h.mapping(col+h.step+b2i(h.untidy)*h.n(2), depth+1, false)
		case k == 2 && depth < 4:
			h.b.WriteString("\n")
			h.list(col+h.listStep, depth+1)
		case k == 3:
			h.b.WriteString(h.pick(" [Mon, Tue]", " ["+h.flowText()+", "+h.flowText()+"]", " []", " {}",
				" {a: "+h.flowText()+", b: "+h.flowText()+"}", " {\n"+strings.Repeat(" ",
					col+h.step)+"a: "+h.flowText()+", # first\n"+strings.Repeat(" ",
					col+h.step)+"b: "+h.flowText()+"\n"+strings.Repeat(" ", col+1)+"}", " { a: "+h.flowText()+" }") +
				"\n")
		case k == 4:
			h.b.WriteString(h.pick("", " ~", " 5", " true", " 1.5", " :symbol", " ''") + "\n")
		default:
			h.text(col)
		}
	}
}

func (h *styledFile) list(col, depth int) {
	for range 1 + h.n(2) {
		h.b.WriteString(strings.Repeat(" ", col) + "-")
		if h.last = false; h.chance(3) && depth < 4 {
			h.b.WriteString(" ")
			h.mapping(col+2, depth+1, true)
		} else {
			h.text(col)
		}
	}
}

func (h *styledFile) file() string {
	h.step, h.comments, h.quotes = 2+2*h.n(1), h.chance(2), h.pick("", "", "'", "\"", "mixed")
	h.listStep, h.untidy = h.n(1)*h.step, h.chance(4)
	h.b.WriteString(h.pick("", "", "", "---\n", "# Texts of the application.\n\n", "# Texts\n---\n"))
	if h.root != "" {
		h.b.WriteString(h.root + ":\n")
		h.mapping(h.step, 1, false)
	} else {
		h.mapping(0, 0, false)
	}
	src := h.b.String()
	if !h.last { // behind a block text without a line end nothing can be added without changing it
		src = strings.TrimSuffix(src, h.pick("", "", "\n"))
	}
	switch h.n(7) {
	case 0, 1:
		src = strings.ReplaceAll(src, "\n", "\r\n")
	case 2:
		src = strings.Replace(src, "\n", "\r\n", strings.Count(src, "\n")/2)
	}
	return h.pick("", "", "", "\uFEFF") + src
}

// seen is an entry as it stands: what it reads as, and its bytes.
type seen struct {
	key, text, bytes, note string
	kind                   resource.Kind
}

func look(f *resource.File) []seen {
	var all []seen
	for e := range f.Entries() {
		all = append(all, seen{e.Key, e.Text, f.Node(e.Node).Whole.Of(f.Source()), e.Note, e.Kind})
	}
	return all
}

// ordinary is one edit of an ordinary file, and what must come of it.
type ordinary struct {
	rt   *rapid.T
	t    *testing.T
	f    *resource.File
	like *resource.File
}

// make makes one edit and holds the result against what was before: the same entries in the same order with the same
// bytes, but for the one that was edited; and the other reader reads the same.
func (o *ordinary) make(e resource.Edit) {
	rt, before := o.rt, look(o.f)
	out, refused := o.f.Rewrite([]resource.Edit{e}, o.like)
	if len(refused) > 0 {
		rt.Fatalf("%v: %v\n%q", e, refused, o.f.Source())
	}
	g, err := resource.Parse(yamlfile.Grammar, structured, out)
	if err != nil {
		rt.Fatalf("%v: %v\n%q\n%q", e, err, o.f.Source(), out)
	}
	agree(rtTB{o.t, rt}, g)
	after := look(g)
	at := slices.IndexFunc(before, func(s seen) bool { return s.key == e.Key })
	now := slices.IndexFunc(after, func(s seen) bool { return s.key == e.Key })
	switch {
	case e.Op == resource.Remove:
		if now >= 0 {
			rt.Fatalf("%v: still there\n%q\n%q", e, o.f.Source(), out)
		}
		before = slices.Delete(before, at, at+1)
	case now < 0 || after[now].text != e.Text || after[now].kind != resource.Text:
		rt.Fatalf("%v: not there\n%q\n%q", e, o.f.Source(), out)
	case at >= 0:
		o.onlyValue(e, out)
		before = slices.Delete(before, at, at+1)
		after = slices.Delete(after, now, now+1)
		if at != now {
			rt.Fatalf("%v: it moved\n%q\n%q", e, o.f.Source(), out)
		}
	default:
		after = slices.Delete(after, now, now+1)
	}
	if !slices.EqualFunc(before, after, func(a, b seen) bool {
		if a.note == "" { // where an entry went, a comment that was nobody's can come to stand above another one
			b.note = ""
		}
		return a == b || a.key == b.key && a.text == b.text && a.kind == b.kind && endsFileOpen(o.f, a.key)
	}) {
		rt.Fatalf("%v: other entries changed\n%q\n%q\n%v\n%v", e, o.f.Source(), out, before, after)
	}
	if e.Op == resource.Set && at < 0 {
		o.undo(e, g)
	}
	o.f = g
}

// endsFileOpen reports whether an entry is the last of a file without a last line end, which a new one behind it has to
// give it.
func endsFileOpen(f *resource.File, key string) bool {
	e, _ := f.Lookup(key, "")
	return !strings.HasSuffix(f.Source(), "\n") && int(f.Node(e.Node).Whole.End) == len(f.Source())
}

// onlyValue: a Set changes the bytes of the value alone.
func (o *ordinary) onlyValue(e resource.Edit, out []byte) {
	at, _ := o.f.Lookup(e.Key, "")
	span, src := o.f.Node(at.Node).Value, o.f.Source()
	if tail := src[span.End:]; !strings.HasPrefix(string(out), src[:span.Start]) ||
		!strings.HasSuffix(string(out[span.Start:]), tail) {
		o.rt.Fatalf("%v: bytes outside of the value changed\n%q\n%q", e, src, out)
	}
}

// undo: what was inserted goes again without a trace, but for an empty collection that was opened for it and goes with
// it, and for a text at the end of a file without a last line end.
func (o *ordinary) undo(e resource.Edit, g *resource.File) {
	back, refused := g.Rewrite([]resource.Edit{{Op: resource.Remove, Key: e.Key}}, nil)
	if len(refused) > 0 {
		o.rt.Fatalf("%v and back: %v", e, refused)
	}
	if src := o.f.Source(); string(back) != src && o.f.Len() > 1 && !strings.Contains(src, "{}") &&
		strings.HasSuffix(src, "\n") {
		o.rt.Fatalf("%v and back\n%q\n%q\n%q", e, src, g.Source(), back)
	}
}

// In a file as people write it every edit is made: texts set, entries inserted and removed, one after the other and all
// at once.
func TestOrdinaryFiles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &styledFile{T: rt}
		src := h.file()
		f, err := resource.Parse(yamlfile.Grammar, structured, []byte(src))
		if err != nil {
			rt.Fatalf("%v\n%q", err, src)
		}
		agree(rtTB{t, rt}, f)
		o := ordinary{rt, t, f, nil}
		var done []resource.Edit
		for range 1 + h.n(6) {
			e, ok := h.edit(o.f)
			if !ok {
				continue
			}
			done = append(done, e)
			o.make(e)
		}
		out, refused := f.Rewrite(done, nil)
		if len(refused) > 0 {
			rt.Fatalf("all at once: %v\n%q\n%v", refused, src, done)
		}
		all, err := resource.Parse(yamlfile.Grammar, structured, out)
		if err != nil {
			rt.Fatalf("all at once: %v\n%q\n%v\n%q", err, src, done, out)
		}
		agree(rtTB{t, rt}, all)
		if got, want := state(all), state(o.f); fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("all at once and one by one differ\n%q\n%v\n%q\n%q", src, done, out, o.f.Source())
		}
	})
}

// edit draws an edit of a file that can be made: not a removal out of a list, which takes the whole list.
func (h *styledFile) edit(f *resource.File) (resource.Edit, bool) {
	text := rapid.SampledFrom(phrases).Draw(h.T, "text")
	all := slices.Collect(f.Entries())
	k := h.n(4)
	if k == 0 || len(all) == 0 {
		return resource.Edit{Op: resource.Set, Key: h.newKey(f, all), Text: text}, true
	}
	e := all[h.n(len(all)-1)]
	if k == 1 {
		return resource.Edit{Op: resource.Remove, Key: e.Key}, !lostWithList(f, e.Key,
			[]resource.Edit{{Op: resource.Remove, Key: e.Key}})
	}
	return resource.Edit{Op: resource.Set, Key: e.Key, Text: text}, true
}

// newKey draws a key that is not there, beside one that is, or below new parents.
func (h *styledFile) newKey(f *resource.File, all []resource.Entry) string {
	h.names++
	key := fmt.Sprint(h.pick("new ", "yes", "", "4", "é", "a: "), h.names) + h.pick("", "", "/one", "/yes", "/a/b")
	if len(all) == 0 || h.chance(4) {
		return key
	}
	e := all[h.n(len(all)-1)]
	for i := int(f.Node(e.Node).Parent); i > 0; i = int(f.Node(i).Parent) {
		if f.Node(i).Kind == resource.Map {
			return f.KeyOf(i) + "/" + key
		}
	}
	return key
}

// What is missing in a translation of an ordinary file comes in where the source has it, however much is missing: then
// both have the same keys in the same order.
func TestOrdinaryModels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &styledFile{T: rt}
		source, translation := structured, structured
		if h.chance(2) {
			h.root, source.Roots, translation.Roots = "en", []string{"en"}, []string{h.pick("no", "zh-CN")}
		}
		src := h.file()
		like, err := resource.Parse(yamlfile.Grammar, source, []byte(src))
		if err != nil {
			rt.Fatalf("%v\n%q", err, src)
		}
		var takeOut, putIn []resource.Edit
		var texts []seen
		for e := range like.Entries() {
			if e.Kind != resource.Text {
				continue
			}
			text := rapid.SampledFrom(phrases).Draw(rt, "text")
			texts = append(texts, seen{key: e.Key, text: text})
			putIn = append(putIn, resource.Edit{Op: resource.Set, Key: e.Key, Text: text})
			if h.n(2) > 0 {
				takeOut = append(takeOut, resource.Edit{Op: resource.Remove, Key: e.Key})
			}
		}
		less, refused := like.Rewrite(takeOut, nil)
		if len(refused) > 0 {
			rt.Fatalf("%v\n%q", refused, src)
		}
		if f, err := resource.Parse(yamlfile.Grammar, source, less); err == nil && h.root != "" {
			if less, err = f.RenameRoot(translation.Roots[0]); err != nil {
				rt.Fatal(err)
			}
		}
		putIn = rapid.Permutation(putIn).Draw(rt, "order")
		for _, target := range []string{string(less), h.pick("", "# c\n", "---\n", "{}\n", "{}", "\uFEFF",
			"\r\n", "# c", "--- {}\r\n")} {
			f, err := resource.Parse(yamlfile.Grammar, translation, []byte(target))
			if err != nil {
				rt.Fatalf("%v\n%q", err, target)
			}
			out, refused := f.Rewrite(putIn, like)
			if len(refused) > 0 {
				rt.Fatalf("%v\n%q\n%q\n%q", refused, src, target, out)
			}
			full, err := resource.Parse(yamlfile.Grammar, translation, out)
			if err != nil {
				rt.Fatalf("%v\n%q\n%q\n%q", err, src, target, out)
			}
			agree(rtTB{t, rt}, full)
			var got []seen
			for e := range full.Entries() {
				if e.Kind == resource.Text {
					got = append(got, seen{key: e.Key, text: e.Text})
				}
			}
			if !slices.Equal(got, texts) {
				rt.Fatalf("%v\n%v\n%q\n%q\n%q", got, texts, src, target, out)
			}
		}
	})
}
