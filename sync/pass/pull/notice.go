package pull

import (
	"context"
	"errors"
	"maps"
	"slices"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// What the service has of the source texts of a tree is compared with what it accepted.

// tellsSources reports whether the exports of a group can bring its source texts as well.
func tellsSources(p *pass.Branch, g *bundle.Group) bool {
	asked := p.Project.Push.Enabled && !p.Project.Pull.Source
	return asked && g.Template().HasLanguage() && !g.Template().HasLabel()
}

// notice remembers what the service has otherwise than it accepted it, and lets it wait for a push. Groups that it
// refused, and those of which it has nothing at all, are asked for their source texts alone.
func (r *merging) notice(ctx context.Context, groups []*bundle.Group, exports map[string]*pass.Exported) error {
	found := make(map[string]catalog.Marks) // by collection; the mark of no text where the service has none
	var asks []pass.ExportAsk
	var failure error
	divider := new(pass.Divider)
	compare := func(g *bundle.Group, x *pass.Exported) {
		for _, b := range g.Bundles {
			if s := r.tree.Of(b); !s.Broken() && !x.Lacks(b, b.Source) {
				if found[s.Collection] == nil {
					found[s.Collection] = make(catalog.Marks)
				}
				theirs, err := x.Read(b, b.Source)
				if err == nil {
					err = r.compareSent(s, divider, theirs, found[s.Collection])
				}
				failure = errors.Join(failure, err)
			}
		}
	}
	for _, g := range groups {
		x := exports[g.ID()]
		switch {
		case !tellsSources(r.branch, g) || !r.sent(g):
		case x == nil || len(x.Entries)+len(x.Sources) == 0:
			asks = append(asks, pass.SourceAsk(r.tree, g))
		case x.Late == nil && len(x.Sources) > 0:
			compare(g, x)
		}
	}
	answers, err := r.branch.ExportAll(ctx, asks)
	if err != nil {
		return err
	}
	for i, x := range answers {
		if !x.Failed {
			compare(asks[i].Group, x)
		}
	}
	if failure != nil {
		return failure
	}
	for collection, marks := range found {
		if err := r.keepFound(collection, marks); err != nil {
			return err
		}
	}
	return nil
}

// compareSent is compare, without what the service may yet show. What it shows of what it accepted is forgotten.
func (r *merging) compareSent(
	s *tree.Source, divider *pass.Divider, theirs catalog.Catalog, found catalog.Marks,
) error {
	other := make(catalog.Marks)
	r.compare(s, divider, theirs, other)
	sent, over, err := r.leaveLate(s, other)
	maps.Copy(found, other)
	if err != nil || over || len(sent) == 0 {
		return err
	}
	names := make(map[catalog.Name]bool)
	for _, text := range sent {
		names[text.Name] = true
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		return r.branch.Memory().ForgetSent(tx, s.ID().ID(), names)
	})
}

// leaveLate takes out of what the service has otherwise what it may only show late, and gives what was sent of a file.
func (r *merging) leaveLate(s *tree.Source, other catalog.Marks) (sent pass.SentByName, over bool, err error) {
	sent, err = r.branch.Memory().Sent(s.ID().ID())
	if err != nil || len(other) == 0 {
		return sent, false, err
	}
	now := r.branch.Now()
	last, accepted, err := ledger.AcceptedAt.Get(r.branch.Ledger, r.branch.StateName(), "")
	accepted = accepted && now.Sub(last) < pass.LateFor
	maps.DeleteFunc(other, func(n catalog.Name, mark catalog.Mark) bool {
		of := sent.Of(n)
		late := pass.Shows(mark, of, nil, now) == pass.Late || len(of) == 0 && mark == (catalog.Mark{}) && accepted
		over = over || late
		return late
	})
	r.over = r.over || over
	return sent, over, err
}

// withoutLate are source texts of the service without those that are older than what it accepted of a file.
func (r *merging) withoutLate(s *tree.Source, theirs catalog.Catalog) (catalog.Catalog, error) {
	marks := theirs.Restrict(s.TextKeys()).Marks()
	if _, _, err := r.leaveLate(s, marks); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(theirs), func(u catalog.Unit) bool {
		_, stays := marks[u.Name]
		return !stays && s.TextKeys()[u.Key]
	}), nil
}

// news reports whether the answer of a probe has source texts that were not found before. What is not in it is
// as it was.
func (r *merging) news(x *pass.Exported) (bool, error) {
	divider := new(pass.Divider)
	for _, b := range x.Group.Bundles {
		s, found := r.tree.Of(b), make(catalog.Marks)
		if s.Broken() {
			continue
		}
		theirs, err := x.Read(b, b.Source)
		if err != nil {
			return false, err
		}
		r.compare(s, divider, theirs, found)
		if _, _, err := r.leaveLate(s, found); err != nil {
			return false, err
		}
		known, err := r.branch.Ledger.Marks(r.branch.Memory().FoundSlot(s.Collection))
		if err != nil {
			return false, err
		}
		for n, mark := range found {
			if mark != (catalog.Mark{}) && mark != known[n] {
				return true, nil
			}
		}
	}
	return false, nil
}

// sent reports whether the service has accepted texts of a group.
func (r *merging) sent(g *bundle.Group) bool {
	return slices.ContainsFunc(g.Bundles, func(b *bundle.Bundle) bool {
		return len(r.accepted.Files[r.tree.Of(b).ID()]) > 0
	})
}

// compare finds the texts of a file that the service has otherwise than it accepted them. One that it was told
// to keep is none.
func (r *merging) compare(s *tree.Source, divider *pass.Divider, theirs catalog.Catalog, found catalog.Marks) {
	own := divider.Texts(theirs, r.shared.HasIn(s.Collection), s.TextKeys())
	marks := r.tree.FittedSource(s.Bundle, own).Restrict(s.TextKeys()).Marks()
	for _, u := range s.Texts {
		accepted, known := r.accepted.Texts[s.Collection][u.Name]
		is, there := marks[u.Name]
		if !known || u.Text == "" || there && r.branch.Project.Push.Conflicts == string(service.Skip) {
			continue
		}
		if is != accepted {
			found[u.Name] = is
		}
	}
}

// keepFound remembers what was found in a collection, and lets what is new of it wait for a push.
func (r *merging) keepFound(collection string, found catalog.Marks) error {
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		known, err := tx.Marks(r.branch.Memory().FoundSlot(collection))
		if err != nil || len(known) == 0 && len(found) == 0 {
			return err
		}
		fresh, now := maps.Clone(found), make(catalog.Marks)
		maps.DeleteFunc(fresh, func(n catalog.Name, mark catalog.Mark) bool {
			was, is := known[n]
			return is && was == mark
		})
		maps.Copy(now, known) // what the service lacked, and does not any more, is forgotten
		maps.DeleteFunc(now, func(_ catalog.Name, mark catalog.Mark) bool { return mark == catalog.Mark{} })
		maps.Copy(now, found)
		if maps.Equal(now, known) {
			return nil
		}
		slots, err := r.branch.Memory().PushedSlots(tx)
		for _, slot := range slots {
			if slot.Collection == collection && len(fresh) > 0 && err == nil {
				_, err = r.branch.Memory().DoubtSlot(tx, slot, fresh)
			}
		}
		if len(fresh) > 0 {
			r.account.report.Unsent = true
			r.branch.Log.Info("the service does not have source texts as it accepted them; the next push compares them",
				zap.String("collection", collection), zap.Int("texts", len(fresh)))
		}
		return errors.Join(err, tx.SetMarks(r.branch.Memory().FoundSlot(collection), now))
	})
}
