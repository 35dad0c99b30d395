package ref

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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/locsync/locsync/gitops/object"
)

// Files are references as files, moved the way git moves them (refs/files-backend): the lock of a reference is the
// file <ref>.lock, made exclusively; under it the value is read, compared, and the lock file renamed into place.
// Readers never see a half-written value and two movers never both succeed.
//
// On top of git's protocol: everything is synced, and the lock file is a hard link of a file of our own (<common
// dir>/locsync-git/), so that a lock which a killed process of ours left is recognised by its inode and removed. A
// lock that is not ours is never touched. All of it happens under one lock per repository among the processes of this
// package, which makes "left by a killed process" a certainty.
type Files struct {
	Common string // the folder that they are in
	Perm   object.Permissions
	Now    func() time.Time
	Step   func(string) // called between the steps of a write; the tests end the process there
	Sweep  func() error // clears away what else a killed process left
	Logs   string       // core.logAllRefUpdates: "true", "always" or "false"
}

// OurDir is the folder of our own in a repository.
const OurDir = "locsync-git"

// lockPatience is how long somebody else's lock of a reference or of packed-refs is waited for. git gives up after
// 0.1 s for a reference and 1 s for packed-refs.
const lockPatience = time.Second

// Guard takes the lock among our own processes and clears away what a killed one left behind.
func (r *Files) Guard(ctx context.Context) (release func(), err error) {
	dir := filepath.Join(r.Common, OurDir)
	if err := r.Perm.MkdirAll(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o666))
	ok, err := lock.TryLockContext(ctx, 3*time.Millisecond)
	if err != nil || !ok {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("wait for another locsync in %s: %w", r.Common, err)
	}
	if err := r.sweep(dir); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// sweep removes reference locks, pack reservations and unfinished packs of processes that were killed. The caller holds
// the guard, so whoever made the first two is gone; packs are written outside it, hence the hour for unfinished ones.
func (r *Files) sweep(dir string) error {
	left, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range left {
		escaped, ok := strings.CutPrefix(e.Name(), "ref-")
		name, err := url.PathUnescape(escaped)
		if !ok || err != nil {
			continue
		}
		mine := filepath.Join(dir, e.Name())
		lock := r.file(name) + ".lock"
		if sameFile(mine, lock) {
			if err := os.Remove(lock); err != nil {
				return err
			}
		}
		if err := os.Remove(mine); err != nil {
			return err
		}
	}
	return r.Sweep()
}

// file is where a reference, or packed-refs, is written: where packed-refs is a link, as git does, behind it.
func (r *Files) file(name string) string {
	target := filepath.Join(r.Common, filepath.FromSlash(name))
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

// Read gives a reference's value; false when there is none. Symbolic references are followed five deep.
func (r *Files) Read(name string) (object.Name, bool, error) {
	for range 5 {
		h, target, ok, err := r.ReadOnce(name)
		if err != nil || target == "" {
			return h, ok, err
		}
		name = target
	}
	return object.Name{}, false, fmt.Errorf("reference %s: more than five symbolic references in a row", name)
}

// ReadOnce looks among the files, then in packed-refs, then among the files again: a reference may be packed, or
// unpacked by a move, between the looks.
func (r *Files) ReadOnce(name string) (h object.Name, symbolic string, ok bool, err error) {
	for range 2 {
		if h, symbolic, ok, err = r.readLoose(name); ok || err != nil {
			return h, symbolic, ok, err
		}
		packed, err := r.packed()
		if err != nil {
			return object.Name{}, "", false, err
		}
		if h, ok = packed.find(name); ok {
			return h, "", true, nil
		}
		if packed == nil {
			break
		}
	}
	return object.Name{}, "", false, nil
}

func (r *Files) readLoose(name string) (h object.Name, symbolic string, ok bool, err error) {
	content, err := os.ReadFile(filepath.Join(r.Common, filepath.FromSlash(name)))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || isDirectory(err) {
			return object.Name{}, "", false, nil
		}
		return object.Name{}, "", false, err
	}
	line := strings.TrimSpace(string(content))
	if target, is := strings.CutPrefix(line, "ref:"); is {
		return object.Name{}, strings.TrimSpace(target), true, nil
	}
	if h, ok = object.Parse(line); !ok {
		return object.Name{}, "", false, fmt.Errorf(
			"reference %s is damaged: it holds %.60q; git reflog may know its last value", name, line)
	}
	return h, "", true, nil
}

