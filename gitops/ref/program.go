package ref

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
)

// Program reads and moves references through the git program, whatever way the repository keeps them.
type Program struct {
	Git    *run.Program
	GitDir string
	Files  *Files // for the lock among our own processes alone
}

func (p *Program) run(ctx context.Context, gitDir string, c run.Call) (string, error) {
	c.Dir, c.Env = gitDir, append(c.Env, "GIT_DIR="+gitDir)
	out, err := p.Git.Run(ctx, c)
	return strings.TrimSuffix(string(out), "\n"), err
}

// Guard implements Store.
func (p *Program) Guard(ctx context.Context) (release func(), err error) { return p.Files.Guard(ctx) }

// Read implements Store.
func (p *Program) Read(name string) (object.Name, bool, error) {
	h, _, ok, err := p.ReadOnce(name)
	return h, ok && !h.IsZero(), err
}

// ReadOnce implements Store.
func (p *Program) ReadOnce(name string) (h object.Name, symbolic string, ok bool, err error) {
	err = p.each(name, func(found string, value object.Name, target string) {
		if found == name {
			h, symbolic, ok = value, target, true
		}
	})
	return h, symbolic, ok, err
}

// List implements Store.
func (p *Program) List(prefix string) (map[string]object.Name, error) {
	all := map[string]object.Name{}
	err := p.each(prefix, func(name string, h object.Name, _ string) { all[name] = h })
	return all, err
}

// each gives the references that have a name or are below it.
func (p *Program) each(name string, found func(name string, h object.Name, symbolic string)) error {
	out, err := p.run(context.Background(), p.GitDir,
		run.Call{Args: []string{"for-each-ref", "--format=%(refname) %(objectname) %(symref)", name}})
	for line := range strings.Lines(out) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if h, ok := object.Parse(parts[min(1, len(parts)-1)]); ok {
			found(parts[0], h, parts[len(parts)-1])
		}
	}
	return err
}

// SwapGuarded implements Store.
func (p *Program) SwapGuarded(ctx context.Context, name string, old, to object.Name, why string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return p.update(ctx, name, old, why, fmt.Sprintf("update %s %s %s\n", name, to, zeros(old, to)))
}

// Remove implements Store.
func (p *Program) Remove(ctx context.Context, name string, old object.Name) error {
	release, err := p.Guard(ctx)
	if err != nil {
		return err
	}
	defer release()
	return p.update(ctx, name, old, "", fmt.Sprintf("delete %s %s\n", name, old))
}

// zeros is a name, or as many zeros as the other has digits.
func zeros(h, like object.Name) string {
	if h.IsZero() {
		return object.FormatOf(like).Zeros()
	}
	return h.String()
}

// update gives git one command, and finds out why it was refused.
func (p *Program) update(ctx context.Context, name string, old object.Name, why string, command string) error {
	if _, symbolic, _, err := p.ReadOnce(name); err != nil {
		return err
	} else if symbolic != "" {
		return symbolicError(name, symbolic)
	}
	_, err := p.run(ctx, p.GitDir, run.Call{Write: true, Stdin: []byte(command),
		Args: []string{"update-ref", "-m", cmp.Or(oneLine(why), who), "--stdin"},
		Env: []string{"GIT_COMMITTER_NAME=" + who, "GIT_COMMITTER_EMAIL=" + email,
			"GIT_COMMITTER_DATE=" + fmt.Sprintf("@%d %s", p.Files.Now().Unix(), p.Files.Now().Format("-0700"))}})
	var refused *run.Error
	if !errors.As(err, &refused) {
		return err
	}
	have, _, rerr := p.Read(name)
	switch {
	case rerr != nil:
		return errors.Join(err, rerr)
	case have != old:
		return &Moved{name, old, have}
	case strings.Contains(refused.Stderr, ".lock"):
		return fmt.Errorf("%s: %w: %w", name, ErrBusy, err)
	}
	return p.clash(name, err)
}

// clash is the reference beside which another one cannot exist; else the error as it is.
func (p *Program) clash(name string, err error) error {
	all, lerr := p.List("refs/")
	if lerr != nil {
		return errors.Join(err, lerr)
	}
	for _, other := range sortedKeys(all) {
		if strings.HasPrefix(name, other+"/") || strings.HasPrefix(other, name+"/") {
			return &Clash{name, other}
		}
	}
	return err
}

// Head implements Store.
func (p *Program) Head(gitDir string) (symbolic string, h object.Name, err error) {
	if _, err := os.Stat(gitDir); err != nil {
		return "", h, err
	}
	ctx := context.Background()
	symbolic, err = p.run(ctx, gitDir, run.Call{Args: []string{"symbolic-ref", "-q", "HEAD"}})
	var detached *run.Error
	if !errors.As(err, &detached) || detached.Exit != 1 {
		return symbolic, h, err
	}
	commit, err := p.run(ctx, gitDir, run.Call{Args: []string{"rev-parse", "--verify", "HEAD"}})
	h, _ = object.Parse(commit)
	return "", h, err
}
