package oracle

import (
	"fmt"
	"strings"
)

// bytes compares what is between the leaves that stay. From one to the next the bytes are the same, the first one's
// value included unless it was changed; only where an entry came or went in between may more or less be there.
func (p *proof) bytes() error {
	if p.old.sealed || p.new.sealed {
		return nil
	}
	g := gap{proof: p}
	for _, pair := range p.pairs {
		a, b := &p.old.leaves[pair[0]], &p.new.leaves[pair[1]]
		g.pass(pair)
		changed := p.rewritten(pair[0], a, b)
		if a.at < 0 || b.at < 0 || changed && (a.loose || b.loose) {
			if changed { // a gap without bytes: what is around it changes with it
				g.touched++
				g.removed = g.removed || p.how.gaps && a.at < 0 // marks that it is not translated go
			}
			continue
		}
		g.declares = changed && p.how.slash && strings.HasSuffix(p.new.text[:b.at], declared)
		if err := g.close(a.at, b.at, a); err != nil {
			return err
		}
		g.from = [2]int{a.at, b.at}
		if changed {
			g.from = [2]int{a.end, b.end}
		}
		if changed && b.Kind == Empty {
			g.touched += 2 // where its brackets end is not looked at
		}
		g.after, g.block = a, changed && (a.block || b.block)
	}
	g.pass([2]int{len(p.old.leaves), len(p.new.leaves)})
	return g.close(len(p.old.text), len(p.new.text), nil)
}

// rewritten reports whether a leaf that stays is spelled anew: its text was set to another one, or it pointed at
// another value or does so now.
func (p *proof) rewritten(i int, a, b *Leaf) bool {
	_, set := p.sets[i]
	if a.shares && p.setsKey(i) {
		return true
	}
	return set && (a.Kind != b.Kind || a.Text != b.Text) || a.repeats != b.repeats || a.Kind == Other && b.Kind == Empty
}

// setsKey reports whether any text of a leaf's key was set. The leaves of a key follow each other.
func (p *proof) setsKey(i int) bool {
	key, first := p.old.leaves[i].Key, i
	for first > 0 && p.old.leaves[first-1].Key == key {
		first--
	}
	for at := first; at < len(p.old.leaves) && p.old.leaves[at].Key == key; at++ {
		if _, set := p.sets[at]; set {
			return true
		}
	}
	return false
}

// gap is the bytes between two leaves that stay.
type gap struct {
	proof          *proof
	seen           [2]int // leaves up to here were passed
	from           [2]int
	added, removed bool
	touched        int   // places in it that had no bytes of their own and got some
	after          *Leaf // the leaf before it; nil at the beginning
	block          bool  // which is spelled anew, and is a block text
	declares       bool  // the leaf behind it is spelled anew, and its element declares the prefix of Android's markup
}

// declared ends the start tag of a string whose text has a prefix that the file does not declare.
const declared = ` xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">`

// pass takes note of what is before a pair.
func (g *gap) pass(pair [2]int) {
	g.removed = g.removed || pair[0] > g.seen[0]
	g.added = g.added || pair[1] > g.seen[1]
	g.seen = [2]int{pair[0] + 1, pair[1] + 1}
}

// living takes the mark of what is obsolete away.
var living = strings.NewReplacer("\n#~| ", "\n#| ", "\n#~ ", "\n")

