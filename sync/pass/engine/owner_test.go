package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A repository of another user is refused, with both ways to accept it, until the configuration accepts it; then it is pulled into.
func TestRepositoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a repository away")
	}
	for _, trusted := range []bool{false, true} {
		cfg := localOnly
		if trusted {
			cfg = strings.Replace(cfg, "target_languages", "trust_owner = true\ntarget_languages", 1)
		}
		w := newWorld(t, cfg+`
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`, map[string]string{"en/a.json": `{"a": "A"}`})
		w.check(filepath.WalkDir(w.dir, func(p string, _ fs.DirEntry, _ error) error { return os.Lchown(p, 12345, 12345) }))
		_, err := w.Check(t.Context(), inspect.Options{})
		if !trusted {
			var usage *failure.UsageError
			if !errors.Is(err, gitops.ErrOwner) || !errors.As(err, &usage) || !strings.Contains(err.Error(), "trust_owner = true") || !strings.Contains(err.Error(), "safe.directory") {
				t.Errorf("%v", err)
			}
			continue
		}
		w.check(err)
		_, err = w.Push(t.Context(), push.Options{})
		w.check(err)
		_, err = w.Pull(t.Context(), pull.Options{})
		w.check(err)
	}
}
