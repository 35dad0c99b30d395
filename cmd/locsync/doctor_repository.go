package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/watch"
)

// checkout is a repository with the projects that use it in the same way.
type checkout struct {
	cfg      *config.Config
	projects []*config.Project // none: it is where the doctor was called, and there is no configuration
	dir      string
	repo     *fact[*gitops.Repo]
}

func (c *checkout) names() string {
	var names []string
	for _, p := range c.projects {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// cloned is the project whose repository is elsewhere; nil where it is on this machine.
func (c *checkout) cloned() *config.Project {
	if len(c.projects) > 0 && c.projects[0].Cloned() {
		return c.projects[0]
	}
	return nil
}

// watched says whether files of a working tree are watched.
func (c *checkout) watched() bool {
	return slices.ContainsFunc(c.projects, func(p *config.Project) bool { return !p.Cloned() && p.Push.Enabled && p.Push.Source == config.Worktree })
}

// findCheckouts begins to open every repository.
func (d *doctor) findCheckouts() []*checkout {
	if d.cfg == nil {
		c := &checkout{dir: "."}
		c.repo = newFact(func() (*gitops.Repo, error) {
			return gitops.Open(d.ctx, c.dir, gitops.Options{Remote: gitops.CloneRemote, Timeout: d.limit})
		})
		return []*checkout{c}
	}
	type use struct{ repository, remote, sign, key string }
	uses := make(map[use]*checkout)
	var all []*checkout
	for i := range d.cfg.Projects {
		p := &d.cfg.Projects[i]
		u := use{p.Repository, p.Pull.Remote, p.Pull.Sign, p.Pull.SigningKeyFile}
		c := uses[u]
		if c == nil {
			c = &checkout{cfg: d.cfg, dir: d.cfg.Resolve(p.Repository)}
			uses[u], all = c, append(all, c)
			c.repo = newFact(func() (*gitops.Repo, error) { return d.openCheckout(p) })
		}
		c.projects = append(c.projects, p)
	}
	return all
}

// openCheckout opens a project's repository. Of one that is elsewhere it makes a clone in the scratch folder, for which the remote is asked what branches it
// has and nothing is fetched; the clone that passes use may be in the middle of one.
func (d *doctor) openCheckout(p *config.Project) (*gitops.Repo, error) {
	o := gitops.Options{Remote: p.Pull.Remote, Trust: p.TrustOwner, Timeout: d.limit,
		Signing: gitops.Signing{Never: p.Pull.Sign == "never", KeyFile: d.cfg.Resolve(p.Pull.SigningKeyFile)}}
	if !p.Cloned() {
		return gitops.Open(d.ctx, d.cfg.Resolve(p.Repository), o)
	}
	if d.offline {
		return nil, errOffline
	}
	scratch, err := d.scratchFolder("clone")
	if err != nil {
		return nil, err
	}
	address, user, password := p.Address()
	o.Username, o.Password = user, password.Reveal()
	return gitops.OpenClone(d.ctx, filepath.Join(scratch, "clone.git"), address, o)
}

var errOffline = errors.New("nobody is called (--offline)")

func (d *doctor) looksAtCheckout(c *checkout) []look {
	const area = "repository"
	looks := []look{
		{area, c.names(), "repository", func(ctx context.Context, n *notes) { d.lookAtRepository(ctx, n, c) }},
		{area, c.names(), "remote", func(ctx context.Context, n *notes) { d.lookAtRemote(ctx, n, c) }},
	}
	if c.cfg != nil {
		looks = append(looks,
			look{area, c.names(), "signing", func(ctx context.Context, n *notes) { d.lookAtSigning(ctx, n, c) }},
			look{area, c.names(), "hooks", func(ctx context.Context, n *notes) { d.lookAtHooks(ctx, n, c) }})
	}
	return looks
}

func (d *doctor) lookAtRepository(ctx context.Context, n *notes, c *checkout) {
	repo, err := c.repo.get(ctx)
	if p := c.cloned(); p != nil {
		switch {
		case errors.Is(err, errOffline):
			n.skip("repository", err.Error())
		case err != nil:
			n.failed("repository", err, "look whether `git ls-remote` of that address works for this user")
		default:
			n.ok("repository", "%s is elsewhere and answers; its clone is kept beside the state", repo.Facts().RemoteURL)
		}
		return
	}
	if err != nil {
		do := "name the folder of a git repository in repository"
		if c.cfg == nil {
			n.skip("repository", "there is none here") // and a configuration that names one is missing, which is said already
			return
		}
		if errors.Is(err, gitops.ErrOwner) {
			do = "run locsync as its owner; or, if you trust it, set trust_owner = true in the project, or git's safe.directory"
		}
		n.failed("repository", err, do)
		return
	}
	facts := repo.Facts()
	n.ok("repository", "%s", describe(facts))
	branch, commit, err := repo.Head()
	switch {
	case err != nil:
		n.failed("branch", err, "look what `git status` says there")
		return
	case commit == "":
		n.fault("branch", exitWrong, "make the first commit", "there is no commit yet, and translations are built on one")
	default:
		d.lookAtBranch(n, c, repo, branch, commit)
	}
	if what := repo.Busy(); what != "" {
		n.warn("git", "finish it, or abort it; where git is not at work any more, remove what it left", "git is in the middle of something (%s): passes wait until it is done", what)
	}
	if free, ok := d.freeSpace(facts.CommonDir); ok && free < littleSpace {
		n.warn("disk", "make room there", "only %s is free for the repository", size(free))
	}
}

// describe is what kind of repository it is.
func describe(f gitops.Facts) string {
	kind, where := "a working tree", f.WorkTree
	switch {
	case f.Bare:
		kind, where = "a bare repository", f.GitDir
	case f.GitDir != f.CommonDir:
		kind = "a linked working tree"
	}
	if f.Shallow {
		kind += ", shallow"
	}
	if f.Partial {
		kind += ", a partial clone"
	}
	return where + ", " + kind
}

func (d *doctor) lookAtBranch(n *notes, c *checkout, repo *gitops.Repo, branch, commit string) {
	if branch == "" {
		n.warn("branch", "check a branch out, or set pull.base (and push.source) to one", "HEAD is detached, at %.10s: translations have no branch to build on", commit)
		return
	}
	n.ok("branch", "%s is checked out, at %.10s", branch, commit)
	for _, p := range c.projects {
		if p.Push.Source == config.Worktree && p.Push.Enabled && len(p.Push.Branches) > 0 && !p.Push.Covers(branch) {
			n.warn("branch", "check one of them out, or add this one to push.branches", "project %q is not pushed from %s, only from %s", p.Name, branch, strings.Join(p.Push.Branches, ", "))
		}
		base := p.Pull.Base
		if base == "" || p.PerBranch() || p.Pull.Remote != "" && repo.HasRemote(p.Pull.Remote) {
			continue // whether the remote has it, the remote says
		}
		if there, err := repo.HasBranch(base); err == nil && !there {
			n.fault("branch", exitWrong, "make that branch, or correct pull.base", "project %q builds translations on %s, which there is not", p.Name, base)
		}
	}
}

func (d *doctor) lookAtRemote(ctx context.Context, n *notes, c *checkout) {
	repo, err := c.repo.get(ctx)
	switch {
	case err != nil:
		n.skip("remote", "the repository cannot be opened")
		return
	case d.offline:
		n.skip("remote", errOffline.Error())
		return
	}
	remote := gitops.CloneRemote
	if len(c.projects) > 0 && c.cloned() == nil {
		remote = c.projects[0].Pull.Remote
	}
	switch {
	case remote == "":
		n.ok("remote", "none is configured (pull.remote): commits stay in this repository")
		return
	case !repo.HasRemote(remote) && remote == gitops.CloneRemote:
		n.ok("remote", "the repository has no %s: commits stay in it", remote)
		return
	case !repo.HasRemote(remote):
		n.fault("remote", exitWrong, fmt.Sprintf("git -C %s remote add %s ADDRESS, or set pull.remote", c.dir, remote), "no remote is called %q", remote)
		return
	}
	began := time.Now()
	branches, head, err := repo.Branches(ctx)
	if err != nil {
		n.failed("remote", err, "look whether `git ls-remote "+remote+"` works for this user")
		return
	}
	n.ok("remote", "%s answers in %s: %s, the default one is %s", repo.Facts().RemoteURL, rounded(time.Since(began)), plural(len(branches), "branch", "branches"), cmp.Or(head, "not told"))
	for _, p := range c.projects {
		if base := p.Pull.Base; base != "" && !p.PerBranch() && branches[base] == "" {
			if here, err := repo.HasBranch(base); err == nil && !here {
				n.fault("remote", exitWrong, "push that branch there, or correct pull.base", "project %q builds translations on %s, which it does not have", p.Name, base)
			}
		}
	}
	if !slices.ContainsFunc(c.projects, func(p *config.Project) bool { return p.Pull.Enabled }) {
		return
	}
	if err := repo.MayPush(ctx); err != nil {
		n.failed("pushing", err, "give this user the right to push there")
		return
	}
	n.ok("pushing", "it lets us in; whether a hook or a protected branch refuses a commit shows with the first one")
}

func rounded(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

func (d *doctor) lookAtSigning(ctx context.Context, n *notes, c *checkout) {
	repo, err := c.repo.get(ctx)
	if err != nil {
		n.skip("signing", "the repository cannot be opened")
		return
	}
	p := c.projects[0]
	signs, err := repo.TrySigning(ctx, gitops.Person{Name: p.Pull.AuthorName, Email: p.Pull.AuthorEmail})
	switch {
	case err != nil:
		n.failed("signing", err, `name a key that needs no passphrase, or set pull.sign = "never"`)
	case signs:
		n.ok("signing", "commits are signed, and the key works")
	default:
		n.ok("signing", "commits are not signed")
	}
}

func (d *doctor) lookAtHooks(ctx context.Context, n *notes, c *checkout) {
	repo, err := c.repo.get(ctx)
	if err != nil || c.cloned() != nil {
		if err == nil || errors.Is(err, errOffline) {
			n.ok("hooks", "its host rings by webhook")
		} else {
			n.skip("hooks", "the repository cannot be opened")
		}
		return
	}
	commands, err := hookCommands(c.cfg)
	if err != nil {
		n.failed("hooks", err, "look whether this program's file is still there")
		return
	}
	hooks, err := repo.Hooks(commands)
	if err != nil {
		n.failed("hooks", err, "let this user read them")
		return
	}
	installed := 0
	var old, silent []string
	for _, h := range hooks {
		switch {
		case h.Old:
			old = append(old, h.File)
		case h.Installed:
			installed++
		default:
			silent = append(silent, h.File)
		}
	}
	switch {
	case len(old) > 0:
		n.warn("hooks", "locsync hook install", "another program or configuration than this one is called by %s", strings.Join(old, ", "))
	case installed == len(hooks):
		n.ok("hooks", "git rings the daemon")
	case installed > 0:
		n.warn("hooks", "locsync hook install; a hook that git is to run must be executable", "%d of %d ring the daemon, and not %s", installed, len(hooks), strings.Join(silent, ", "))
	default:
		n.ok("hooks", "none is installed, and none is needed; `locsync hook install` lets git ring the daemon")
	}
}

// lookAtFiles reads every file as passes would, and asks of those that translations are written to whether they can be.
func (d *doctor) lookAtFiles(ctx context.Context, n *notes) {
	here := *d.cfg
	here.Projects = slices.DeleteFunc(slices.Clone(d.cfg.Projects), func(p config.Project) bool { return p.Cloned() })
	switch {
	case len(here.Projects) == 0:
		n.skip("files", "they are elsewhere; `locsync check` fetches and reads them")
		return
	case d.noRepository(ctx):
		n.skip("files", "the repository cannot be opened")
		return
	}
	report, err := engine.New(engine.Parts{Config: &here, Log: zap.NewNop()}).Check(ctx)
	if err != nil {
		n.failed("files", err, "locsync check")
		return
	}
	for _, p := range report.Projects {
		bad, odd, misfit := 0, 0, false
		for _, problem := range p.Problems {
			misfit = misfit || problem.Configuration
			if problem.Severity == engine.Error {
				bad++
			} else {
				odd++
			}
		}
		told := fmt.Sprintf("%s: %s, %s in the source", p.Name, count(len(p.Files), "file"), count(p.Keys, "key"))
		switch {
		case misfit:
			n.fault("files", exitWrong, "`locsync check` names the lines of the configuration", "%s; the configuration does not fit them", told)
		case bad > 0:
			n.fault("files", exitPartial, "`locsync check` lists them with what to do", "%s, %s: that much would be left out", told, count(bad, "error"))
		case len(p.Files) == 0:
			n.warn("files", "correct source in [[project.files]]", "%s: no file matches", p.Name)
		case odd > 0:
			n.warn("files", "`locsync check` lists them with what to do", "%s, %s", told, count(odd, "warning"))
		default:
			n.ok("files", "%s, nothing wrong", told)
		}
	}
	d.lookAtFilters(ctx, n, report)
}

// lookAtFilters asks of the translations that are there whether git could store them: content filters (LFS) that cannot be run are the usual reason why not.
func (d *doctor) lookAtFilters(ctx context.Context, n *notes, report engine.CheckReport) {
	for _, c := range d.checkouts {
		repo, err := c.repo.get(ctx)
		if err != nil || c.cloned() != nil {
			continue
		}
		local, err := gitops.Open(ctx, c.dir, gitops.Options{Trust: c.projects[0].TrustOwner}) // no remote: nothing is fetched
		if err != nil {
			continue // that is said already
		}
		head, _, err := repo.Head()
		if err == nil && head != "" {
			if tip, terr := local.At(ctx, head, head); terr == nil {
				n.add(filtersOf(tip, c, report))
			}
		}
		_ = local.Close()
	}
}

func filtersOf(tip *gitops.Tip, c *checkout, report engine.CheckReport) finding {
	looked := 0
	for _, p := range report.Projects {
		if !slices.ContainsFunc(c.projects, func(mine *config.Project) bool { return mine.Name == p.Name }) {
			continue
		}
		for _, file := range p.Files {
			if _, err := tip.Lstat(file.Path); err != nil {
				continue
			}
			looked++
			if err := tip.Writable(file.Path); err != nil {
				f := faultOf("filters", err, "take the file out of that pattern, or install what the filter needs")
				f.Code = exitPartial
				return f
			}
		}
	}
	return finding{Check: "filters", Level: levelOK, Found: fmt.Sprintf("git could store %s as the attributes say", count(looked, "committed file"))}
}

func (d *doctor) lookAtLimits(_ context.Context, n *notes) {
	l := watch.SystemLimits()
	if l.Watches == 0 {
		n.ok("limits", "there are none that can be told on this system")
		return
	}
	told := fmt.Sprintf("%d of %d watched folders and %d of %d watchers that this user may have are taken", l.UsedWatches, l.Watches, l.UsedInstances, l.Instances)
	switch {
	case l.UsedWatches*10 >= l.Watches*9:
		n.warn("limits", "raise the sysctl fs.inotify.max_user_watches", "%s: nearly used up", told)
	case l.UsedInstances*10 >= l.Instances*9:
		n.warn("limits", "raise the sysctl fs.inotify.max_user_instances", "%s: nearly used up", told)
	default:
		n.ok("limits", "%s", told)
	}
}

// lookAtWatching looks whether changes of files would be heard of, by a real event: of a file that is made and removed in the git folder, where nobody's
// work is, and where the daemon takes no notice of it.
func (d *doctor) lookAtWatching(ctx context.Context, n *notes, c *checkout) {
	repo, err := c.repo.get(ctx)
	if err != nil {
		n.skip("folders", "the repository cannot be opened")
		return
	}
	facts := repo.Facts()
	if facts.WorkTree == "" {
		n.fault("folders", exitWrong, "set push.source to a branch", "a bare repository has no files to watch")
		return
	}
	o := watch.Options{Root: facts.WorkTree, GitDir: facts.GitDir, CommonDir: facts.CommonDir}
	for _, p := range c.projects {
		if p.Push.Source == config.Worktree {
			o.Patterns = append(o.Patterns, p.WatchPatterns()...)
		}
	}
	prospect, err := watch.Foresee(o)
	if most := watch.SystemLimits().Watches; most > 0 {
		prospect.Most = min(prospect.Most, most)
	}
	switch {
	case err != nil:
		n.failed("folders", err, "correct the patterns")
	case prospect.Deaf != "":
		n.warn("folders", "nothing has to be done: files are compared every few seconds instead; on a disk of this machine changes are seen at once", "%s", prospect.Deaf)
	case prospect.Folders > prospect.Most:
		n.warn("folders", "raise the sysctl fs.inotify.max_user_watches, or make the patterns narrower", "%d have to be watched, %d can be: files are compared every few seconds instead", prospect.Folders, prospect.Most)
	default:
		n.ok("folders", "%d to watch, of %d at most", prospect.Folders, prospect.Most)
	}
	took, err := watch.Hear(ctx, facts.GitDir)
	switch {
	case errors.Is(err, watch.ErrNoWatches), errors.Is(err, watch.ErrNoInstances):
		n.warn("event", "raise it; until then files are compared every few seconds", "%v", err)
	case err != nil:
		n.failed("event", err, "let this user write in the git folder")
	default:
		n.ok("event", "of a file in the git folder, after %s", took.Round(time.Microsecond))
	}
}
