package oracle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// entriesOfPart is how many entries of a catalog are proven at once. The leaves of all of them would take far more
// memory than the two files.
const entriesOfPart = 256

// partsOf finds the entries of a catalog. None are found where it has no strings, or has them twice.
func partsOf(src []byte) (*catalogParts, error) {
	c := &catalogParts{src: src}
	j, err := jsonOf(src)
	if err != nil {
		return nil, err
	}
	if t, _, _, err := j.next(); err != nil || t != json.Delim('{') {
		return c, err
	}
	var skipped json.RawMessage
	found := 0
	err = j.members(func(name string, _, _ int) error {
		if name != "strings" {
			err := j.skip(&skipped)
			if name == "sourceLanguage" && err == nil && skipped[0] == '"' {
				err = json.Unmarshal(skipped, &c.source)
			}
			return err
		}
		found++
		if t, _, _, err := j.next(); err != nil || t != json.Delim('{') {
			found++ // of something else, the whole is read at once
			return err
		}
		return j.members(func(name string, at, end int) error {
			e := catalogEntry{name: j.shared(name, at, end), at: at}
			err := j.within(&skipped, func(name string, _, _ int) error {
				if name != "localizations" {
					return j.skip(&skipped)
				}
				return j.within(&skipped, func(name string, at, end int) error {
					err := j.skip(&skipped)
					e.localizations = append(e.localizations,
						localization{j.shared(name, at, end), end, int(j.d.InputOffset())})
					return err
				})
			})
			c.entries = append(c.entries, e)
			return err
		})
	})
	if err == nil {
		err = j.ended()
	}
	if err != nil {
		return nil, err
	}
	if found != 1 {
		c.entries = nil
	}
	c.index = make(map[string]int, len(c.entries))
	for i, e := range c.entries {
		c.index[e.name] = i
	}
	return c, nil
}

// skip reads the value that is next without looking into it.
func (j *jsonReader) skip(value *json.RawMessage) error {
	if err := j.d.Decode(value); err != nil {
		return fmt.Errorf("encoding/json: %w", err)
	}
	return nil
}

// within reads the members of the value that is next. Of another kind it is skipped.
func (j *jsonReader) within(skipped *json.RawMessage, each func(name string, at, end int) error) error {
	t, _, _, err := j.next()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('{'):
		return j.members(each)
	case json.Delim('['):
		for j.d.More() {
			if err := j.skip(skipped); err != nil {
				return err
			}
		}
		_, _, _, err = j.next()
	}
	return err
}

// shared is a name that takes no memory besides the file's, where it is spelled without escapes.
func (j *jsonReader) shared(name string, at, end int) string {
	if spelled := j.src[at+1 : end-1]; spelled == name {
		return spelled
	}
	return name
}

// cut is before the same entry in both catalogs, the old and the new, or at their ends.
type cut struct {
	at   [2]int
	same [][2]span // of other languages, since the cut before
}

type span struct{ at, end int }

// cuts finds where both catalogs can be cut, and what need not be looked into: what entries have of other languages
// than the one that is written, to the byte.
func (r Rule) cuts(old, new *catalogParts) []cut {
	var all []cut
	var same [][2]span
	whole := len(old.index) < len(old.entries) || len(new.index) < len(new.entries)
	for i, j, last := 0, 0, 0; i < len(old.entries) && j < len(new.entries) && !whole; {
		a, b := old.entries[i], new.entries[j]
		if a.name != b.name {
			if _, is := new.index[a.name]; is {
				j++
			} else {
				i++
			}
			continue
		}
		if max(i, j)-last >= entriesOfPart {
			all = append(all, cut{[2]int{a.at, b.at}, same})
			last, same = max(i, j), nil
		}
		same = r.sameRuns(same, old, new, a.localizations, b.localizations)
		i, j = i+1, j+1
	}
	return append(all, cut{[2]int{len(old.src), len(new.src)}, same})
}

