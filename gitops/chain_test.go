package gitops

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// Law: a chain is the commits that would have been made and delivered one by one, in one pack and one delivery.
func TestChainIsItsCommits(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"http", "folder", "local"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := serve(t, gittest.Options{})
			o := Options{Remote: "origin"}
			switch kind {
			case "folder":
				gittest.Git(t, s.dir, "remote", "set-url", "origin", s.bare)
			case "local":
				o.Remote = ""
			}
			steps := []Step{
				{files("locales/de/app.json", "de\n", "same.txt", "content\n"), message("Update de")},
				{files("README.md", "sample\n"), message("Update nothing")}, // as it is there
				{files("locales/fr/app.json", "fr\n", "other.txt", "content\n"), message("Update fr")},
				{files("locales/de/app.json", "de again\n", "same.txt", ""), message("Update de again")},
			}
			steps[1].Files["README.md"] = []byte(sample["README.md"])
			steps[3].Files["same.txt"] = nil
			r := open(t, s.dir, o)
			tip := at(t, r, "single", "main")
			for _, step := range steps {
				made, err := r.Commit(t.Context(), tip, "single", step.Files, step.Message)
				if errors.Is(err, ErrNothing) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				push(t, r, made)
				tip = at(t, r, "single", "main")
			}
			packs := func() int {
				list, _ := filepath.Glob(filepath.Join(s.dir, ".git/objects/pack/*.pack"))
				return len(list)
			}
			before := packs()
			chain := must[*Tip](t)(r.Chain(t.Context(), at(t, r, "chain", "main"), "chain", steps))
			if chain.Hash() != tip.Hash() {
				t.Errorf("the chain ends at %s, the single commits at %s", chain.Hash(), tip.Hash())
			}
			if got := packs() - before; got != 1 {
				t.Errorf("%d packs, want one", got)
			}
			// Another process finds it, and delivers all of it.
			r.Close()
			r = open(t, s.dir, o)
			waiting := must[*Tip](t)(r.Pending("chain"))
			if waiting == nil || waiting.Hash() != chain.Hash() {
				t.Fatalf("what waits is %v", waiting)
			}
			push(t, r, waiting)
			where := s.bare
			if kind == "local" {
				where = s.dir
			}
			if got := gittest.Git(t, where, "log", "--format=%s",
				"main..chain"); got != "Update de again\nUpdate fr\nUpdate de" {
				t.Errorf("delivered %q", got)
			}
			gittest.Sound(t, s.dir)
			gittest.Sound(t, s.bare)
		})
	}
}

func TestChainOfNothing(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Init(t, sample), Options{})
	tip := at(t, r, "l10n", "main")
	nothing := Step{map[string][]byte{"README.md": []byte(sample["README.md"])}, message("nothing")}
	if _, err := r.Chain(t.Context(), tip, "l10n", []Step{nothing, nothing}); !errors.Is(err, ErrNothing) {
		t.Errorf("got %v, want ErrNothing", err)
	}
	_, err := r.Chain(t.Context(), tip, "l10n", []Step{{files("a", "1"), message("a")},
		{files(".git/hooks/x", "1"), message("b")}})
	if !errors.Is(err, ErrPath) || !strings.Contains(err.Error(), ".git") {
		t.Errorf("got %v, want ErrPath", err)
	}
	if waiting := must[*Tip](t)(r.Pending("l10n")); waiting != nil {
		t.Error("half a chain waits")
	}
}
