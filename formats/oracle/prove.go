package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// Change is one edit that was asked for: this text under this key, or the entry gone. Of several for one entry the last
// counts.
type Change struct {
	Key, Form string
	Text      string
	Gone      bool
}

// Difference is where a file is not what it was to become.
type Difference struct {
	Key  string // empty where nothing with a key is concerned
	What string
}

func (d *Difference) Error() string {
	if d.Key == "" {
		return d.What
	}
	return fmt.Sprintf("%q: %s", d.Key, d.What)
}

// Prove checks that the file after is the file before with these changes made and nothing else: no other entry differs,
// has moved, has come or gone, and no byte outside of the entries that changed. What goes with a change is part of it:
// a container that loses its last entry, a list that loses an item, what a message object holds besides its text, a
// value written out where it pointed at another one.
//
// The error is a *Difference, or says which of the two files cannot be read.
func (r Rule) Prove(before, after []byte, changes []Change) error {
	p := proof{rule: r, how: readers[r.Format], changes: changes}
	if p.how.multilingual {
		return r.proveParts(before, after, changes)
	}
	if err := p.read(before, after, r); err != nil {
		return err
	}
	if p.old.encoding != p.new.encoding && len(before) > 0 && len(after) > 0 { // no bytes have no encoding
		what := fmt.Sprintf("its encoding was %s and would be %s", named(p.old.encoding), named(p.new.encoding))
		return &Difference{What: what}
	}
	return p.prove()
}

// ProveNew checks a file that is laid out like its source: it has exactly these texts, in the order of the source; of
// what is not text, nothing but what the source has. into is the rule of the new file, whose root has another name. A
// change that takes something away means nothing here.
func (r Rule) ProveNew(source, after []byte, changes []Change, into Rule) error {
	p := proof{rule: r, how: readers[r.Format], fresh: true}
	if err := p.read(source, after, into); err != nil {
		return err
	}
	if len(into.Roots) > 0 {
		p.language = into.Roots[0]
	}
	given := make(map[name]bool, len(changes))
	for _, c := range changes {
		if !c.Gone {
			given[name{c.Key, c.Form}] = true
			p.changes = append(p.changes, c)
		}
	}
	for i := range p.old.leaves {
		l := &p.old.leaves[i]
		if n := (name{l.Key, l.Form}); l.Keyed && !given[n] && !l.doubtful && l.Kind == Text {
			given[n] = true
			p.changes = append(p.changes, Change{Key: l.Key, Form: l.Form, Gone: true})
		}
	}
	return p.prove()
}

func named(encoding string) string {
	if encoding == "" {
		return "UTF-8"
	}
	return encoding
}

type name struct{ key, form string }

// proof is one comparison.
type proof struct {
	rule     Rule
	how      reader
	changes  []Change
	fresh    bool   // the file is new, and the old one its source
	language string // what a new file says of itself, where it says one
	old, new *document

	wish   map[name]Change
	sets   map[int]string   // old leaves that get a text
	gone   map[int]bool     // old leaves that go because it was asked for
	adds   map[name]*string // texts of entries that were not there; nil once met
	pairs  [][2]int         // leaves that stay, old and new
	lists  map[string]*listed
	within [4]map[string]reach // beginnings of paths, see reaches
	names  map[string]bool     // of outermost entries of the new file, where they were asked for
}

func (p *proof) read(before, after []byte, into Rule) (err error) {
	if p.old, err = p.rule.read(before); err != nil {
		return unreadable(false, err)
	}
	if p.new, err = into.read(after); err != nil {
		return unreadable(true, err)
	}
	return nil
}

func unreadable(written bool, err error) error {
	if written {
		return fmt.Errorf("the file as it would be written cannot be read a second time: %w", err)
	}
	return fmt.Errorf("the file as it is cannot be read a second time: %w", err)
}

// prove is both halves.
func (p *proof) prove() error {
	if err := p.data(); err != nil {
		return err
	}
	return p.bytes()
}

// plan assigns each change to the leaves that it is about.
func (p *proof) plan() {
	p.wish = make(map[name]Change, len(p.changes))
	for _, c := range p.changes {
		p.wish[name{c.Key, c.Form}] = c
	}
	p.sets, p.gone, p.adds = make(map[int]string), make(map[int]bool), make(map[name]*string)
	last := make(map[name]int)
	for i := range p.old.leaves {
		l := &p.old.leaves[i]
		if l.metadata && l.Kind == Text && len(l.Path) == 1 && l.Path[0] == "locale" && p.language != "" {
			p.sets[i] = p.language
		}
		if n := (name{l.Key, l.Form}); l.Keyed {
			if c, ok := p.wish[n]; ok {
				last[n] = i // of several entries of one name the last is set, and all of them go
				if c.Gone {
					p.gone[i] = true
				}
			}
		}
	}
	for n, c := range p.wish {
		i, here := last[n]
		switch {
		case c.Gone:
		case here:
			p.sets[i] = c.Text
		default:
			p.adds[n] = &c.Text
		}
	}
}