// close compares the bytes up to a leaf, or to the end.
func (g *gap) close(oldEnd, newEnd int, next *Leaf) error {
	first := g.after == nil && g.from == [2]int{}
	added, removed, touched, declares := g.added, g.removed, g.touched, g.declares
	g.added, g.removed, g.touched, g.declares = false, false, 0, false
	if g.proof.fresh && (first || g.proof.how.bilingual) {
		return nil // the root's name; what only a bilingual file has
	}
	if oldEnd < g.from[0] || newEnd < g.from[1] {
		return g.spoiled(next)
	}
	a, b := g.proof.old.text[g.from[0]:oldEnd], g.proof.new.text[g.from[1]:newEnd]
	if declares && !strings.HasSuffix(a, declared) {
		b = strings.TrimSuffix(b, declared) + ">"
	}
	if a == b {
		return nil
	}
	revived := false
	if g.proof.how.obsolete {
		left := g.proof.withoutRevived(a)
		a, revived = left, len(left) < len(a)
	}
	switch {
	case removed && (added || touched > 0):
		return nil // the data is all that can be compared
	case touched == 1 && !added && !revived:
		if !g.opens(a, b) {
			return g.spoiled(next)
		}
		return nil
	case added || touched > 0 || revived && !removed:
		if !g.remains(a, b) {
			return g.spoiled(next)
		}
		return nil
	case removed:
		if g.proof.how.obsolete {
			b = living.Replace("\n" + b)[1:]
		}
		if !g.remains(b, a) {
			return g.spoiled(next)
		}
		return nil
	case g.block && strings.TrimLeft(a, " \t\r\n") == strings.TrimLeft(b, " \t\r\n"):
		return nil // where a block text ends is in its text
	}
	return g.spoiled(next)
}

// withoutRevived is what is between two entries without obsolete entries whose names others have in the new file.
func (p *proof) withoutRevived(text string) string {
	if !strings.Contains(text, "#~") {
		return text
	}
	var out, block, entry strings.Builder // as it is; as an entry that is not obsolete
	filled := false
	end := func() {
		if !p.isRevived(entry.String()) {
			out.WriteString(block.String())
		}
		block.Reset()
		entry.Reset()
		filled = false
	}
	for line := range strings.Lines(text) {
		words, is := strings.CutPrefix(strings.TrimSpace(line), "#~")
		words = strings.TrimSpace(words)
		text, former := strings.HasPrefix(words, "msgstr"), strings.HasPrefix(words, "|")
		if !is && entry.Len() > 0 || filled && !text && !strings.HasPrefix(words, `"`) {
			end()
		}
		block.WriteString(line)
		switch {
		case is && !former:
			entry.WriteString(words + "\n")
			filled = filled || text
		case !is && !strings.HasPrefix(strings.TrimSpace(line), "#"):
			end()
		}
	}
	end()
	return out.String()
}

// isRevived reports whether the new file has an entry of this one's name.
func (p *proof) isRevived(entry string) bool {
	e := newPOEntry(0)
	if _, err := e.read(entry); err != nil || !e.has("msgid") {
		return false
	}
	if p.names == nil {
		p.names = make(map[string]bool, len(p.new.leaves))
		for i := range p.new.leaves {
			p.names[p.new.leaves[i].outermost()] = true
		}
	}
	return p.names[e.name()]
}

// opens reports whether something was put into some bytes in one place, where an element's closing slash may have been.
func (g *gap) opens(some, more string) bool {
	head, tail := 0, 0
	for head < len(some) && head < len(more) && some[head] == more[head] {
		head++
	}
	for tail < len(some)-head && tail < len(more)-head && some[len(some)-1-tail] == more[len(more)-1-tail] {
		tail++
	}
	rest := some[head : len(some)-tail]
	return rest == "" || g.proof.how.slash && strings.TrimLeft(rest, " \t\r\n") == "/"
}

// remains reports whether all of some bytes is left among more, in order. White space may be arranged anew, and
// brackets come when a container is left empty and go when one is no longer.
func (g *gap) remains(some, more string) bool {
	const free = " \t\r\n"
	loose := free
	if g.proof.how.brackets {
		loose += "{}[],"
	}
	at := 0
	for i := 0; i < len(some); i++ {
		if strings.IndexByte(loose, some[i]) >= 0 {
			continue
		}
		n := strings.IndexByte(more[at:], some[i])
		if n < 0 {
			return false
		}
		at += n + 1
	}
	return true
}

func (g *gap) spoiled(next *Leaf) error {
	where := "at the end of the file"
	if next != nil {
		where = fmt.Sprintf("before %q", next.label())
	}
	if g.after != nil {
		where = fmt.Sprintf("behind %q, %s", g.after.label(), where)
	}
	return &Difference{What: fmt.Sprintf("bytes %s would differ where no entry does", where)}
}