// sameRuns appends what both have of neighbouring languages with the same bytes, from behind the name of the first. The
// source language is read in any case, since it says which keys have substitutions.
func (r Rule) sameRuns(runs [][2]span, old, new *catalogParts, a, b []localization) [][2]span {
	isRead := func(language string) bool {
		return strings.EqualFold(language, cmp.Or(r.Language, old.source)) || strings.EqualFold(language, old.source) ||
			strings.EqualFold(language, new.source)
	}
	equal := func(from, to [2]int) bool { return bytes.Equal(old.src[from[0]:to[0]], new.src[from[1]:to[1]]) }
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if a[i].language != b[j].language {
			if n := slices.IndexFunc(b[j:], func(l localization) bool { return l.language == a[i].language }); n > 0 {
				j += n
			} else {
				i++
			}
			continue
		}
		from, end := [2]int{a[i].at, b[j].at}, [2]int{a[i].at, b[j].at}
		for i < len(a) && j < len(b) && !isRead(a[i].language) && equal(end, [2]int{a[i].end, b[j].end}) {
			end = [2]int{a[i].end, b[j].end}
			i, j = i+1, j+1
		}
		if end != from {
			runs = append(runs, [2]span{{from[0], end[0]}, {from[1], end[1]}})
		} else {
			i, j = i+1, j+1
		}
	}
	return runs
}

// A part of a catalog is read as if it were all of it.
const beforePart, afterPart = `{"strings":{`, `}}`

// skippedValue replaces what both files have alike.
const skippedValue = ":0"

// part reads the bytes from one cut to the next of the old (0) or the new (1) catalog.
func (r Rule) part(c *catalogParts, side, from int, to cut) (*document, error) {
	until := to.at[side]
	text := make([]byte, 0, len(beforePart)+until-from+len(afterPart))
	if from > 0 {
		text = append(text, beforePart...)
	}
	added := len(text)
	for _, same := range to.same {
		text = append(append(text, c.src[from:same[side].at]...), skippedValue...)
		from = same[side].end
	}
	text = append(text, c.src[from:until]...)
	end := len(text)
	if until < len(c.src) {
		text = append(text, afterPart...)
	}
	r.source = c.source
	d, err := r.read(text)
	if err != nil {
		return nil, err
	}
	d.text = textOf(text[added:end])
	for i := range d.leaves {
		d.leaves[i].at -= added
		d.leaves[i].end -= added
	}
	return d, nil
}

func (c *Catalogs) parts(src []byte) (*catalogParts, error) {
	if c != nil && c.last != nil && bytes.Equal(c.last.src, src) {
		return c.last, nil
	}
	return partsOf(src)
}

// proveParts proves a catalog from cut to cut. A change belongs to the part that has its entry.
func (r Rule) proveParts(before, after []byte, changes []Change) error {
	old, err := r.Catalogs.parts(before)
	if err != nil {
		return unreadable(false, err)
	}
	new, err := partsOf(after)
	if err != nil {
		return unreadable(true, err)
	}
	open := make(map[name]int, len(changes))
	for i, c := range changes {
		open[name{c.Key, c.Form}] = i
	}
	from := [2]int{}
	for _, to := range r.cuts(old, new) {
		p := proof{rule: r, how: readers[r.Format]}
		p.old, err = r.part(old, 0, from[0], to)
		if err != nil {
			return unreadable(false, err)
		}
		p.new, err = r.part(new, 1, from[1], to)
		if err != nil {
			return unreadable(true, err)
		}
		for _, d := range []*document{p.old, p.new} {
			for i := range d.leaves {
				n := name{d.leaves[i].Key, d.leaves[i].Form}
				if at, is := open[n]; is && d.leaves[i].Keyed {
					p.changes = append(p.changes, changes[at])
					delete(open, n)
				}
			}
		}
		if err := p.prove(); err != nil {
			return err
		}
		from = to.at
	}
	if r.Catalogs != nil {
		r.Catalogs.last = new
	}
	p := proof{adds: make(map[name]*string)}
	for n, i := range open {
		if !changes[i].Gone {
			p.adds[n] = &changes[i].Text
		}
	}
	return p.complete()
}
