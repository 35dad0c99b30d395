package page

import (
	"slices"

	"github.com/locsync/locsync/sync/service/local/store"
)

// mostNeighbours is how many keys before a key, and behind it, are shown.
const mostNeighbours = 2

// neighboursOf are the keys around one in its collection, in the order of the source.
func (o *opened) neighboursOf(it item) (all []item, err error) {
	visit := func(n []byte, r *store.Row) (bool, error) {
		t, err := it.k.Translation(o.Language, n)
		if err != nil {
			return false, err
		}
		all = append(all, item{Row: r, Is: t})
		return len(all) < mostNeighbours, nil
	}
	if err := it.k.EachBefore(it.n(), visit); err != nil {
		return nil, err
	}
	before := all
	slices.Reverse(before)
	all = nil
	err = it.k.Each(it.n(), visit)
	return append(before, all...), err
}

// inOtherLanguages are the translations of a key that a person sees.
func (o *opened) inOtherLanguages(it item, person *store.Person) (all []item, err error) {
	for _, code := range o.project.Targets {
		if code == o.Language || person.RoleIn(o.project.ID, code) == "" {
			continue
		}
		t, err := it.k.Translation(code, it.n())
		if err != nil {
			return nil, err
		}
		if t != nil {
			all = append(all, item{Code: code, Is: t})
		}
	}
	return all, nil
}
