package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/text/plural"
)

// message is what an ICU message says about its arguments, those inside branches included.
type message struct {
	types    map[string]string          // of each argument: plural, select, ..., or empty for a plain one
	shown    map[string]bool            // the arguments whose value the reader sees: not those for select alone
	branches map[string][]string        // of each select argument: its words
	plurals  map[string]plural.Argument // of each plural and selectordinal argument: the first
	complex  bool                       // some argument has branches
	parsed   plural.Message
}

// readMessage reads an ICU message; the error says in words what is wrong with it.
func readMessage(s string) (message, error) {
	m := message{
		types: make(map[string]string), shown: make(map[string]bool), branches: make(map[string][]string),
		plurals: make(map[string]plural.Argument),
	}
	var err error
	if m.parsed, err = plural.Parse(s); err == nil {
		m.add(m.parsed)
	}
	return m, err
}

func (m *message) add(in plural.Message) {
	for _, a := range in.Arguments {
		if old, ok := m.types[a.Name]; !ok || !plural.Branching(old) {
			m.types[a.Name] = a.Type
		}
		m.shown[a.Name] = m.shown[a.Name] || a.Type != "select"
		if _, again := m.plurals[a.Name]; plural.Plural(a.Type) && !again {
			m.plurals[a.Name] = a
		}
		m.complex = m.complex || plural.Branching(a.Type)
		for _, b := range a.Branches {
			if a.Type == "select" && !slices.Contains(m.branches[a.Name], b.Selector) {
				m.branches[a.Name] = append(m.branches[a.Name], b.Selector)
			}
			m.add(b.Message)
		}
	}
}

// icu compares two ICU messages; false says that the source is none, or nothing but plain arguments, which names
// compares.
func (p *pair) icu() bool {
	if !strings.Contains(p.source, "{") || !strings.Contains(p.source, ",") {
		return false
	}
	source, err := readMessage(p.source)
	if err != nil || !source.complex {
		return false
	}
	text, err := readMessage(p.text)
	if err != nil {
		p.found(ICU, "it is not a sound ICU message: %v", err)
		return true
	}
	var lacks, choices, extra []string
	var forms []Finding
	for _, arg := range slices.Sorted(maps.Keys(source.types)) {
		kind, ok := text.types[arg]
		switch {
		case !ok && source.shown[arg]:
			lacks = append(lacks, "{"+arg+"}")
		case !ok:
			choices = append(choices, "{"+arg+"}") // a language may need no choice: the program shows nothing of what it passes
		case kind != source.types[arg] && plural.Branching(source.types[arg]) && plural.Branching(kind):
			forms = append(forms, say(ICU, "{%s} is a %s in the source and a %s here", arg, source.types[arg], kind))
		}
	}
	for _, arg := range slices.Sorted(maps.Keys(text.types)) {
		if _, ok := source.types[arg]; !ok {
			extra = append(extra, "{"+arg+"}")
		}
	}
	if len(lacks) == 0 && len(extra) > 0 {
		lacks = choices // for which it has another name
	}
	p.differs(false, ICU, lacks, extra)
	if len(lacks) == 0 {
		p.inBranches(source.parsed, text.parsed, nil)
	}
	for _, f := range forms {
		p.add(f)
	}
	if len(lacks)+len(forms) == 0 {
		p.numbers(source.parsed, text.parsed)
	}
	p.choices(source, text)
	for _, arg := range slices.Sorted(maps.Keys(text.plurals)) {
		of, counts := source.plurals[arg]
		lacks := text.plurals[arg].Lacks(p.in.Language, of, p.in.SourceLanguage)
		if counts && len(forms) == 0 && len(lacks) > 0 {
			p.warned(Plurals, lacksForms(lacks)+" for {%s}", quoted(lacks), p.in.Language, arg)
		}
	}
	return true
}

// IsMessage reports whether a text is an ICU message with branches.
func IsMessage(s string) bool {
	if !strings.Contains(s, "plural,") && !strings.Contains(s, "select") {
		return false
	}
	m, err := readMessage(s)
	return err == nil && m.complex
}

// quotes warns of an apostrophe that hides an argument from ICU.
func (p *pair) quotes() {
	source, err := readMessage(p.source)
	if err != nil || source.complex {
		return
	}
	translation, err := readMessage(p.text)
	var hidden []string
	for _, name := range slices.Sorted(maps.Keys(source.types)) {
		if spelled := "{" + name + "}"; !translation.shown[name] && strings.Contains(p.text, spelled) {
			hidden = append(hidden, spelled)
		}
	}
	if err == nil && len(hidden) > 0 {
		p.warned(ICU, "it shows %s as it is written, and not what the program passes: a single apostrophe "+
			"quotes what follows; write two for one", List(hidden))
	}
}

