package memory

import (
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// resolution is what becomes of a record that both changed, each otherwise.
type resolution uint8

const (
	forgets   resolution = iota // it is not known any more: the texts are compared as if they were never agreed on
	keepsAny                    // one that is there stays; of two, the remote's
	takes                       // the remote's, which may be none
	ends                        // where one of them ended it, it has ended; else the remote's
	histories                   // the texts that all three know stay: which of the others is older cannot be told
)

// ofMarks and ofRecords are the resolutions of their kinds; the others forget.
var (
	ofMarks = map[string]resolution{
		// What is not known to be filler would be sent as a translation.
		"filler": keepsAny, "removed": keepsAny, "left": keepsAny, "further": takes, "elsewhere": takes, "former": keepsAny,
		"known": histories, "source known": histories,
	}
	ofRecords = map[string]resolution{
		// A question that was answered in one clone is answered; a rename that one has made is made.
		"conflicts": ends, "renames": ends, "moves": ends, "missing": ends, "gone": ends,
		"seen": takes, "source seen": takes, "recollected": takes, "line": keepsAny,
		"accepted": keepsAny,
	}
)

// three is one value on three sides; false where a side has none.
type three[T comparable] struct {
	base, ours, theirs       T
	inBase, inOurs, inTheirs bool
}

// merge is the value that two sides have after they changed it from a base.
func (v three[T]) merge(how resolution) (value T, is bool) {
	switch {
	case v.inOurs == v.inTheirs && v.ours == v.theirs, v.inOurs == v.inBase && v.ours == v.base:
		return v.theirs, v.inTheirs
	case v.inTheirs == v.inBase && v.theirs == v.base:
		return v.ours, v.inOurs
	case how == takes, how == ends && v.inOurs && v.inTheirs, how == keepsAny && v.inTheirs:
		return v.theirs, v.inTheirs
	case how == keepsAny:
		return v.ours, v.inOurs
	}
	var none T
	return none, false
}

// reconcile is what two parts that began from one base are together.
func reconcile(base, ours, theirs *part) *part {
	all := newPart()
	for id := range union(base.records, ours.records, theirs.records) {
		var v three[string]
		v.base, v.inBase = base.records[id]
		v.ours, v.inOurs = ours.records[id]
		v.theirs, v.inTheirs = theirs.records[id]
		if content, is := v.merge(ofRecords[id.kind]); is {
			all.records[id] = content
		}
	}
	for id := range union(base.marks, ours.marks, theirs.marks) {
		b, inBase := base.marks[id]
		o, inOurs := ours.marks[id]
		t, inTheirs := theirs.marks[id]
		there := three[bool]{inBase, inOurs, inTheirs, true, true, true}
		is, _ := there.merge(takes)
		marks := reconcileMarks(ofMarks[id.kind], b, o, t)
		if is || len(marks) > 0 {
			all.marks[id] = marks
		}
	}
	return all
}

func reconcileMarks(how resolution, base, ours, theirs catalog.Marks) catalog.Marks {
	if maps.Equal(base, ours) {
		return theirs
	}
	if maps.Equal(base, theirs) || maps.Equal(ours, theirs) {
		return ours
	}
	marks := make(catalog.Marks)
	if how == histories {
		names := make(map[catalog.Name]bool)
		for n := range union(base, ours, theirs) {
			form, _, _ := strings.Cut(n.Form, "\x00")
			names[catalog.Name{Key: n.Key, Form: form}] = true
		}
		for n := range names {
			texts := reconcileTexts(ledger.Texts(base, n), ledger.Texts(ours, n), ledger.Texts(theirs, n))
			for _, m := range texts {
				ledger.Learn(marks, n, m)
			}
		}
		return marks
	}
	for n := range union(base, ours, theirs) {
		var v three[catalog.Mark]
		v.base, v.inBase = base[n]
		v.ours, v.inOurs = ours[n]
		v.theirs, v.inTheirs = theirs[n]
		if m, is := v.merge(how); is {
			marks[n] = m
		}
	}
	return marks
}

// reconcileTexts is a history that two sides went on with: the texts that both added, each otherwise, are in no order
// and none of it.
func reconcileTexts(base, ours, theirs []catalog.Mark) []catalog.Mark {
	switch {
	case slices.Equal(base, ours):
		return theirs
	case slices.Equal(base, theirs), slices.Equal(ours, theirs):
		return ours
	case len(ours) > len(theirs) && slices.Equal(ours[:len(theirs)], theirs):
		return ours
	case len(theirs) > len(ours) && slices.Equal(theirs[:len(ours)], ours):
		return theirs
	}
	var both []catalog.Mark
	for _, m := range base {
		if slices.Contains(ours, m) && slices.Contains(theirs, m) {
			both = append(both, m)
		}
	}
	return both
}

// union are the keys of some maps.
func union[K comparable, V any](all ...map[K]V) map[K]bool {
	keys := make(map[K]bool)
	for _, m := range all {
		for k := range m {
			keys[k] = true
		}
	}
	return keys
}

// equal says whether two parts hold the same.
func (p *part) equal(o *part) bool {
	return maps.Equal(p.records, o.records) && maps.EqualFunc(p.marks, o.marks,
		func(a, b catalog.Marks) bool { return maps.Equal(a, b) })
}
