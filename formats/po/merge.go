package po

import (
	"math/bits"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// mostCompared bounds the steps of one Merge: some thousand entries on both sides. More are another program's.
const mostCompared = 1 << 28

// Merge gives an entry that goes the msgid of a new one that it is like, as msgmerge --previous does: it is fuzzy then,
// and has its former msgid beside it.
func (grammar) Merge(
	f *resource.File, gone []int, like *resource.File, fresh []int,
) (names map[int]string, splices []resource.Splice) {
	names = make(map[int]string)
	for j, i := range proposals(f, gone, like, fresh) {
		text, err := proposed(f, i, &resource.Model{File: like, Node: j})
		if err != nil {
			continue // it becomes obsolete
		}
		names[i] = like.Name(j)
		splices = append(splices, resource.Splice{At: f.Node(i).Whole, Text: text})
	}
	return names, splices
}

// proposals are the entries that go whose texts new ones get, by these: each the most similar of those that are most
// similar to it. Only what is in the program is a text that changes; other names are codes.
func proposals(f *resource.File, gone []int, like *resource.File, fresh []int) map[int]int {
	type new struct {
		node    int
		context string
		id      string
	}
	news, all, size := make([]new, 0, len(fresh)), 0, 0
	for _, j := range fresh {
		n := like.Node(j)
		inProgram := n.Style
		if n.Kind == resource.Forms && int(n.End) > j+1 {
			inProgram = like.Node(j + 1).Style
		}
		if inProgram&template == 0 {
			continue
		}
		context, id := divided(n.Name.Of(like.Source()))
		news = append(news, new{j, unquoted(context), unquoted(id)})
		all += len(id)
	}
	for _, i := range gone {
		size += 1 + f.Node(i).Name.Len()/64
	}
	if size*all > mostCompared {
		return nil
	}
	of, scores := make(map[int]int), make(map[int]float64)
	for _, i := range gone {
		n := f.Node(i)
		if n.Style&template != 0 || !translated(f, i) {
			continue
		}
		context, id := divided(n.Name.Of(f.Source()))
		context = unquoted(context)
		text := newLikeness(unquoted(id))
		best, most := -1, leastLike
		for _, now := range news {
			if like.Node(now.node).Kind != n.Kind {
				continue
			}
			score := text.to(now.id)
			if context == "" || context == now.context {
				score += 1e-5 // as msgmerge prefers them
			}
			if score > most {
				best, most = now.node, score
			}
		}
		if best >= 0 && most > scores[best] {
			of[best], scores[best] = i, most
		}
	}
	return of
}

// leastLike is what texts have to have in common, as for msgmerge.
const leastLike = 0.6

// likeness compares a text with others.
type likeness struct {
	size, words int
	has         []uint64 // by byte, which of the text's are that one
	rest        []uint64
}

func newLikeness(text string) *likeness {
	l := &likeness{size: len(text), words: (len(text) + 63) / 64}
	l.has, l.rest = make([]uint64, 256*l.words), make([]uint64, l.words)
	for i := range len(text) {
		l.has[int(text[i])*l.words+i/64] |= 1 << (i % 64)
	}
	return l
}

// to is the share of both texts' bytes that their longest common subsequence has: 1 where they are the same. It is
// found for 64 bytes at a time (Hyyrö, Bit-parallel LCS-length computation revisited, 2004).
func (l *likeness) to(text string) float64 {
	all := l.size + len(text)
	if float64(2*min(l.size, len(text))) < leastLike*float64(all) {
		return 0
	}
	for w := range l.rest {
		l.rest[w] = ^uint64(0)
	}
	for i := range len(text) {
		has, carry := l.has[int(text[i])*l.words:], uint64(0)
		for w, rest := range l.rest {
			var sum uint64
			sum, carry = bits.Add64(rest, rest&has[w], carry)
			l.rest[w] = sum | rest&^has[w]
		}
	}
	common := 64 * l.words
	for _, rest := range l.rest {
		common -= bits.OnesCount64(rest)
	}
	return float64(2*common) / float64(all)
}

// proposed spells an entry with the msgid, the comments and the flags of a new one, and the text and the translators'
// comments that it has.
func proposed(f *resource.File, i int, like *resource.Model) (string, error) {
	src, n, newline := f.Source(), f.Node(i), resource.Newline(f.Source())
	isNew := resource.New{Kind: n.Kind, Name: like.File.Name(like.Node), Like: like}
	top, _, err := above(isNew, newline, f.Node(0).Style&wide != 0)
	if err != nil {
		return "", err
	}
	var own, extracted, former, name strings.Builder
	flags := "#, fuzzy"
	for line := range strings.Lines(src[n.Whole.Start:n.Name.Start]) {
		switch kind := kindOf(line); {
		case kind == '#':
			own.WriteString(line)
		case kind == '|': // of what the text is a translation
			former.WriteString(line)
		}
	}
	for line := range strings.Lines(top) {
		switch kind := kindOf(line); {
		case kind == '.', kind == ':':
			extracted.WriteString(line)
		case kind == ',':
			flags += "," + strings.TrimRight(line[len("#,"):], "\r\n")
		case kind == 0:
			name.WriteString(line)
		}
	}
	if former.Len() == 0 {
		was := n.Name.Of(src) + newline
		if at, is := pluralOf(src, n); is {
			was += "msgid_plural " + at.Of(src) + newline
		}
		for line := range strings.Lines(was) {
			former.WriteString("#| " + strings.TrimLeft(line, " \t"))
		}
	}
	texts := "msgstr " + n.Value.Of(src)
	if n.Kind == resource.Forms {
		texts = n.Value.Of(src)
	}
	return own.String() + extracted.String() + flags + newline + former.String() + name.String() + texts, nil
}

// kindOf is the sign that says what a comment is, '#' of a translator's; 0 of what is none.
func kindOf(line string) byte {
	line = strings.TrimLeft(line, " \t")
	switch {
	case line == "" || line[0] != '#':
		return 0
	case len(line) > 1 && strings.IndexByte(".:,|~", line[1]) >= 0:
		return line[1]
	}
	return '#'
}
