package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// merging reads what the merges of a pull's files know of the attempt under way.
type merging struct {
	*common
	branch  *pass.Branch
	account *account
	unknown bool // nothing was remembered of the branch

	digested   sourceDigests
	moves      []ledger.Move // of source files
	left       map[string]map[string][]ledger.Source
	taken      map[string]config.Language          // target files that a commit takes from base, or joins with base's
	forward    bool                                // the branch gets target files of base without a commit
	basePast   func() (map[string][]string, error) // the commits that base has beyond the branch, by paths
	removals   *pass.Removals
	below      map[string]pass.Translated // in the state that was sent, by ledger.TargetID
	unanswered pass.Unanswered
	theirs     pass.Divider                        // of the service's texts
	lower      pass.Divider                        // of those in the state that was sent
	over       bool                                // the service shows an older answer than it gave
	tips       []*gitops.Tip                       // of base, where there is one, and the branch
	looked     string                              // the branch's commit that was looked at last
	recent     func() (map[string][]string, error) // see readRecent; read when first asked
}

// begin reads what the merges of all files know besides.
func (r *merging) begin(ctx context.Context, below []*pass.Exported) error {
	r.recent = sync.OnceValues(func() (map[string][]string, error) { return r.readRecent(ctx) })
	r.at, r.merged, r.below = r.branch.Now(), make(map[string]bool), make(map[string]pass.Translated)
	for _, x := range below {
		for _, of := range x.Targets(x.Group) {
			r.below[ledger.TargetID(of.Path, of.Language.Code)] = of
		}
	}
	r.seen = pass.LookAt(r.branch.Project.Pull.Branch).Kind()
	unanswered, err := r.branch.Memory().Unanswered(r.at)
	if err != nil {
		return err
	}
	r.unanswered = unanswered
	slots, err := ledger.Merged.Slots(r.branch.Ledger, r.branch.StateName())
	for _, slot := range slots {
		r.merged[ledger.TargetID(slot.Path, slot.Language)] = true
	}
	return err
}

// merge reads and merges one target file. It returns nil when the file is to be left alone.
func (r *merging) merge(ctx context.Context, x pass.Translated) (done *merged, err error) {
	defer tree.CatchIn(x.Path, x.Language.Code, func(p report.Problem) {
		done = nil
		r.account.unreadable(p)
	})
	s, err := r.read(ctx, x)
	if err != nil || s == nil {
		return nil, err
	}
	m := s.merge()
	r.over = r.over || m != nil && m.sent.Over
	r.account.tells(s.Target, s.told, r.unknown)
	if m != nil {
		m.pack(s)
	}
	return m, nil
}

// pack keeps what is to be remembered, and is not yet, in little memory: a pull holds that of all its files until their
// commit is delivered.
func (m *merged) pack(s *situation) {
	for kind, marks := range (pass.Marks{
		ledger.Merged: m.marks.agreed, ledger.Filler: m.marks.filler, ledger.Elsewhere: m.marks.elsewhere,
		ledger.Made: m.marks.made.For, ledger.Outdated: m.marks.made.Outdated, s.seen: m.marks.after,
	}) {
		if had := s.here[kind]; (marks == nil) != (had == nil) || !maps.Equal(marks, had) {
			m.records = append(m.records, marked{kind, marks.Pack()})
			m.weight += len(marks)
		}
	}
	m.marks = marks{}
	if m.texts.met {
		m.texts.inherits = nil // what is learned is added to the file's own
	}
}

