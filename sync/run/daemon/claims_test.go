//go:build unix

package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/run/process"
)

// world is a repository with a configuration of one project.
type world struct {
	t    *testing.T
	repo string
	cfg  *config.Config
}

func newWorld(t *testing.T) *world {
	t.Helper()
	gittest.Need(t)
	w := &world{t: t, repo: gittest.Init(t, map[string]string{"en.json": `{"a": "A"}`, "locsync.toml": `[service]
url = "embedded"
[[project]]
name = "app"
id = "11111111-2222-3333-4444-555555555555"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`})}
	var err error
	w.cfg, err = config.Load(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	return w
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// A daemon gives up the claim of a project that a new configuration has no more, and keeps that of one whose repository
// cannot be opened for a moment.
func TestClaimsOfAReload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := w.cfg
	mine := newClaims(zap.NewNop(), "/mine")
	w.check(mine.take(t.Context(), cfg))
	t.Cleanup(func() { mine.release(t.Context(), nil) })
	dir := process.ClaimDir(t.Context(), cfg, &cfg.Projects[0])
	git := filepath.Join(w.repo, ".git")
	w.check(os.Rename(git, git+".away"))
	w.check(mine.take(t.Context(), cfg))
	mine.release(t.Context(), cfg)
	w.check(os.Rename(git+".away", git))
	if boltledger.Claimed(dir) == nil {
		t.Error("it gave up the claim of a project that it goes on with")
	}
	mine.release(t.Context(), &config.Config{})
	if held := boltledger.Claimed(dir); held != nil {
		t.Errorf("it keeps the claim of a project that it does not have: %+v", held)
	}
	// A pass that began before, and waited for its turn or its repository, does not take it again.
	if err := mine.claim(t.Context(), cfg, &cfg.Projects[0], dir); !errors.Is(err, errUnneeded) {
		t.Errorf("a pass for a project that the daemon does not have any more: %v", err)
	}
	if held := boltledger.Claimed(dir); held != nil {
		t.Errorf("it has the claim of a project that it does not have, again: %+v", held)
	}
	w.check(mine.take(t.Context(), cfg))
	w.check(mine.claim(t.Context(), cfg, &cfg.Projects[0], dir))
	if boltledger.Claimed(dir) == nil {
		t.Error("it has no claim of a project that came back")
	}
}

// A repository that belongs to another user and is trusted is claimed as any other.
func TestClaimOfATrustedRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := w.cfg
	if os.Getuid() != 0 {
		t.Skip("only root can give a repository to somebody else")
	}
	w.check(filepath.WalkDir(w.repo, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, 12345, 12345)
	}))
	if repo, err := gitops.Open(t.Context(), w.repo, gitops.Options{}); err == nil {
		repo.Close()
		t.Skip("this machine trusts every repository")
	}
	cfg.Projects[0].TrustOwner = true
	if process.ClaimDir(t.Context(), cfg, &cfg.Projects[0]) == "" {
		t.Error("it has no claim, so that a second daemon would begin")
	}
}

// Where the state belongs into a repository that does not answer, nothing can begin, which is said; elsewhere that is
// not a problem.
func TestStateThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := w.cfg
	w.check(stateAnswers(t.Context(), cfg, time.Minute))
	pipe := filepath.Join(w.repo, ".git", "config") // every git command reads it first
	w.check(os.Remove(pipe))
	gittest.Pipe(t, pipe)
	if err := stateAnswers(t.Context(), cfg, 500*time.Millisecond); err == nil ||
		!strings.Contains(err.Error(), "state_dir can name a folder elsewhere") {
		t.Errorf("of a repository that does not answer: %v", err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // what waits for it reads that it is empty
	w.check(err)
	w.check(errors.Join(os.Remove(pipe), writer.Close()))
	cfg.StateDir = t.TempDir()
	w.check(stateAnswers(t.Context(), cfg, time.Minute))
}
