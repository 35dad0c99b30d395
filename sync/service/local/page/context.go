package page

import (
	"slices"

	"github.com/locsync/locsync/sync/service/local/store"
)

// beside is a text near a key: of a neighbour, or of another language.
type beside struct {
	Key, Code    string
	Source, Text string
	State        string
}

// mostNeighbours is how many keys before a key, and behind it, are shown.
const mostNeighbours = 2

// neighboursOf are the keys around one in its collection, in the order of the source.
func (o *opened) neighboursOf(it item) (all []beside, err error) {
	visit := func(n []byte, r *store.Row) (bool, error) {
		t, err := it.k.Translation(o.Language, n)
		if err != nil {
			return false, err
		}
		one := item{row: r, is: t}
		all = append(all, beside{Key: r.Key, Source: shortened(r.Texts), Text: shortened(one.texts()), State: one.state()})
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
func (o *opened) inOtherLanguages(it item, person *store.Person) (all []beside, err error) {
	for _, code := range o.project.Targets {
		if code == o.Language || person.RoleIn(o.project.ID, code) == "" {
			continue
		}
		t, err := it.k.Translation(code, it.n())
		if err != nil {
			return nil, err
		}
		if t != nil {
			one := item{is: t}
			all = append(all, beside{Code: code, Text: shortened(t.Texts), State: one.state()})
		}
	}
	return all, nil
}
