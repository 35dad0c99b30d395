package resourcetest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// fresh: a new file has the texts that are given and no others, no key without a value, no comment of an entry that it
// does not have, and no more blank lines one behind the other than its source.
func fresh(t testing.TB, c Case, f *resource.File) {
	t.Helper()
	texts := make(map[name]bool)
	var order []name
	for e := range f.Entries() {
		if n := (name{e.Key, e.Form}); e.Kind == resource.Text && !texts[n] {
			texts[n] = true
			order = append(order, n)
		}
	}
	if len(order) == 0 || len(f.Duplicates()) > 0 {
		return
	}
	for _, one := range []int{1, 2, 3, 7} {
		var edits []resource.Edit
		for i, n := range order {
			if i%one == one/2 {
				edits = append(edits, resource.Edit{Op: resource.Set, Key: n.key, Form: n.form, Text: fmt.Sprint("text ", i)})
			}
		}
		freshOf(t, c, f, edits)
	}
}

func freshOf(t testing.TB, c Case, f *resource.File, edits []resource.Edit) {
	t.Helper()
	doing := fmt.Sprintf("a new file with %d texts", len(edits))
	out, refusals := f.Fresh(edits)
	legitimate(t, c, f, doing, refusals)
	if unproven(refusals) {
		return
	}
	want := make(map[name]string)
	for _, e := range edits {
		want[name{e.Key, e.Form}] = e.Text
	}
	for _, r := range refusals {
		delete(want, name{r.Key, r.Form})
	}
	if len(want) == 0 {
		return
	}
	g := parse(t, c, out, doing)
	notes := make(map[string]int)
	for e := range g.Entries() {
		text, given := want[name{e.Key, e.Form}]
		switch {
		case e.Kind == resource.Text && (!given || text != e.Text):
			t.Fatalf("%s: %q %q reads as %q\n--- source\n%s\n--- result\n%s",
				doing, e.Key, e.Form, e.Text, clip(f.Bytes()), clip(out))
		case e.Kind == resource.Null && !inList(g, e.Key) && !keepsGaps(c.Grammar):
			t.Fatalf("%s: %q has no value\n--- source\n%s\n--- result\n%s", doing, e.Key, clip(f.Bytes()), clip(out))
		case e.Kind == resource.Text:
			delete(want, name{e.Key, e.Form})
		}
		notes[e.Note]++
	}
	for n := range want {
		t.Fatalf("%s: %q %q is missing\n--- source\n%s\n--- result\n%s", doing, n.key, n.form, clip(f.Bytes()), clip(out))
	}
	was, is := unspaced.Replace(f.Source()), unspaced.Replace(g.Source())
	for e := range f.Entries() {
		comment := f.Node(e.Node).Note.Of(f.Source())
		raw := unspaced.Replace(comment)
		if raw == "" || strings.Count(was, raw) > 1 || !strings.Contains(is, raw) || !hasLines(g.Source(), comment) {
			continue
		}
		if _, there := g.Lookup(e.Key, e.Form); !there {
			t.Fatalf("%s: the comment %q is there, its entry %q is not\n--- source\n%s\n--- result\n%s",
				doing, raw, e.Key, clip(f.Bytes()), clip(out))
		}
	}
	if had, has := blankLines(f.Source()), blankLines(g.Source()); has > max(had, 1) {
		t.Fatalf("%s: %d blank lines one behind the other\n--- source\n%s\n--- result\n%s",
			doing, has, clip(f.Bytes()), clip(out))
	}
}

// hasLines reports whether a text has all lines of a comment, to their ends: without space, two lines may look like
// another one, and a line be how another begins.
func hasLines(text, comment string) bool {
	for line := range strings.SplitSeq(comment, "\n") {
		whole := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSpace(line)) + `(?:\s|$)`)
		if len(whole.FindAllString(text, -1)) < len(whole.FindAllString(comment, -1)) {
			return false
		}
	}
	return true
}

// keepsGaps reports whether entries may have no text.
func keepsGaps(g resource.Grammar) bool {
	k, is := g.(resource.Keeper)
	return is && k.KeepsGaps()
}

// unspaced takes out what is between comments: what a file has of it may change with the entries.
var unspaced = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", ",", "", ";", "")

// blankLines is how many lines one behind the other are blank at most.
func blankLines(src string) (most int) {
	n := 0
	for line := range strings.Lines(src) {
		if strings.TrimSpace(line) != "" {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}
