package boltledger

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A copy has what the state has, while the state is open elsewhere, and leaves the folder as it was.
func TestOpenCopy(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	must(t, err)
	defer s.Close()
	must(t, put(s, "app", "past", "push", "yesterday"))
	before := namesIn(t, dir)
	c, err := OpenCopy(dir, t.TempDir())
	must(t, err)
	if got, ok, err := get[string](c, "app", "past", "push"); err != nil || !ok || got != "yesterday" {
		t.Errorf("the copy has %q %v %v", got, ok, err)
	}
	must(t, put(c, "app", "past", "push", "changed in the copy"))
	must(t, c.Close())
	if got, _, _ := get[string](s, "app", "past", "push"); got != "yesterday" {
		t.Errorf("a change of the copy reached the state: %q", got)
	}
	if after := namesIn(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder had %v, has %v", before, after)
	}
}

// Nothing there, nothing readable: an empty store.
func TestOpenCopyOfNothing(t *testing.T) {
	broken := t.TempDir()
	must(t, os.WriteFile(filepath.Join(broken, fileName), []byte("not a store"), 0o600))
	for name, dir := range map[string]string{"none named": "", "missing": filepath.Join(t.TempDir(), "no"), "empty": t.TempDir(), "damaged": broken} {
		c, err := OpenCopy(dir, t.TempDir())
		must(t, err)
		if _, ok, err := get[string](c, "app", "past", "push"); ok || err != nil {
			t.Errorf("%s: %v %v", name, ok, err)
		}
		must(t, c.Close())
	}
	if data, _ := os.ReadFile(filepath.Join(broken, fileName)); string(data) != "not a store" {
		t.Error("the damaged file was touched")
	}
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
