package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// inline are the elements that stand within a sentence; every other one ends it.
var inline = words("a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label map mark nobr " +
	"q rp rt ruby s samp small span strike strong " +
	"sub sup time tt u var wbr")

// void elements have no end tag.
var void = words("area base br col embed hr img input link meta param source track wbr")

// unread are elements whose content is for programs.
var unread = words("script style template svg math noembed iframe object")

// spoken are the attributes whose values people read.
var spoken = words("alt title placeholder aria-label aria-description")

// describing are the names of meta elements whose content people read.
var describing = words("description keywords og:title og:description og:site_name twitter:title twitter:description")

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// htmlToken is a token of the file, with its offsets.
type htmlToken struct {
	from, to int
	kind     html.TokenType
	name     string
	frozen   bool // it is inside an element that is marked as not to be translated
}

// htmlReader cuts a file into blocks: runs of text and inline tags between two tags that end a sentence.
type htmlReader struct {
	d      *Document
	src    []byte
	plain  []byte // src with what is shown for references
	rules  rules
	block  []htmlToken
	tags   []htmlToken // all tags with attributes that people may read
	skip   string      // the unread element that the reader is in
	skips  int         // how deep
	frozen []string    // inline elements that are marked as not to be translated, open ones
	pre    int         // depth of pre elements
}

// parseHTML takes HTML apart: the sentences of each block, and the attributes that people read (alt, title,
// placeholder, the description in the head). Content of elements for programs, and of elements marked translate="no" or
// class="notranslate", is not a segment.
func parseHTML(ctx context.Context, src []byte, o Options) (*Document, error) {
	r := &htmlReader{d: &Document{src: src}, src: src, plain: bytes.Clone(src), rules: rulesOf(o.Source)}
	z := html.NewTokenizer(bytes.NewReader(src))
	at := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t := htmlToken{from: at, to: at + len(z.Raw()), kind: kind}
		at = t.to
		off := false
		if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
			name, more := z.TagName()
			t.name = string(name)
			off = more && notTranslated(z)
		}
		r.token(t, off)
	}
	r.flush()
	r.attributes()
	r.d.sort()
	return r.d, nil
}

// notTranslated reads the attributes of a tag for a word that its content is not to be translated.
func notTranslated(z *html.Tokenizer) (off bool) {
	for {
		name, value, more := z.TagAttr()
		switch string(name) {
		case "translate":
			off = off || strings.EqualFold(string(value), "no")
		case "class":
			off = off || slices.Contains(strings.Fields(string(value)), "notranslate")
		}
		if !more {
			return off
		}
	}
}

func (r *htmlReader) token(t htmlToken, off bool) {
	if r.skips > 0 {
		r.skipped(t)
		return
	}
	switch t.kind {
	case html.DoctypeToken:
		r.flush()
		return
	case html.TextToken, html.CommentToken:
		t.frozen = len(r.frozen) > 0
		if t.kind == html.TextToken {
			showReferences(r.plain[t.from:t.to])
		}
		r.block = append(r.block, t)
		return
	}
	open := t.kind == html.StartTagToken && !void[t.name]
	if open && (unread[t.name] || off && !inline[t.name]) {
		r.flush()
		r.skip, r.skips = t.name, 1
		return
	}
	if t.kind != html.EndTagToken {
		r.tags = append(r.tags, t)
	}
	if inline[t.name] {
		if open && (off || len(r.frozen) > 0) {
			r.frozen = append(r.frozen, t.name)
		}
		t.frozen = len(r.frozen) > 0
		if t.kind == html.EndTagToken && t.frozen && r.frozen[len(r.frozen)-1] == t.name {
			r.frozen = r.frozen[:len(r.frozen)-1]
		}
		r.block = append(r.block, t)
		return
	}
	r.flush()
	r.frozen = nil
	if t.name == "pre" || t.name == "textarea" {
		if open {
			r.pre++
		} else if r.pre > 0 {
			r.pre--
		}
	}
}

var htmlReference = regexp.MustCompile(`&#[0-9]+;?|&#[xX][0-9a-fA-F]+;?|&[A-Za-z][A-Za-z0-9]*;?`)

// showReferences writes what is shown over references to it, so that a text is cut and trimmed as it is read.
func showReferences(text []byte) {
	for _, at := range htmlReference.FindAllIndex(text, -1) {
		shown := html.UnescapeString(string(text[at[0]:at[1]]))
		filler := byte(hidden)
		if strings.TrimSpace(shown) == "" {
			shown, filler = strings.Map(narrowSpace, shown), ' '
		}
		if shown == "" || len(shown) > at[1]-at[0] {
			continue
		}
		for i := at[0] + copy(text[at[0]:at[1]], shown); i < at[1]; i++ {
			text[i] = filler
		}
	}
}

// narrowSpace is a white space of one byte. A line break stays one.
func narrowSpace(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	return ' '
}

// skipped counts how deep the reader is in an unread element.
func (r *htmlReader) skipped(t htmlToken) {
	if t.name != r.skip {
		return
	}
	switch t.kind {
	case html.StartTagToken:
		r.skips++
	case html.EndTagToken:
		r.skips--
	}
}

// flush makes segments of the block that was gathered.
func (r *htmlReader) flush() {
	block := r.block
	r.block = nil
	if len(block) == 0 {
		return
	}
	from, to := block[0].from, block[len(block)-1].to
	if !r.readable(block, from, to) {
		return
	}
	masked := bytes.Clone(r.plain[from:to])
	var ends, depth []int // where each tag ends, and how many are open behind it
	open := 0
	for _, t := range block {
		switch {
		case t.kind == html.TextToken:
			continue
		case t.kind == html.StartTagToken && !void[t.name]:
			open++
		case t.kind == html.EndTagToken:
			open--
		}
		ends, depth = append(ends, t.to), append(depth, open)
		for i := t.from; i < t.to; i++ {
			masked[i-from] = hidden
		}
	}
	allowed := func(at int) bool {
		before, _ := slices.BinarySearch(ends, from+at+1)
		return before == 0 || depth[before-1] == 0
	}
	for _, p := range r.cutBlock(string(masked), allowed) {
		r.piece(block, from+p[0], from+p[1])
	}
}

