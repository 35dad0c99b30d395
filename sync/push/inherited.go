package push

import (
	"context"

	"github.com/locsync/locsync/sync/tree"
)

// sendInherited sends the source texts of inherited keys of which somebody changed a translation: a collection takes no translation of a key that it does
// not have.
func (r *pushing) sendInherited(ctx context.Context, found []*candidate) error {
	if r.branch.Trunk == nil {
		return nil
	}
	of, wanted := r.branch.Keeper(), make(map[*tree.Source]map[string]bool)
	for _, c := range found {
		for n := range c.changed {
			for _, b := range c.Sources {
				s := r.tree.Of(b)
				if !r.accepted.Inherited(s)[n.Key] || of.TrunkCollection(s) == s.Collection {
					continue
				}
				if wanted[s] == nil {
					wanted[s] = make(map[string]bool)
				}
				wanted[s][n.Key] = true
			}
		}
	}
	ship := &shipping{}
	for _, s := range r.tree.Sources {
		if wanted[s] == nil {
			continue
		}
		if err := r.addSource(ship, s, func(key string) bool { return wanted[s][key] }); err != nil {
			return err
		}
	}
	r.shipAll(ctx, ship.shipments)
	return nil
}
