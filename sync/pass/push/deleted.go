package push

import (
	"errors"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// untouched reports whether the tree that pushes read is as the last push saw it, at the same commit, and with nothing
// to send. Then the branch need not be looked at: fetching it is the slowest step of a push.
func (r *reader) untouched() (bool, error) {
	if _, tip := r.tree.FS.(*gitops.Tip); tip {
		return false, nil // it was fetched just now
	}
	_, head, err := r.branch.Repo.Head()
	if err != nil {
		return false, err
	}
	here := pass.LookAt(config.Worktree)
	last, looked, err := ledger.SeenAt.Get(r.branch.Ledger, r.branch.StateName(), here.Record())
	if err != nil || !looked || last != head || r.o.Translations || r.o.Ours {
		return false, err
	}
	if rung, err := r.branch.Memory().Rung(); err != nil || rung {
		return false, err
	}
	targets, err := bundle.Existing(r.tree.FS, r.tree.Bundles(), r.branch.Project.Targets())
	if err != nil {
		return false, err
	}
	for _, t := range targets {
		f, problem, err := t.Sources[0].Read(r.tree.FS, t.Path, t.Language)
		if err != nil || problem != nil {
			return false, err
		}
		marks, err := r.branch.Memory().Read(t.Path, t.Language.Code, here.Kind(), ledger.Known)
		texts, seen, history := bundle.Texts(f), marks[here.Kind()], marks[ledger.Known]
		if err != nil || (f == nil) != (seen == nil) || len(catalog.Diff(seen, texts)) > 0 {
			return false, err
		}
		of, err := r.offers(t, texts, history)
		if err != nil {
			return false, err
		}
		for _, u := range texts {
			if lost, is := r.lost[ledger.ConflictID(t.Path, t.Language.Code, u.Key)]; is && lost.IsOurs(u) || !of.asked(u) {
				continue
			}
			if (!ledger.Holds(history, u) || of.again(u)) && u.Text != "" {
				return false, nil // written here, and not sent yet
			}
		}
	}
	return true, nil
}

// sight is what a push saw of a candidate, once what it sends of it was answered.
type sight struct {
	of       pass.Sight
	snapshot *snapshot
	waits    bool // it has changes that this push is not for
	refused  bool // it has changes that the service refused
	yielded  []pass.Conflict
}

// look sees candidates whose changes were answered. Their texts are not needed after it.
func (r *reader) look(found []*candidate) error {
	for _, c := range found {
		another := len(r.Errs) == 0 && !slices.Contains(c.snapshot.earlier, c.snapshot.name)
		seen, err := r.branch.See(c.snapshot.name, c.Target, c.texts, another, c.changed, c.back)
		if err != nil {
			return err
		}
		r.sights = append(r.sights, sight{seen, c.snapshot, len(c.changed) > 0 && !r.o.Pushes(c.Path),
			len(c.back)+len(c.changed) > 0 && r.Refused[c.Path+"\x00"+c.Language.Code], c.yielded})
	}
	return nil
}

// remember keeps what the snapshots held.
func (r *reader) remember() error {
	if r.snapshots.branchUnread {
		return nil
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		failed := len(r.Errs) > 0
		err := ledger.Each(r.sights, func(s sight) error { return s.of.Keep(r.branch, tx, failed) })
		if failed || err != nil {
			return err
		}
		waits := r.waits || slices.ContainsFunc(r.sights, func(s sight) bool { return s.waits })
		err = ledger.UnsentAt.Delete(tx, r.branch.StateName(), r.branch.Project.Pull.Branch)
		if waits { // perhaps on the branch, which the next push reads then
			err = ledger.UnsentAt.Put(tx, r.branch.StateName(), r.branch.Project.Pull.Branch, r.snapshots.all[0].commit)
		}
		return errors.Join(err,
			ledger.Each(r.sights, func(s sight) error {
				return ledger.Each(s.yielded, func(lost pass.Conflict) error { return lost.KeepFirst(r.branch, tx) })
			}),
			ledger.Each(r.snapshots.all, func(at *opened) error {
				refused := func(s sight) bool { return s.snapshot == &at.snapshot && s.refused }
				if slices.Contains(at.earlier, at.name) && slices.ContainsFunc(r.sights, refused) {
					return nil // the commit may be amended before the service takes what it brings back
				}
				err := ledger.SeenAt.Put(tx, r.branch.StateName(), at.name.Record(), at.commit)
				if at.name == config.Worktree {
					err = errors.Join(err, ledger.SeenHereAt.Put(tx, r.branch.StateName(), "", at.commit))
				}
				return err
			}))
	})
}