// cutBlock cuts a block into sentences, or, where line breaks count, into lines.
func (r *htmlReader) cutBlock(masked string, allowed func(int) bool) [][2]int {
	if r.pre == 0 {
		return r.rules.pieces(masked, allowed)
	}
	var out [][2]int
	at := 0
	for line := range strings.Lines(masked) {
		if a, b := at+spaces(line), at+len(strings.TrimRight(line, " \t\r\n\f")); a < b {
			if n := len(out); n > 0 && !allowed(at) {
				out[n-1][1] = b
			} else {
				out = append(out, [2]int{a, b})
			}
		}
		at += len(line)
	}
	return out
}

// readable tells whether tokens have text to translate between two offsets: one token may have many sentences.
func (r *htmlReader) readable(tokens []htmlToken, from, to int) bool {
	return slices.ContainsFunc(tokens, func(t htmlToken) bool {
		a, b := max(t.from, from), min(t.to, to)
		return t.kind == html.TextToken && !t.frozen && a < b &&
			translatable(html.UnescapeString(string(r.src[a:b])), Plain)
	})
}

// maxPeeled is how many tags around a sentence are left outside of it: what has more was made to keep the reader busy.
const maxPeeled = 32

// piece makes the segment of one sentence. Tags that enclose all of it stay outside.
func (r *htmlReader) piece(block []htmlToken, from, to int) {
	first, _ := slices.BinarySearchFunc(block, from+1, func(t htmlToken, at int) int { return t.to - at })
	behind, _ := slices.BinarySearchFunc(block, to, func(t htmlToken, at int) int { return t.from - at })
	in := block[first:behind]
	if !r.readable(in, from, to) {
		return
	}
	for peeled := 0; ; peeled++ {
		a, b := from+spaces(string(r.plain[from:to])), from+len(strings.TrimRight(string(r.plain[from:to]), " \t\r\n\f"))
		if a >= b {
			return
		}
		from, to = a, b
		for len(in) > 0 && in[0].to <= from {
			in = in[1:]
		}
		for len(in) > 0 && in[len(in)-1].from >= to {
			in = in[:len(in)-1]
		}
		first, last := in[0], in[len(in)-1]
		switch {
		case first.kind != html.TextToken && first.from == from &&
			(first.kind == html.CommentToken || void[first.name] || first.kind == html.SelfClosingTagToken):
			from = first.to
		case last.kind != html.TextToken && last.to == to &&
			(last.kind == html.CommentToken || void[last.name] || last.kind == html.SelfClosingTagToken):
			to = last.from
		case peeled < maxPeeled && first.from == from && encloses(in):
			from, to = first.to, last.from
		default:
			r.keep(in, from, to)
			return
		}
	}
}

// encloses tells whether the first token is a start tag that the last token ends.
func encloses(in []htmlToken) bool {
	first, last := in[0], in[len(in)-1]
	if first.kind != html.StartTagToken || void[first.name] || last.kind != html.EndTagToken || first.name != last.name {
		return false
	}
	open := 0
	for _, t := range in[:len(in)-1] {
		if t.kind == html.StartTagToken && !void[t.name] {
			open++
		} else if t.kind == html.EndTagToken {
			open--
		}
		if open == 0 {
			return false
		}
	}
	return open == 1
}

var htmlSpace = regexp.MustCompile(`[ \t\r\n\f]+`)

func (r *htmlReader) keep(in []htmlToken, from, to int) {
	shown := func(text string) string {
		if r.pre > 0 {
			return text
		}
		return htmlSpace.ReplaceAllString(text, " ")
	}
	raw := shown(string(r.src[from:to]))
	if slices.ContainsFunc(in, func(t htmlToken) bool { return t.kind != html.TextToken }) {
		r.d.add(from, to, Segment{Text: raw, Markup: Tags}, spellHTML(raw))
		return
	}
	r.d.add(from, to, Segment{Text: shown(html.UnescapeString(raw))}, escapeHTML)
}

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escapeHTML(text string) (string, error) { return htmlEscapes.Replace(text), nil }

// spellHTML checks that a translation has the tags of the source, each of them closed as there.
func spellHTML(source string) func(string) (string, error) {
	return func(text string) (string, error) {
		have, err := htmlTags(text)
		if err != nil {
			return "", err
		}
		if want, _ := htmlTags(source); !slices.Equal(want, have) {
			return "", fmt.Errorf("has the tags %s where the source has %s", tagList(have), tagList(want))
		}
		return text, nil
	}
}

func tagList(names []string) string {
	if len(names) == 0 {
		return "(none)"
	}
	return "<" + strings.Join(names, "> <") + ">"
}

// htmlTags are the names of a text's tags, sorted. The error says which tag is not closed, or is closed and not open.
func htmlTags(text string) ([]string, error) {
	var names, open []string
	z := html.NewTokenizer(strings.NewReader(text))
	read := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		read += len(z.Raw())
		name, _ := z.TagName()
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			names = append(names, string(name))
			if kind == html.StartTagToken && !void[string(name)] {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return nil, fmt.Errorf("closes <%s>, which is not open there", name)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("does not close <%s>", open[len(open)-1])
	}
	if read < len(text) {
		return nil, errors.New("ends in the middle of a tag")
	}
	slices.Sort(names)
	return names, nil
}
