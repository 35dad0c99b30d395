package past

import (
	"maps"
	"slices"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Which names a file had: in a commit itself and in its past, not in what comes after it or beside it.
func TestHad(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"en.json": `{"first": "1", "kept": "0"}`})
	commit := func(body string) string {
		gittest.Commit(t, dir, "texts", map[string]string{"en.json": body})
		return gittest.Git(t, dir, "rev-parse", "HEAD")
	}
	first := gittest.Git(t, dir, "rev-parse", "HEAD")
	commit(`{"second": "1", "kept": "0"`) // which cannot be read
	second := commit(`{"second": "1", "kept": "0"}`)
	last := commit(`{"third": "1", "kept": "0"}`)
	gittest.Git(t, dir, "checkout", "-q", "-b", "topic", first)
	topic := commit(`{"other": "1"}`)
	repo, err := gitops.Open(t.Context(), dir, gitops.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	json, _ := formats.Named("json")
	english := config.Language{Code: "en"}
	file := bundle.Target{Path: "en.json", Language: english,
		Sources: []*bundle.Bundle{{Path: "en.json", Format: json, Source: english}}}
	for _, c := range []struct {
		what string
		tips []string
		want []string
	}{
		{"a first commit", []string{first}, []string{"first", "kept"}},
		{"its past", []string{second}, []string{"first", "kept", "second"}},
		{"all of its past", []string{last}, []string{"first", "kept", "second", "third"}},
		{"a topic", []string{topic}, []string{"first", "kept", "other"}},
		{"two commits", []string{topic, second}, []string{"first", "kept", "other", "second"}},
		{"none, or one that is not here", []string{"", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"}, nil},
	} {
		names := make(map[catalog.Name]bool)
		for _, key := range []string{"first", "second", "third", "other", "kept", "never"} {
			names[catalog.Name{Key: key}] = true
		}
		had, err := Had(repo, file, names, c.tips...)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, n := range slices.SortedFunc(maps.Keys(had), catalog.Name.Compare) {
			keys = append(keys, n.Key)
		}
		if !slices.Equal(keys, c.want) {
			t.Errorf("%s: %q, want %q", c.what, keys, c.want)
		}
	}
}
