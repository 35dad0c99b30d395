package jsonfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/formats/messages"
	"github.com/locsync/locsync/formats/resource"
)

// Set replaces leaf i by a string.
func (grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Style&halfName != 0 {
		return resource.Splice{}, errors.New(halfNameMsg)
	}
	old := ""
	if f.Source()[n.Value.Start] == '"' {
		old = n.Value.Of(f.Source())
	}
	return resource.Splice{At: n.Value, Text: SpellingOf(f.Node(0), old).Quote(text)}, nil
}

// Rename spells the new name as the old one is.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	n := f.Node(i)
	if n.Name.Len() == 0 {
		return resource.Splice{}, errors.New("an item of an array has no name")
	}
	spelled, err := quoteName(SpellingOf(f.Node(0), n.Name.Of(f.Source())), name)
	return resource.Splice{At: n.Name, Text: spelled}, err
}

func quoteName(p Spelling, name string) (string, error) {
	spelled := p.Quote(name)
	if len(spelled) > resource.MaxName {
		return "", fmt.Errorf("the name has more than %d KiB", resource.MaxName>>10)
	}
	return spelled, nil
}

// Remove takes entries out with their comma, their comment above and the one behind. A message takes its object with
// it.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	isMessage := func(n *resource.Node) bool { return n.Style&messageEntry != 0 }
	return Remove(f, messages.Whole(f, gone, isMessage)), nil
}

// Remove returns the splices that take nodes out, as resource.Grammar.Remove describes. f may be a file of any grammar
// whose containers are JSON objects or arrays and whose children are all of their members or items.
func Remove(f *resource.File, gone []int) []resource.Splice {
	var splices []resource.Splice
	ups := make([]int, 0, 4) // containers, in the order of their first gone child
	of := make(map[int][]int)
	for _, i := range gone {
		up := int(f.Node(i).Parent)
		if of[up] == nil {
			ups = append(ups, up)
		}
		of[up] = append(of[up], i)
	}
	for _, up := range ups {
		r := removal{f: f, src: f.Source(), up: f.Node(up)}
		r.runs(up, of[up])
		splices = append(splices, r.splices()...)
	}
	return splices
}

// removal takes children out of one container.
type removal struct {
	f     *resource.File
	src   string
	up    *resource.Node
	gone  []run
	stays int // children that stay, at least one of those behind the last run
	comma int // behind the last child that stays
}

// run is one or more children that go, with nothing but white space between them.
type run struct {
	start, end int // from the comment above the first to the comma and comment behind the last
	comma      int // behind the last, -1 when there is none
	before     int // where the separator before the run ends: the bracket or a comma
	last       bool
}

// runs finds the runs of gone children; gone is sorted.
func (r *removal) runs(up int, gone []int) {
	before, open, stay := int(r.up.Value.Start)+1, false, -1
	for c := range r.f.Children(up) {
		if len(gone) == 0 || gone[0] != c {
			r.stays++
			open, stay = false, c
			if len(gone) == 0 {
				return
			}
			continue
		}
		gone = gone[1:]
		if stay >= 0 && !open {
			r.comma, _ = tail(r.src, int(r.f.Node(stay).Whole.End))
			before = r.comma + 1
		}
		n := r.f.Node(c)
		comma, end := tail(r.src, int(n.Whole.End))
		last := n.End == r.up.End
		if at := start(n); open && isBlank(r.src[r.gone[len(r.gone)-1].end:at]) {
			g := &r.gone[len(r.gone)-1]
			g.end, g.comma, g.last = end, comma, last
		} else {
			r.gone = append(r.gone, run{at, end, comma, before, last})
		}
		before, open = comma+1, true
	}
}

// start is where an entry starts with the comment above it.
func start(n *resource.Node) int {
	if n.Note.Len() > 0 && n.Note.End <= n.Whole.Start {
		return int(n.Note.Start)
	}
	return int(n.Whole.Start)
}

// tail finds the comma behind an entry that ends at end, -1 when there is none, and where what belongs to the entry on
// its line ends: that comma or a comment.
func tail(src string, end int) (comma, tail int) {
	var buf [4]comment
	comments, newlines, at, _ := readGap(src, end, buf[:0])
	if at == len(src) || src[at] != ',' {
		if n := trailing(comments, newlines, false); n > 0 {
			end = comments[n-1].end
		}
		return -1, end
	}
	comma, tail = at, at+1
	comments, newlines, at, _ = readGap(src, tail, buf[:0])
	if n := trailing(comments, newlines, at < len(src) && src[at] != '}' && src[at] != ']'); n > 0 {
		tail = comments[n-1].end
	}
	return comma, tail
}

func (r *removal) splices() []resource.Splice {
	from, to := int(r.up.Value.Start)+1, int(r.up.Value.End)-1
	if r.stays == 0 && len(r.gone) == 1 {
		if g := r.gone[0]; isBlank(r.src[from:g.start]) && isBlank(r.src[g.end:to]) {
			return []resource.Splice{{At: resource.At(from, to)}}
		}
	}
	var out []resource.Splice
	for _, g := range r.gone {
		if g.last && g.comma < 0 && r.stays > 0 {
			out = append(out, resource.Splice{At: resource.At(r.comma, r.comma+1)})
		}
		out = append(out, resource.Splice{At: r.cut(g)})
	}
	return out
}

func isBlank(s string) bool { return strings.Trim(s, " \t\r\n") == "" }

// cut says which of the white space around a run goes with it: that in front of it, unless the run is the first on its
// line and shares that line with what follows, or more blank lines are in front than behind.
func (r *removal) cut(g run) resource.Span {
	lead, afterLineComment := r.lead(g)
	lines, lastLine := lineEnds(r.src[lead:g.start])
	next := g.end
	for next < len(r.src) && isSpace(r.src[next]) {
		next++
	}
	linesBehind, _ := lineEnds(r.src[g.end:next])
	atBracket := lead == int(r.up.Value.Start)+1
	switch {
	case linesBehind == 0 && afterLineComment:
		return resource.At(g.start, next) // the comment needs its line end
	case !g.last && linesBehind == 0 && (lines > 0 || atBracket):
		return resource.At(g.start, next)
	case !g.last && lines > linesBehind:
		return resource.At(g.start, next)
	case lines == 1:
		return resource.At(lead+lastLine, g.end) // blanks in front of the line end are the line before's
	}
	return resource.At(lead, g.end)
}

// lineEnds counts the line ends in white space and finds the last of them.
func lineEnds(s string) (n, last int) {
	for i := range len(s) {
		switch {
		case s[i] == '\n' && i > 0 && s[i-1] == '\r':
		case s[i] == '\n', s[i] == '\r':
			n++
			last = i
		}
	}
	return n, last
}

// lead returns where the white space in front of a run starts, and whether that is the end of a // comment, which may
// itself end in blanks.
func (r *removal) lead(g run) (at int, afterLineComment bool) {
	at = len(strings.TrimRight(r.src[:g.start], " \t\r\n"))
	comments, _, _, _ := readGap(r.src[:g.start], g.before, nil)
	if len(comments) == 0 {
		return at, false
	}
	c := comments[len(comments)-1]
	return c.end, r.src[c.start+1] == '/'
}
