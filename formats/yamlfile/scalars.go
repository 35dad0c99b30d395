package yamlfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile/answers"
)

// scalar completes node n as a scalar whose bytes are from..to; kind is what it is without its tag.
func (s *scanner) scalar(n int, kind resource.Kind, style uint8, from, to int, p properties) error {
	switch p.tag {
	case tagPlain:
		if kind == resource.Null {
			kind = resource.Other
		}
	case tagString:
		kind = resource.Text
	case tagOther:
		kind, style = resource.Other, tagged
	}
	return s.leaf(n, kind, style, from, to)
}

// plainStart refuses what no plain scalar begins with (ns-plain-first, section 7.3.3).
func (s *scanner) plainStart(i int, inFlow bool) error {
	switch c := s.at(i); c {
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', ' ', '\t', '\r', '\n', 0:
		return refuse(i, "%q where a name or value is expected; put it in quotes if it is part of one", c)
	case '-', '?', ':':
		if isSpaceAt(s.src, i+1) || inFlow && (c == '?' || strings.IndexByte(",[]{}", s.src[i+1]) >= 0) {
			return refuse(i, "%q where a name or value is expected; put it in quotes if it is part of one", c)
		}
	case byteOrderMark[0]:
		if strings.HasPrefix(s.src[i:], byteOrderMark) {
			return refuse(i, "a second byte order mark")
		}
	}
	return nil
}

// plainLine finds the end of the plain text between i and the end of its line, and whether a comment follows it.
func (s *scanner) plainLine(i, end int) (to int, comment bool, err error) {
	line := s.src[i:end]
	for h := strings.IndexByte(line, '#'); h >= 0; {
		if h > 0 && isBlank(line[h-1]) {
			line, comment = line[:h], true
			break
		}
		step := strings.IndexByte(line[h+1:], '#')
		if step < 0 {
			break
		}
		h += 1 + step
	}
	for k := strings.IndexByte(line, ':'); k >= 0; {
		if isSpaceAt(s.src, i+k+1) {
			return 0, false, refuse(i+k, "a colon followed by a space inside a plain value; put the value in quotes")
		}
		step := strings.IndexByte(line[k+1:], ':')
		if step < 0 {
			break
		}
		k += 1 + step
	}
	to = i + len(line)
	for to > i && isBlank(s.src[to-1]) {
		to--
	}
	return to, comment, nil
}

// plainValue reads the plain scalar at offset i of a block collection.
func (s *scanner) plainValue(n, i int, p properties) error {
	to, style, err := s.plainText(i)
	if err != nil {
		return err
	}
	if err := s.plainScalar(n, style, i, to, p); err != nil {
		return err
	}
	return s.toNextLine(n, to)
}

// plainText finds the end of the plain scalar at offset i of a block collection. It goes on over lines that are
// indented more than the collection.
func (s *scanner) plainText(i int) (to int, style uint8, err error) {
	src := s.src
	end, next := lineEnd(src, i)
	to, comment, err := s.plainLine(i, end)
	style = plain
	for err == nil && !comment && next < len(src) && (src[next] == ' ' || src[next] <= '\r') {
		q := skipSpaces(src, next)
		deep := q-next > s.top().col
		if q < len(src) && src[q] == '\t' {
			tab := q
			q = skipBlanks(src, q)
			if !deep && !isBreakAt(src, q) && src[q] != '#' {
				return 0, 0, refuse(tab, "a tab as indentation; YAML takes spaces only")
			}
		}
		if q == len(src) {
			break
		}
		if isBreakAt(src, q) {
			_, next = lineEnd(src, q)
			continue
		}
		if !deep || src[q] == '#' {
			break
		}
		end, next = lineEnd(src, q)
		to, comment, err = s.plainLine(q, end)
		style = plainFolded
	}
	return to, style, err
}

func (s *scanner) plainScalar(n int, style uint8, i, to int, p properties) error {
	kind := resource.Text
	if style == plain {
		kind = meaning(s.src[i:to])
	} else if c := s.src[i]; c >= '0' && c <= '9' {
		kind = meaning(fold(s.src[i:to]))
	}
	if err := s.scalar(n, kind, style, i, to, p); err != nil {
		return err
	}
	if kind == resource.Other && s.nodes[n].Kind == kind && answers.Are(s.src[i:to]) {
		s.answers = append(s.answers, n)
	}
	return nil
}

