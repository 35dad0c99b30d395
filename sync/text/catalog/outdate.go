package catalog

import (
	"maps"
	"slices"
)

// Made is what Outdate looks at: one file in one language.
type Made struct {
	For      Marks   // per key, the digests of the source texts that its translation is known to fit: see Fit
	Outdated Marks   // what was found outdated before, and has not been replaced since
	Base     Marks   // what repository and service agreed on last
	Stood    Marks   // what the repository had after the last merge
	Source   Marks   // Digests of the source texts as the repository has them
	Service  Marks   // Digests of the source texts as the service has them, as far as that is known
	Ours     Catalog // the repository's translations, without what only represents a missing one
	Theirs   Catalog // the service's translations
	Blank    bool    // what is outdated is taken out of the repository, not only counted
}

// Fresh is the outcome of Outdate: Now is outdated in this merge, the others are what is remembered when it is written.
type Fresh struct {
	Now      Marks // the translations that were made for another source text, with the mark of each
	For      Marks
	Outdated Marks
	Keys     int             // how many keys of Now there are
	Left     map[string]bool // those of which that source text is under another key now
}

// Digests gives each key one mark for all of its texts, under the key without a form. A key with one plain text has the
// mark of it, so that these marks may be the digests themselves, and are not to be changed.
func Digests(marks Marks) Marks {
	formed := make(map[string][]Name)
	for n := range marks {
		if n.Form != "" {
			formed[n.Key] = append(formed[n.Key], n)
		}
	}
	if len(formed) == 0 {
		return marks
	}
	digests := make(Marks, len(marks))
	for n, m := range marks {
		if n.Form == "" {
			digests[n] = m
		}
	}
	for key, names := range formed {
		slices.SortFunc(names, Name.Compare)
		var all []byte
		for _, n := range names {
			mark := marks[n]
			all = append(append(append(all, n.Form...), 0), mark[:]...)
		}
		digests[Name{Key: key}] = MarkOf(string(all))
	}
	return digests
}

// ahead is the form under which For keeps a second digest: that of the service's source text, where it was another than
// the repository's.
const ahead = "ahead"

// left is the form under which For keeps the digest of a source text that has left the key for another one.
const left = "left"

// also is the end of forms under which Outdated keeps a second text of the same name.
const also = "\x00also"

// outdates reports whether a text is among outdated ones.
func outdates(outdated Marks, n Name, text string) bool {
	return outdated.Has(n, text) || outdated.Has(Name{n.Key, n.Form + also}, text)
}

// Leave remembers that a key's source text went to another key: what either side had under it, is of that. Once is
// enough: what comes later, is of the text that the key has now.
func (in *Made) Leave(key string, source Mark, theirs Catalog) {
	if len(theirs) == 0 || in.For[Name{key, left}] == source {
		return
	}
	if in.For == nil {
		in.For = make(Marks)
	}
	if in.Outdated == nil {
		in.Outdated = make(Marks)
	}
	for _, u := range theirs {
		n := Name{key, u.Form}
		in.Outdated[n] = MarkOf(u.Text)
		if base, known := in.Base[n]; known && base != in.Outdated[n] {
			in.Outdated[Name{key, u.Form + also}] = base
		}
	}
	in.For[Name{Key: key}], in.For[Name{key, left}] = source, source
	delete(in.For, Name{key, ahead})
}

// IsOfAnother reports whether translations are known to be of the source text that a key had before it went to another
// key, and not of the one that it has had since.
func (in Made) IsOfAnother(key string, source Mark, texts Catalog) bool {
	made, went := in.For[Name{key, left}]
	return went && made != source && !slices.ContainsFunc(texts, func(u Unit) bool {
		return !outdates(in.Outdated, Name{key, u.Form}, u.Text)
	})
}

