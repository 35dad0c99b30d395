package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/plural"
)

// message is what an ICU message says about its arguments, those inside branches included.
type message struct {
	types    map[string]string          // of each argument: plural, select, ..., or empty for a plain one
	branches map[string][]string        // of each select argument: its words
	plurals  map[string]plural.Argument // of each plural and selectordinal argument: the first
	complex  bool                       // some argument has branches
}

// readMessage reads an ICU message; the error says in words what is wrong with it.
func readMessage(s string) (message, error) {
	m := message{types: make(map[string]string), branches: make(map[string][]string), plurals: make(map[string]plural.Argument)}
	parsed, err := plural.Parse(s)
	if err == nil {
		m.add(parsed)
	}
	return m, err
}

func (m *message) add(in plural.Message) {
	for _, a := range in.Arguments {
		if old, ok := m.types[a.Name]; !ok || !plural.Branching(old) {
			m.types[a.Name] = a.Type
		}
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

// icu compares two ICU messages; false says that the source is none, or nothing but plain arguments, which names compares.
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
		p.found(ICU, "it is not a sound ICU message: "+err.Error())
		return true
	}
	var lacks, extra, forms []string
	for _, arg := range slices.Sorted(maps.Keys(source.types)) {
		kind, ok := text.types[arg]
		switch {
		case !ok:
			lacks = append(lacks, "{"+arg+"}")
		case kind != source.types[arg] && plural.Branching(source.types[arg]) && plural.Branching(kind):
			forms = append(forms, fmt.Sprintf("{%s} is a %s in the source and a %s here", arg, source.types[arg], kind))
		}
	}
	for _, arg := range slices.Sorted(maps.Keys(text.types)) {
		if _, ok := source.types[arg]; !ok {
			extra = append(extra, "{"+arg+"}")
		}
	}
	p.differs(ICU, lacks, extra)
	for _, f := range forms {
		p.found(ICU, f)
	}
	for _, arg := range slices.Sorted(maps.Keys(text.branches)) {
		for _, word := range text.branches[arg] {
			if known := source.branches[arg]; known != nil && !slices.Contains(known, word) {
				p.found(ICU, fmt.Sprintf("the branch %q of {%s} can never be chosen: the source has %s", word, arg, listed(known)))
			}
		}
	}
	for _, arg := range slices.Sorted(maps.Keys(text.plurals)) {
		if of, ok := source.plurals[arg]; ok && len(forms) == 0 {
			p.branches(of, text.plurals[arg])
		}
	}
	return true
}
