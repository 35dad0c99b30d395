// Package history answers questions about commits: who descends from whom, where two lines meet, what one has and the
// others lack. git answers them (merge-base, rev-list): it knows where a shallow clone was cut, and its commit-graph.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/sync/bound"
)

// Graph is the commits of one repository.
type Graph struct {
	Life    context.Context // with which the questions end
	Git     *run.Program
	Dir     string // the git folder that has the objects
	Objects *object.Store
}

// Shallow says whether history is cut off somewhere.
func (g *Graph) Shallow() bool {
	info, err := os.Stat(filepath.Join(g.Dir, "shallow"))
	return err == nil && info.Size() > 0
}

// Commit reads a commit. It is not to be changed: it is kept.
func (g *Graph) Commit(h object.Name) (*object.CommitData, error) {
	data, err := g.Objects.ReadAs(object.Commit, h)
	if err != nil {
		return nil, err
	}
	c, err := object.ParseCommit(h, data)
	if objects, oerr := os.Stat(g.objects()); err == nil && oerr == nil {
		read.put(keptAt{g.Dir, h}, keptCommit{c, objects})
	}
	return c, err
}

// Known is Commit for what only looks: one that was read before need not be there any more.
func (g *Graph) Known(h object.Name) (*object.CommitData, error) {
	if c := g.kept(h); c != nil {
		return c, nil
	}
	return g.Commit(h)
}

// WasRead reports whether a commit was read of this repository. It may have been pruned since.
func (g *Graph) WasRead(h object.Name) bool { return g.kept(h) != nil }

// call is a question to git. The first settings are git's own: with others it would find no trailer of ours.
func (g *Graph) call(args ...string) run.Call {
	return run.Call{Dir: g.Dir, Args: append([]string{"-c", "trailer.separators=:", "-c", "core.commentChar=#"}, args...),
		Env: []string{"GIT_DIR=" + g.Dir, "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1"}}
}

// ask asks git; no says that it answered with status 1.
func (g *Graph) ask(ctx context.Context, stdin string, args ...string) (out string, no bool, err error) {
	call := g.call(args...)
	call.Stdin = []byte(stdin)
	answer, err := g.Git.Run(ctx, call)
	if failed, is := errors.AsType[*run.Error](err); is && failed.Exit == 1 {
		return "", true, nil
	}
	return string(answer), false, err
}

// Bases gives the best common ancestors of two commits, youngest first. Empty when they have no common history.
func (g *Graph) Bases(one, two object.Name) (bases []object.Name, err error) {
	if one == two {
		return []object.Name{one}, nil
	}
	out, _, err := g.ask(g.Life, "", "merge-base", "--all", one.String(), two.String())
	for _, word := range strings.Fields(out) {
		if h, ok := object.Parse(word); ok {
			bases = append(bases, h)
		}
	}
	return bases, err
}

// Contains says whether descendant has ancestor in its history, or is it.
func (g *Graph) Contains(descendant, ancestor object.Name) (bool, error) {
	if descendant == ancestor {
		return true, nil
	}
	_, no, err := g.ask(g.Life, "", "merge-base", "--is-ancestor", ancestor.String(), descendant.String())
	return !no && err == nil, err
}

// Cuts says whether a shallow clone was cut at one of these commits.
func (g *Graph) Cuts(commits []Walked) (bool, error) {
	cut, err := bound.ReadFile(filepath.Join(g.Dir, "shallow"), 64<<20) // more than a million of them
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err == nil && slices.ContainsFunc(commits, func(c Walked) bool {
		return bytes.Contains(cut, []byte(c.Hash.String()))
	}), err
}

// Trailer is the message trailer that marks a commit as ours.
const Trailer = "Locsync-Project"

// SameMeaning begins lines of a message that name keys whose source text the commit changed and meant as before.
const SameMeaning = "Locsync-Same-Meaning"

// Walked is a commit that a walk came by.
type Walked struct {
	Hash     object.Name
	Parents  []object.Name
	Projects []string // the values of Trailer, as git reads it
}

// IsOurs says whether it carries our trailer.
func (w Walked) IsOurs() bool { return len(w.Projects) > 0 }

// Most is how many commits are read at most: of those that Made gives, and else of all.
const Most = 10_000

// Ahead gives the commits that tip has in its history, itself among them, and none of the others has, youngest first;
// with paths only those that changed one of them. Not more than most (Most at the most) are read; whole says that these
// are all. Others that are not here, or no commits, are passed over. A commit at which a shallow clone was cut has no
// parents.
func (g *Graph) Ahead(tip object.Name, others []object.Name, most int, paths ...string) ([]Walked, bool, error) {
	return g.walk(tip, others, most, paths)
}

// Made gives the commits of Ahead whose message has the word Trailer: every one of ours is among them, however many
// others are between.
func (g *Graph) Made(tip object.Name, others []object.Name) ([]Walked, error) {
	// As a basic expression: for a fixed text git compiles code, which the hardening of systemd's units forbids.
	commits, _, err := g.walk(tip, others, Most, nil, "--basic-regexp", "--regexp-ignore-case", "--grep=^"+Trailer)
	return commits, err
}

func (g *Graph) walk(tip object.Name, others []object.Name, most int, paths []string, only ...string) (
	commits []Walked, whole bool, err error,
) {
	if slices.Contains(others, tip) { // as at every pass over a branch that stays as it is
		return nil, true, nil
	}
	if !g.Objects.Has(tip) { // git would pass it over too
		return nil, false, fmt.Errorf("walk from %s: %w", tip, object.ErrMissing)
	}
	most = min(most, Most)
	in := tip.String() + "\n"
	for _, h := range others {
		if !h.IsZero() {
			in += "^" + h.String() + "\n"
		}
	}
	if len(paths) > 0 {
		in += "--\n" + strings.Join(paths, "\n") + "\n"
	}
	args := slices.Concat([]string{"rev-list"}, only, []string{"--ignore-missing", "--no-commit-header",
		"--encoding=UTF-8", "--stdin", fmt.Sprintf("--max-count=%d", most+1),
		"--format= %H%x00%P%x00%(trailers:key=" + Trailer + ",valueonly,separator=%x0A)%x00"})
	out, _, err := g.ask(g.Life, in, args...)
	if err != nil {
		return nil, false, fmt.Errorf("walk from %s: %w", tip, err)
	}
	commits = commitsIn(out)
	return commits[:min(len(commits), most)], len(commits) <= most, nil
}

// lines are the values of a trailer.
func lines(values string) []string {
	return strings.FieldsFunc(values, func(r rune) bool { return r == '\n' })
}

// commitsIn reads commits in the format that Ahead asks for.
func commitsIn(out string) (commits []Walked) {
	for f := strings.Split(out, "\x00"); len(f) > 3; f = f[3:] {
		var c Walked
		c.Hash, _ = object.Parse(strings.TrimSpace(f[0]))
		for _, word := range strings.Fields(f[1]) {
			parent, _ := object.Parse(word)
			c.Parents = append(c.Parents, parent)
		}
		c.Projects = lines(f[2])
		commits = append(commits, c)
	}
	return commits
}
