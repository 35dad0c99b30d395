package resource

import (
	"errors"
	"fmt"
	"strings"
)

// change is what one step of a rewrite does to the nodes of a file: all that may differ when the result is read back.
type change struct {
	texts map[int]string // leaves that get a text, or whose text follows another one's (Node.Ref)
	gone  []int          // nodes that go, with all below them
	added []addition     // what comes; gaps with several are here several times, in order
	named map[int]string // nodes that get another name, and those outermost that have no text then (see Merger)
	top   int            // where the outermost keys are, in the file as it becomes; -1 when that is not looked at
}

// addition is new nodes at one place.
type addition struct {
	Gap
	nodes []New
}

// What a node of the old file has to do with a change.
const (
	markGone  uint8 = 1 << iota
	markText        // its text is in change.texts
	markFirst       // something is added in front of its first child
	markAfter       // something is added behind it
	markNamed       // its name is in change.named
)

// prove compares what was read back, b, with what was to come out of a: the nodes of a in their order with their names,
// kinds and texts, but for the change. Keys follow from names, kinds and nesting, so that no entry can have been
// damaged, moved, hidden or doubled. The error says what is wrong with b.
//
// A node whose bytes are the same, seen from its first one to the one behind it, is read the same: nothing is decoded
// there.
func prove(a, b *File, c *change) error {
	p := proof{a: a, b: b, change: c, marks: make([]uint8, len(a.nodes)), gaps: make(map[Gap][]New, len(c.added))}
	for i := range c.texts {
		p.marks[i] |= markText
	}
	for i := range c.named {
		p.marks[i] |= markNamed
	}
	for _, i := range c.gone {
		p.marks[i] |= markGone
	}
	for _, n := range c.added {
		if n.After < 0 {
			p.marks[n.In] |= markFirst
		} else {
			p.marks[n.After] |= markAfter
		}
		p.gaps[n.Gap] = append(p.gaps[n.Gap], n.nodes...)
	}
	if a.nodes[0].Kind != b.nodes[0].Kind && len(b.nodes) > 1 { // an empty file may be either
		return errors.New("the file would hold something else altogether")
	}
	if err := p.children(0, 0); err != nil {
		return err
	}
	if c.top >= 0 && b.top != c.top {
		return errors.New("the language at the file's root would be taken for a part of the keys, or no longer be")
	}
	return nil
}

// isSlot reports whether a node is none of the entries, see Multilingual.
func isSlot(f *File, i int) bool {
	if _, ok := f.grammar.(Multilingual); !ok {
		return false
	}
	n := &f.nodes[i]
	return n.Kind == Absent || n.Kind > Other && n.Parent == 0 && int(n.End) == i+1
}

// proof is one comparison.
type proof struct {
	a, b *File
	*change
	marks []uint8 // by node of a
	gaps  map[Gap][]New
}

// children compares what is in the container i of a with what is in j of b.
func (p *proof) children(i, j int) error {
	at, end := j+1, int(p.b.nodes[j].End)
	var err error
	if p.marks[i]&markFirst != 0 {
		if at, err = p.news(p.gaps[Gap{i, -1}], at, end); err != nil {
			return err
		}
	}
	for c := i + 1; c < int(p.a.nodes[i].End); c = int(p.a.nodes[c].End) {
		marks := p.marks[c]
		switch {
		case marks&markGone != 0:
			if at < end && (isSlot(p.b, at) || p.isGap(at, end)) && p.b.Name(at) == p.a.Name(c) {
				at = int(p.b.nodes[at].End)
			}
		case marks&markFirst != 0 && p.a.nodes[c].Kind == Absent:
			if at, err = p.news(p.gaps[Gap{c, -1}], at, end); err != nil {
				return err
			}
		default:
			if at >= end {
				return fmt.Errorf("%s would be gone", p.a.called(c))
			}
			if marks != 0 || !p.spelledTheSame(&p.a.nodes[c], &p.b.nodes[at]) {
				if err := p.node(c, at); err != nil {
					return err
				}
			}
			at = int(p.b.nodes[at].End)
		}
		if marks&markAfter != 0 {
			if at, err = p.news(p.gaps[Gap{i, c}], at, end); err != nil {
				return err
			}
		}
	}
	if at < end {
		return fmt.Errorf("%s would appear", p.b.called(at))
	}
	return nil
}

// spelledTheSame reports whether two leaves have the same bytes, from the first one of the entry to the one behind it,
// and are read the same way. The one behind belongs to it since some grammars have values that read differently where
// the file ends.
func (p *proof) spelledTheSame(m, n *Node) bool {
	if m.Kind != n.Kind || m.Kind > Other || m.Style != n.Style || m.Ref|n.Ref != 0 {
		return false
	}
	shift := n.Whole.Start - m.Whole.Start
	if n.Whole.End-m.Whole.End != shift || n.Value.Start-m.Value.Start != shift || n.Value.End-m.Value.End != shift ||
		n.Name.End-n.Name.Start != m.Name.End-m.Name.Start ||
		m.Name.Len() > 0 && n.Name.Start-m.Name.Start != shift || m.Name.Len() == 0 && m.Name != n.Name {
		return false
	}
	end, to := min(int(m.Whole.End)+1, len(p.a.src)), min(int(n.Whole.End)+1, len(p.b.src))
	return p.a.src[m.Whole.Start:end] == p.b.src[n.Whole.Start:to]
}

