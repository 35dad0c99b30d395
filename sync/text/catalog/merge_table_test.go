package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The rows of the merge's table, all of them: what stands under one key in the base, in the repository and at the service, with everything that can
// be the matter with each. none is no text.
const none = "\x00"

type row struct {
	source                 string // none: the source does not have the key
	gone                   bool   // it was seen to have had it
	base, ours, theirs     string
	filler, outdated       bool // ours is what we filled in; the base's text was made for another source text
	renamed                bool // the key is new, and has taken the place of the key "old"
	oldOurs, oldTheirs     string
	oldFiller, oldOutdated bool
	elsewhere              bool // the key's texts are those of another file
}

func (r row) String() string {
	show := func(s string) string {
		if s == none {
			return "-"
		}
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("source %s gone %v elsewhere %v base %s repository %s service %s filler %v outdated %v renamed %v (old key: repository %s filler %v outdated %v, service %s)",
		show(r.source), r.gone, r.elsewhere, show(r.base), show(r.ours), show(r.theirs), r.filler, r.outdated, r.renamed, show(r.oldOurs), r.oldFiller, r.oldOutdated, show(r.oldTheirs))
}

func (r row) three() Three {
	in := Three{Base: Marks{}, Filler: Marks{}, Outdated: Marks{}}
	k, old := Name{Key: "k"}, Name{Key: "old"}
	put := func(c *Catalog, n Name, text string) {
		if text != none {
			*c = append(*c, Unit{Name: n, Text: text})
		}
	}
	put(&in.Source, k, r.source)
	put(&in.Ours, old, r.oldOurs)
	put(&in.Ours, k, r.ours)
	put(&in.Theirs, old, r.oldTheirs)
	put(&in.Theirs, k, r.theirs)
	if r.base != none {
		in.Base[k] = MarkOf(r.base)
		if r.outdated {
			in.Outdated[k] = MarkOf(r.base)
		}
	}
	if r.filler {
		in.Filler[k] = MarkOf(r.ours)
	}
	if r.oldFiller {
		in.Filler[old] = MarkOf(r.oldOurs)
	}
	if r.oldOutdated {
		in.Outdated[old] = MarkOf(r.oldOurs)
	}
	in.Gone = map[string]bool{"k": r.gone}
	in.Elsewhere = map[string]bool{"k": r.elsewhere}
	if r.renamed {
		in.Renamed = []Rename{{old, k}}
		in.Gone["old"] = true
	}
	return in
}

// every yields all rows.
func every(yield func(row)) {
	texts := []string{none, "", "Save", "A", "B", "C"} // "Save" is the source text
	for _, source := range []string{none, "Save", ""} {
		for _, base := range texts {
			for _, ours := range texts {
				for _, theirs := range texts {
					for bits := range 8 {
						r := row{source: source, base: base, ours: ours, theirs: theirs, filler: bits&1 != 0, outdated: bits&2 != 0, gone: bits&4 != 0, oldOurs: none, oldTheirs: none}
						if r.filler && ours == none || r.outdated && (base == none || base == "") || r.gone && source != none {
							continue
						}
						yield(r)
						r.elsewhere = true
						yield(r)
						r.elsewhere = false
						for _, oldOurs := range []string{none, "", "A", "O"} {
							for _, oldTheirs := range []string{none, "", "A", "T"} {
								for oldBits := range 4 {
									m := r
									m.renamed, m.oldOurs, m.oldTheirs, m.oldFiller, m.oldOutdated = true, oldOurs, oldTheirs, oldBits&1 != 0, oldBits&2 != 0
									if oldOurs == none && oldBits != 0 || oldOurs == "" && m.oldOutdated {
										continue
									}
									yield(m)
									m.elsewhere = true
									yield(m)
								}
							}
						}
					}
				}
			}
		}
	}
}

// verdict is what is to become of the key: the text that stands, and what is said about it.
type verdict struct {
	stands string
	said   string // conflict, undecided, held, kept, blanked or nothing
}

// oracle decides in the words of the promise, not in those of the table: which text is a translation, who has something newer, and who wins.
func (r row) oracle() verdict {
	if !r.elsewhere {
		return r.alone()
	}
	v := r.alone()
	if r.source == none || v.said == "blanked" {
		return v
	}
	v.stands = r.ours
	if v.said == "conflict" || v.said == "undecided" {
		v.said = ""
	}
	return v
}

// alone is what is to become of a key that no other file of the collection has.
func (r row) alone() verdict {
	ours, theirs := r.ours, r.theirs
	if r.source == none && r.gone {
		return verdict{stands: none}
	}
	if r.source == none { // nothing is known about it
		return verdict{stands: ours}
	}
	old := func(text string) bool { return r.outdated && text == r.base }
	translation := func(text string) bool { return text != none && text != "" }
	oursIs := translation(ours) && !r.filler
	waits := theirs != none && old(theirs) // the service has nothing newer than before the source changed
	if waits || theirs == none {
		if oursIs || ours != none && r.filler {
			if old(ours) {
				return verdict{none, "blanked"}
			}
			if waits && oursIs {
				return verdict{ours, "kept"}
			}
		}
		return r.inherited(verdict{stands: ours})
	}
	switch {
	case theirs == ours:
		return r.inherited(verdict{stands: ours})
	case theirs == "" && ours == none && r.source != "":
		return r.inherited(verdict{stands: none})
	case !oursIs:
		return r.inherited(verdict{stands: theirs})
	case theirs == "":
		return verdict{ours, "held"}
	case r.base == none:
		return verdict{ours, "undecided"}
	case theirs == r.source:
		return verdict{ours, "held"}
	}
	oursNewer, theirsNewer := ours != r.base, theirs != r.base
	switch {
	case oursNewer && theirsNewer:
		return verdict{theirs, "conflict"}
	case oursNewer:
		return verdict{ours, "kept"}
	}
	return verdict{stands: theirs}
}

// inherited is what becomes of a key that has no translation of its own and took the place of another.
func (r row) inherited(v verdict) verdict {
	if !r.renamed || r.ours != none && r.ours != "" || r.theirs != none && r.theirs != "" {
		return v
	}
	fits := func(text string) bool {
		return text != none && text != "" && !((r.oldFiller || r.oldOutdated) && text == r.oldOurs) && !(r.outdated && text == r.base)
	}
	if fits(r.oldOurs) {
		return verdict{stands: r.oldOurs}
	}
	if fits(r.oldTheirs) {
		return verdict{stands: r.oldTheirs}
	}
	return v
}

func said(m Merged) string {
	var words []string
	for word, n := range map[string]int{"conflict": len(m.Conflicts), "undecided": len(m.Undecided), "held": len(m.Held), "kept": len(m.Kept), "blanked": len(m.Blanked)} {
		if n > 0 {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func (r row) apply(m Merged) map[string]string {
	after := map[string]string{}
	if r.ours != none {
		after["k"] = r.ours
	}
	if r.oldOurs != none {
		after["old"] = r.oldOurs
	}
	for _, c := range m.Changes {
		if c.Op == Removed {
			delete(after, c.Key)
		} else {
			after[c.Key] = c.Text
		}
	}
	return after
}

// TestMergeEveryRow compares Merge with the oracle on every combination, and checks on each what may never happen.
func TestMergeEveryRow(t *testing.T) {
	rows, failed := 0, 0
	every(func(r row) {
		rows++
		if failed > 10 {
			return
		}
		m := Merge(r.three())
		after := r.apply(m)
		got := verdict{none, said(m)}
		if text, ok := after["k"]; ok {
			got.stands = text
		}
		if want := r.oracle(); got != want {
			failed++
			t.Errorf("%v: %q stands (%s), want %q (%s)", r, got.stands, got.said, want.stands, want.said)
		}
		if _, back := after["old"]; back {
			failed++
			t.Errorf("%v: the key that was renamed stands", r)
		}
		if why := r.forbidden(got, m); why != "" {
			failed++
			t.Errorf("%v: %s", r, why)
		}
		// What was written is agreed on, so that a second look has nothing to do.
		again := r
		again.ours, again.oldOurs, again.filler, again.oldFiller, again.oldOutdated = got.stands, none, false, false, false
		second := again.three()
		second.Base, second.Renamed = m.Agreed, nil
		if r.filler && got.stands == r.ours {
			second.Filler[Name{Key: "k"}] = MarkOf(r.ours)
		}
		if n := Merge(second); len(n.Changes) > 0 || len(n.Conflicts) > 0 {
			failed++
			t.Errorf("%v: a second merge writes %v, conflicts %v", r, n.Changes, n.Conflicts)
		}
	})
	if rows < 20000 {
		t.Errorf("only %d rows", rows)
	}
}

// forbidden says what must not have happened to a translation of the repository.
func (r row) forbidden(v verdict, m Merged) string {
	if r.gone || r.ours == none || r.ours == "" || r.filler || v.stands == r.ours {
		return ""
	}
	switch {
	case r.source == none:
		return "an entry went whose key the source was not seen to have"
	case r.base == none:
		return "a text that was never agreed on was replaced"
	case v.stands == "":
		return "a translation became a blank"
	case v.stands == r.source:
		return "a translation became the source text"
	case v.stands == none && v.said != "blanked":
		return "a translation went without a reason"
	case v.stands == r.base:
		return "a translation became the older one"
	case r.base != none && r.ours != r.base && v.said != "conflict" && v.said != "blanked":
		return "somebody's change went without a word"
	case v.said == "conflict" && m.Conflicts[0].Ours != r.ours:
		return "the conflict does not say what was lost"
	}
	return ""
}

// A plural moves to its new key with all of its forms, or not at all.
func TestMergeRenamedPlural(t *testing.T) {
	in := Three{
		Source:  Catalog{{Name: Name{"new", "one"}, Text: "1 file"}, {Name: Name{"new", "other"}, Text: "%d files"}},
		Ours:    Catalog{{Name: Name{"old", "few"}, Text: "%d pliki"}, {Name: Name{"old", "other"}, Text: "%d pliku"}},
		Theirs:  Catalog{{Name: Name{"old", "other"}, Text: "%d x"}},
		Renamed: []Rename{{Name{"old", "one"}, Name{"new", "one"}}, {Name{"old", "other"}, Name{"new", "other"}}},
		Gone:    map[string]bool{"old": true},
	}
	want := []Change{{Added, Name{"new", "few"}, "%d pliki"}, {Added, Name{"new", "other"}, "%d pliku"}, {Removed, Name{"old", "few"}, ""}, {Removed, Name{"old", "other"}, ""}}
	if m := Merge(in); !slices.Equal(m.Changes, want) || len(m.Agreed) > 0 {
		t.Errorf("%v, agreed %v", m.Changes, m.Agreed)
	}
	in.Theirs = append(in.Theirs, Unit{Name: Name{"new", "other"}, Text: "%d plików"})
	want = []Change{{Added, Name{"new", "other"}, "%d plików"}, {Removed, Name{"old", "few"}, ""}, {Removed, Name{"old", "other"}, ""}}
	if m := Merge(in); !slices.Equal(m.Changes, want) || !maps.Equal(m.Agreed, Marks{Name{"new", "other"}: MarkOf("%d plików")}) {
		t.Errorf("%v, agreed %v", m.Changes, m.Agreed)
	}
}

// What moves to a new key is agreed on as it was under the old one, also where the repository has a blank under the new.
func TestMergeRenamedIsAgreedOn(t *testing.T) {
	was, now := Name{Key: "old"}, Name{Key: "new"}
	for _, blank := range []Catalog{nil, {{Name: now}}} {
		for _, theirs := range []string{"text", "newer"} {
			m := Merge(Three{
				Base:    Marks{was: MarkOf("text")},
				Source:  Catalog{{Name: now, Text: "source"}},
				Ours:    append(Catalog{{Name: was, Text: "text"}}, blank...),
				Theirs:  Catalog{{Name: was, Text: theirs}},
				Renamed: []Rename{{was, now}},
				Gone:    map[string]bool{"old": true},
			})
			if !m.Agreed.Has(now, "text") {
				t.Errorf("%d blanks, the service has %q: agreed %v", len(blank), theirs, m.Agreed)
			}
		}
	}
}
