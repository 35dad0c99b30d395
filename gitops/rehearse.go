package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
)

// What a pass needs of the outside can be tried without a pass: for somebody who wants to know whether it would work, or why it does not.

// OldestGit is the oldest git program that is known to be enough. It is the first one that takes configuration from the environment
// (GIT_CONFIG_COUNT), which is how credentials reach it without standing in an argument list.
const OldestGit = "2.31"

// GitProgram finds the git program. path is "" where there is none.
func GitProgram(ctx context.Context) (path, version string, err error) {
	p, err := findProgram(ctx, "")
	if err != nil || p == nil {
		return "", "", err
	}
	return p.path, p.version, nil
}

// OldGit reports whether a git program is older than OldestGit. One whose version cannot be read is not.
func OldGit(version string) bool {
	have, want := strings.Split(version, "."), strings.Split(OldestGit, ".")
	for i, w := range want {
		least, _ := strconv.Atoi(w)
		if i >= len(have) {
			return false
		}
		n, err := strconv.Atoi(have[i])
		if err != nil || n != least {
			return err == nil && n < least
		}
	}
	return false
}

// MayPush asks the remote whether we may push, by beginning a push and hanging up before anything is said. A yes is about the repository: a protected
// branch or a hook may still refuse. Without Options.Remote, and before there is a commit, there is nothing to ask.
//
// Errors: those of At.
func (r *Repo) MayPush(ctx context.Context) error {
	if r.o.Remote == "" {
		return nil
	}
	ctx, end := r.watch(ctx)
	defer end()
	rem, err := r.remoteFor(ctx, true)
	if err == nil {
		err = rem.rehearse(ctx)
	}
	if err != nil {
		return fmt.Errorf("ask %s whether we may push: %w", r.o.Remote, withRemedy(err))
	}
	return nil
}

func (s *session) rehearse(ctx context.Context) error {
	return s.withLogin(ctx, func(auth transport.AuthMethod) error {
		ep, err := s.endpoint()
		if err != nil {
			return err
		}
		down, err := s.proto.NewReceivePackSession(ep, auth)
		if err != nil {
			return err
		}
		_, err = down.AdvertisedReferencesContext(ctx)
		if errors.Is(err, transport.ErrEmptyRemoteRepository) {
			err = nil
		}
		_ = down.Close() // a server that was hung up on may complain
		return err
	})
}

// rehearse looks whether the folders may be written to that a push writes to.
func (d *folder) rehearse(context.Context) error {
	for _, dir := range []string{filepath.Join(d.common, "objects"), filepath.Join(d.common, "refs", "heads")} {
		if err := writable(dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// rehearse has git do everything of a push but the push. The reference is one that nobody has, so that what the branches have does not matter.
func (v *viaGit) rehearse(ctx context.Context) error {
	_, commit, err := v.r.Head()
	if err != nil || commit == "" {
		return err
	}
	_, err = v.r.runGit(ctx, call{env: v.environment(), args: []string{"push", "--dry-run", "--porcelain", "--no-verify", "--no-follow-tags",
		"--recurse-submodules=no", "--no-signed", v.name(), commit + ":refs/locsync/may-push"}})
	if err != nil {
		return v.explain(err)
	}
	return nil
}

// TrySigning signs something as a commit of that person would be, and throws it away. signs is false where commits are not signed.
// The error is ErrSign, as it would be of Commit.
func (r *Repo) TrySigning(ctx context.Context, who Person) (signs bool, err error) {
	ctx, end := r.watch(ctx)
	defer end()
	sign, err := r.signerFor(who)
	if err != nil || sign == nil {
		return sign != nil, err
	}
	_, err = sign(ctx, []byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\nnot a commit\n"))
	return true, err
}

// Hook is one of the hooks after which files or branches may be others.
type Hook struct {
	File      string
	Installed bool // it has our line, and git runs it
	Old       bool // the line calls something else than InstallHooks would have it call now
}

// Hooks tells which hooks have the line that InstallHooks with the same commands makes.
func (r *Repo) Hooks(commands HookCommands) ([]Hook, error) {
	dir, team, err := r.hookFolder()
	if err != nil {
		return nil, err
	}
	line := hookLine(commands, team)
	var all []Hook
	for _, name := range r.hookNames() {
		h := Hook{File: filepath.Join(dir, name)}
		for _, file := range []string{h.File, h.File + legacyHook} {
			info, err := os.Lstat(file)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			script, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("read the hook %s: %w", file, err)
			}
			if strings.Contains(string(script), hookMark) {
				h.File, h.Installed, h.Old = file, runs(info, dir), !strings.Contains(string(script), line)
			}
		}
		all = append(all, h)
	}
	return all, nil
}

// runs says whether git runs a hook: husky calls its own by sh, so they need not be executable.
func runs(info fs.FileInfo, dir string) bool {
	return executable(info) || filepath.Base(dir) == ".husky"
}
