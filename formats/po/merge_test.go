package po

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

const potHead = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"

// merges are an entry of a file, the entries of a template that does not have its msgid any more, and what the entry
// becomes: what msgmerge makes of it.
var merges = []struct{ name, entry, template, want string }{
	{"a word", "# mine\n#. was\n#: a.c:1\n#, c-format\nmsgid \"Delete user %s\"\nmsgstr \"Benutzer %s löschen\"",
		"#. is\n#: b.c:2\n#, c-format\nmsgid \"Remove user %s\"\nmsgstr \"\"",
		"# mine\n#. is\n#: b.c:2\n#, fuzzy, c-format\n#| msgid \"Delete user %s\"\nmsgid \"Remove user %s\"\n" +
			"msgstr \"Benutzer %s löschen\""},
	{"the best of several", "msgid \"Save the file\"\nmsgstr \"Datei sichern\"",
		"msgid \"Save the files now\"\nmsgstr \"\"\n\nmsgid \"Save this file\"\nmsgstr \"\"",
		"#, fuzzy\n#| msgid \"Save the file\"\nmsgid \"Save this file\"\nmsgstr \"Datei sichern\""},
	{"a plural", "#: a.c:1\nmsgid \"%d old file\"\nmsgid_plural \"%d old files\"\nmsgstr[0] \"%d alte\"\nmsgstr[1] \"%d alten\"",
		"#: a.c:3\nmsgid \"%d older file\"\nmsgid_plural \"%d older files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"",
		"#: a.c:3\n#, fuzzy\n#| msgid \"%d old file\"\n#| msgid_plural \"%d old files\"\nmsgid \"%d older file\"\n" +
			"msgid_plural \"%d older files\"\nmsgstr[0] \"%d alte\"\nmsgstr[1] \"%d alten\""},
	{"a context", "msgctxt \"menu\"\nmsgid \"Open file\"\nmsgstr \"Öffnen\"",
		"msgctxt \"menu\"\nmsgid \"Open files\"\nmsgstr \"\"",
		"#, fuzzy\n#| msgctxt \"menu\"\n#| msgid \"Open file\"\nmsgctxt \"menu\"\nmsgid \"Open files\"\nmsgstr \"Öffnen\""},
	{"another context", "msgctxt \"menu\"\nmsgid \"Open file\"\nmsgstr \"Öffnen\"",
		"msgctxt \"title\"\nmsgid \"Open file\"\nmsgstr \"\"",
		"#, fuzzy\n#| msgctxt \"menu\"\n#| msgid \"Open file\"\nmsgctxt \"title\"\nmsgid \"Open file\"\nmsgstr \"Öffnen\""},
	{"several lines", "msgid \"\"\n\"A text of two lines,\\n\"\n\"which is long\\n\"\nmsgstr \"\"\n\"Ein Text,\\n\"\n\"der lang ist\\n\"",
		"msgid \"\"\n\"A text of two lines,\\n\"\n\"which is longer\\n\"\nmsgstr \"\"",
		"#, fuzzy\n#| msgid \"\"\n#| \"A text of two lines,\\n\"\n#| \"which is long\\n\"\nmsgid \"\"\n" +
			"\"A text of two lines,\\n\"\n\"which is longer\\n\"\nmsgstr \"\"\n\"Ein Text,\\n\"\n\"der lang ist\\n\""},
	{"less than six tenths", "msgid \"Quit\"\nmsgstr \"Beenden\"", "msgid \"Undo\"\nmsgstr \"\"",
		"#~ msgid \"Quit\"\n#~ msgstr \"Beenden\""},
	{"six tenths", "msgid \"abcdef1234\"\nmsgstr \"x\"", "msgid \"abcdef5678\"\nmsgstr \"\"",
		"#, fuzzy\n#| msgid \"abcdef1234\"\nmsgid \"abcdef5678\"\nmsgstr \"x\""},
	{"six tenths of another context", "msgctxt \"a\"\nmsgid \"abcdef1234\"\nmsgstr \"x\"",
		"msgctxt \"b\"\nmsgid \"abcdef5678\"\nmsgstr \"\"",
		"#~ msgctxt \"a\"\n#~ msgid \"abcdef1234\"\n#~ msgstr \"x\""},
}

// removals are edits that take out what a template lacks.
func removals(f, template *resource.File) (edits []resource.Edit) {
	for e := range f.Entries() {
		if _, has := template.Lookup(e.Key, e.Form); !has && e.Kind == resource.Text {
			edits = append(edits, resource.Edit{Op: resource.Remove, Key: e.Key, Form: e.Form})
		}
	}
	return edits
}

