package config

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/BurntSushi/toml"
)

// manyProjects writes a configuration that includes n files of one project each, and returns its main file.
func manyProjects(tb testing.TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	write := func(name, text string) {
		tb.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "projects"), 0o700); err != nil {
		tb.Fatal(err)
	}
	write("locsync.toml", "state_dir = \"state\"\ninclude = [\"projects/*.toml\"]\n")
	for i := range n {
		write(fmt.Sprintf("projects/p%05d.toml", i), fmt.Sprintf(`# Project %[1]d of the company.
[[project]]
name = "p%05[1]d"
id = "00000000-0000-4000-8000-%012[1]d"
repository = "https://git.example.com/team/p%05[1]d.git"
source_language = "en"
target_languages = ["de", "fr", "es", "it", "ja", "ko", "pl", "pt-BR", "zh-Hans", "zh-Hant"]

[project.push]
conflicts = "report"

[project.pull]
schedule = "*/30 * * * *"
branch = "l10n/p%05[1]d"

[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"

[[project.files]]
source = "app/src/main/res/values/strings.xml"
output = "app/src/main/res/values-{LOCALE:ANDROID}/strings.xml"
collection = "android"
`, i))
	}
	return filepath.Join(dir, "locsync.toml")
}

// What it costs to read and check 5,000 projects. The floor is the TOML library alone, one file after the other.
func BenchmarkManyProjects(b *testing.B) {
	file := manyProjects(b, 5000)
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			paths, err := filepath.Glob(filepath.Join(filepath.Dir(file), "projects", "*.toml"))
			if err != nil {
				b.Fatal(err)
			}
			for _, path := range paths {
				data, err := os.ReadFile(path)
				if err != nil {
					b.Fatal(err)
				}
				var tree map[string]any
				if err := toml.Unmarshal(data, &tree); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := Load(file); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("seen to be unchanged", func(b *testing.B) {
		w := Watch(file)
		for b.Loop() {
			if w.Changed() {
				b.Fatal("it changed")
			}
		}
	})
}
