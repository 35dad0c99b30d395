package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// The texts of the page for translators are translated with locsync itself, whose checks find nothing wrong with them.
func TestPageIsTranslatedWithItself(t *testing.T) {
	gittest.Need(t)
	const dir = "sync/service/local/words"
	files := make(map[string]string)
	for _, name := range []string{"locsync.toml", "en.json", "de.json", "fr.json"} {
		text, err := os.ReadFile(filepath.Join("..", "..", dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[dir+"/"+name] = string(text)
	}
	repo := gittest.Init(t, files)
	program, err := exec.LookPath("locsync")
	if err != nil {
		t.Fatal(err)
	}
	check := exec.Command(program, "check", "--missing", "--config", filepath.Join(repo, dir, "locsync.toml"))
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