// quoted finds the end of the quoted scalar at offset i, and its style.
func (s *scanner) quoted(i int) (to int, style uint8, err error) {
	if s.src[i] == '\'' {
		return s.singleQuoted(i)
	}
	src := s.src
	n := strings.IndexByte(src[i+1:], '"')
	if n < 0 {
		return 0, 0, refuse(i, "a quoted text without its closing quote")
	}
	to = i + n + 2
	inside := src[i+1 : to-1]
	if strings.IndexByte(inside, '\\') < 0 {
		if strings.IndexByte(inside, '\n') < 0 {
			return to, double, nil
		}
		return to, doubleEscaped, s.noMarks(i, to)
	}
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case '"':
			return j + 1, doubleEscaped, s.noMarks(i, j)
		case '\\':
			n := escape(src[j:])
			if n == 0 {
				return 0, 0, refuse(j, "an escape that YAML does not know")
			}
			j += n - 1
		}
	}
	return 0, 0, refuse(i, "a quoted text without its closing quote")
}

func (s *scanner) singleQuoted(i int) (to int, style uint8, err error) {
	src := s.src
	style = single
	for to = i + 1; ; to++ {
		n := strings.IndexByte(src[to:], '\'')
		if n < 0 {
			return 0, 0, refuse(i, "a quoted text without its closing quote")
		}
		to += n + 1
		if s.at(to) != '\'' {
			break
		}
		style = singleEscaped
	}
	if strings.IndexByte(src[i:to], '\n') < 0 {
		return to, style, nil
	}
	return to, singleEscaped, s.noMarks(i, to)
}

// noMarks refuses a document mark at the start of a line inside a quoted scalar (section 9.1.2).
func (s *scanner) noMarks(i, to int) error {
	for {
		n := strings.IndexByte(s.src[i:to], '\n')
		if n < 0 {
			return nil
		}
		i += n + 1
		if markAt(s.src, i) {
			return refuse(i, "a document mark inside a quoted text")
		}
	}
}

// blockText reads the literal or folded scalar whose header is at offset i (section 8.1).
func (s *scanner) blockText(n, i int, p properties) error {
	style, indicated, keep, head := s.blockHeader(i)
	if err := s.restIsEmpty(head, "the indicators of a block text"); err != nil {
		return err
	}
	outer := s.top().col
	width := 0 // column of the content, 0 until it is known
	if indicated > 0 {
		if width = max(outer, 0) + indicated; width > maxIndicated {
			return refuse(i, "an indentation indicator for text beyond column %d", maxIndicated)
		}
		style += uint8(width)
	}
	src := s.src
	to, q := lineEnd(src, i) // the text's end, and the line that is looked at
	widest := 0              // of the blank lines before the content
	for q < len(src) {
		k := q
		for k < len(src) && src[k] == ' ' && (width == 0 || k-q < width) {
			k++
		}
		if isBreakAt(src, k) {
			if width == 0 {
				widest = max(widest, k-q)
			}
			_, q = lineEnd(src, k)
			continue
		}
		if k-q <= outer || k-q < width {
			if src[k] == '\t' {
				return refuse(k, "a tab as indentation; YAML takes spaces only")
			}
			break
		}
		if width == 0 && widest > k-q {
			return refuse(k, "a block text whose first line is indented less than a blank line above it")
		}
		width = k - q
		to, q = lineEnd(src, k)
	}
	last := src[lineStart(src, q):q]
	if q == len(src) && last != "" && (keep || to == q) && strings.Trim(last, " \t") == "" {
		return refuse(i, "a block text whose last line is only spaces, without a line end; "+
			"readers disagree on it, so add a line end")
	}
	if keep {
		if to = q; to > 0 && src[to-1] == '\n' {
			if to--; src[to-1] == '\r' {
				to--
			}
		}
	}
	if err := s.scalar(n, resource.Text, style, i, to, p); err != nil {
		return err
	}
	s.pos = q
	return s.next()
}

// blockHeader reads the indicators behind "|" or ">" at offset i, which come in any order.
func (s *scanner) blockHeader(i int) (style uint8, indicated int, keep bool, end int) {
	style = literal
	if s.src[i] == '>' {
		style = folded
	}
	chomped := false
	for end = i + 1; ; end++ {
		switch c := s.at(end); {
		case c >= '1' && c <= '9' && indicated == 0:
			indicated = int(c - '0')
		case (c == '+' || c == '-') && !chomped:
			chomped, keep = true, c == '+'
		default:
			return style, indicated, keep, end
		}
	}
}