// read gathers what there is to know of one target file; nil where it cannot be read.
func (r *merging) read(ctx context.Context, x pass.Translated) (*situation, error) {
	s := &situation{common: r.common, Translated: x}
	var ok bool
	var err error
	if s.source, ok = r.tree.SourceTexts(x.Target); !ok {
		return nil, nil // the source file's problem is reported already
	}
	r.account.looksAt(x.Target)
	old, problem, err := x.Sources[0].Read(r.tree.FS, x.Path, x.Language)
	if problem != nil && err == nil {
		r.account.unreadable(*problem)
	}
	if problem != nil || err != nil {
		return nil, err
	}
	s.old = old
	if s.former, err = r.formerly(x.Target); err != nil {
		return nil, err
	}
	ours := bundle.Texts(cmp.Or(old, s.former.file)) // at the path now, or at the former one where that is missing
	if s.here, err = r.remembered(x.Path, x.Language); err == nil && s.former.path != "" {
		s.before, err = r.remembered(s.former.path, x.Language)
	}
	if err != nil {
		return nil, err
	}
	keys := s.keys(ours)
	if s.Texts, err = r.own(&r.theirs, x, keys); err != nil {
		return nil, err
	}
	s.fit(s.Texts)
	s.ours, s.back, err = r.removals.PutBack(ctx, r.tree.FS, x.Target, s.renames(), s.source, ours)
	if err != nil {
		return nil, err
	}
	if err == nil {
		err = r.takeAlong(s)
	}
	s.digests.tree, s.digests.service = r.digests(x.Target)
	err = errors.Join(err, r.judgeSent(ctx, s, keys))
	edited, unedited := s.differing()
	if err == nil && len(edited) > 0 {
		s.past, err = r.readPast(ctx, x.Target, edited)
	}
	if err == nil && len(unedited) > 0 {
		var commits map[string][]string
		commits, err = r.recent()
		s.recent = past.Of(r.branch.Repo, x.Target, unedited, commits[x.Path])
	}
	return s, err
}

// takeAlong adds to the texts of a file what its keys have in the files that they were in before, under other names of
// the source file or in other files.
func (r *merging) takeAlong(s *situation) (err error) {
	left := r.left[s.Sources[0].Collection]
	if len(left) > 0 && !s.Sources[0].Output.HasLabel() {
		s.along, err = r.branch.TakesAlong(r.tree.FS, s.Target, left, s.source.Keys(), s.here)
	}
	if s.old != nil && s.former.file != nil { // the new path has a file that was begun by hand
		keys := s.source.Keys()
		for key := range pass.KeysOf(nil, nil, s.here[ledger.Known], s.here[ledger.Merged], s.here[ledger.Delivered]) {
			delete(keys, key)
		}
		s.along.Take(s.before, bundle.Texts(s.former.file), keys)
	}
	has, came := s.ours.Keys(), make(map[catalog.Name]bool)
	for _, u := range s.along.Texts {
		if !has[u.Key] && !came[u.Name] {
			came[u.Name] = true
			s.ours, s.back = append(s.ours, u), append(s.back, u)
		}
	}
	return err
}

// keys are those that the file has in source, translation or memory.
func (s *situation) keys(ours catalog.Catalog) map[string]bool {
	remembered := slices.Concat(slices.Collect(maps.Values(s.here)), slices.Collect(maps.Values(s.before)))
	return pass.KeysOf(ours, []map[string]bool{s.source.Keys()}, remembered...)
}

// own are the texts of an answer that a file may need, which others share with it.
func (r *merging) own(of *pass.Divider, x pass.Translated, keys map[string]bool) (catalog.Catalog, error) {
	all, err := x.All()
	if len(all) == 0 || len(r.tree.Sources) == 1 {
		return all, err
	}
	return of.Texts(all, r.shared.HasIn(x.Sources[0].Collection), keys), nil
}

// readRecent reads which commits base, or the branch where there is none, has beyond what was looked at last, along
// first parents: by the paths that they changed, the youngest first.
func (r *merging) readRecent(ctx context.Context) (map[string][]string, error) {
	h := r.branch.Repo.History
	line, err := h.Line(r.tips[0].Hash(), r.looked, pass.RecollectMost)
	if err != nil || len(line) == 0 {
		return nil, err
	}
	versions, err := pass.Versions(ctx, h, r.looked, line)
	for _, commits := range versions {
		slices.Reverse(commits)
	}
	return versions, err
}

