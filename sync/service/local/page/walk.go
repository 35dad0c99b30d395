package page

import (
	"slices"
	"time"

	"github.com/locsync/locsync/sync/service/local/store"
)

// walkFor is how long one request searches for keys; where that is not enough, the page leads on from where it ended.
const walkFor = 400 * time.Millisecond

// found are keys that a filter shows.
type found struct {
	items []item
	last  position // the last one that was reached
	more  bool     // there are further keys
}

// walk finds keys that the scope shows behind a position, or before it, in the order of collections and rows; most
// of them at most. The zero position is the beginning.
func (o *opened) walk(from position, back bool, most int) (f found, err error) {
	end := time.Now().Add(walkFor)
	names := slices.Clone(o.collections)
	if back {
		slices.Reverse(names)
	}
	f.last = from
	for _, name := range names {
		if from.Row > 0 && (!back && name < from.Collection || back && name > from.Collection) {
			continue
		}
		var start []byte
		if name == from.Collection && from.Row > 0 {
			start = store.Number(from.Row)
		}
		if err = o.walkIn(name, start, back, most, end, &f); err != nil || f.more {
			return f, err
		}
	}
	return f, nil
}

// walkIn is walk within one collection.
func (o *opened) walkIn(name string, start []byte, back bool, most int, end time.Time, f *found) error {
	k, err := o.keyspace(name)
	if err != nil {
		return err
	}
	seen := 0
	visit := func(n []byte, r *store.Row) (bool, error) {
		often := seen%256 == 0 || o.also != nil
		if seen++; len(f.items) == most || often && time.Now().After(end) {
			f.more = true
			return false, nil
		}
		it, err := o.item(name, k, n, r)
		if err != nil {
			return false, err
		}
		if f.last = it.At; o.shows(it) && (o.also == nil || o.also(it)) {
			f.items = append(f.items, it)
		}
		return true, nil
	}
	if back {
		return k.EachBefore(start, visit)
	}
	return k.Each(start, visit)
}

// Bounds of counting the keys that a filter shows, for the page of one of them: of more keys none is counted, as the
// time would pass in vain with each page.
const (
	countFor    = 50 * time.Millisecond
	mostCounted = 30_000
)

// rank is where a key is among those that a filter shows; zero where counting them takes too long.
type rank struct{ Number, Of int }

func (o *opened) rankOf(at position) (p rank, err error) {
	end, passed, keys := time.Now().Add(countFor), false, 0
	for _, name := range o.collections {
		k, err := o.keyspace(name)
		if err != nil {
			return rank{}, err
		}
		keys += k.Keys
		if keys > mostCounted {
			return rank{}, nil
		}
		err = k.Each(nil, func(n []byte, r *store.Row) (bool, error) {
			it, err := o.item(name, k, n, r)
			if passed = passed || time.Now().After(end); err != nil || passed {
				return false, err
			}
			if o.shows(it) {
				p.Of++
				if it.At == at {
					p.Number = p.Of
				}
			}
			return true, nil
		})
		if err != nil || passed {
			return rank{}, err
		}
	}
	return p, nil
}

// progress is how far a language of a project has come.
type progress struct {
	Code                   string
	Final, Confirmed, Keys int
}

func (o *opened) progress() (progress, error) {
	_, languages, err := progressOf(o.tx, o.project)
	return languages[o.Language], err
}

// progressOf counts the keys of a project, and how far each of its languages has come.
func progressOf(tx *store.Tx, p *store.Project) (keys int, languages map[string]progress, err error) {
	languages = make(map[string]progress)
	for _, code := range p.Targets {
		languages[code] = progress{Code: code}
	}
	for _, name := range store.CollectionNames(tx, p.ID) {
		k, err := store.OpenCollection(tx, p.ID, name)
		if err != nil {
			return 0, nil, err
		}
		keys += k.Keys
		for _, code := range k.Targets {
			of := languages[code]
			of.Keys += k.Keys
			of.Final += k.Counts[code].Final
			of.Confirmed += k.Counts[code].Confirmed
			languages[code] = of
		}
	}
	return keys, languages, nil
}
