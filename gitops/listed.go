package gitops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/run"
)

// Listed names the files of the working tree as git sees them: those that it tracks (the ones of a sparse checkout
// that are not on the disk, submodules and links included), and others that no pattern of .gitignore and its like
// passes over. Without a working tree known is false.
func (r *Repo) Listed(ctx context.Context) (tracked, others []string, known bool, err error) {
	if r.facts.WorkTree == "" {
		return nil, nil, false, nil
	}
	ctx, end := r.watch(ctx)
	defer end()
	ask := func(which ...string) ([]string, error) {
		out, err := r.git.Run(ctx, run.Call{Dir: r.facts.WorkTree, Args: append([]string{"ls-files", "-z"}, which...),
			Env: []string{"GIT_DIR=" + r.facts.GitDir, "GIT_WORK_TREE=" + r.facts.WorkTree}})
		if err != nil {
			return nil, fmt.Errorf("ask git which files there are in %s: %w", r.facts.WorkTree, err)
		}
		names := strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
		return slices.Compact(names), nil // a file in conflict is named once for each side
	}
	if tracked, err = ask("--cached"); err == nil {
		others, err = ask("--others", "--exclude-standard")
	}
	return tracked, others, err == nil, err
}
