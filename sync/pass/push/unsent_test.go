package push

import (
	"testing"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/catalog"
)

// A text of the working tree that the branch has changed since both parted is only behind: no push sends it, so the
// status does not count it.
func TestUnsentLeavesOutOldTexts(t *testing.T) {
	t.Parallel()
	const path = "locales/de/app.json"
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	gittest.Write(t, dir, map[string]string{"locales/en/app.json": `{"a": "Apple", "b": "Pear"}`, path: `{"a": "Apfel"}`})
	gittest.Git(t, dir, "add", "-A")
	gittest.Git(t, dir, "commit", "-qm", "texts")
	gittest.Git(t, dir, "checkout", "-qb", "l10n")
	gittest.Write(t, dir, map[string]string{path: `{"a": "Apfel!"}`})
	gittest.Git(t, dir, "commit", "-qam", "better")
	gittest.Git(t, dir, "checkout", "-q", "main")
	p := passtest.Branch(t, dir, []string{"de"})
	repo, err := gitops.Open(t.Context(), dir, gitops.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	known := catalog.Marks{}
	ledger.Learn(known, catalog.Name{Key: "a"}, catalog.MarkOf("Apfel!"))
	if err := p.Ledger.SetMarks(p.Memory().Slot(ledger.Known, path, "de"), known); err != nil {
		t.Fatal(err)
	}
	for texts, want := range map[string]int{`{"a": "Apfel"}`: 0, `{"a": "Apfel", "b": "Birne"}`: 1} {
		gittest.Write(t, dir, map[string]string{path: texts})
		fsys, err := repo.Worktree()
		if err != nil {
			t.Fatal(err)
		}
		files, err := tree.Find(fsys, p.Project, nil)
		if err != nil {
			t.Fatal(err)
		}
		if count, err := Unsent(p, repo, files); err != nil || count["de"] != want {
			t.Errorf("%s: %v %v, want %d", texts, count, err, want)
		}
	}
}
