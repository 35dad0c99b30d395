package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/locsync/locsync/gitops/object"
)

// References as files, moved the way git moves them (refs/files-backend): the lock of a reference is the file
// <ref>.lock, made exclusively; under it the value is read, compared, and the lock file renamed into place. Readers
// never see a half-written value and two movers never both succeed.
//
// On top of git's protocol: everything is synced, and the lock file is a hard link of a file of our own (<common
// dir>/locsync-git/), so that a lock which a killed process of ours left is recognised by its inode and removed. A
// lock that is not ours is never touched. All of it happens under one lock per repository among the processes of this
// package, which makes "left by a killed process" a certainty.
type refs struct {
	*place
	logs string // core.logAllRefUpdates: "true", "always" or "false"
}

const ourDir = "locsync-git"

// lockPatience is how long somebody else's lock of a reference or of packed-refs is waited for. git gives up after
// 0.1 s for a reference and 1 s for packed-refs.
const lockPatience = time.Second

// movedError is a reference that had another value than the one expected.
type movedError struct {
	name       string
	want, have hash
}

func (e *movedError) Error() string {
	show := func(h hash) string {
		if h.IsZero() {
			return "nothing"
		}
		return h.String()[:12]
	}
	return fmt.Sprintf("%s is at %s, not at %s", e.name, show(e.have), show(e.want))
}

func (e *movedError) Is(target error) bool { return target == ErrMoved }

// reason is what a move writes into the reflog.
type reason struct {
	who  Person
	what string
}

func logRule(set settings) string {
	v := strings.ToLower(set.get("core.logallrefupdates"))
	switch {
	case v == "always":
		return v
	case v == "" && !set.bool("core.bare", false), v != "" && set.bool("core.logallrefupdates", false):
		return "true"
	}
	return "false"
}

// guard takes the lock among our own processes and clears away what a killed one left behind.
func (p *place) guard(ctx context.Context) (release func(), err error) {
	dir := filepath.Join(p.common, ourDir)
	if err := p.perm.MkdirAll(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o666))
	ok, err := lock.TryLockContext(ctx, 3*time.Millisecond)
	if err != nil || !ok {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("wait for another locsync in %s: %w", p.common, err)
	}
	if err := p.sweep(dir); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// sweep removes reference locks, pack reservations and unfinished packs of processes that were killed. The caller holds
// the guard, so whoever made the first two is gone; packs are written outside it, hence the hour for unfinished ones.
func (p *place) sweep(dir string) error {
	left, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	p.objects.SweepUnfinished()
	for _, e := range left {
		escaped, ok := strings.CutPrefix(e.Name(), "ref-")
		name, err := url.PathUnescape(escaped)
		if !ok || err != nil {
			continue
		}
		mine := filepath.Join(dir, e.Name())
		lock := p.file(name) + ".lock"
		if sameFile(mine, lock) {
			if err := os.Remove(lock); err != nil {
				return err
			}
		}
		if err := os.Remove(mine); err != nil {
			return err
		}
	}
	return p.objects.SweepPacks()
}

// file is where a reference, or packed-refs, is written: where packed-refs is a link, as git does, behind it.
func (p *place) file(name string) string {
	target := filepath.Join(p.common, filepath.FromSlash(name))
	if name == "packed-refs" {
		if real, err := filepath.EvalSymlinks(target); err == nil {
			return real
		}
	}
	return target
}

func sameFile(a, b string) bool {
	ai, err := os.Lstat(a)
	if err != nil {
		return false
	}
	bi, err := os.Lstat(b)
	return err == nil && os.SameFile(ai, bi)
}

// read gives a reference's value; false when there is none. Symbolic references are followed five deep.
func (r *refs) read(name string) (hash, bool, error) {
	for range 5 {
		h, target, ok, err := r.readOnce(name)
		if err != nil || target == "" {
			return h, ok, err
		}
		name = target
	}
	return hash{}, false, fmt.Errorf("reference %s: more than five symbolic references in a row", name)
}

// readOnce looks among the files, then in packed-refs, then among the files again: a reference may be packed, or
// unpacked by a move, between the looks.
func (r *refs) readOnce(name string) (h hash, symbolic string, ok bool, err error) {
	for range 2 {
		if h, symbolic, ok, err = r.readLoose(name); ok || err != nil {
			return h, symbolic, ok, err
		}
		packed, err := r.packed()
		if err != nil {
			return hash{}, "", false, err
		}
		if h, ok = packed.find(name); ok {
			return h, "", true, nil
		}
		if packed == nil {
			break
		}
	}
	return hash{}, "", false, nil
}

func (r *refs) readLoose(name string) (h hash, symbolic string, ok bool, err error) {
	content, err := os.ReadFile(filepath.Join(r.common, filepath.FromSlash(name)))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || isDirectory(err) {
			return hash{}, "", false, nil
		}
		return hash{}, "", false, err
	}
	line := strings.TrimSpace(string(content))
	if target, is := strings.CutPrefix(line, "ref:"); is {
		return hash{}, strings.TrimSpace(target), true, nil
	}
	if h, ok = object.Parse(line); !ok {
		return hash{}, "", false, fmt.Errorf("reference %s is damaged: it holds %.60q; git reflog may know its last value", name, line)
	}
	return h, "", true, nil
}

func isDirectory(err error) bool { return errors.Is(err, syscall.EISDIR) }

func (r *refs) packedFile() string { return filepath.Join(r.common, "packed-refs") }

// packedRefs is the content of packed-refs, which may be large and is searched as it is.
type packedRefs []byte

