package gitops

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

func TestChangedAndDiff(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "config", "core.abbrev", "40")
	r := open(t, dir, Options{})
	tip := at(t, r, "l10n", "")
	change := map[string][]byte{"locales/de/app.json": []byte("{\n  \"a\": \"B\"\n}\n"),
		"locales/fr/app.json": []byte("{}"), "locales/de/deep/x.js": nil, "bin": {0, 1, 2}}
	preview := must[Preview](t)(r.Preview(t.Context(), tip, change))
	made := commitOn(t, r, tip, "l10n", change)
	want := strings.Fields(gittest.Git(t, dir, "diff", "--name-only", tip.Hash(), made.Hash()))
	got := must[[]string](t)(r.History.Changed(t.Context(), tip.Hash(), made.Hash()))
	slices.Sort(want)
	if !slices.Equal(got, want) || !slices.Equal(preview.Changed, want) {
		t.Errorf("changed %v, preview %v, git %v", got, preview.Changed, want)
	}
	blobs := must[map[string]string](t)(r.History.ChangedTo(t.Context(), tip.Hash(), made.Hash()))
	for _, path := range got {
		if want, _ := gittest.TryGit(t, dir, "rev-parse", "--verify", "--quiet",
			made.Hash()+":"+path); blobs[path] != want {
			t.Errorf("%s is %q then, want %q", path, blobs[path], want)
		}
	}
	if len(blobs) != len(got) {
		t.Errorf("%v, want those of %v", blobs, got)
	}
	if all := must[[]string](t)(r.History.Changed(t.Context(), "", tip.Hash())); len(all) != len(sample) {
		t.Errorf("from nothing: %v", all)
	}
	if git := gittest.Git(t, dir, "diff", "--no-renames", tip.Hash(),
		made.Hash()); strings.TrimSpace(preview.Diff) != git {
		t.Errorf("our diff:\n%s\ngit's:\n%s", preview.Diff, git)
	}
	if strings.Contains(gittest.Git(t, dir, "count-objects", "-v"), "in-pack: 0") {
		t.Error("the commit has no pack")
	}
}

func TestPreviewWritesNothing(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	r := open(t, dir, Options{})
	tip := at(t, r, "l10n", "")
	before := gittest.Git(t, dir, "count-objects", "-v")
	if p := must[Preview](t)(r.Preview(t.Context(), tip, files("x", "y"))); !strings.Contains(p.Diff, "+y") {
		t.Error(p.Diff)
	}
	if after := gittest.Git(t, dir, "count-objects", "-v"); after != before {
		t.Errorf("objects appeared:\n%s\n%s", before, after)
	}
	if waiting := must[*Tip](t)(r.Pending("l10n")); waiting != nil {
		t.Error("a commit waits")
	}
}
