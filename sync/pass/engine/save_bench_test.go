package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/pass/push"
)

// BenchmarkSave saves a translation in a repository of 96,000 files, of which a thousand are resource files of 60 texts
// each, and pushes as the daemon does. Beside it: what git needs to see the same save, and a whole check.
func BenchmarkSave(b *testing.B) {
	const apps, others = 100, 95_000
	languages := []string{"de", "fr", "es", "it", "ja", "nl", "pl", "ru", "uk"}
	files := make(map[string]string, apps*10+others)
	for i := range apps {
		for _, l := range append([]string{"en"}, languages...) {
			files[fmt.Sprintf("apps/a%d/locales/%s/app.json", i, l)] = passtest.JSONFile(60, l, i)
		}
	}
	for i := range others {
		files[fmt.Sprintf("src/m%d/p%d/f%d.ts", i%400, i%7, i)] = "export const x = 1;\n"
	}
	w := newWorld(b, fmt.Sprintf(`
source_language = "en"
target_languages = ["%s"]
[project.pull]
remote = ""
[[project.files]]
source = "apps/**/locales/en/*.json"
output = "apps/{DIR}/locales/{LANGUAGE}/{NAME}.json"
collection = "main/{DIR}"
`, strings.Join(languages, `", "`)), files)
	w.clean(push.Options{Translations: true})
	saved := filepath.Join(w.dir, "apps/a7/locales/de/app.json")
	n := 0
	save := func() {
		text := strings.Replace(passtest.JSONFile(60, "de", 7), "de", fmt.Sprintf("Deutsch %d", n), 1)
		n++
		if err := os.WriteFile(saved, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for _, of := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"git", func(ctx context.Context) error {
			return exec.CommandContext(ctx, "git", "-C", w.dir, "status", "--porcelain").Run()
		}},
		{"check", func(ctx context.Context) error { _, err := w.Check(ctx, inspect.Options{}); return err }},
		{"push", func(ctx context.Context) error {
			_, err := w.Push(ctx, push.Options{Near: true})
			return err
		}},
	} {
		b.Run(of.name, func(b *testing.B) {
			var all time.Duration
			for b.Loop() {
				save()
				began := time.Now()
				if err := of.run(b.Context()); err != nil {
					b.Fatal(err)
				}
				all += time.Since(began)
			}
			b.ReportMetric(float64(all.Milliseconds())/float64(b.N), "ms/save")
		})
	}
}
