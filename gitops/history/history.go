// Package history answers questions about commits: who descends from whom, where two lines meet, what one has and the
// others lack. git answers them (merge-base, rev-list): it knows where a shallow clone was cut, and its commit-graph.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
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

// Commit reads a commit.
func (g *Graph) Commit(h object.Name) (*object.CommitData, error) {
	data, err := g.Objects.ReadAs(object.Commit, h)
	if err != nil {
		return nil, err
	}
	return object.ParseCommit(h, data)
}

// ask asks git; no says that it answered with status 1.
func (g *Graph) ask(stdin string, args ...string) (out string, no bool, err error) {
	answer, err := g.Git.Run(g.Life, run.Call{Dir: g.Dir, Args: args, Stdin: []byte(stdin),
		Env: []string{"GIT_DIR=" + g.Dir, "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1"}})
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
	out, _, err := g.ask("", "merge-base", "--all", one.String(), two.String())
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
	_, no, err := g.ask("", "merge-base", "--is-ancestor", ancestor.String(), descendant.String())
	return !no && err == nil, err
}

// Cuts says whether a shallow clone was cut at one of these commits.
func (g *Graph) Cuts(commits []*object.CommitData) bool {
	cut, _ := os.ReadFile(filepath.Join(g.Dir, "shallow"))
	return slices.ContainsFunc(commits, func(c *object.CommitData) bool {
		return bytes.Contains(cut, []byte(c.Hash.String()))
	})
}

// Youngest gives the youngest commits that a tip has in its history, itself among them.
func (g *Graph) Youngest(tip object.Name, most int) ([]*object.CommitData, error) {
	return g.walk(tip, "", fmt.Sprintf("--max-count=%d", most))
}

// Touching gives the youngest of the commits that tip has in its history and another commit has not, as far as they
// changed one of the paths.
func (g *Graph) Touching(tip, without object.Name, paths []string, most int) ([]*object.CommitData, error) {
	in := fmt.Sprintf("^%s\n--\n%s\n", without, strings.Join(paths, "\n"))
	return g.walk(tip, in, fmt.Sprintf("--max-count=%d", most), "--stdin")
}

// Ahead gives the commits that tip has in its history and none of the others has, youngest first. Others that are not
// here, or no commits, are passed over. A commit at which a shallow clone was cut has no parents.
func (g *Graph) Ahead(tip object.Name, others []object.Name) ([]*object.CommitData, error) {
	in := strings.Builder{}
	for _, h := range others {
		if !h.IsZero() {
			fmt.Fprintf(&in, "^%s\n", h)
		}
	}
	return g.walk(tip, in.String(), "--stdin")
}

func (g *Graph) walk(tip object.Name, stdin string, options ...string) (commits []*object.CommitData, err error) {
	if !g.Objects.Has(tip) { // git would pass it over too
		return nil, fmt.Errorf("walk from %s: %w", tip, object.ErrMissing)
	}
	const fields = 5
	out, _, err := g.ask(stdin, append([]string{"rev-list", "--ignore-missing", "--no-commit-header", "--encoding=UTF-8",
		"--format=%H%x00%T%x00%P%x00%ct%x00%B%x00", tip.String()}, options...)...)
	if err != nil {
		return nil, fmt.Errorf("walk from %s: %w", tip, err)
	}
	for f := strings.Split(out, "\x00"); len(f) > fields; f = f[fields:] {
		c := &object.CommitData{Message: f[4]}
		c.Hash, _ = object.Parse(strings.TrimPrefix(f[0], "\n"))
		c.Tree, _ = object.Parse(f[1])
		for _, word := range strings.Fields(f[2]) {
			parent, _ := object.Parse(word)
			c.Parents = append(c.Parents, parent)
		}
		_, _ = fmt.Sscan(f[3], &c.When)
		commits = append(commits, c)
	}
	return commits, nil
}
