package memory

import (
	"context"
	"slices"

	"github.com/locsync/locsync/sync/service/local/store"
)

// FindMatches finds the best translations of a text into a language, the best first, each text once; most of them at
// most. Texts that are much the same are looked for until ctx ends.
func FindMatches(
	ctx context.Context, m *store.Memory, source string, at store.Surroundings, code string, most int,
) ([]Match, error) {
	if code = m.Language(code); code == "" {
		return nil, nil
	}
	var all []Match
	add := func(u *store.MemoryUnit, percent int) {
		t, ok := u.Targets[code]
		if !ok || percent == 0 {
			return
		}
		if i := slices.IndexFunc(all, func(o Match) bool { return o.Text == t.Text }); i >= 0 {
			if percent > all[i].Percent {
				all[i].Percent, all[i].Source = percent, u.Source
			}
			return
		}
		all = append(all, Match{percent, t.Text, u.Source})
	}
	err := m.EachExact(source, func(_ []byte, u *store.MemoryUnit) { add(u, 100+likeness(u.Context, at)) })
	if err != nil {
		return nil, err
	}
	similar, err := similarUnits(ctx, m, source)
	if err != nil {
		return nil, err
	}
	for _, u := range similar {
		if u.Source != source && ctx.Err() == nil {
			add(u, similarity(source, u.Source, minMatch))
		}
	}
	slices.SortStableFunc(all, func(a, b Match) int { return b.Percent - a.Percent })
	return all[:min(len(all), most)], nil
}
