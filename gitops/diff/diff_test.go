package diff_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/diff"
	"github.com/locsync/locsync/gitops/gittest"
)

// reader reads files of a tree in memory.
func reader(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, is := files[name]; is {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
}

// names are those that git quotes or that hold what a diff's own lines begin with.
var names = []string{"de/a.json", "de/with blank.json", "grün/a\tb.json", `q"uote\.json`, "a b/c b/c.json"}

// Whatever two trees have, and however git prints what differs, the older files come out of it, byte by byte.
func TestBefore(t *testing.T) {
	gittest.Need(t)
	line := rapid.SampledFrom([]string{"a", "b", "--- a/x", "+++ b/x", "@@ -1 +1 @@", `\ No newline at end of file`, "",
		"diff --git a/x b/x", "é"})
	dir := gittest.Init(t, map[string]string{"first": ""})
	gittest.Git(t, dir, "config", "core.autocrlf", "false")
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what string) string {
			end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, what+" ends")
			text := strings.Join(rapid.SliceOfN(line, 0, 20).Draw(rt, what), end)
			if rapid.Bool().Draw(rt, what+" is whole") && text != "" {
				text += end
			}
			return text
		}
		before, after := make(map[string]string), make(map[string]string)
		for _, name := range names {
			if rapid.Bool().Draw(rt, name+" was") {
				before[name] = draw("old " + name)
			}
			switch rapid.IntRange(0, 2).Draw(rt, "becomes") {
			case 0:
				after[name] = draw("new " + name)
			case 1:
				if text, was := before[name]; was {
					at := rapid.IntRange(0, len(text)).Draw(rt, "at")
					after[name] = strings.ToValidUTF8(text[:at], "") + "\nnew\n" + strings.ToValidUTF8(text[at:], "")
				}
			}
		}
		var trees [2]string
		for i, files := range []map[string]string{before, after} {
			gittest.Git(t, dir, "rm", "-rfq", "--cached", "--ignore-unmatch", ".")
			gittest.Git(t, dir, "clean", "-fdqx")
			gittest.Write(t, dir, files)
			gittest.Git(t, dir, "add", "-A")
			trees[i] = gittest.Git(t, dir, "write-tree")
		}
		text, err := gittest.Shell(t, dir, fmt.Sprintf("git -c core.quotePath=%v diff --no-renames %s %s %s %s",
			rapid.Bool().Draw(rt, "quotes"), rapid.SampledFrom([]string{"-U0", "-U1", "-U3", "-U100"}).Draw(rt, "context"),
			rapid.SampledFrom([]string{"", "--src-prefix=i/ --dst-prefix=w/"}).Draw(rt, "prefix"), trees[0], trees[1]))
		if err != nil {
			rt.Fatal(err)
		}
		d, err := diff.Read(strings.NewReader(text))
		if err != nil {
			rt.Fatalf("%v of\n%s", err, text)
		}
		for _, name := range slices.Sorted(maps.Keys(before)) {
			got, err := d.Before(name, reader(after))
			if err != nil || string(got) != before[name] {
				rt.Fatalf("%q was %q, and is given as %q: %v\n%s", name, before[name], got, err, text)
			}
			if now, is := after[name]; d.Touches(name) != (!is || now != before[name]) {
				rt.Fatalf("%q is touched: %v", name, d.Touches(name))
			}
		}
		for name := range after {
			if _, was := before[name]; !was {
				if got, err := d.Before(name, reader(after)); !errors.Is(err, fs.ErrNotExist) {
					rt.Fatalf("%q is new, and was %q: %v", name, got, err)
				}
			}
		}
	})
}

const change = `diff --git a/de.json b/de.json
index 1..2 100644
--- a/de.json
+++ b/de.json
@@ -2,3 +2,3 @@
 one
-two
+TWO
 three
`

