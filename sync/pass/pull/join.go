package pull

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sync"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// joinedTree is the tree that a pull builds on: a commit, and the target files that both branch and base changed,
// joined text by text. The commit has their names and kinds, too.
type joinedTree struct {
	committed
	joined map[string][]byte

	written map[string][]byte // files with all languages, as the merges so far leave them
}

// committed are the files of a commit.
type committed interface {
	fs.ReadDirFS
	fs.StatFS
	fs.ReadLinkFS
}

// ReadFile reads a joined file, or one of the commit.
func (t joinedTree) ReadFile(name string) ([]byte, error) { return t.ReadAtMost(name, math.MaxInt64) }

// ReadAtMost is ReadFile for a file of the commit with at most so many bytes.
func (t joinedTree) ReadAtMost(name string, most int64) ([]byte, error) {
	for _, files := range []map[string][]byte{t.written, t.joined} {
		if src, ok := files[name]; ok {
			return bytes.Clone(src), nil
		}
	}
	return bound.ReadFS(t.committed, name, most)
}

// take has what follows read a file with all languages as a merge leaves it. The merges before it need no content of
// their own.
func (t *joinedTree) take(m *merged, before ...*merged) {
	if m.bytes == nil || !m.Sources[0].Format.Multilingual() {
		return
	}
	t.written[m.Path] = m.bytes
	for _, b := range before {
		if b.Path == m.Path && b.bytes != nil {
			b.bytes = m.bytes
		}
	}
}

