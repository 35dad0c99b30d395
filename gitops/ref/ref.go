// Package ref reads and moves the references of a repository. A reference moves only from the value that was just
// compared.
package ref

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/sync/bound"
)

// Errors that callers branch on.
var (
	ErrMoved       = errors.New("the branch moved")
	ErrBusy        = errors.New("git is busy in the repository")
	ErrUnsupported = errors.New("not supported")
)

// Moved is a reference that had another value than the one expected.
type Moved struct {
	Name       string
	Want, Have object.Name
}

func (e *Moved) Error() string {
	show := func(h object.Name) string {
		if h.IsZero() {
			return "nothing"
		}
		return h.String()[:12]
	}
	return fmt.Sprintf("%s is at %s, not at %s", e.Name, show(e.Have), show(e.Want))
}

func (e *Moved) Is(target error) bool { return target == ErrMoved }

// Clash is a branch that would have to be a folder of another one, or the other way round.
type Clash struct{ Name, Other string }

func (e *Clash) Error() string {
	return fmt.Sprintf("%s cannot exist beside %s; choose another branch name", e.Name, e.Other)
}

// CheckName applies git-check-ref-format(1) to a full name.
func CheckName(name string) error {
	bad := strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") ||
		!strings.HasPrefix(name, "refs/") ||
		strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f || strings.ContainsRune(" ~^:?*[\\", c) })
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return fmt.Errorf("%q is not a valid reference name (git check-ref-format says why)", name)
	}
	return nil
}

// Store is the references of one repository. git lists and moves them (git for-each-ref, git update-ref): it knows the
// locks, what is packed, logs and hooks, and every way of keeping references. One that is a file of its own is read in
// this process: a pass asks for some twenty, each of which would be another. go-git, which could, takes a file that is
// damaged for a reference that is absent.
type Store struct {
	Git   *run.Program
	Dir   string // the git folder that they are in
	ByGit bool   // they are not files (reftable)
	Now   func() time.Time
	Step  func(string) // called between the steps of a write; the tests end the process there
}

// ours is below what references are that only this program moves.
var ours = []string{"refs/locsync/", "refs/locsync-outbox/"}

// patience are git's settings for how long a lock of another process is waited for; its own choice is 0.1 s.
var patience = []string{"-c", "core.filesRefLockTimeout=1000"}

func (s *Store) run(ctx context.Context, gitDir string, c run.Call) (stdout, stderr string, err error) {
	c.Dir, c.Env = gitDir, append(c.Env, "GIT_DIR="+gitDir)
	out, stderr, err := s.Git.RunBoth(ctx, c)
	return strings.TrimSuffix(string(out), "\n"), stderr, err
}

// Read gives a reference's value; false when there is none. Symbolic references are followed five deep.
func (s *Store) Read(name string) (object.Name, bool, error) {
	for range 5 {
		h, target, ok, err := s.ReadOnce(name)
		if err != nil || target == "" {
			return h, ok, err
		}
		name = target
	}
	return object.Name{}, false, fmt.Errorf("reference %s: more than five symbolic references in a row", name)
}

// ReadOnce gives a value, or the name that a symbolic reference holds. What is damaged is an error.
func (s *Store) ReadOnce(name string) (h object.Name, symbolic string, ok bool, err error) {
	if !s.ByGit {
		if h, symbolic, ok, err = s.readLoose(name); ok || err != nil || !s.mayBePacked(name) {
			return h, symbolic, ok, err
		}
	}
	said, err := s.each(name, func(found string, value object.Name, target string) {
		if found == name {
			h, symbolic, ok = value, target, true
		}
	})
	if err == nil && !ok && strings.Contains(said, name) { // git passes over one that it cannot read
		err = fmt.Errorf("reference %s is damaged: %s", name, run.LastLines(said, 1))
	}
	return h, symbolic, ok, err
}

// mostRef bounds the file of a reference, which holds one name.
const mostRef = 64 << 10

func (s *Store) readLoose(name string) (h object.Name, symbolic string, ok bool, err error) {
	content, err := bound.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(name)), mostRef)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, bound.ErrNoFile) {
		return object.Name{}, "", false, nil
	}
	if err != nil {
		return object.Name{}, "", false, err
	}
	h, symbolic, err = valueOf(name, content)
	return h, symbolic, err == nil, err
}

// mostPacked bounds the file of packed references that is searched here: some 12,000 of them. In a larger one git is
// quicker.
const mostPacked = 1 << 20

// mayBePacked says whether git is to be asked for a reference without a file of its own: git names a reference among
// those that are packed before it removes its file.
func (s *Store) mayBePacked(name string) bool {
	content, err := bound.ReadFile(filepath.Join(s.Dir, "packed-refs"), mostPacked)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(s.Dir) // where the repository is gone, git says so
	}
	return err != nil || bytes.Contains(content, []byte(" "+name+"\n"))
}

// valueOf is what the file of a reference holds.
func valueOf(name string, content []byte) (h object.Name, symbolic string, err error) {
	line := strings.TrimSpace(string(content))
	if target, is := strings.CutPrefix(line, "ref:"); is {
		return object.Name{}, strings.TrimSpace(target), nil
	}
	h, ok := object.Parse(line)
	if !ok {
		err = fmt.Errorf("reference %s is damaged: it holds %.60q; git reflog may know its last value", name, line)
	}
	return h, "", err
}

// List gives all references below a prefix that ends in a slash. Damaged ones are passed over.
func (s *Store) List(prefix string) (map[string]object.Name, error) {
	all := map[string]object.Name{}
	_, err := s.each(prefix, func(name string, h object.Name, _ string) { all[name] = h })
	return all, err
}

