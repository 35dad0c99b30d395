package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// folder is a remote that is a repository on this disk: its objects are read and its reference is moved by the same code
// as ours. It has none of a server's manners, so a repository that wants them (hooks, a working tree) is left to the git
// program.
type folder struct {
	r    *Repo
	path string
	*place
	viaGit *viaGit // for what git should do
	hooks  string  // the folder of its hooks
	tree   string  // its working tree, "" when bare
	gitDir string
}

// manyCommits is where walking them one by one loses against git's own fetch.
const manyCommits = 500

func (r *Repo) newFolder(ctx context.Context, path string, viaGit *viaGit) (remote, error) {
	f, err := findAt(path)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w: %w", r.o.Remote, ErrNoRemote, err)
	}
	if _, err := checkOwner(ctx, f, r.git, r.o.Trust); err != nil {
		return nil, fmt.Errorf("remote %s: %w", r.o.Remote, err)
	}
	if err := checkFormat(f.commonDir); err != nil {
		if r.git != nil {
			return viaGit, nil
		}
		return nil, fmt.Errorf("remote %s: %w", r.o.Remote, err)
	}
	set, err := readSettings(ctx, r.git, f.gitDir, f.commonDir)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", r.o.Remote, err)
	}
	if r.facts.Shallow || r.facts.Partial {
		if r.git == nil {
			return nil, fmt.Errorf("a shallow or partial clone of a folder without a git program is %w; git fetch --unshallow", ErrUnsupported)
		}
		return viaGit, nil
	}
	p, err := openPlace(f.commonDir, set, r.now)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", r.o.Remote, err)
	}
	p.step = func(name string) { r.step("remote " + name) }
	p.objects.reads = r.objects.reads
	facts := factsOf(f, set, nil, "", len(*p.shallow.Load()) > 0)
	d := &folder{r: r, path: path, place: p, viaGit: viaGit, tree: facts.WorkTree, gitDir: f.gitDir}
	if d.hooks = or(set.file("core.hookspath"), filepath.Join(f.commonDir, "hooks")); !filepath.IsAbs(d.hooks) {
		d.hooks = filepath.Join(or(f.workTree, f.gitDir), d.hooks)
	}
	return d, nil
}

// findAt is git's search for a repository that a path names: the folder's .git, the folder, the folder with .git added.
func findAt(path string) (found, error) {
	for _, at := range []string{filepath.Join(path, ".git"), path, path + ".git"} {
		info, err := os.Stat(at)
		switch {
		case err != nil:
		case info.IsDir() && isGitDir(at):
			f := found{gitDir: at}
			if filepath.Base(at) == ".git" {
				f.workTree = filepath.Dir(at)
			}
			return withCommonDir(f)
		case !info.IsDir():
			if gitDir, err := readGitFile(at); err == nil {
				return withCommonDir(found{gitDir: gitDir, workTree: filepath.Dir(at)})
			}
		}
	}
	return found{}, fmt.Errorf("%s is %w", path, ErrNotRepo)
}

// hook names a hook that git would run when it receives a push. They come and go while we are running.
func (d *folder) hook() string {
	for _, name := range []string{"pre-receive", "update", "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout"} {
		if info, err := os.Stat(filepath.Join(d.hooks, name)); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return name
		}
	}
	return ""
}

func (d *folder) close() error { return d.objects.close() }

func (d *folder) list(context.Context) (advertised, error) {
	all, err := d.refs.list("refs/heads/")
	if err != nil {
		return advertised{}, err
	}
	head, _, err := readHead(d.gitDir, d.refs)
	if err != nil || head == "" {
		return advertised{refs: all}, nil // a HEAD that cannot be read is not the branch we look for
	}
	return advertised{all, "refs/heads/" + head}, nil
}

func (d *folder) fetch(ctx context.Context, want map[string]hash) (*packed, error) {
	have, err := d.r.refTips()
	if err != nil {
		return nil, err
	}
	var objects []hash
	for _, name := range sortedKeys(want) {
		commits, err := d.ahead(want[name], have)
		if err != nil {
			return nil, err
		}
		if len(commits) > manyCommits && d.r.git != nil {
			return d.viaGit.fetch(ctx, want)
		}
		more, err := d.newObjects(commits)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
		have = append(have, want[name])
	}
	slices.SortStableFunc(objects, func(a, b hash) int { return slices.Compare(a[:], b[:]) })
	if objects = slices.Compact(objects); len(objects) == 0 {
		return nil, nil
	}
	return d.r.writePack(len(objects), d.objectAt(objects))
}

func (d *folder) push(ctx context.Context, u update) ([]string, error) {
	hook := d.hook()
	if d.r.git != nil && (hook != "" || d.tree != "") {
		return d.viaGit.push(ctx, u)
	}
	if hook != "" {
		return nil, fmt.Errorf("push to %s: it has the hook %s, and a push past its hooks is %w; install git", d.path, hook, ErrUnsupported)
	}
	if d.tree != "" {
		trees, err := worktreesOf(d.common, d.tree)
		if err != nil {
			return nil, err
		}
		for _, tree := range trees {
			if tree.holds(u.ref) {
				return nil, &Refused{Ref: u.ref, Status: "branch is currently checked out", Said: []string{tree.path}}
			}
		}
	}
	have, ok, err := d.refs.read(u.ref)
	if err != nil {
		return nil, err
	}
	if ok && have == u.to {
		return nil, nil
	}
	if have != u.old {
		return nil, &movedError{u.ref, u.old, have}
	}
	return nil, d.deliver(ctx, u)
}

// deliver puts the pack into the other repository and moves its reference, in the order of our own commits.
func (d *folder) deliver(ctx context.Context, u update) error {
	all, err := d.refs.list("refs/heads/")
	if err != nil {
		return err
	}
	have := make([]hash, 0, len(all))
	for _, h := range all {
		have = append(have, h)
	}
	pack, err := d.copyPack(u, have)
	if err != nil {
		return err
	}
	d.step("packed")
	release, err := d.guard(ctx)
	if err != nil {
		return errors.Join(err, os.Remove(pack.tmp))
	}
	defer release()
	if len(pack.objects) == 0 { // a fast-forward to what it has
		if err := os.Remove(pack.tmp); err != nil {
			return err
		}
	} else {
		_, unreserve, err := d.install(pack)
		if err != nil {
			return err
		}
		defer unreserve()
	}
	return d.refs.swapGuarded(ctx, u.ref, u.old, u.to, reason{what: "push"})
}

func (d *folder) copyPack(u update, have []hash) (*packed, error) {
	f, err := d.tempPack()
	if err != nil {
		return nil, err
	}
	p := &packed{tmp: f.Name()}
	p.sum, p.objects, err = u.pack(f, have)
	if err = errors.Join(err, f.Sync(), d.perm.readOnly(f), f.Close()); err != nil {
		_ = os.Remove(p.tmp)
		return nil, fmt.Errorf("write pack into %s: %w", d.path, err)
	}
	return p, nil
}
