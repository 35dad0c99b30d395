package pass

import (
	"errors"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Sight is what a push saw of a target file of a snapshot, without the file: all of it but changes that the service has
// not confirmed, which are found again.
type Sight struct {
	at        LookAt
	target    bundle.Target
	seen      catalog.Packed
	replacing catalog.Marks // in a working tree: texts that others were replaced by
	another   bool          // what was seen of another branch is left out
}

// See sees the texts of a target file. open are those that may not be confirmed; another means that what was seen there
// last was of another branch, whose commit is forgotten as soon as this is kept.
func (p *Branch) See(
	at LookAt, t bundle.Target, texts catalog.Catalog, another bool, open ...map[catalog.Name]bool,
) (Sight, error) {
	s := Sight{at: at, target: t, another: another}
	of, err := p.Memory().Read(t.Path, t.Language.Code, at.Kind(), ledger.Known)
	if err != nil {
		return s, err
	}
	seen, before, history := texts.Marks(), of[at.Kind()], of[ledger.Known]
	if another {
		before = nil
	}
	for _, names := range open {
		for n := range names {
			ledger.KeepSeen(seen, before, history, n)
		}
	}
	s.seen = seen.Pack()
	if at == config.Worktree {
		s.replacing = ledger.Replacing(history, texts)
	}
	return s, nil
}

// Keep remembers it. Where the push failed, what was seen of another branch stays: its commit does, too.
func (s Sight) Keep(p *Branch, tx ledger.Writer, failed bool) error {
	if failed && s.another {
		return nil
	}
	path, language := s.target.Path, s.target.Language.Code
	err := tx.SetMarks(p.Memory().Slot(s.at.Kind(), path, language), s.seen)
	if s.at == config.Worktree {
		here, id := p.Memory().Slot(ledger.SeenHere, path, language), ledger.TargetID(path, language)
		err = errors.Join(err, ledger.KeepMarks(tx, here, s.replacing),
			ledger.SeenHereAt.Put(tx, p.StateName(), id, ledger.Digest(s.seen.Encode())))
	}
	return err
}