func (r *refs) packed() (packedRefs, error) {
	content, err := os.ReadFile(r.packedFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// find gives the value of one reference.
func (p packedRefs) find(name string) (hash, bool) {
	end := append([]byte(" "+name), '\n')
	for from := 0; ; {
		i := bytes.Index(p[from:], end)
		if i < 0 {
			return hash{}, false
		}
		at := from + i
		if line := p[bytes.LastIndexByte(p[:at], '\n')+1 : at]; line[0] != '#' {
			return object.Parse(string(line))
		}
		from = at + len(end)
	}
}

// below gives the references with a prefix.
func (p packedRefs) below(prefix string) map[string]hash {
	found := map[string]hash{}
	for line := range bytes.Lines(p) {
		value, name, _ := bytes.Cut(line, []byte(" "))
		if !bytes.HasPrefix(name, []byte(prefix)) {
			continue
		}
		if h, ok := object.Parse(string(value)); ok {
			found[string(bytes.TrimRight(name, "\r\n"))] = h
		}
	}
	return found
}

// list gives all references below a prefix that ends in a slash: the files first, because what is packed meanwhile is
// in packed-refs before its file goes.
func (r *refs) list(prefix string) (map[string]hash, error) {
	loose := map[string]hash{}
	top := filepath.Join(r.common, filepath.FromSlash(strings.TrimSuffix(prefix, "/")))
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		rel, err := filepath.Rel(r.common, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if h, ok, err := r.read(name); err == nil && ok {
			loose[name] = h
		}
		return nil // one damaged reference is no reason not to see the others
	})
	if err != nil {
		return nil, err
	}
	packed, err := r.packed()
	if err != nil {
		return nil, err
	}
	all := packed.below(prefix)
	maps.Copy(all, loose)
	return all, nil
}

// checkRefName applies git-check-ref-format(1) to a full name.
func checkRefName(name string) error {
	bad := strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") || !strings.HasPrefix(name, "refs/") ||
		strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f || strings.ContainsRune(" ~^:?*[\\", c) })
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return fmt.Errorf("%q is no valid reference name (git check-ref-format says why)", name)
	}
	return nil
}

// swap moves a reference from old to new; a zero old means that it must not exist, and is created. The commit must be
// in the store. Errors: ErrMoved, ErrBusy when somebody holds the lock.
func (r *refs) swap(ctx context.Context, name string, old, to hash, why reason) error {
	release, err := r.guard(ctx)
	if err != nil {
		return err
	}
	defer release()
	return r.swapGuarded(ctx, name, old, to, why)
}

// swapGuarded is swap for a caller that holds the guard.
func (r *refs) swapGuarded(ctx context.Context, name string, old, to hash, why reason) error {
	if err := checkRefName(name); err != nil {
		return err
	}
	lock, err := r.lock(ctx, name, to.String()+"\n")
	if err != nil {
		return err
	}
	defer lock.drop()
	r.step("locked")
	if err := r.compare(name, old); err != nil {
		return err
	}
	if old.IsZero() {
		if err := r.checkClash(name); err != nil {
			return err
		}
	}
	r.log(name, old, to, why)
	r.step("logged")
	return lock.commit()
}

// compare reads a reference under its lock.
func (r *refs) compare(name string, old hash) error {
	have, symbolic, _, err := r.readOnce(name)
	if err != nil {
		return err
	}
	if symbolic != "" {
		return fmt.Errorf("%s is a symbolic reference to %s: moving it is %w; name the other branch", name, symbolic, ErrUnsupported)
	}
	if have != old {
		return &movedError{name, old, have}
	}
	return nil
}

// checkClash refuses a/b beside a, and a beside a/b: the names of one cannot be a folder of the other.
func (r *refs) checkClash(name string) error {
	others, err := r.list(name + "/")
	if err != nil {
		return err
	}
	for folder := path.Dir(name); strings.Count(folder, "/") > 1; folder = path.Dir(folder) {
		h, ok, err := r.read(folder)
		if err != nil {
			return err
		}
		if ok {
			others[folder] = h
		}
	}
	for _, other := range sortedKeys(others) {
		return &clashError{name, other}
	}
	return nil
}

// clashError is a branch that would have to be a folder of another one, or the other way round.
type clashError struct{ name, other string }

func (e *clashError) Error() string {
	return fmt.Sprintf("%s cannot exist beside %s; choose another branch name", e.name, e.other)
}

// remove deletes a reference that has the value old.
func (r *refs) remove(ctx context.Context, name string, old hash) error {
	release, err := r.guard(ctx)
	if err != nil {
		return err
	}
	defer release()
	lock, err := r.lock(ctx, name, "")
	if err != nil {
		return err
	}
	defer lock.drop()
	if err := r.compare(name, old); err != nil {
		return err
	}
	if err := r.unpack(ctx, name); err != nil {
		return err
	}
	r.step("unpacked ref")
	for _, gone := range []string{lock.target, r.logFile(name)} { // a log that stays would stand in the way of name/x
		if err = os.Remove(gone); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return err
		}
	}
	return object.SyncDir(filepath.Dir(lock.target))
}

// unpack takes a reference out of packed-refs, before its file goes: in between it still has its value.
func (r *refs) unpack(ctx context.Context, name string) error {
	packed, err := r.packed()
	if err != nil {
		return err
	}
	if _, in := packed.find(name); !in {
		return nil
	}
	lock, err := r.lock(ctx, "packed-refs", "")
	if err != nil {
		return err
	}
	defer lock.drop()
	content, err := os.ReadFile(r.packedFile())
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	peeled := false // the line after ours is the object behind our tag
	for line := range bytes.Lines(content) {
		if bytes.HasPrefix(line, []byte("^")) && peeled {
			continue
		}
		_, in, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if peeled = in == name && line[0] != '#'; !peeled {
			kept.Write(line)
		}
	}
	if err := lock.rewrite(kept.Bytes()); err != nil {
		return err
	}
	return lock.commit()
}
