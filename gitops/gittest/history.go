package gittest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// History makes a repository with many versions of a few files, so that repacking it makes long chains of deltas.
func History(t testing.TB, format string, commits int) string {
	t.Helper()
	dir := InitAs(t, format, nil)
	rnd := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = fmt.Sprintf("\"key.%d\": \"%x\",", i, rnd.Uint64())
	}
	var in bytes.Buffer
	for c := range commits {
		for range 5 {
			lines[rnd.IntN(len(lines))] = fmt.Sprintf("\"key\": \"%x\",", rnd.Uint64())
		}
		content := strings.Join(lines, "\n")
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ada <ada@example.org> %d +0000\ndata 2\nc\n", 1700000000+c)
		fmt.Fprintf(&in, "M 100644 inline locales/%d/app.json\ndata %d\n%s\n", c%3, len(content), content)
	}
	in.WriteString("M 100644 inline empty\ndata 0\n\n")
	FastImport(t, dir, in.Bytes())
	return dir
}

// FastImport gives a stream to git fast-import.
func FastImport(t testing.TB, dir string, stream []byte) {
	t.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, Environ(), bytes.NewReader(stream)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
}