// data walks both files' leaves side by side.
func (p *proof) data() error {
	p.plan()
	old, new := p.old.leaves, p.new.leaves
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		if i < len(old) && j < len(new) && p.same(i, j) {
			p.pairs = append(p.pairs, [2]int{i, j})
			i, j = i+1, j+1
			continue
		}
		if i < len(old) && (p.gone[i] || p.mayGo(i)) {
			i++
			continue
		}
		if j < len(new) && p.mayCome(j) {
			j++
			continue
		}
		return p.differs(i, j)
	}
	return p.complete()
}

// complete reports what was asked for and has not come.
func (p *proof) complete() error {
	missing := make([]string, 0, len(p.adds))
	for n, text := range p.adds {
		if text != nil {
			missing = append(missing, n.key)
		}
	}
	if len(missing) > 0 {
		return &Difference{Key: slices.Min(missing), What: "would be missing"}
	}
	return nil
}

// same reports whether new leaf j is what is to become of old leaf i.
func (p *proof) same(i, j int) bool {
	a, b := &p.old.leaves[i], &p.new.leaves[j]
	if p.gone[i] || !slices.Equal(a.Path, b.Path) || !slices.Equal(a.lists, b.lists) {
		return false
	}
	if text, ok := p.sets[i]; ok {
		return b.Kind == Text && b.Text == text
	}
	if strings.HasPrefix(a.Text, "*") && a.closed && b.Kind == Empty && (len(p.gone) > 0 || p.fresh) {
		return true // it pointed at a collection that went with its last entry
	}
	return a.Kind == b.Kind && a.Text == b.Text
}

// mayGo reports whether an old leaf that was not removed by an edit may be gone.
func (p *proof) mayGo(i int) bool {
	l := &p.old.leaves[i]
	if _, set := p.sets[i]; set {
		return false
	}
	if (l.Kind == Empty || l.Kind == Null) && p.has(1, l.Path) == below {
		return true // something is in it now
	}
	if p.how.gaps && l.Kind == Null && p.has(1, l.Path[:1]) == 0 && p.left(l.Path[:1]) != 0 {
		return true // the other forms of its plural went
	}
	if p.fresh && (l.doubtful || l.metadata || l.Kind != Text) {
		return true // the grammar decides what else comes with the texts
	}
	for _, n := range l.lists {
		if list := l.Path[:n]; p.listGoes(list) && (p.has(1, list)&below == 0 || p.itemGoes(l.Path[:n+1])) {
			return true
		}
	}
	if n := len(l.Path) - 1; l.metadata && n > 0 && p.has(1, l.Path[:n]) == 0 && p.left(l.Path[:n]) != 0 {
		return true // the message that it is about went
	}
	if about, ok := strings.CutPrefix(l.outermost(), "@"); ok && l.metadata && p.how.about {
		return p.has(1, []string{about}) == 0 && p.left([]string{about}) != 0
	}
	return p.ofMessage(l, 1, p.left)
}

// listGoes reports whether an old list may go as a whole: it would lose an item, or the last text of one. Which of the
// items that are left make a list, the source decides.
func (p *proof) listGoes(list []string) bool {
	if p.lists == nil {
		p.lists = make(map[string]*listed)
		for i := range p.old.leaves {
			l := &p.old.leaves[i]
			for _, n := range l.lists {
				at := joined(l.Path[:n])
				if p.lists[at] == nil {
					p.lists[at] = &listed{first: i, lost: make(map[string]bool)}
				}
				p.lists[at].last = i
			}
		}
	}
	at := p.lists[joined(list)]
	if at.known {
		return at.goes
	}
	at.known = true
	n := len(list)
	for i := at.first; i <= at.last; {
		item := p.old.leaves[i].Path[n]
		lost, text := false, false
		for ; i <= at.last && p.old.leaves[i].Path[n] == item; i++ {
			l := &p.old.leaves[i]
			goes := p.gone[i] || slices.ContainsFunc(l.lists, func(m int) bool { return m > n && p.listGoes(l.Path[:m]) })
			_, set := p.sets[i]
			lost, text = lost || goes, text || set || !goes && l.Kind == Text
		}
		if lost && !text {
			at.goes = true
			at.lost[item] = true
		}
	}
	return at.goes
}

// itemGoes reports whether an item that its list would lose is not there any more: the last ones, where no other entry
// replaces them.
func (p *proof) itemGoes(item []string) bool {
	n := len(item) - 1
	return p.lists[joined(item[:n])].lost[item[n]] && p.has(1, item) == 0
}

// listed is a list of the old file: the leaves that it has, and whether it may go as a whole.
type listed struct {
	first, last int
	known, goes bool
	lost        map[string]bool // the items that it would lose
}

