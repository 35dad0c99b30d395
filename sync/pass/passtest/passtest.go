// Package passtest has what benchmarks of passes are made of: files of any size, a configuration for them, and a
// branch without a service.
// It is for tests only, and asserts nothing.
package passtest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// JSONFile is a flat file of n keys, about 50 bytes each; edition changes every hundredth value.
func JSONFile(n int, language string, edition int) string {
	var b strings.Builder
	b.WriteString("{\n")
	for i := range n {
		e := 0
		if i%100 == 0 {
			e = edition
		}
		comma := ","
		if i == n-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "  \"screen.section.key%04d\": \"A text in %s, number %d.%d\"%s\n", i, language, i, e, comma)
	}
	b.WriteString("}\n")
	return b.String()
}

// Config is the configuration of a project without a remote in dir, whose source files are locales/en/*.json.
func Config(tb testing.TB, dir string, languages []string) *config.Config {
	tb.Helper()
	cfg, err := config.Parse(filepath.Join(dir, "locsync.toml"), fmt.Appendf(nil, `
[[project]]
name = "bench"
source_language = "en"
target_languages = [%s]
[project.pull]
remote = ""
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, `"`+strings.Join(languages, `", "`)+`"`))
	if err != nil {
		tb.Fatal(err)
	}
	return cfg
}

// Branch is the only branch of such a project, with an empty ledger and no service. Its repository is not open.
func Branch(tb testing.TB, dir string, languages []string) *pass.Branch {
	tb.Helper()
	cfg := Config(tb, dir, languages)
	store, err := boltledger.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { store.Close() })
	return &pass.Branch{Config: cfg, Project: &cfg.Projects[0], Ledger: store, Log: zap.NewNop(), Now: time.Now,
		OnDoing: func(report.Doing) {}, OnPassed: func(pass.Passed) {}}
}