// judgeSent makes the service's texts what it has by its own word, beside what it accepted from here.
func (r *merging) judgeSent(ctx context.Context, s *situation, keys map[string]bool) error {
	id := ledger.TargetID(s.Path, s.Language.Code)
	accepted, err := r.branch.Memory().Accepted(id)
	if err == nil && s.former.path != "" {
		err = accepted.Follow(r.branch.Memory(), ledger.TargetID(s.former.path, s.Language.Code))
	}
	if err != nil {
		return err
	}
	below, err := r.own(&r.lower, r.below[id], keys)
	if err != nil {
		return err
	}
	of := pass.Answered{Ours: s.ours, Theirs: s.Texts, Remembered: s.here, Unanswered: r.unanswered[id], At: s.at}
	of.Below, _ = s.tree.Fitted(s.Target, cmp.Or(s.old, s.former.file), below)
	if names := accepted.Replaced(of); len(names) > 0 {
		s.past, err = r.readPast(ctx, s.Target, names)
		if err != nil {
			return err
		}
	}
	of.Past = s.past
	s.Texts, s.sent = accepted.Judge(of)
	return nil
}

// readPast is what git has of names of a file in base and branch. What cannot be had was not seen.
func (r *merging) readPast(ctx context.Context, t bundle.Target, names []catalog.Name) (past.History, error) {
	if err := r.deepen(ctx); err != nil {
		return nil, err
	}
	return past.Read(r.branch.Repo, t, names, r.commits()...)
}

// deepen brings the history that a shallow clone left out, where it can be had.
func (r *merging) deepen(ctx context.Context) error {
	if err := gitops.Deepen(ctx, r.branch.Repo, r.tips...); err != nil && ctx.Err() == nil {
		r.branch.Log.Info("the history that this clone lacks is not read", zap.Error(err))
	}
	return ctx.Err()
}

// commits are those of base and branch.
func (r *merging) commits() (commits []string) {
	for _, tip := range r.tips {
		if tip.Hash() != "" {
			commits = append(commits, tip.Hash())
		}
	}
	return commits
}

// remembered is what is remembered of a target file.
func (r *merging) remembered(path string, l config.Language) (pass.Marks, error) {
	return r.branch.Memory().Read(path, l.Code, ledger.Merged, ledger.Filler, ledger.Known, ledger.Delivered,
		ledger.Made, ledger.Outdated, ledger.Elsewhere, ledger.Sent, r.seen)
}

// sourceDigests are the digests of source texts that a pull compares with, as the tree and as the service has them.
type sourceDigests struct {
	tree    map[*bundle.Bundle]catalog.Marks // those that were used last
	kept    int                              // how many digests are in tree
	service map[string]catalog.Marks         // by collection
}

// mostDigests is how many digests of source texts are kept for the next languages.
const mostDigests = 100_000

func (d *sourceDigests) add(b *bundle.Bundle, digests catalog.Marks) {
	if d.kept > mostDigests {
		clear(d.tree)
		d.kept = 0
	}
	d.tree[b] = digests
	d.kept += len(digests)
}

// digests gathers them for one target.
func (r *merging) digests(target bundle.Target) (source, service catalog.Marks) {
	for _, b := range target.Sources {
		if r.digested.tree[b] == nil {
			r.digested.add(b, catalog.Digests(r.tree.Of(b).All.Marks()))
		}
		if len(target.Sources) == 1 {
			source = r.digested.tree[b]
			break
		}
		if source == nil {
			source = make(catalog.Marks)
		}
		maps.Copy(source, r.digested.tree[b])
	}
	return source, r.digested.service[target.Sources[0].Collection]
}

// fit gives the service's texts the shape of the source's, and tells which do not fit.
func (s *situation) fit(theirs catalog.Catalog) {
	var left catalog.Catalog
	s.Texts, left = s.tree.Fitted(s.Target, cmp.Or(s.old, s.former.file), theirs)
	for _, u := range left {
		s.leaveOut(report.CodePlurals, u.Key, fmt.Sprintf("the translation %q is left out: the source has plural "+
			"forms as keys of their own, and this message cannot be taken apart into such; write one form for each "+
			"category at the service, with nothing but the number filled in", u.Text))
	}
}
