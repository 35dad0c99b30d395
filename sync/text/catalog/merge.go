package catalog

import "slices"

// Three is what Merge looks at: one file in one language.
type Three struct {
	Base     Marks    // what repository and service agreed on last; empty at first contact
	Filler   Marks    // what we wrote into the repository where no translation existed: never a translation
	Source   Catalog  // the texts in the source language: decides which keys live
	Ours     Catalog  // the repository's translations
	Theirs   Catalog  // the service's translations
	Renamed  []Rename // keys of the source that became other keys
	Outdated Marks    // translations that are to go because they were made for another source text; see Outdate

	// Elsewhere are the keys whose texts are those of another file of the collection: nothing is written under them.
	Elsewhere map[string]bool

	// Left are the keys of those of which the source text is under another key now: they go along to it.
	Left map[string]bool

	// Gone are the keys that the source was seen to have and has no more: what the repository has under them is taken
	// out. What is under any other key that the source lacks stays: nothing is known about it.
	Gone map[string]bool
}

// Conflict is a name whose texts differ and of which neither is the base, with both of them.
type Conflict struct {
	Name
	Ours, Theirs string
}

// Held is a translation of the service that was not taken over, and why.
type Held struct {
	Name
	Text   string
	Reason string
}

// Merged is the outcome of Merge. Nothing is left out silently: every text of the service is either what the repository
// has already, in Changes, in Conflicts (and Changes), in Held, outdated, or older than Kept; every text of the
// repository stays, or is in Changes for one of the reasons that the table names.
type Merged struct {
	Changes   []Change   // what to write: source order, then what moved with its key, then removals in file order
	Conflicts []Conflict // both sides changed it since the base: the service's text is in Changes
	Undecided []Conflict // the two never agreed on a text: neither side changes
	Held      []Held
	Kept      []Name // the repository's newer texts that stand against an older one of the service: pending for a push
	Blanked   []Name // taken out because the source text changed; they are in Changes, too
	Agreed    Marks  // the base for the next merge, if all Changes are written
}

// Merge decides per name which of three texts counts, by the law of Decide. The first row that fits counts; "-" is not
// a text, o, t and b are translations, "any" includes none.
//
//	source  repository  service      base    outcome
//	gone    any         any          any     removed, and what the service has for it is left there
//	never   any         any          any     nothing to do: the source was not seen to have the key
//	there   outdated    -, outdated  any     removed: the source text changed, and the service has no newer translation
//	there   -           outdated     any     nothing to do: it waits for a newer one
//	there   o           outdated     any     o stays: it is newer
//	there   t           t            any     nothing to do, and agreed on
//	there   any         -            any     the repository's stays: a missing translation replaces nothing
//	there   -           ""           any     nothing to do: a blank does not count, unless the source text is blank
//	there   -           t            any     t is added (a branch that was made anew gets everything again)
//	there   filler, ""  t            any     t is written
//	there   o           ""           any     held: a blank never replaces a translation
//	there   o           t            none    o stays, and is reported with t: at first contact neither side changes
//	there   o           source text  any     held: source text never replaces a translation
//	there   o           t            o       t is written: only the service changed
//	there   o           t            t       o stays, and is pending for a push: only the repository changed
//	there   o           t            other   t is written, and reported with o: both changed
//	there   any         any          any     elsewhere: neither side changes, and what is outdated goes as above
//	renamed -, left     -, ""        any     the old key's text is written under the new key, the repository's before
//	                                         the service's ("left": outdated, and itself under another key now)
//
// A blank in the repository does not count: it is treated as absent unless the service has a blank too.
// A key counts as living when the source has any form of it, since other languages have other plural forms.
func Merge(in Three) Merged {
	out := Merged{Agreed: Marks{}}
	living := in.Source.Keys()
	sourceText := in.Source.Texts()
	ours := in.Ours.Index()
	for _, their := range in.order() {
		text := their.Text
		at, here := ours[their.Name]
		switch {
		case outdates(in.Outdated, their.Name, text):
			out.Leave(in.Base, their.Name)
			if here && in.Ours[at].Text != text && in.Ours[at].Text != "" && !in.Filler.Has(their.Name, in.Ours[at].Text) {
				out.Kept = append(out.Kept, their.Name)
			}
		case !here && text == "" && sourceText[their.Name] != "":
		case !here:
			out.take(in, Added, their.Name, text)
		default:
			out.weigh(in, their, in.Ours[at].Text, sourceText[their.Name])
		}
	}
	out.leaveUndecided(in.Base)
	followed := in.follow(&out, living, ours)
	in.clear(&out, living, followed)
	return out
}

// weigh decides between the two sides' texts of a name that is in the source.
func (m *Merged) weigh(in Three, their Unit, our, source string) {
	n, text := their.Name, their.Text
	base, known := in.Base[n]
	outcome := Decide(Claim{New: text, Present: our, Met: known, Agreed: base})
	switch {
	case outcome == Alike:
		m.Agreed[n] = MarkOf(text)
	case our == "", in.Filler.Has(n, our):
		m.take(in, Changed, n, text)
	case text == "":
		m.hold(their, in.Base, "the service has a blank where the repository has a translation; "+
			"the translation stays. Translate it at the service, or take it out of the repository")
	case outcome == Unmet:
		if !in.Elsewhere[n.Key] {
			m.Undecided = append(m.Undecided, Conflict{n, our, text})
		}
	case text == source:
		m.hold(their, in.Base, "the service has the source text where the repository has a translation; "+
			"the translation stays. If the source text is meant, write it into the repository")
	case outcome == Replaces:
		m.take(in, Changed, n, text)
	case outcome == Older:
		m.Agreed[n] = base
		m.Kept = append(m.Kept, n)
	case outcome == Both:
		if !in.Elsewhere[n.Key] {
			m.Conflicts = append(m.Conflicts, Conflict{n, our, text})
		}
		m.take(in, Changed, n, text)
	}
}

