package po

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// What msgfmt -c refuses a file for beside its texts is named: no header, no Plural-Forms, another number of forms.
func TestFilesThatMsgfmtRefuses(t *testing.T) {
	const header = `msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\nProject-Id-Version: x\nPO-Revision-Date: 2020-01-01 00:00+0000\n`
	const two, three = `Plural-Forms: nplurals=2; plural=(n != 1);\n`, `Plural-Forms: nplurals=3; plural=n==1 ? 0 : n==2 ? 1 : 2;\n`
	const single, blank = "msgid \"x\"\nmsgstr \"y\"\n\n", "msgid \"z\"\nmsgstr \"\"\n\n"
	const plural = "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[1] \"d\"\n\n"
	const fuzzy, open = "#, fuzzy\n" + plural, "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n"
	for _, src := range []string{
		header + "\"\n\n" + single, header + two + "\"\n\n" + plural + single, single, blank, blank + single, plural,
		header + "\"\n\n" + plural + single, header + "\"\n\n" + open, header + "\"\n\n" + fuzzy, header + three + "\"\n\n" + plural,
		header + three + "\"\n\n" + fuzzy + blank, header + two + "\"\n\n" + plural + "msgid \"q\"\nmsgid_plural \"r\"\nmsgstr[0] \"s\"\n",
		header + `Plural-Forms: nplurals=1; plural=0;\n` + "\"\n\n" + plural,
	} {
		f, err := resource.Parse(Translations, resource.Keys{}, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		got := len(f.Warnings()) > 0
		fails := slices.ContainsFunc(f.Warnings(), func(w resource.Warning) bool { return w.Fails })
		if open := !strings.Contains(src, "nplurals="); fails && open {
			t.Errorf("%s\nwhat no program fails with is an error: %v", src, f.Warnings())
		} else if got != fails && !open {
			t.Errorf("%s\nforms that are too many or few are no error: %v", src, f.Warnings())
		}
		if _, err := exec.LookPath("msgfmt"); err != nil {
			t.Skip("no msgfmt here (gettext)")
		}
		file := filepath.Join(t.TempDir(), "x.po")
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("msgfmt", "-c", "-o", os.DevNull, file).CombinedOutput()
		if want := err != nil; got != want {
			t.Errorf("%s\nmsgfmt: %v %s\nhere: %v", src, err, out, f.Warnings())
		}
	}
}