func TestBeforeElsewhere(t *testing.T) {
	const renamed = "diff --git a/old.json b/new.json\nsimilarity index 90%\nrename from old.json\nrename to new.json\n" +
		"--- a/old.json\n+++ b/new.json\n@@ -1 +1 @@\n-was\n+is\n"
	const binary = "diff --git a/de.json b/de.json\nindex 1..2 100644\nBinary files a/de.json and b/de.json differ\n"
	const replaced = "diff --git a/de.json b/de.json\ndeleted file mode 100644\n--- a/de.json\n+++ /dev/null\n" +
		"@@ -1 +0,0 @@\n-was\ndiff --git a/de.json b/de.json\nnew file mode 120000\n--- /dev/null\n+++ b/de.json\n" +
		"@@ -0,0 +1 @@\n+en.json\n\\ No newline at end of file\n"
	tests := []struct {
		name, diff, file string
		now              map[string]string
		want             string // or what an error says
	}{
		{"in place", change, "de.json", map[string]string{"de.json": "zero\none\nTWO\nthree\n"}, "zero\none\ntwo\nthree\n"},
		{"moved by a merge", change, "de.json", map[string]string{"de.json": "x\ny\nz\none\nTWO\nthree\n"},
			"x\ny\nz\none\ntwo\nthree\n"},
		{"checked out with other line ends", change, "de.json", map[string]string{"de.json": "zero\r\none\r\nTWO\r\nthree\r\n"},
			"zero\r\none\r\ntwo\r\nthree\r\n"},
		{"printed with other line ends", strings.ReplaceAll(change, "\n", "\r\n"), "de.json",
			map[string]string{"de.json": "zero\none\nTWO\nthree\n"}, "zero\none\ntwo\nthree\n"},
		{"renamed", renamed, "new.json", map[string]string{"new.json": "is\n"}, "error: file does not exist"},
		{"the former name", renamed, "old.json", map[string]string{"new.json": "is\n"}, "was\n"},
		{"untouched", renamed, "de.json", map[string]string{"de.json": "x"}, "x"},
		{"another tree", change, "de.json", map[string]string{"de.json": "zero\none\ntwo\nthree\n"},
			"error: de.json lacks the lines that the diff has at its line 2"},
		{"gone", change, "de.json", nil, "error: de.json is in the diff and not in the repository"},
		{"replaced by a link", replaced, "de.json", map[string]string{"de.json": "en.json"}, "was\n"},
		{"binary", binary, "de.json", map[string]string{"de.json": "x"}, "error: the diff shows no lines"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := diff.Read(strings.NewReader(test.diff))
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Before(test.file, reader(test.now))
			if wrong, is := strings.CutPrefix(test.want, "error: "); is {
				if err == nil || !strings.Contains(err.Error(), wrong) {
					t.Fatalf("%q: %v", got, err)
				}
			} else if err != nil || string(got) != test.want {
				t.Fatalf("%q: %v", got, err)
			}
		})
	}
}

// A diff fits where the files are that it leaves: not one of another folder, but one that deletes.
func TestFits(t *testing.T) {
	const deleted = "diff --git a/b.json b/b.json\ndeleted file mode 100644\n--- a/b.json\n+++ /dev/null\n" +
		"@@ -1 +0,0 @@\n-b\n"
	d, err := diff.Read(strings.NewReader(change + deleted))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Fits(fstest.MapFS{"de.json": {}}); err != nil {
		t.Error(err)
	}
	if err := d.Fits(fstest.MapFS{"locales/de.json": {}}); !errors.As(err, new(*diff.Unfit)) {
		t.Errorf("of another folder: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"fatal: bad revision\n":                    `no line of it begins with "diff --git"`,
		"--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n":      `no line of it begins with "diff --git"`,
		strings.ReplaceAll(change, " a/de", " de"): "--src-prefix=a/",
		"diff --cc de.json\nindex 1,2..3\n":        "it is of a merge",
		change[:len(change)-8]:                     "miscounts lines",
		change + change:                            `it has "de.json" twice`,
		"diff --git a/x b/x\n@@ -1,-5 +1 @@\n+a\n": "",
	} {
		if d, err := diff.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
	if d, err := diff.Read(strings.NewReader("")); err != nil || d.Touches("a") {
		t.Errorf("of nothing: %v, %v", d, err)
	}
}

// A diff whose lines are near every line of a file, and nowhere whole, ends soon.
func TestHostile(t *testing.T) {
	same := strings.Repeat("a\n", 30_000)
	var text strings.Builder
	text.WriteString("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,20001 +1,20002 @@\n+b\n")
	text.WriteString(strings.Repeat(" a\n", 20_000) + " c\n")
	d, err := diff.Read(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Before("x", reader(map[string]string{"x": "b\n" + same})); !errors.As(err, new(*diff.Unfit)) {
		t.Error(err)
	}
}

// What a stranger writes is refused or read; neither fails the program.
func FuzzRead(f *testing.F) {
	f.Add(change, "zero\none\nTWO\nthree\n")
	f.Add("diff --git a/x b/y\nrename from x\nrename to y\n", "")
	f.Fuzz(func(_ *testing.T, text, now string) {
		d, err := diff.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, name := range []string{"de.json", "x", "y"} {
			_, _ = d.Before(name, reader(map[string]string{name: now}))
		}
	})
}