// choices compares the words that select chooses by.
func (p *pair) choices(source, text message) {
	for _, arg := range slices.Sorted(maps.Keys(text.branches)) {
		known, words := source.branches[arg], text.branches[arg]
		if !slices.ContainsFunc(known, func(word string) bool { return !slices.Contains(words, word) }) {
			continue // the program may pass more words than the source tells apart
		}
		for _, word := range words {
			if !slices.Contains(known, word) {
				p.found(ICU, "the branch %q of {%s} can never be chosen: the source has %s", word, arg, List(known))
			}
		}
	}
}

// inBranches compares the branches of arguments that source and translation have at the same level: what the source's
// branch fills in, the translation's must, unless it is around the argument (outside). A branch that the source
// lacks is measured against its "other".
func (p *pair) inBranches(source, text plural.Message, outside []string) {
	if len(source.Arguments) > maxNames || len(text.Arguments) > maxNames {
		return
	}
	for _, a := range text.Arguments {
		outside = append(outside, a.Name)
	}
	outside = slices.Clip(outside)
	for _, a := range text.Arguments {
		at := slices.IndexFunc(source.Arguments, func(o plural.Argument) bool { return o.Name == a.Name && o.Type == a.Type })
		if at < 0 {
			continue
		}
		for _, b := range a.Branches {
			of, ok := branchFor(source.Arguments[at], b.Selector)
			if !ok {
				continue
			}
			have := append(argumentsIn(b.Message), outside...)
			var lacks []string
			for _, name := range shownIn(of.Message) {
				if name != a.Name && !slices.Contains(have, name) {
					lacks = append(lacks, "{"+name+"}")
				}
			}
			if len(lacks) > 0 && !(plural.Plural(a.Type) && p.noneOf(a.Type, b.Selector)) {
				p.found(ICU, "the branch %q of {%s} lacks %s, which the source has there",
					b.Selector, a.Name, List(lacks))
			}
			p.inBranches(of.Message, b.Message, outside)
		}
	}
}

// branchFor is the branch of the source that one of the translation is measured against: the same, its counterpart (=1
// and one), or "other".
func branchFor(source plural.Argument, selector string) (b plural.Branch, ok bool) {
	for _, want := range []string{selector, counterparts[selector], plural.Other} {
		for _, b := range source.Branches {
			if b.Selector == want {
				return b, true
			}
		}
	}
	return b, false
}

var counterparts = map[string]string{
	"=0": plural.Zero, "=1": plural.One, "=2": plural.Two, plural.Zero: "=0", plural.One: "=1", plural.Two: "=2",
}

// numbers warns of a plural that never says its number, though the source's does. In which branches it does is the
// translator's business: "some people" may be what a language says for few.
func (p *pair) numbers(source, text plural.Message) {
	for _, a := range source.Arguments {
		if plural.Plural(a.Type) && says(source, a.Name) && !says(text, a.Name) {
			p.warned(ICU, "it leaves out the number {%s}, which the source has", a.Name)
		}
	}
}

// says reports whether a message has the number of a plural in it, in whichever branch.
func says(m plural.Message, name string) bool {
	return slices.ContainsFunc(m.Arguments, func(a plural.Argument) bool {
		return a.Name == name && !plural.Branching(a.Type) || slices.ContainsFunc(a.Branches, func(b plural.Branch) bool {
			return a.Name == name && b.Number || says(b.Message, name)
		})
	})
}

// shownIn is argumentsIn without arguments that are there for select alone.
func shownIn(m plural.Message) []string {
	var names []string
	for _, a := range m.Arguments {
		if a.Type != "select" {
			names = append(names, a.Name)
		}
		for _, b := range a.Branches {
			names = append(names, shownIn(b.Message)...)
		}
	}
	return names
}

// argumentsIn are the names of the arguments of a message, those inside branches included.
func argumentsIn(m plural.Message) []string {
	var names []string
	for _, a := range m.Arguments {
		names = append(names, a.Name)
		for _, b := range a.Branches {
			names = append(names, argumentsIn(b.Message)...)
		}
	}
	return names
}

// noneOf reports whether a branch of a plural is chosen for 0 alone.
func (p *pair) noneOf(kind, selector string) bool {
	if selector == "=0" {
		return true
	}
	categories := plural.Categories(p.in.Language)
	if kind == "selectordinal" {
		categories = plural.Ordinals(p.in.Language)
	}
	return selector == plural.Zero && slices.ContainsFunc(categories, func(c plural.Category) bool {
		return c.Name == selector && slices.Equal(c.Numbers, []int{0})
	})
}