// Outdate finds the translations whose source text changed since they were made. It is not recorded what a translation
// was made for, so it is watched: while a key's source text stays, whatever is there is taken to fit it; when it
// changes, what stood then is outdated until a text comes that differs from it, from either side. A translation that
// the service takes back and then has again counts as new even if it is the same: a person has looked at it. A source
// text that changes back makes its translation fit again.
//
// A translation that arrives while the service has a newer source text than the repository may have been made for
// either, so it fits both.
func Outdate(in Made) Fresh {
	if in.fits() {
		return Fresh{For: in.For}
	}
	out := Fresh{Now: Marks{}, For: Marks{}, Outdated: Marks{}, Left: make(map[string]bool)}
	moved := in.moved()
	ours, theirs := in.Ours.ByKey(), in.Theirs.ByKey()
	before, base, stood := in.Outdated.ByKey(), in.Base.ByKey(), in.Stood.ByKey()
	for key, source := range in.Source {
		if len(ours[key.Key]) == 0 && len(theirs[key.Key]) == 0 && len(before.Of(key.Key)) == 0 {
			continue
		}
		made, known := in.For[key]
		second, two := in.For[Name{key.Key, ahead}]
		service, another := in.Service[key]
		another = another && service != source
		had := func(key string) Marks {
			old := before.Of(key)
			if _, known := in.For[Name{Key: key}]; known && len(old) == 0 {
				old = make(Marks)
				maps.Copy(old, stood.Of(key))
				maps.Copy(old, base.Of(key))
			}
			return old
		}
		old := had(key.Key)
		from, came := moved[source]
		switch {
		case known && (made == source || two && second == source):
			if another && made == source && newer(in.Base, theirs[key.Key]) {
				second, two = service, true
			}
		case !known || len(old) == 0 || newer(old, ours[key.Key]) || newer(old, theirs[key.Key]):
			made, second, two = source, service, another
		case came && len(theirs[key.Key]) > 0 && !newer(asOf(had(from), key.Key), theirs[key.Key]):
			made, two = source, false // two sentences of one translation: it is that of either
		default:
			_, before := in.For[Name{key.Key, left}]
			if _, went := moved[made]; before || went {
				out.Left[key.Key], out.For[Name{key.Key, left}] = true, made
			}
			out.outdated(old, (in.Blank || out.Left[key.Key]) && len(theirs[key.Key]) == 0)
		}
		out.For[key] = made
		if two {
			out.For[Name{key.Key, ahead}] = second
		}
	}
	return out
}

// asOf are the marks of one key under another one.
func asOf(marks Marks, key string) Marks {
	as := make(Marks, len(marks))
	for n, m := range marks {
		as[Name{key, n.Form}] = m
	}
	return as
}

// moved are the digests of source texts that left one key and are under exactly one other, with the key that they left.
func (in Made) moved() map[Mark]string {
	went, have, came := make(map[Mark]int), make(map[Mark]int), make(map[Mark]bool)
	from := make(map[Mark]string)
	for key, source := range in.Source {
		have[source]++
		made, known := in.For[key]
		if !known || made != source {
			came[source] = true
		}
		if known && made != source {
			went[made]++
			from[made] = key.Key
		}
	}
	moved := make(map[Mark]string)
	for mark, n := range went {
		if n == 1 && have[mark] == 1 && came[mark] {
			moved[mark] = from[mark]
		}
	}
	return moved
}

// outdated adds the texts of one key. Those that are taken out are remembered with the mark of no text: whatever comes
// is newer.
func (f *Fresh) outdated(old Marks, out bool) {
	f.Keys++
	for n, m := range old {
		f.Now[n], f.Outdated[n] = m, m
		if out {
			f.Outdated[n] = Mark{}
		}
	}
}

// fits reports whether nothing is outdated, as nearly always: it is known of every translation that it fits.
func (in Made) fits() bool {
	for _, c := range []Catalog{in.Ours, in.Theirs} {
		for i := range c {
			key := Name{Key: c[i].Key}
			source, living := in.Source[key]
			if !living {
				continue
			}
			if service, ok := in.Service[key]; in.For[key] != source || ok && service != source {
				return false
			}
		}
	}
	return len(in.Outdated) == 0
}

// newer reports whether a key has a text that is not among the old ones.
func newer(old Marks, texts []Unit) bool {
	return slices.ContainsFunc(texts, func(u Unit) bool { return u.Text != "" && !outdates(old, u.Name, u.Text) })
}
