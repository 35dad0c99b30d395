package androidxml

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// Elements of <resources> that aapt2 does not know are named as what it refuses the file for.
func TestKinds(t *testing.T) {
	newer := []string{"macro", "staging-public-group", "staging-public-group-final"} // than the one of Debian
	for _, kind := range append(slices.Clone(kinds), "strng", "strings", "string-arrray", "plural", "tools:x", "Bool") {
		value := map[string]string{"bool": "true", "color": "#fff", "drawable": "#fff", "dimen": "1dp", "fraction": "1%", "integer": "1"}[kind]
		src := fmt.Sprintf(`<resources xmlns:tools="http://schemas.android.com/tools"><%s name="a" type="id" first-id="0x7f010000">%s</%[1]s></resources>`,
			kind, value)
		f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(f.Warnings(), func(w resource.Warning) bool { return w.Fails })
		if _, err := exec.LookPath("aapt2"); err != nil {
			t.Skip("no aapt2 here")
		}
		path := filepath.Join(t.TempDir(), "values", "strings.xml")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command("aapt2", "compile", "-o", t.TempDir(), path).CombinedOutput()
		want := strings.Contains(string(out), "unknown resource type")
		if got != want && !slices.Contains(newer, kind) {
			t.Errorf("<%s>: aapt2: %s, here %v", kind, out, f.Warnings())
		}
	}
}
