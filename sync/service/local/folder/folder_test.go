package folder

import (
	"os"
	"path/filepath"
	"testing"
)

// Files stay while any copy is made, and go after the last one.
func TestDiscards(t *testing.T) {
	dir := t.TempDir()
	var d Discards
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	discard := func(name string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		d.Remove(path)
	}
	if discard("a"); there("a") {
		t.Error("a stays without a copy")
	}
	one, two := d.Wait(), d.Wait()
	discard("b")
	one()
	one() // counts once
	if discard("c"); !there("b") || !there("c") {
		t.Error("b or c is gone during a copy")
	}
	if two(); there("b") || there("c") {
		t.Error("b or c stays after the last copy")
	}
	if discard("d"); there("d") {
		t.Error("d stays")
	}
}
