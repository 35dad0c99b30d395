package po

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/text/plural"
)

// written are the Plural-Forms that Transifex, Weblate, Django and gettext's own tools write, with languages that they
// write them for: each kind of rules that CLDR has is among these.
var written = []struct{ languages, formula string }{
	{"ja zh_CN vi th id ko lo ms", "nplurals=1; plural=0;"},
	{"tr ja hu", "nplurals=1; plural=0;"},
	{"de en es it nl sv tr hu bg eo af el", "nplurals=2; plural=(n != 1);"},
	{"de en", "nplurals=2; plural=n != 1;"},
	{"fr pt_BR am fa hi tr ak ln mg pa ti", "nplurals=2; plural=(n > 1);"},
	{"fr es it pt_BR", "nplurals=3; plural=(n == 0 || n == 1) ? 0 : n != 0 && n % 1000000 == 0 ? 1 : 2;"},
	{"es it ca pt_PT", "nplurals=3; plural=n == 1 ? 0 : n != 0 && n % 1000000 == 0 ? 1 : 2;"},
	{"is", "nplurals=2; plural=(n % 10 != 1 || n % 100 == 11);"},
	{"mk", "nplurals=2; plural=(n % 10 == 1 && n % 100 != 11) ? 0 : 1;"},
	{"mk", "nplurals=3; plural=(n % 10 == 1 ? 0 : n % 10 == 2 ? 1 : 2);"},
	{"fil tl ceb", "nplurals=2; plural=(n != 1 && n != 2 && n != 3 && (n % 10 == 4 || n % 10 == 6 || n % 10 == 9));"},
	{"tzm", "nplurals=2; plural=(n >= 2 && (n < 11 || n > 99));"},
	{"shi", "nplurals=3; plural=(n == 0 || n == 1) ? 0 : ((n >= 2 && n <= 10) ? 1 : 2);"},
	{"he", "nplurals=2; plural=(n != 1);"},
	{"he", "nplurals=3; plural=(n == 1) ? 0 : ((n == 2) ? 1 : 2);"},
	{"he", "nplurals=4; plural=(n==1 ? 0 : n==2 ? 1 : n>10 && n%10==0 ? 2 : 3);"},
	{"he", "nplurals=4; plural=(n == 1 && n % 1 == 0) ? 0 : (n == 2 && n % 1 == 0) ? 1: (n % 10 == 0 && n % 1 == 0 && n > 10) ? 2 : 3;"},
	{"iu se sma", "nplurals=3; plural=(n == 1) ? 0 : ((n == 2) ? 1 : 2);"},
	{"ru uk be", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
	{"ru uk be", "nplurals=4; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : " +
		"n%10==0 || (n%10>=5 && n%10<=9) || (n%100>=11 && n%100<=14)? 2 : 3);"},
	{"sr hr bs", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
	{"cs sk", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;"},
	{"cs sk", "nplurals=4; plural=(n == 1 && n % 1 == 0) ? 0 : (n >= 2 && n <= 4 && n % 1 == 0) ? 1: (n % 1 != 0 ) ? 2 : 3;"},
	{"pl", "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
	{"pl", "nplurals=4; plural=(n==1 ? 0 : (n%10>=2 && n%10<=4) && (n%100<12 || n%100>14) ? 1 : n!=1 && " +
		"(n%10>=0 && n%10<=1) || (n%10>=5 && n%10<=9) || (n%100>=12 && n%100<=14) ? 2 : 3);"},
	{"lt", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);"},
	{"lt", "nplurals=4; plural=(n % 10 == 1 && (n % 100 > 19 || n % 100 < 11) ? 0 : (n % 10 >= 2 && n % 10 <=9) && " +
		"(n % 100 > 19 || n % 100 < 11) ? 1 : n % 1 != 0 ? 2: 3);"},
	{"lv", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);"},
	{"lv", "nplurals=3; plural=(n % 10 == 0 || n % 100 >= 11 && n % 100 <= 19) ? 0 : ((n % 10 == 1 && n % 100 != 11) ? 1 : 2);"},
	{"ro", "nplurals=3; plural=(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2);"},
	{"ro", "nplurals=3; plural=(n==1?0:(((n%100>19)||((n%100==0)&&(n!=0)))?2:1));"},
	{"sl", "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);"},
	{"sl", "nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);"},
	{"dsb hsb", "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);"},
	{"ga", "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : (n>2 && n<7) ? 2 :(n>6 && n<11) ? 3 : 4;"},
	{"ga", "nplurals=3; plural=n==1 ? 0 : n==2 ? 1 : 2;"},
	{"gd", "nplurals=4; plural=(n==1 || n==11) ? 0 : (n==2 || n==12) ? 1 : (n > 2 && n < 20) ? 2 : 3;"},
	{"cy", "nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3;"},
	{"cy", "nplurals=6; plural=(n == 0) ? 0 : ((n == 1) ? 1 : ((n == 2) ? 2 : ((n == 3) ? 3 : ((n == 6) ? 4 : 5))));"},
	{"mt", "nplurals=4; plural=(n==1 ? 0 : n==0 || ( n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20 ) ? 2 : 3);"},
	{"mt", "nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n==0 || n%100>2 && n%100<11 ? 2 : n%100>10 && n%100<20 ? 3 : 4);"},
	{"ar", "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;"},
	{"ar", "nplurals=4; plural=n==1 ? 0 : n==2 ? 1 : n>=3 && n<=10 ? 2 : 3;"},
	{"br", "nplurals=2; plural=(n > 1);"},
	{"br", "nplurals=5; plural=(n % 10 == 1 && n % 100 != 11 && n % 100 != 71 && n % 100 != 91) ? 0 : " +
		"((n % 10 == 2 && n % 100 != 12 && n % 100 != 72 && n % 100 != 92) ? 1 : ((((n % 10 == 3 || n % 10 == 4) || " +
		"n % 10 == 9) && (n % 100 < 10 || n % 100 > 19) && (n % 100 < 70 || n % 100 > 79) && (n % 100 < 90 || n % 100 > 99)) " +
		"? 2 : ((n != 0 && n % 1000000 == 0) ? 3 : 4)));"},
	{"gv", "nplurals=4; plural=(n % 10 == 1) ? 0 : ((n % 10 == 2) ? 1 : ((n % 20 == 0) ? 2 : 3));"},
	{"kw", "nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n == 3) ? 2 : 3;"},
	{"kw", "nplurals=6; plural=(n == 0) ? 0 : ((n == 1) ? 1 : (((n % 100 == 2 || n % 100 == 22 || n % 100 == 42 || " +
		"n % 100 == 62 || n % 100 == 82) || n % 1000 == 0 && (n % 100000 >= 1000 && n % 100000 <= 20000 || n % 100000 == " +
		"40000) || n != 0 && n % 1000000 == 100000) ? 2 : ((n % 100 == 3 || n % 100 == 23 || n % 100 == 43 || " +
		"n % 100 == 63 || n % 100 == 83) ? 3 : ((n != 1 && (n % 100 == 1 || n % 100 == 21 || n % 100 == 41 || " +
		"n % 100 == 61 || n % 100 == 81)) ? 4 : 5))));"},
	{"lag ksh blo", "nplurals=3; plural=(n == 0) ? 0 : ((n == 1) ? 1 : 2);"},
	{"tlh xx", "nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);"},
	{"de", "nplurals=2; plural=(n >="}, // gettext goes on with its own
}

// A translation of a msgid that is gone is obsolete, and msgmerge finds it for one that is like it.
func TestObsolete(t *testing.T) {
	src := head + "\n# mine\n#. theirs\n#: a.c:1\n#, c-format\nmsgid \"Delete user %s\"\nmsgstr \"\"\n\"Benutzer \"\n\"%s löschen\"\n" +
		"\nmsgid \"k\"\nmsgstr \"Text\"\n\nmsgid \"empty\"\nmsgstr \"\"\n"
	gone := func(key string) resource.Edit { return resource.Edit{Op: resource.Remove, Key: key} }
	f := parse(t, Translations, src)
	out, refused := f.Rewrite([]resource.Edit{gone("Delete user %s")}, nil)
	want := head + "\n# mine\n#, c-format\n#~ msgid \"Delete user %s\"\n#~ msgstr \"\"\n#~ \"Benutzer \"\n#~ \"%s löschen\"\n" +
		"\nmsgid \"k\"\nmsgstr \"Text\"\n\nmsgid \"empty\"\nmsgstr \"\"\n"
	if len(refused) > 0 || string(out) != want {
		t.Fatalf("%v\n%s", refused, out)
	}
	if e, has := parse(t, Translations, string(out)).Lookup("Delete user %s", ""); has {
		t.Errorf("it is still read: %v", e)
	}
	msgmerge, err := exec.LookPath("msgmerge")
	if err != nil {
		t.Skip("msgmerge is not installed")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pot := write("a.pot", "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n#, c-format\nmsgid \"Remove user %s\"\nmsgstr \"\"\n")
	merged, err := exec.Command(msgmerge, "-q", "--previous", "-o", "-", write("a.po", string(out)), pot).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(merged); !strings.Contains(got, "#, fuzzy, c-format\n#| msgid \"Delete user %s\"\nmsgid \"Remove user %s\"\nmsgstr \"Benutzer %s löschen\"") {
		t.Errorf("msgmerge made\n%s", got)
	}
}

// A file in another encoding is refused with what converts it, whatever is in it.
func TestOtherEncodings(t *testing.T) {
	for _, name := range []string{"ISO-8859-1", "cp1252", "KOI8-R"} {
		for _, text := range []string{"plain", "Gr\xfc\xdfe"} {
			src := strings.Replace(head, "charset=UTF-8", "charset="+name, 1) + "\nmsgid \"k\"\nmsgstr \"" + text + "\"\n"
			_, err := resource.Parse(Translations, resource.Keys{}, []byte(src))
			if err == nil || !strings.Contains(err.Error(), "msgconv --to-code=UTF-8") ||
				!strings.Contains(strings.ToUpper(err.Error()), strings.ToUpper(name)) {
				t.Errorf("%s %q: %v", name, text, err)
			}
		}
	}
}

// Of every written plural that the file's header has forms for, each number has a text, and what was written is read.
// msgfmt takes the file.
func TestEachNumberHasText(t *testing.T) {
	msgfmt, err := exec.LookPath("msgfmt")
	if err != nil {
		t.Log("msgfmt is not installed; its judgement is left out")
	}
	const former = "\nmsgid \"%d book\"\nmsgid_plural \"%d books\"\n"
	for _, of := range written {
		for language := range strings.FieldsSeq(of.languages) {
			t.Run(fmt.Sprint(language, " ", of.formula[:min(len(of.formula), 60)]), func(t *testing.T) {
				count, choose, err := parsed(of.formula)
				if err != nil {
					count, choose, _ = parsed("nplurals=2; plural=(n != 1);")
				}
				header := "msgid \"\"\nmsgstr \"\"\n\"Language: " + language + "\\n\"\n\"Plural-Forms: " + of.formula +
					"\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
				source := parse(t, Source, "msgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n")
				src := header
				for _, flags := range []string{"", "#, fuzzy\n"} {
					src += strings.Replace(former, "\nmsgid", "\n"+flags+"msgctxt \"x"+flags[:min(3, len(flags))]+"\"\nmsgid", 1)
					for at := range count {
						src += fmt.Sprintf("msgstr[%d] \"%%d former\"\n", at)
					}
				}
				src += "\n#, fuzzy, c-format\nmsgid \"%d one\"\nmsgid_plural \"%d ones\"\n"
				for at := range count {
					src += fmt.Sprintf("msgstr[%d] \"\"\n", at)
				}
				var edits []resource.Edit
				for _, form := range Forms(of.formula, language) {
					if form == "" {
						continue
					}
					for _, key := range []string{"%d file", "x␄%d book", "x#, ␄%d book", "%d one"} {
						edits = append(edits, set(key, form, "%d "+form))
					}
				}
				if !slices.ContainsFunc(edits, func(e resource.Edit) bool { return e.Form == plural.Other }) &&
					plural.Categories(language) != nil && count > 1 && !strings.Contains("ru uk be pl", language) {
					t.Errorf("no msgstr is for %q", plural.Other)
				}
				out, refused := parse(t, Translations, src).Rewrite(edits, source)
				if len(refused) > 0 {
					t.Fatal(refused[0])
				}
				f := parse(t, Translations, string(out))
				for _, e := range edits {
					if got, _ := f.Lookup(e.Key, e.Form); got.Text != e.Text {
						t.Errorf("%s [%s] is %q, and %q was written", e.Key, e.Form, got.Text, e.Text)
					}
				}
				entries := strings.Split(string(out), "\n\n")[1:]
				if len(entries) != 4 {
					t.Fatalf("%d entries:\n%s", len(entries), out)
				}
				for _, entry := range entries {
					for n := range 1002 {
						if n > 1000 {
							n = 1_000_000
						}
						if text := fmt.Sprintf("\nmsgstr[%d] \"%%d ", choose(n)); !strings.Contains(entry, text) {
							t.Fatalf("%d has no text in\n%s", n, entry)
						}
					}
					if strings.Contains(entry, "former") || strings.Contains(entry, "fuzzy") {
						t.Errorf("a former text is left in\n%s", entry)
					}
				}
				if msgfmt != "" && err == nil {
					cmd := exec.Command(msgfmt, "-c", "-o", "/dev/null", "-")
					cmd.Stdin = bytes.NewReader(out)
					if said, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("msgfmt -c: %s\n%s", said, out)
					}
				}
			})
		}
	}
}