func isDirectory(err error) bool { return errors.Is(err, syscall.EISDIR) }

func (r *Files) packedFile() string { return filepath.Join(r.Common, "packed-refs") }

// packedRefs is the content of packed-refs, which may be large and is searched as it is.
type packedRefs []byte

func (r *Files) packed() (packedRefs, error) {
	content, err := os.ReadFile(r.packedFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// find gives the value of one reference.
func (p packedRefs) find(name string) (object.Name, bool) {
	end := append([]byte(" "+name), '\n')
	for from := 0; ; {
		i := bytes.Index(p[from:], end)
		if i < 0 {
			return object.Name{}, false
		}
		at := from + i
		if line := p[bytes.LastIndexByte(p[:at], '\n')+1 : at]; line[0] != '#' {
			return object.Parse(string(line))
		}
		from = at + len(end)
	}
}

// below gives the references with a prefix.
func (p packedRefs) below(prefix string) map[string]object.Name {
	found := map[string]object.Name{}
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

// List gives all references below a prefix that ends in a slash: the files first, because what is packed meanwhile is
// in packed-refs before its file goes.
func (r *Files) List(prefix string) (map[string]object.Name, error) {
	loose := map[string]object.Name{}
	top := filepath.Join(r.Common, filepath.FromSlash(strings.TrimSuffix(prefix, "/")))
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		rel, err := filepath.Rel(r.Common, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if h, ok, err := r.Read(name); err == nil && ok {
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

// SwapGuarded implements Store.
func (r *Files) SwapGuarded(ctx context.Context, name string, old, to object.Name, why string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	lock, err := r.lock(ctx, name, to.String()+"\n")
	if err != nil {
		return err
	}
	defer lock.drop()
	r.Step("locked")
	if err := r.compare(name, old); err != nil {
		return err
	}
	if old.IsZero() {
		if err := r.checkClash(name); err != nil {
			return err
		}
	}
	r.log(name, old, to, why)
	r.Step("logged")
	return lock.commit()
}

// compare reads a reference under its lock.
func (r *Files) compare(name string, old object.Name) error {
	have, symbolic, _, err := r.ReadOnce(name)
	if err != nil {
		return err
	}
	if symbolic != "" {
		return symbolicError(name, symbolic)
	}
	if have != old {
		return &Moved{name, old, have}
	}
	return nil
}

// checkClash refuses a/b beside a, and a beside a/b: the names of one cannot be a folder of the other.
func (r *Files) checkClash(name string) error {
	others, err := r.List(name + "/")
	if err != nil {
		return err
	}
	for folder := path.Dir(name); strings.Count(folder, "/") > 1; folder = path.Dir(folder) {
		h, ok, err := r.Read(folder)
		if err != nil {
			return err
		}
		if ok {
			others[folder] = h
		}
	}
	for _, other := range sortedKeys(others) {
		return &Clash{name, other}
	}
	return nil
}

// Remove deletes a reference that has the value old.
func (r *Files) Remove(ctx context.Context, name string, old object.Name) error {
	release, err := r.Guard(ctx)
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
	r.Step("unpacked ref")
	for _, gone := range []string{lock.target, r.logFile(name)} { // a log that stays would stand in the way of name/x
		if err = os.Remove(gone); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return err
		}
	}
	return object.SyncDir(filepath.Dir(lock.target))
}

// unpack takes a reference out of packed-refs, before its file goes: in between it still has its value.
func (r *Files) unpack(ctx context.Context, name string) error {
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

// Head implements Store.
func (r *Files) Head(gitDir string) (symbolic string, h object.Name, err error) {
	content, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return "", object.Name{}, err
	}
	line := strings.TrimSpace(string(content))
	if target, ok := strings.CutPrefix(line, "ref:"); ok {
		return strings.TrimSpace(target), object.Name{}, nil
	}
	h, ok := object.Parse(line)
	if !ok {
		return "", object.Name{}, fmt.Errorf("HEAD holds %.60q, neither a reference nor a commit", line)
	}
	return "", h, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