// leaveUndecided sees to it that a key of which one form is undecided changes in none: a plural of which each side
// wrote some forms is not an edit.
func (m *Merged) leaveUndecided(base Marks) {
	keys := make(map[string]bool, len(m.Undecided))
	for _, c := range m.Undecided {
		keys[c.Key] = true
	}
	m.Changes = slices.DeleteFunc(m.Changes, func(c Change) bool {
		if keys[c.Key] {
			m.Leave(base, c.Name)
		}
		return keys[c.Key]
	})
}

// follow gives a new key what its old one had, form by form, where neither side has a text for it. A text that is under
// the new key and leaves it counts as none. It returns the names that got a text.
func (in Three) follow(out *Merged, living map[string]bool, ours map[Name]int) (followed map[Name]bool) {
	if len(in.Renamed) == 0 {
		return nil
	}
	followed = make(map[Name]bool)
	to := make(map[string]string, len(in.Renamed))
	for _, r := range in.Renamed {
		to[r.From.Key] = r.To.Key
	}
	has := make(map[string]bool)
	for _, c := range []Catalog{in.Ours, in.Theirs} {
		for _, u := range c {
			has[u.Key] = has[u.Key] || u.Text != "" && !(in.Left[u.Key] && outdates(in.Outdated, u.Name, u.Text))
		}
	}
	moved, theirs := make(map[string]bool), in.Theirs.Texts()
	for _, c := range []Catalog{in.Ours, in.Theirs} {
		var came []string
		for _, u := range c {
			key, renamed := to[u.Key]
			if !renamed || !living[key] || has[key] || moved[key] || u.Text == "" || in.Filler.Has(u.Name, u.Text) {
				continue
			}
			n := Name{key, u.Form}
			leaves := in.Left[u.Key] && outdates(in.Outdated, u.Name, u.Text)
			if living[u.Key] && !leaves || !leaves && outdates(in.Outdated, u.Name, u.Text) || outdates(in.Outdated, n, u.Text) {
				continue
			}
			op := Added
			if _, there := ours[n]; there { // blank, or what has left the key
				op = Changed
			}
			if followed[n] = true; in.Elsewhere[key] {
				out.Leave(in.Base, n)
				continue
			}
			out.Changes = append(out.Changes, Change{op, n, u.Text})
			if base, met := in.Base[u.Name]; theirs[u.Name] == u.Text {
				out.Agreed[n] = MarkOf(u.Text)
			} else if met { // no more: the service has yet to hear of it
				out.Agreed[n] = base
			}
			came = append(came, key)
		}
		for _, key := range came {
			moved[key] = true
		}
	}
	return followed
}

// clear takes out what may not stand any longer, and keeps the base of what the service says nothing about.
func (in Three) clear(out *Merged, living map[string]bool, followed map[Name]bool) {
	theirs := in.Theirs.Index()
	for _, our := range in.Ours {
		if !living[our.Key] {
			if in.Gone[our.Key] {
				out.Changes = append(out.Changes, Change{Op: Removed, Name: our.Name})
			}
			continue
		}
		at, there := theirs[our.Name]
		newer := there && !outdates(in.Outdated, our.Name, in.Theirs[at].Text)
		if outdates(in.Outdated, our.Name, our.Text) && !followed[our.Name] && !newer {
			out.Changes = append(out.Changes, Change{Op: Removed, Name: our.Name})
			out.Blanked = append(out.Blanked, our.Name)
		}
		// The service has it in no state that counts just now, and may have it again: its base stays, or that would be
		// first contact.
		if _, agreed := out.Agreed[our.Name]; !there && !agreed {
			out.Leave(in.Base, our.Name)
		}
	}
	// Neither side may have it now; a newer one is measured against it all the same.
	for n := range in.Outdated {
		_, agreed := out.Agreed[n]
		if base, known := in.Base[n]; known && !agreed && living[n.Key] {
			out.Agreed[n] = base
		}
	}
}

// order returns the service's living texts in the order of the source, forms that the source lacks right
// after the last one of their key, so that what is new is written in the order in which the source has it.
func (in Three) order() []Unit {
	byKey := in.Theirs.ByKey()
	ordered := make([]Unit, 0, len(in.Theirs))
	for _, s := range in.Source {
		ordered = append(ordered, byKey[s.Key]...)
		delete(byKey, s.Key)
	}
	return ordered
}

func (m *Merged) take(in Three, op Op, n Name, text string) {
	if in.Elsewhere[n.Key] {
		m.Leave(in.Base, n)
		return
	}
	m.Changes = append(m.Changes, Change{op, n, text})
	m.Agreed[n] = MarkOf(text)
}

func (m *Merged) hold(u Unit, base Marks, reason string) {
	m.Held = append(m.Held, Held{u.Name, u.Text, reason})
	m.Leave(base, u.Name)
}

// Leave takes back a change that is not made after all: the next merge finds the base that this one found.
func (m *Merged) Leave(base Marks, n Name) {
	if mark, known := base[n]; known {
		m.Agreed[n] = mark
	} else {
		delete(m.Agreed, n)
	}
}