// each gives the references that have a name or are below it.
func (s *Store) each(name string, found func(name string, h object.Name, symbolic string)) (said string, err error) {
	out, said, err := s.run(context.Background(), s.Dir,
		run.Call{Args: []string{"for-each-ref", "--format=%(refname) %(objectname) %(symref)", name}})
	for line := range strings.Lines(out) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if h, ok := object.Parse(parts[min(1, len(parts)-1)]); ok {
			found(parts[0], h, parts[len(parts)-1])
		}
	}
	return said, err
}

// Head is what HEAD of a git folder names: a reference, or a commit.
func (s *Store) Head(gitDir string) (symbolic string, h object.Name, err error) {
	if !s.ByGit {
		content, err := bound.ReadFile(filepath.Join(gitDir, "HEAD"), mostRef)
		if err != nil {
			return "", h, err
		}
		h, symbolic, err = valueOf("HEAD", content)
		return symbolic, h, err
	}
	if _, err := os.Stat(gitDir); err != nil {
		return "", h, err
	}
	ctx := context.Background()
	symbolic, _, err = s.run(ctx, gitDir, run.Call{Args: []string{"symbolic-ref", "-q", "HEAD"}})
	var detached *run.Error
	if !errors.As(err, &detached) || detached.Exit != 1 {
		return symbolic, h, err
	}
	commit, _, err := s.run(ctx, gitDir, run.Call{Args: []string{"rev-parse", "--verify", "HEAD"}})
	h, _ = object.Parse(commit)
	return "", h, err
}

// Move is a reference that goes from one value to another. A zero Old means that it must not exist, a zero To that it
// goes.
type Move struct {
	Name    string
	Old, To object.Name
}

// Swap makes one move.
func (s *Store) Swap(ctx context.Context, name string, old, to object.Name, why string) error {
	return s.SwapAll(ctx, why, Move{name, old, to})
}

// SwapAll makes all of some moves, or none. The commits must be in the repository. Errors, of the first move that
// cannot be made: *Moved, *Clash, ErrBusy when its lock is held.
func (s *Store) SwapAll(ctx context.Context, why string, moves ...Move) error {
	var in []byte
	for _, m := range moves {
		if err := s.movable(m); err != nil {
			return err
		}
		in = fmt.Appendf(in, "update %s %s %s\n", m.Name, zeros(m.To, m.Old), zeros(m.Old, m.To))
	}
	s.Step("to move " + moves[0].Name)
	now := s.Now()
	_, said, err := s.run(ctx, s.Dir, run.Call{Write: true, Stdin: in,
		Args: append(patience, "update-ref", "-m", cmp.Or(strings.Join(strings.Fields(why), " "), who), "--stdin"),
		Env: []string{"GIT_COMMITTER_NAME=" + who, "GIT_COMMITTER_EMAIL=" + email,
			"GIT_COMMITTER_DATE=" + fmt.Sprintf("@%d %s", now.Unix(), now.Format("-0700"))}})
	if err == nil {
		s.Step("moved " + moves[0].Name)
		return nil
	}
	return s.refused(moves, said, err)
}

// movable looks at what git would not: a symbolic reference, which it would follow. That is a file of its own; what
// others hold git compares.
func (s *Store) movable(m Move) error {
	if err := CheckName(m.Name); err != nil {
		return err
	}
	read := s.readLoose
	if s.ByGit {
		read = s.ReadOnce
	}
	have, symbolic, ok, err := read(m.Name)
	switch {
	case err != nil:
		return err
	case symbolic != "":
		return fmt.Errorf("%s is a symbolic reference to %s: moving it is %w; name the other branch", m.Name, symbolic,
			ErrUnsupported)
	case ok && have != m.Old:
		return &Moved{m.Name, m.Old, have}
	}
	return nil
}

// who is named in the log of a reference beside a move.
const who, email = "locsync", "locsync@localhost"

// zeros is a name, or as many zeros as the other has digits.
func zeros(h, like object.Name) string { return cmp.Or(h.Text(), object.FormatOf(like).Zeros()) }

// refused finds out why git made none of some moves.
func (s *Store) refused(moves []Move, said string, err error) error {
	var refused *run.Error
	if !errors.As(err, &refused) {
		return err
	}
	for _, m := range moves {
		have, _, rerr := s.Read(m.Name)
		switch {
		case rerr != nil:
			return errors.Join(err, rerr)
		case have != m.Old:
			return &Moved{m.Name, m.Old, have}
		}
	}
	if other, name, clash := strings.Cut(said, "' exists; cannot create '"); clash {
		name, _, _ = strings.Cut(name, "'")
		return &Clash{name, other[strings.LastIndex(other, "'")+1:]}
	}
	if strings.Contains(said, ".lock': File exists") {
		return fmt.Errorf("%s: %w: %w", moves[0].Name, ErrBusy, err)
	}
	return err
}

// locksLast is how long a lock of a reference that only this program moves can be held: git takes milliseconds.
const locksLast = time.Minute

// Sweep removes locks that a machine which stopped has left on references that only this program moves. Others may be
// in use, and what to do about them is told where one is in the way.
func (s *Store) Sweep() error {
	var errs []error
	for _, below := range ours {
		errs = append(errs, filepath.WalkDir(filepath.Join(s.Dir, filepath.FromSlash(below)), sweepLock))
	}
	return errors.Join(errs...)
}

// sweepLock removes a file that is a lock which no process can hold any more.
func sweepLock(file string, d fs.DirEntry, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || d.IsDir() || !strings.HasSuffix(file, ".lock") {
		return err
	}
	if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > locksLast {
		_ = os.Remove(file)
	}
	return nil
}
