package inspect

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// BenchmarkStale reads a history for the texts of 20 languages: with LOCSYNC_BENCH_LARGE set, for 100,000 texts and
// 20,000 commits, which is to take 10 s; making that repository takes longer. Beside it: a check without the history, and
// what git needs to log that and to read each version of each file once.
func BenchmarkStale(b *testing.B) {
	b.Run("1,000 texts", func(b *testing.B) { benchmarkStale(b, 20, 50, 200) })
	if os.Getenv("LOCSYNC_BENCH_LARGE") != "" {
		b.Run("100,000 texts", func(b *testing.B) { benchmarkStale(b, 200, 500, 20_000) })
	}
}

func benchmarkStale(b *testing.B, files, keys, commits int) {
	languages := strings.Fields("en de fr es it nl pl pt sv da fi nb cs sk hu ro bg el tr uk ja")
	texts := make(map[string][]string)
	render := func(name string) string {
		var out strings.Builder
		out.WriteString("{\n")
		for key, text := range texts[name] {
			fmt.Fprintf(&out, "  \"key%d\": %q,\n", key, text)
		}
		return out.String() + "  \"last\": \"x\"\n}\n"
	}
	first := make(map[string]string)
	for _, l := range languages {
		for file := range files {
			name := fmt.Sprintf("%s/%d.json", l, file)
			for key := range keys {
				texts[name] = append(texts[name], fmt.Sprintf("%s text %d of file %d", l, key, file))
			}
			first[name] = render(name)
		}
	}
	w := newWorld(b, "source_language = \"en\"\ntarget_languages = [\""+strings.Join(languages[1:], `", "`)+"\"]\n"+
		"[project.pull]\nremote = \"\"\n[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\ncollection = \"{NAME}\"\n", first)
	r := rand.New(rand.NewPCG(1, 2))
	var in bytes.Buffer
	for c := range commits {
		name := fmt.Sprintf("%s/%d.json", languages[r.IntN(len(languages))], r.IntN(files))
		for range 3 {
			texts[name][r.IntN(keys)] = fmt.Sprintf("text of commit %d %d", c, r.IntN(1000))
		}
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ada <ada@example.org> %d +0000\ndata 2\nc\n", 1_790_000_000+c)
		if c == 0 {
			in.WriteString("from refs/heads/main^0\n")
		}
		content := render(name)
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
	}
	gittest.FastImport(b, w.dir, in.Bytes())
	in, texts, first = bytes.Buffer{}, nil, nil // so that they take no memory from what is measured
	gittest.Git(b, w.dir, "reset", "-q", "--hard")
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			_, err := gittest.Shell(b, w.dir, "git log --raw --no-abbrev --format= | awk '{print $4}' | "+
				"git cat-file --batch --buffer >/dev/null")
			w.check(err)
		}
	})
	for _, o := range []Options{{}, {Stale: true}} {
		b.Run(map[bool]string{false: "check", true: "stale"}[o.Stale], func(b *testing.B) {
			for b.Loop() {
				if result := w.inspects(o); len(result.Files) != files*len(languages) || o.Stale != (len(result.Stale) > 0) {
					b.Fatalf("%d files, %d stale texts", len(result.Files), len(result.Stale))
				}
			}
		})
	}
}

// BenchmarkSince checks what a request changes: 50 files of 96,000, of which a thousand are resource files of 60 texts
// each. It is to take 1 s. Beside it: what git needs to name these files.
func BenchmarkSince(b *testing.B) {
	if os.Getenv("LOCSYNC_BENCH_LARGE") == "" {
		b.Skip("makes a large repository; runs with LOCSYNC_BENCH_LARGE=1")
	}
	const apps, others = 100, 95_000
	languages := strings.Fields("en de fr es it ja nl pl ru uk")
	content := func(language string, app int, changed string) string {
		var out strings.Builder
		for key := range 60 {
			fmt.Fprintf(&out, "  \"key%d\": \"%s text %d of app %d%s\",\n", key, language, key, app, changed)
			changed = ""
		}
		return "{\n" + out.String() + "  \"last\": \"x\"\n}\n"
	}
	files := make(map[string]string, apps*len(languages)+others)
	for app := range apps {
		for _, l := range languages {
			files[fmt.Sprintf("apps/a%d/locales/%s/app.json", app, l)] = content(l, app, "")
		}
	}
	for i := range others {
		files[fmt.Sprintf("src/m%d/p%d/f%d.ts", i%400, i%7, i)] = "export const x = 1;\n"
	}
	w := newWorld(b, "source_language = \"en\"\ntarget_languages = [\""+strings.Join(languages[1:], `", "`)+"\"]\n"+
		"[project.pull]\nremote = \"\"\n[[project.files]]\nsource = \"apps/**/locales/en/*.json\"\n"+
		"output = \"apps/{DIR}/locales/{LANGUAGE}/{NAME}.json\"\ncollection = \"main/{DIR}\"\n", files)
	gittest.Git(b, w.dir, "checkout", "-q", "-b", "work")
	for i := range 50 {
		l := languages[i%5]
		gittest.Write(b, w.dir, map[string]string{fmt.Sprintf("apps/a%d/locales/%s/app.json", i, l): content(l, i, " anew")})
	}
	gittest.Git(b, w.dir, "commit", "-q", "-a", "-m", "work")
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			w.check(exec.Command("git", "-C", w.dir, "diff", "--name-only", "main").Run())
		}
	})
	for name, o := range map[string]Options{"check": {}, "since": {Since: "main", Missing: true}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if result := w.inspects(o); len(result.Files) != apps*len(languages) {
					b.Fatalf("%d files", len(result.Files))
				}
			}
		})
	}
}
