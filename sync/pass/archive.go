package pass

import (
	"context"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/service/own"
	"github.com/locsync/locsync/sync/service/wire"
)

// Archives is what decides that our own service puts a key aside. Where branches have collections of their own, it
// keeps all.
func (p *Branch) Archives() accepted.Archives {
	switch {
	case p.Base != "":
		return accepted.Never
	case p.Config.Service.Embedded():
		return accepted.ByTree
	case p.Service.Own():
		return accepted.ByBase
	}
	// What was remembered of the base branch is of a service that said so in an earlier process.
	slots, err := ledger.Based.Slots(p.Ledger, p.StateName())
	if err != nil || len(slots) == 0 {
		return accepted.Never
	}
	return accepted.ByBase
}

// Aside says how many keys it has put aside, as it answered to the last export.
func (p *Branch) Aside() string { return own.Archived(p.Service, p.Project.ID) }

// Archive has it put aside the keys that are gone.
func (p *Branch) Archive(ctx context.Context, a *accepted.Sources) error {
	switch p.Archives() {
	case accepted.ByTree:
		return p.Keeper().Archive(a, func(collection string, keys []string) error {
			_, err := own.Archive(ctx, p.Service, p.Project.ID, wire.KeysOf{Collection: collection, Keys: keys})
			return err
		})
	case accepted.ByBase:
		return p.archiveLost(ctx, a)
	}
	return nil
}

// archiveLost is Archive for a service with several clients.
func (p *Branch) archiveLost(ctx context.Context, a *accepted.Sources) error {
	if len(a.Held) > 0 || accepted.KeysOf(a.Tree) == nil {
		return nil // what is missing may only be missing
	}
	at, _, err := ledger.BasedAt.Get(p.Ledger, p.StateName(), "")
	if err != nil {
		return err
	}
	base := p.baseOf(a.Tree, at, p.Repo.Seen)
	if base == nil {
		return nil
	}
	lost, more, err := p.Keeper().Lost(a, accepted.KeysOf(base))
	if err != nil {
		return err
	}
	if len(lost) > 0 { // the remote may have some of them again
		ask := func(branch, base string) (*gitops.Tip, error) { return p.Repo.At(ctx, branch, base) }
		if fresh := p.baseOf(a.Tree, at, ask); fresh == nil || fresh.Commit() != base.Commit() {
			return ctx.Err()
		}
	}
	var of []wire.KeysOf
	for collection, keys := range lost {
		of = append(of, wire.KeysOf{Collection: collection, Keys: keys})
	}
	if done, err := own.Archive(ctx, p.Service, p.Project.ID, of...); err != nil {
		return err
	} else if !done {
		return p.Keeper().ForgetBase()
	}
	return p.Keeper().SeeBase(a, base, lost, more)
}

// baseOf reads the base branch, as look finds it; nil where the tree lacks commits of it, where it is at a commit that
// is known, and where it cannot be read: then nothing is concluded from it.
func (p *Branch) baseOf(t *tree.Tree, known string, look func(branch, base string) (*gitops.Tip, error)) *tree.Tree {
	tip, err := look(p.Project.Pull.Branch, p.Project.Pull.Base)
	if err != nil || tip.Base() == nil || tip.Base().Hash() == known {
		return nil
	}
	if has, err := p.Repo.History.Contains(t.Commit(), tip.Base().Hash()); err != nil || !has {
		return nil
	}
	base, err := tree.Find(tip.Base(), p.Project, p.Reading)
	if err != nil || accepted.KeysOf(base) == nil {
		return nil
	}
	return base
}

// baseKeys are the keys that the base branch has, for a tree that has all of it.
func (p *Branch) baseKeys(t *tree.Tree) map[string]map[string]bool {
	if p.Repo == nil {
		return nil
	}
	base := p.baseOf(t, "", p.Repo.Seen)
	if base == nil {
		return nil
	}
	return accepted.KeysOf(base)
}