// A translation whose msgid changed a little is a fuzzy one of the new msgid, as msgmerge makes it, until one comes.
func TestMerge(t *testing.T) {
	const kept = "msgid \"kept\"\nmsgstr \"bleibt\""
	head := strings.Replace(head, "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && \"\n\"n%10<=4 && "+
		"(n%100<10 || n%100>=20) ? 1 : 2);", "nplurals=2; plural=(n != 1);", 1)
	for _, c := range merges {
		t.Run(c.name, func(t *testing.T) {
			template := parse(t, Source, potHead+"\n"+c.template+"\n\nmsgid \"kept\"\nmsgstr \"\"\n")
			before := head + "\n" + c.entry + "\n\n" + kept + "\n"
			f := parse(t, Translations, before)
			out, refused := f.Rewrite(removals(f, template), template)
			if want := head + "\n" + c.want + "\n\n" + kept + "\n"; len(refused) > 0 || string(out) != want {
				t.Fatalf("%v\n%s\nwant\n%s", refused, out, want)
			}
			msgmerges(t, before, string(template.Bytes()), c.want)
			if strings.HasPrefix(c.want, "#~") {
				return
			}
			g := parse(t, Translations, string(out))
			for e := range g.Entries() {
				if e.Key != "kept" && e.Kind != resource.Null {
					t.Errorf("the fuzzy entry is read as %v", e)
				}
			}
			again, _ := g.Rewrite(removals(g, template), template)
			if string(again) != string(out) {
				t.Errorf("once more, it is\n%s", again)
			}
		})
	}
}

// msgmerges compares an entry with what msgmerge makes of a file.
func msgmerges(t *testing.T, po, pot, want string) {
	t.Helper()
	msgmerge, err := exec.LookPath("msgmerge")
	if err != nil {
		t.Skip("msgmerge is not installed, so nothing is compared with it")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"a.po": po, "a.pot": pot} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(msgmerge, "-q", "--previous", "-o", "-", "a.po", "a.pot")
	cmd.Dir = dir
	merged, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains("\n"+string(merged), "\n"+want+"\n") {
		t.Errorf("msgmerge made\n%s\nwithout\n%s", merged, want)
	}
}

// What comes in its place is a translation like any other: the mark and the former msgid go.
func TestMergedAndTranslated(t *testing.T) {
	template := parse(t, Source, potHead+"\nmsgid \"Remove user\"\nmsgstr \"\"\n")
	f := parse(t, Translations, head+"\n#, fuzzy\n#| msgid \"Delete user\"\nmsgid \"Remove user\"\nmsgstr \"Löschen\"\n")
	out, refused := f.Rewrite([]resource.Edit{set("Remove user", "", "Entfernen")}, template)
	if want := head + "\nmsgid \"Remove user\"\nmsgstr \"Entfernen\"\n"; len(refused) > 0 || string(out) != want {
		t.Fatalf("%v\n%s", refused, out)
	}
}

// Where the new msgid has its translation already, or is a code, the former one is obsolete.
func TestNotMerged(t *testing.T) {
	const entry = "\nmsgid \"Delete user\"\nmsgstr \"Löschen\"\n"
	obsoleted := "#~ msgid \"Delete user\"\n#~ msgstr \"Löschen\"\n"
	gone := resource.Edit{Op: resource.Remove, Key: "Delete user"}
	for name, c := range map[string]struct {
		file, template string
		edits          []resource.Edit
	}{
		"it comes with it":   {entry, "\nmsgid \"Delete users\"\nmsgstr \"\"\n", []resource.Edit{gone, set("Delete users", "", "x")}},
		"it is there":        {entry + "\nmsgid \"Delete users\"\nmsgstr \"x\"\n", "\nmsgid \"Delete users\"\nmsgstr \"\"\n", []resource.Edit{gone}},
		"the name is a code": {entry, "\nmsgid \"Delete users\"\nmsgstr \"Remove them\"\n", []resource.Edit{gone}},
		"a plural now": {entry, "\nmsgid \"Delete users\"\nmsgid_plural \"Delete %d\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
			[]resource.Edit{gone}},
	} {
		f := parse(t, Translations, head+c.file)
		out, refused := f.Rewrite(c.edits, parse(t, Source, potHead+c.template))
		if len(refused) > 0 || !strings.Contains(string(out), obsoleted) || strings.Contains(string(out), "fuzzy") {
			t.Errorf("%s: %v\n%s", name, refused, out)
		}
	}
}

// What is compared is bounded: two files of other programs with many entries cost what reading them costs.
func TestMergeOfMany(t *testing.T) {
	many := func(of string) string {
		var out strings.Builder
		for i := range 20_000 {
			out.WriteString("\nmsgid \"" + of + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + strings.Repeat("y", i/26%700) + "\"\nmsgstr \"z\"\n")
		}
		return out.String()
	}
	f := parse(t, Translations, head+many("a"))
	template := parse(t, Source, potHead+strings.ReplaceAll(many("b"), "msgstr \"z\"", "msgstr \"\""))
	if out, _ := f.Rewrite(removals(f, template), template); strings.Contains(string(out), "fuzzy") {
		t.Error("20,000 entries were compared with 20,000")
	}
}