// isGap reports whether a node of b is a plural form without a text, in a format that has all forms of a plural.
func (p *proof) isGap(at, end int) bool {
	if at >= end || p.b.nodes[at].Kind != Null {
		return false
	}
	return p.b.nodes[p.b.nodes[at].Parent].Kind == Forms && keepsGaps(p.b.grammar)
}

// node compares node i of a with j of b, and what is in them.
func (p *proof) node(i, j int) error {
	m, n := &p.a.nodes[i], &p.b.nodes[j]
	if p.a.nodes[m.Parent].Kind != List {
		want, given := p.named[i]
		if !given {
			want = p.a.Name(i)
		}
		if got := p.b.Name(j); got != want {
			return fmt.Errorf("%s would stand where %s is to be", p.b.called(j), p.a.called(i))
		}
	}
	if text, set := p.texts[i]; set {
		if n.Kind != Text {
			return fmt.Errorf("%s would not be a text", p.a.called(i))
		}
		if got := p.b.Text(j); got != text {
			return fmt.Errorf("%s would read %s", p.a.called(i), excerpt(got))
		}
		return nil
	}
	switch {
	case p.marks[i]&markNamed != 0 && m.Kind != Map: // it was merged with a new entry
		return p.textless(i, j)
	case m.Kind == Null && p.marks[i]&markFirst != 0 && n.Kind == Map: // it had no entries before
		return p.children(i, j)
	case m.Kind != n.Kind:
		return fmt.Errorf("%s would be of another kind", p.a.called(i))
	case m.Kind > Other:
		return p.children(i, j)
	case m.Kind == Text && p.a.Text(i) != p.b.Text(j):
		return fmt.Errorf("%s would read %s", p.a.called(i), excerpt(p.b.Text(j)))
	case m.Kind == Other && p.a.raw(i) != p.b.raw(j):
		return fmt.Errorf("the value of %s would change", p.a.called(i))
	}
	return nil
}

// textless compares an entry that has no text any more.
func (p *proof) textless(i, j int) error {
	m, n := &p.a.nodes[i], &p.b.nodes[j]
	if m.End-int32(i) != n.End-int32(j) || (m.Kind == Forms) != (n.Kind == Forms) {
		return fmt.Errorf("%s would be of another kind", p.b.called(j))
	}
	for c := j; c < int(n.End); c++ {
		if p.b.nodes[c].Kind != Null && p.b.nodes[c].Kind != Forms {
			return fmt.Errorf("%s would have a text", p.b.called(j))
		}
	}
	return nil
}

// raw is a value as spelled, where it is.
func (f *File) raw(i int) string {
	if ref := f.nodes[i].Ref; ref != 0 {
		i = int(ref)
	}
	return f.nodes[i].Value.Of(f.src)
}

// news compares new nodes with those of b from at on, and returns where they end.
func (p *proof) news(nodes []New, at, end int) (int, error) {
	for k := range nodes {
		n := &nodes[k]
		for p.isGap(at, end) && p.b.Name(at) != n.Name {
			at++
		}
		if at >= end {
			return at, fmt.Errorf("the new %q would not be there", n.Name)
		}
		if err := p.addedOne(n, at); err != nil {
			return at, err
		}
		at = int(p.b.nodes[at].End)
	}
	return at, nil
}

func (p *proof) addedOne(n *New, j int) error {
	b := &p.b.nodes[j]
	switch {
	case p.b.nodes[b.Parent].Kind != List && p.b.Name(j) != n.Name:
		return fmt.Errorf("%s would stand where the new %q is to be", p.b.called(j), n.Name)
	case b.Kind != n.Kind:
		return fmt.Errorf("the new %q would be of another kind", n.Name)
	case n.Kind == Text && p.b.Text(j) != n.Text:
		return fmt.Errorf("the new %q would read %s", n.Name, excerpt(p.b.Text(j)))
	case n.Kind == Other && (n.Like == nil || n.Like.File.raw(n.Like.Node) != p.b.raw(j)):
		return fmt.Errorf("the value of the new %q would not be the source's", n.Name)
	case n.Kind <= Other:
		return nil
	}
	at, err := p.news(n.Children, j+1, int(b.End))
	for err == nil && p.isGap(at, int(b.End)) {
		at++
	}
	if err == nil && at < int(b.End) {
		err = fmt.Errorf("%s would appear", p.b.called(at))
	}
	return err
}

// called names a node for messages.
func (f *File) called(i int) string {
	key := f.spelledKey(i)
	if n := &f.nodes[i]; n.Kind <= Other && f.nodes[n.Parent].Kind == Forms {
		return fmt.Sprintf("%q [%s]", key, f.Name(i))
	}
	return fmt.Sprintf("%q", key)
}

func excerpt(text string) string {
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
