package po

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
)

// An obsolete entry goes when one of its name comes: gettext's tools refuse a file that has both.
func TestRevive(t *testing.T) {
	const kept, other = "\nmsgid \"kept\"\nmsgstr \"bleibt\"\n", "\n# mine\n#~ msgid \"other\"\n#~ msgstr \"anders\"\n"
	const one, many = "\nmsgid \"a file\"\nmsgstr \"\"\n",
		"\nmsgid \"a file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n"
	gone := func(key, form string) resource.Edit { return resource.Edit{Op: resource.Remove, Key: key, Form: form} }
	head := strings.Replace(potHead, "\\n\"\n", "\\n\"\n\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n", 1)
	for name, c := range map[string]struct {
		file, template, left string
		edits                []resource.Edit
	}{
		"it comes again": {
			kept + other + "\n#~ msgid \"a file\"\n#~ msgstr \"alt\"\n", one, other, []resource.Edit{set("a file", "", "neu")},
		},
		"it comes again in front": {
			"\n# by hand\n#, fuzzy\n#~| msgid \"file\"\n#~ msgid \"\"\n#~ \"a \"\n#~ \"file\"\n#~ msgstr \"alt\"\n" + kept + other,
			one, other, []resource.Edit{set("a file", "", "neu")},
		},
		"with others directly beside it": {
			kept + "\n#~ msgid \"x\"\n#~ msgstr \"ix\"\n#~ msgid \"a file\"\n#~ msgstr \"alt\"\n#~ msgid \"y\"\n#~ msgstr \"ypsilon\"\n",
			one, "#~ msgid \"x\"\n#~ msgstr \"ix\"\n#~ msgid \"y\"\n#~ msgstr \"ypsilon\"\n", []resource.Edit{set("a file", "", "neu")},
		},
		"of a context": {
			kept + "\n#~ msgctxt \"menu\"\n#~ msgid \"a file\"\n#~ msgstr \"alt\"\n\n#~ msgid \"a file\"\n#~ msgstr \"älter\"\n",
			"\nmsgctxt \"menu\"" + one, "\n#~ msgid \"a file\"\n#~ msgstr \"älter\"\n", []resource.Edit{set("menu␄a file", "", "neu")},
		},
		"a plural now": {
			"\nmsgid \"a file\"\nmsgstr \"alt\"\n" + kept + other, many, other,
			[]resource.Edit{gone("a file", ""), set("a file", "one", "%d neu"), set("a file", "other", "%d neue")},
		},
		"a plural no more": {
			kept + strings.ReplaceAll(many, "\"\"", "\"alt\"") + other, one, other,
			[]resource.Edit{gone("a file", "one"), gone("a file", "other"), set("a file", "", "neu")},
		},
		"another one is like it": {
			"\nmsgid \"a filer\"\nmsgstr \"alt\"\n" + kept + other + "\n#~ msgid \"a file\"\n#~ msgstr \"älter\"\n", one, other,
			[]resource.Edit{gone("a filer", "")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			template := parse(t, Source, potHead+c.template+strings.Replace(kept, "bleibt", "", 1))
			f := parse(t, Translations, head+c.file)
			out, refused := f.Rewrite(c.edits, template)
			lost := strings.Replace(string(out), c.left, "\n", 1)
			if len(refused) > 0 || !strings.Contains(string(out), c.left) || strings.Count(lost, "a file\"\n") != 1 {
				t.Fatalf("%v\n%s", refused, out)
			}
			changes := make([]oracle.Change, 0, len(c.edits))
			for _, e := range c.edits {
				changes = append(changes, oracle.Change{Key: e.Key, Form: e.Form, Text: e.Text, Gone: e.Op == resource.Remove})
			}
			rule := oracle.Rule{Format: "po", Translated: true, Forms: func(string, string) []string { return []string{"one", "other"} }}
			if err := rule.Prove(f.Bytes(), out, changes); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			msgfmt, err := exec.LookPath("msgfmt")
			if err != nil {
				t.Skip("msgfmt is not installed")
			}
			cmd := exec.Command(msgfmt, "-o", "/dev/null", "-")
			cmd.Stdin = strings.NewReader(string(out))
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s\n%s", said, out)
			}
			if name == "a plural no more" {
				return // where an entry came and one went, only the entries are compared
			}
			if err := rule.Prove(f.Bytes(), []byte(lost), changes); err == nil {
				t.Errorf("another obsolete entry may go:\n%s", lost)
			}
		})
	}
}