// withBase takes what base has and the branch lacks into the tree that the commit is built on, so that merging the
// branch into base never conflicts in our files: those that both changed come back joined. A conflict in other files
// leaves the branch behind, and is reported.
func (r *merging) withBase(ctx context.Context, tip *gitops.Tip) (on *gitops.Tip, joined map[string][]byte, err error) {
	base := tip.Base()
	if base == nil {
		return tip, nil, nil
	}
	ours, err := tree.Written(r.branch.Project, tip, base)
	if err != nil {
		return nil, nil, err
	}
	if r.lost, err = r.branch.Memory().Conflicts(); err != nil {
		return nil, nil, err
	}
	m, err := r.branch.Repo.Merge(ctx, tip, base, func(path string) bool { _, is := ours[path]; return is })
	if err != nil {
		return nil, nil, fmt.Errorf("take %s into %s: %w", base.Branch(), tip.Branch(), err)
	}
	if m.State == gitops.Behind {
		r.account.problem(report.Problem{Code: report.CodeBranch, Problem: m.Note})
	}
	r.basePast = sync.OnceValues(func() (map[string][]string, error) {
		fork, err := r.branch.Repo.History.Fork(tip.Hash(), base.Hash())
		if err != nil {
			return nil, err
		}
		past, err := r.branch.Repo.History.Past(base.Hash(), fork, pass.RecollectMost)
		if err != nil {
			return nil, err
		}
		return pass.Versions(ctx, r.branch.Repo.History, fork, past)
	})
	joined, r.taken = make(map[string][]byte), make(map[string]config.Language)
	for _, c := range m.Contested {
		language := ours[c.Path][0].Language
		src, err := r.joinAll(ours[c.Path], c, tip)
		if u := (*unproven)(nil); errors.As(err, &u) { // neither version may stand for both: the branch stays behind
			r.account.problem(HeldBack(c.Path, language, err))
			return tip, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if src != nil {
			joined[c.Path] = src
			r.taken[c.Path] = language
		}
	}
	// Texts that were sent to the service from base are on the branch with this pull, whether or not there is news.
	changed, err := r.branch.Repo.History.ChangedTo(ctx, tip.Hash(), base.Hash())
	if err != nil {
		return nil, nil, err
	}
	for _, target := range tree.Differing(ours, changed, tip, m.Tip) {
		r.taken[target.Path] = target.Language
	}
	r.forward = m.State == gitops.FastForward && len(r.taken) > 0
	outcome := &joinedTree{committed: m.Tip, joined: joined}
	if r.forward || tip.OnlyHere() && len(tree.Differing(ours, changed, base, outcome)) == 0 {
		clear(r.taken) // a branch that is gone at the remote comes back for what base lacks
	}
	return m.Tip, joined, nil
}

// joinAll joins the languages of a file, one after the other.
func (r *merging) joinAll(targets []bundle.Target, c gitops.Contested, tip *gitops.Tip) (joined []byte, err error) {
	for _, target := range targets {
		told := len(r.account.report.Problems)
		out, err := r.join(target, c, tip)
		if err != nil {
			return nil, err
		}
		if out != nil {
			c.Base, joined = out, out
		} else if len(r.account.report.Problems) > told {
			break // what cannot be read is that in all languages
		}
	}
	return joined, nil
}

// join makes one file of the versions that branch and base have: base's file with the texts that the branch changed.
// Where both changed one text, base's stays if a person wrote it, and the branch's if base only has what a pull wrote
// earlier. A file that one side deleted, or that cannot be read on one, is the other's; a source file that base
// deleted stays deleted. It returns nil where base's file is right as it is.
func (r *merging) join(target bundle.Target, c gitops.Contested, tip *gitops.Tip) ([]byte, error) {
	b, l := target.Sources[0], target.Language
	slot := r.branch.Memory().Slot(ledger.Known, c.Path, l.Code)
	if c.Path == b.Path { // a source file
		slot = r.branch.Memory().SourceHistory(b.Collection)
		if c.Base == nil {
			return nil, nil
		}
	}
	if c.Base == nil || c.Branch == nil {
		return c.Branch, nil
	}
	branch, err := b.Parse(c.Branch, l)
	if err != nil {
		r.account.problem(report.Problem{Code: report.CodeSyntax, File: c.Path, Language: l.Code,
			Problem: "cannot be read as the branch has it: " + err.Error() +
				"; the base's file is taken. Look at what the branch's had that it lacks"})
		return nil, nil
	}
	base, err := b.Parse(c.Base, l)
	if err != nil {
		r.account.problem(report.Problem{Code: report.CodeSyntax, File: c.Path, Language: l.Code,
			Problem: "cannot be read as base has it: " + err.Error() +
				"; the branch's file is taken until base's is repaired"})
		return c.Branch, nil
	}
	ancestor := catalog.Catalog{}
	if f, err := b.Parse(c.Ancestor, l); err == nil && c.Ancestor != nil {
		ancestor = bundle.Texts(f)
	}
	history, err := r.branch.Ledger.Marks(slot)
	if err != nil {
		return nil, err
	}
	has := bundle.Texts(branch).Texts()
	// A text has lost where the branch has the one that won. Of an open conflict neither has.
	lost := func(u catalog.Unit) bool {
		x, is := r.lost[ledger.ConflictID(c.Path, l.Code, u.Key)]
		won := catalog.Unit{Name: u.Name, Text: has[u.Name]}
		return is && !x.Open && x.IsOurs(u) && pass.HasText(x.Theirs, won)
	}
	edits, replaced := brought(ancestor.Marks(), bundle.Texts(branch), base, history, lost)
	out, _, err := Rendered(&r.catalogs, b, branch, base, l, edits)
	if err != nil {
		return nil, fmt.Errorf("join %s of branch and base: %w", c.Path, err)
	}
	for _, u := range overridden(ancestor.Marks(), base, edits, lost) {
		r.account.conflict(r.lost[ledger.ConflictID(c.Path, l.Code, u.Key)], false)
	}
	return out, r.tellUnseen(target, tip, base, replaced)
}

// tellUnseen names texts of the branch that base's are kept against. One that base has had since the two parted was
// replaced by a person who knew it.
func (r *merging) tellUnseen(
	target bundle.Target, tip *gitops.Tip, base *resource.File, replaced catalog.Catalog,
) error {
	if len(replaced) == 0 {
		return nil
	}
	versions, err := r.basePast()
	for _, commit := range versions[target.Path] {
		texts, terr := r.branch.TextsIn(commit, target)
		had := texts.Marks()
		replaced = slices.DeleteFunc(replaced, func(u catalog.Unit) bool { return had.Has(u.Name, u.Text) })
		err = errors.Join(err, terr)
	}
	for _, u := range replaced {
		e, _ := base.Lookup(u.Key, u.Form)
		p := report.Problem{Code: report.CodeConflict, File: target.Path, Key: u.Key, Language: target.Language.Code,
			Problem: fmt.Sprintf("was changed to %q on branch %s and to %q on %s; the latter is kept. "+
				"If the other is meant, write it there", u.Text, tip.Branch(), e.Text, tip.Base().Branch())}
		r.account.problem(p)
		r.branch.LogReplaced(p)
	}
	return err
}
