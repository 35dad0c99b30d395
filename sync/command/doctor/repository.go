package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
)

// findCheckouts begins to open every repository.
func (d *doctor) findCheckouts() []*checkout {
	if d.cfg == nil {
		c := &checkout{dir: "."}
		c.repo = newFact(func() (*gitops.Repo, error) {
			return gitops.Open(d.ctx, c.dir, gitops.Options{Remote: gitops.CloneRemote, Silence: d.limit()})
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
			c.repo = newFact(func() (*gitops.Repo, error) { return openCheckout(d, p) })
		}
		c.projects = append(c.projects, p)
	}
	return all
}

// openCheckout opens a project's repository. Of one that is elsewhere it makes a clone in the scratch folder, for which
// the remote is asked what branches it has and nothing is fetched; the clone that passes use may be in the middle of
// one.
func openCheckout(d *doctor, p *config.Project) (*gitops.Repo, error) {
	o := gitops.Options{Remote: p.Pull.Remote, Trust: p.TrustOwner, Silence: d.limit(),
		Signing: gitops.Signing{Never: p.Pull.Sign == "never", KeyFile: d.cfg.Resolve(p.Pull.SigningKeyFile)}}
	if !p.Cloned() {
		return gitops.Open(d.ctx, d.cfg.Resolve(p.Repository), o)
	}
	if d.o.Offline {
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

var errOffline = errors.New("skipped (--offline)")

func probesOfCheckout(d *doctor, c *checkout) []probe {
	const area = "repository"
	probes := []probe{
		{area, c.names(), "repository", func(ctx context.Context, n *notes) { probeRepository(ctx, d, n, c) }},
		{area, c.names(), "remote", func(ctx context.Context, n *notes) { probeRemote(ctx, d, n, c) }},
	}
	if c.cfg != nil {
		probes = append(probes,
			probe{area, c.names(), "signing", func(ctx context.Context, n *notes) { probeSigning(ctx, d, n, c) }},
			probe{area, c.names(), "hooks", func(ctx context.Context, n *notes) { probeHooks(ctx, d, n, c) }})
	}
	return probes
}

func probeRepository(ctx context.Context, d *doctor, n *notes, c *checkout) {
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
		n.fault("branch", report.ExitWrong, "make the first commit", "there is no commit yet, and translations are "+
			"built on one")
	default:
		probeBranch(d, n, c, repo, branch, commit)
	}
	if what := repo.Busy(); what != "" {
		n.warn("git", "finish it, or abort it; where git is not at work any more, remove what it left",
			"git is in the middle of something (%s): passes wait until it is done", what)
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

func probeBranch(d *doctor, n *notes, c *checkout, repo *gitops.Repo, branch, commit string) {
	if branch == "" {
		if base, err := repo.Branches.Base(); err == nil && base != "" {
			n.ok("branch", "HEAD is detached, at %.10s; the remote's default branch is %s", commit, base)
			return
		}
		n.warn("branch", "check a branch out, or set pull.base (and push.source) to one",
			"HEAD is detached, at %.10s: translations have no branch to build on", commit)
		return
	}
	n.ok("branch", "%s is checked out, at %.10s", branch, commit)
	for _, p := range c.projects {
		if p.Push.Source == config.Worktree && p.Push.Enabled && len(p.Push.Branches) > 0 && !p.Push.Covers(branch) {
			n.warn("branch", "check one of them out, or add this one to push.branches",
				"project %q is not pushed from %s, only from %s", p.Name, branch, strings.Join(p.Push.Branches, ", "))
		}
		base := p.Pull.Base
		if base == "" || p.PerBranch() || p.Pull.Remote != "" && repo.HasRemote(p.Pull.Remote) {
			continue // whether the remote has it, the remote says
		}
		if there, err := repo.Branches.Has(base); err == nil && !there {
			n.fault("branch", report.ExitWrong, "make that branch, or correct pull.base",
				"project %q builds translations on %s, "+
					"which there is not", p.Name, base)
		}
	}
}

func probeRemote(ctx context.Context, d *doctor, n *notes, c *checkout) {
	repo, err := c.repo.get(ctx)
	switch {
	case err != nil:
		n.skip("remote", "the repository cannot be opened")
		return
	case d.o.Offline:
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
		n.fault("remote", report.ExitWrong, fmt.Sprintf("git -C %s remote add %s ADDRESS, or set pull.remote", c.dir, remote),
			"no remote is called %q", remote)
		return
	}
	began := time.Now()
	branches, head, err := repo.Branches.List(ctx)
	if err != nil {
		n.failed("remote", err, "look whether `git ls-remote "+remote+"` works for this user")
		return
	}
	n.ok("remote", "%s answers in %s: %s, the default one is %s", repo.Facts().RemoteURL, rounded(time.Since(began)),
		report.Counted(len(branches), "branch", "branches"), cmp.Or(head, "not told"))
	for _, p := range c.projects {
		if base := p.Pull.Base; base != "" && !p.PerBranch() && branches[base] == "" {
			if here, err := repo.Branches.Has(base); err == nil && !here {
				n.fault("remote", report.ExitWrong, "push that branch there, or correct pull.base",
					"project %q builds translations on %s, which it does not have", p.Name, base)
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
	if !d.cfg.Service.Embedded() { // which has its data where the state is
		probeMemory(ctx, n, c, repo)
	}
}

// probeMemory says whether the remote has what was agreed on for each project.
func probeMemory(ctx context.Context, n *notes, c *checkout, repo *gitops.Repo) {
	for _, p := range c.projects {
		kept := repo.Kept(p.Name, gitops.Keeping(p.Memory))
		if !kept.Travels() {
			n.ok("memory", "project %q remembers what was agreed on in this clone alone (memory, pull.remote)", p.Name)
			continue
		}
		here, err := kept.Here()
		there, terr := kept.There(ctx)
		switch {
		case err != nil || terr != nil:
			n.failed("memory", errors.Join(err, terr), "look whether `git ls-remote` works for this user")
		case there == "" && here != "":
			n.warn("memory", memory.Remedy, "the remote does not have %s, where project %q remembers what was agreed on: "+
				"it refuses the reference, or no pass has ended since it can have it", kept.Name(), p.Name)
		case there == "":
			n.ok("memory", "project %q remembers nothing yet; its first pass makes %s", p.Name, kept.Name())
		default:
			n.ok("memory", "what was agreed on for project %q is in %s of the remote", p.Name, kept.Name())
		}
	}
}

func rounded(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func probeSigning(ctx context.Context, d *doctor, n *notes, c *checkout) {
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

func probeHooks(ctx context.Context, d *doctor, n *notes, c *checkout) {
	repo, err := c.repo.get(ctx)
	if err != nil || c.cloned() != nil {
		if err == nil || errors.Is(err, errOffline) {
			n.ok("hooks", "its host rings by webhook")
		} else {
			n.skip("hooks", "the repository cannot be opened")
		}
		return
	}
	commands, err := process.HookCommands(c.cfg)
	if err != nil {
		n.failed("hooks", err, "look whether this program's file is still there")
		return
	}
	hooks, err := repo.Hooks.State(commands)
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
		n.warn("hooks", "locsync hook install", "another program or configuration than this one is called by %s",
			strings.Join(old, ", "))
	case installed == len(hooks):
		n.ok("hooks", "git notifies the daemon")
	case installed > 0:
		n.warn("hooks", "locsync hook install; a hook that git is to run must be executable",
			"%d of %d tell the daemon, and not %s", installed, len(hooks), strings.Join(silent, ", "))
	default:
		n.ok("hooks", "none is installed, and none is needed; `locsync hook install` lets git tell the daemon")
	}
}
