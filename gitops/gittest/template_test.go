package gittest

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A repository that is written is the one that git makes: the same files, and git says the same about it.
func TestWrittenRepositoryEqualsGits(t *testing.T) {
	files := map[string]string{"a": "1\n", "d/b": "2\n"}
	for _, with := range []map[string]string{nil, files} {
		made := t.TempDir()
		initialize(t, made, "sha1", with)
		Init(t, with)
		written := Init(t, with)
		sameRepositories(t, made, written)
		if with == nil {
			continue
		}
		bares := [2]string{filepath.Join(t.TempDir(), "origin.git"), Bare(t, Init(t, with))}
		cloneBare(t, made, bares[0])
		bares[1] = Bare(t, written)
		sameRepositories(t, made, written, bares[0], bares[1])
		sameRepositories(t, bares[0], bares[1], made, written)
		for _, command := range []string{"status --porcelain", "for-each-ref", "fsck --strict --full", "diff-files",
			"ls-files -s", "remote update"} {
			a, b := Git(t, made, strings.Fields(command)...), Git(t, written, strings.Fields(command)...)
			if a != b {
				t.Errorf("git %s: %q, and %q", command, a, b)
			}
		}
		Sound(t, bares[1])
		if Commit(t, made, "x", map[string]string{"a": "3"}) != Commit(t, written, "x", map[string]string{"a": "3"}) {
			t.Error("another commit follows")
		}
		if again := Bare(t, Clone(t, bares[1], "--origin=o")); Git(t, again, "rev-parse", "main") != Git(t, written,
			"rev-parse", "main~") {
			t.Error("a clone that was not made here")
		}
	}
}

// sameRepositories compares two folders, whose texts name others of theirs. The index holds times.
func sameRepositories(t *testing.T, made, written string, others ...string) {
	t.Helper()
	a, b := read(t, made), read(t, written)
	if len(others) > 0 {
		copied := t.TempDir()
		b.write(t, copied, strings.TrimSuffix(others[1], ".git"), strings.TrimSuffix(others[0], ".git"))
		b = read(t, copied)
	}
	if x, y := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)); !slices.Equal(x, y) {
		t.Errorf("git made %q\nwritten is %q", x, y)
	}
	for name, f := range a {
		if g := b[name]; f.mode != g.mode || string(f.content) != string(g.content) && filepath.Base(name) != "index" {
			t.Errorf("%s: %s %q, and %s %q", name, f.mode, f.content, g.mode, g.content)
		}
	}
}