// mayCome reports whether a new leaf is one that was asked for, or comes with one.
func (p *proof) mayCome(j int) bool {
	l := &p.new.leaves[j]
	n := name{l.Key, l.Form}
	if text := p.adds[n]; l.Keyed && text != nil {
		if l.Kind != Text || l.Text != *text {
			return false
		}
		p.adds[n] = nil
		return true
	}
	if p.how.gaps && l.Kind == Null &&
		(p.fresh || len(p.gone) > 0 || len(l.Path) > 1 && p.came(l.Path[:1]) != 0) {
		return true // where a text went, or was kept for another entry, or another form of a plural that came
	}
	if l.Kind != Text {
		if l.Kind != Other && p.left(l.Path) == below { // what stood in it is gone
			return true
		}
		for n := 1; n < len(l.Path); n++ { // what an item of a list, or a message, has besides
			if p.has(0, l.Path[:n]) == 0 && p.came(l.Path[:n]) != 0 {
				return true
			}
		}
	}
	return p.ofMessage(l, 0, p.came)
}

// ofMessage reports whether a leaf belongs to a message object that side has nothing of, and whose text came or went.
func (p *proof) ofMessage(l *Leaf, side int, changed func([]string) reach) bool {
	if !p.how.messages {
		return false
	}
	for n := 1; n < len(l.Path); n++ {
		if l.closed && n == 1 && changed(l.Path[:n])&here != 0 { // a message with a comment
			return true
		}
		for _, text := range [...]string{"message", "defaultMessage"} {
			if p.has(side, l.Path[:n])&below == 0 && changed(append(l.Path[:n:n], text))&here != 0 {
				return true
			}
		}
	}
	return false
}

// reach is what is known of a path: leaves are there, or below it.
type reach uint8

const (
	here reach = 1 << iota
	below
)

// has tells whether a file, 0 the old and 1 the new, has anything at or below a path.
func (p *proof) has(side int, path []string) reach {
	leaves := p.old.leaves
	if side == 1 {
		leaves = p.new.leaves
	}
	return p.reaches(side, path, leaves, func(int) bool { return true })
}

// left tells whether something at or below a path was asked to go.
func (p *proof) left(path []string) reach {
	return p.reaches(2, path, p.old.leaves, func(i int) bool { return p.gone[i] })
}

// came tells whether something at or below a path is new because it was asked for.
func (p *proof) came(path []string) reach {
	return p.reaches(3, path, p.new.leaves, func(j int) bool {
		l := &p.new.leaves[j]
		_, asked := p.adds[name{l.Key, l.Form}]
		return asked && l.Keyed
	})
}

// reaches looks a path up among the beginnings of the paths of those leaves that count, which are kept by number.
func (p *proof) reaches(number int, path []string, leaves []Leaf, counts func(int) bool) reach {
	if p.within[number] == nil {
		m := make(map[string]reach)
		for i := range leaves {
			if !counts(i) {
				continue
			}
			to := here
			for n := len(leaves[i].Path); n >= 0; n-- {
				at := joined(leaves[i].Path[:n])
				if m[at]&to != 0 && to == below {
					break
				}
				m[at] |= to
				to = below
			}
		}
		p.within[number] = m
	}
	return p.within[number][joined(path)]
}

func joined(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteByte(0xff)
		b.WriteString(name)
	}
	return b.String()
}

// differs says what is wrong where the two files part.
func (p *proof) differs(i, j int) error {
	old, new := p.old.leaves, p.new.leaves
	if j < len(new) && new[j].Keyed {
		b := &new[j]
		n := name{b.Key, b.Form}
		if want := p.adds[n]; want != nil {
			return &Difference{b.label(), fmt.Sprintf("would read %s, not %q", b.says(), *want)}
		}
		if i < len(old) && slices.Equal(old[i].Path, b.Path) {
			want := old[i].says()
			if text, ok := p.sets[i]; ok {
				want = fmt.Sprintf("%q", text)
			}
			return &Difference{b.label(), fmt.Sprintf("would read %s, not %s", b.says(), want)}
		}
		if c, ok := p.wish[n]; ok && c.Gone {
			return &Difference{b.label(), "would still be there"}
		}
	}
	if i < len(old) && p.has(1, old[i].Path) == 0 {
		return &Difference{old[i].label(), "would be gone"}
	}
	if j < len(new) && p.has(0, new[j].Path) == 0 {
		return &Difference{new[j].label(), "would appear out of nowhere"}
	}
	if i < len(old) {
		return &Difference{old[i].label(), "would be another, or elsewhere"}
	}
	return &Difference{new[j].label(), "would be there once more"}
}

// label is the leaf's key, or its path where it has none.
func (l *Leaf) label() string {
	key := l.Key
	if !l.Keyed {
		key = strings.Join(l.Path, "/")
	}
	if l.Form != "" {
		key += " [" + l.Form + "]"
	}
	return key
}

func (l *Leaf) says() string {
	switch l.Kind {
	case Text:
		return fmt.Sprintf("%q", l.Text)
	case Null:
		return "nothing"
	case Empty:
		return "an empty container"
	}
	return "the value " + l.Text
}
