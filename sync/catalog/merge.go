package catalog

// Three is what Merge looks at: one file in one language.
type Three struct {
	Base   Marks   // what repository and service agreed on last; empty at first contact
	Filler Marks   // what we wrote into the repository where no translation existed: never a translation
	Source Catalog // the texts in the source language: decides which keys live
	Ours   Catalog // the repository's translations
	Theirs Catalog // the service's translations
}

// Conflict is a name whose translation both sides changed since the base. The service's text stands;
// the repository's is kept here so that nobody loses it.
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

// Merged is the outcome of Merge. Nothing is left out silently: every text of the service is either what the
// repository has already, in Changes, in Conflicts (and Changes), in Held, or older than Kept.
type Merged struct {
	Changes   []Change // what to write, source order first, then removals sorted
	Conflicts []Conflict
	Held      []Held
	Kept      []Name // the repository's newer texts that stand against an older one of the service: pending for a push
	Agreed    Marks  // the base for the next merge, if all Changes are written
}

// Merge decides per name which of three texts stands.
//
//	source  repository   service      base          outcome
//	gone    any          any          any           removed, and what the service has for it is left there
//	there   t            t            any           nothing to do
//	there   any          -            any           the repository's stays: a missing translation replaces nothing
//	there   -            ""           any           nothing to do: a blank is no translation, unless the source text is blank
//	there   -            t            any           t is added (a branch that was made anew gets everything again)
//	there   filler       t            any           t is written
//	there   o            ""           any           held: a blank never replaces a translation
//	there   o            source text  any           held: source text never replaces a translation
//	there   o            t            none          t is written: at first contact the service's translations win
//	there   o            t            o             t is written: only the service changed
//	there   o            t            t             o stays, and is pending for a push: only the repository changed
//	there   o            t            other         t is written, and reported with o: both changed
//
// A blank in the repository is no translation: it is treated as absent unless the service has a blank too.
// A key counts as living when the source has any form of it, since other languages have other plural forms.
func Merge(in Three) Merged {
	out := Merged{Agreed: Marks{}}
	living := in.Source.Keys()
	sourceText := make(map[Name]string, len(in.Source))
	for _, u := range in.Source {
		sourceText[u.Name] = u.Text
	}
	ours := in.Ours.Index()
	for _, their := range in.order() {
		text := their.Text
		base, known := in.Base[their.Name]
		at, here := ours[their.Name]
		switch {
		case !here && text == "" && sourceText[their.Name] != "":
		case !here:
			out.take(Added, their.Name, text)
		case in.Ours[at].Text == text:
			out.Agreed[their.Name] = MarkOf(text)
		case in.Filler.Has(their.Name, in.Ours[at].Text) || in.Ours[at].Text == "":
			out.take(Changed, their.Name, text)
		case text == "":
			out.hold(their, base, known, "the service has a blank where the repository has a translation; the translation stays")
		case text == sourceText[their.Name] && text != in.Ours[at].Text:
			out.hold(their, base, known, "the service has the source text where the repository has a translation; the translation stays")
		case !known || base == MarkOf(in.Ours[at].Text):
			out.take(Changed, their.Name, text)
		case base == MarkOf(text):
			out.Agreed[their.Name] = base
			out.Kept = append(out.Kept, their.Name)
		default:
			out.Conflicts = append(out.Conflicts, Conflict{their.Name, in.Ours[at].Text, text})
			out.take(Changed, their.Name, text)
		}
	}
	theirs := in.Theirs.Index()
	var gone []Change
	for _, our := range in.Ours {
		if !living[our.Key] {
			gone = append(gone, Change{Op: Removed, Name: our.Name})
			continue
		}
		if _, ok := theirs[our.Name]; !ok {
			if base, known := in.Base[our.Name]; known {
				out.Agreed[our.Name] = base
			}
		}
	}
	out.Changes = append(out.Changes, gone...)
	return out
}

// order returns the service's living texts in the order of the source, forms that the source lacks right
// after the last one of their key, so that what is new is written in the order in which the source has it.
func (in Three) order() []Unit {
	byKey := make(map[string][]Unit, len(in.Theirs))
	for _, u := range in.Theirs {
		byKey[u.Key] = append(byKey[u.Key], u)
	}
	ordered := make([]Unit, 0, len(in.Theirs))
	for _, s := range in.Source {
		if units, ok := byKey[s.Key]; ok {
			ordered = append(ordered, units...)
			delete(byKey, s.Key)
		}
	}
	return ordered
}

func (m *Merged) take(op Op, n Name, text string) {
	m.Changes = append(m.Changes, Change{op, n, text})
	m.Agreed[n] = MarkOf(text)
}

func (m *Merged) hold(u Unit, base Mark, known bool, reason string) {
	m.Held = append(m.Held, Held{u.Name, u.Text, reason})
	if known {
		m.Agreed[u.Name] = base
	}
}

// Leave takes back a change that is not made after all: the next merge finds the base that this one found.
func (m *Merged) Leave(base Marks, n Name) {
	if mark, known := base[n]; known {
		m.Agreed[n] = mark
	} else {
		delete(m.Agreed, n)
	}
}
