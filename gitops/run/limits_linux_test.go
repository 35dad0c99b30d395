package run

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/bound"
)

// A pack that is larger than any is to be ends the fetch of it, and leaves nothing on the disk.
func TestPackWithoutMeasure(t *testing.T) {
	noise := make([]byte, 3<<20)
	_, _ = rand.Read(noise)
	dir := gittest.Init(t, map[string]string{"noise": string(noise)})
	to := filepath.Join(t.TempDir(), "bare.git")
	gittest.Git(t, "", "init", "-q", "--bare", to)
	git, err := Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	objects := filepath.Join(to, "objects")
	fetch := func() error {
		_, err := git.Run(t.Context(), Call{Dir: to, Objects: objects, Write: true, Remote: true,
			Args: []string{"-c", "fetch.unpackLimit=1", "fetch", "-q", dir, "main:main"}})
		return err
	}
	defer func(before int64) { mostFile = before }(mostFile)
	mostFile = 1 << 20
	if err := fetch(); !bound.Is(err) || !strings.Contains(err.Error(), "what the remote sends is too large") {
		t.Errorf("fetch: %v", err)
	}
	if left := UnfinishedPacks(objects); len(left) > 0 {
		t.Errorf("it leaves %s", left)
	}
	mostFile = 64 << 20
	if err := fetch(); err != nil {
		t.Errorf("a small pack: %v", err)
	}
}

// A call that goes on and on, and says so, is given up all the same.
func TestCallWithoutEnd(t *testing.T) {
	git, err := Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func(before time.Duration) { longestCall = before }(longestCall)
	longestCall = 300 * time.Millisecond
	ctx, end := Watch{Silence: time.Minute, Alive: func() {}}.Begin(t.Context())
	defer end()
	pid := filepath.Join(t.TempDir(), "pid")
	_, err = git.Run(ctx, Call{Write: true, Remote: true, Args: []string{"-c",
		"alias.talks=!echo $$ > " + pid + "; while :; do echo remote: working >&2; sleep 0.01; done", "talks"}})
	if _, is := errors.AsType[*endless](err); !is || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
	if name, err := os.ReadFile(pid); err == nil {
		if _, err := os.Stat("/proc/" + strings.TrimSpace(string(name))); err == nil {
			t.Error("what it started goes on")
		}
	}
	// And one that says far too much is ended long before.
	longestCall = time.Minute
	_, err = git.Run(ctx, Call{Write: true, Remote: true, Args: []string{"-c", "alias.talks=!yes remote: working >&2",
		"talks"}})
	if !bound.Is(err) {
		t.Errorf("endless words: %v", err)
	}
}
