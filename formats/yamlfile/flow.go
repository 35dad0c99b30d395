package yamlfile

import (
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
)

// flowCollection completes node n as the flow mapping or sequence at offset i and returns where it ends (section 7.4).
func (s *scanner) flowCollection(n, i int) (to int, err error) {
	s.braces++
	if len(s.levels)-1+s.braces > resource.MaxDepth {
		return 0, refuse(i, "more than %d collections inside one another", resource.MaxDepth)
	}
	closing := byte('}')
	s.nodes[n].Kind = resource.Map
	if s.src[i] == '[' {
		closing = ']'
		s.nodes[n].Kind = resource.List
	}
	s.nodes[n].Style = flow
	from := i
	for i++; ; i++ {
		if i, err = s.flowSpace(i); err != nil {
			return 0, err
		}
		if s.at(i) == closing {
			break
		} else if len(s.nodes) > resource.MaxEntries {
			return 0, refuse(i, "more than %d entries", resource.MaxEntries)
		}
		m := s.add(int32(n), i)
		if closing == '}' {
			i, err = s.flowEntry(m, i)
		} else {
			i, err = s.flowValue(m, i, true)
		}
		if err != nil {
			return 0, err
		}
		if i, err = s.flowSpace(i); err != nil {
			return 0, err
		}
		if c := s.at(i); c == closing {
			break
		} else if c != ',' {
			return 0, refuse(i, "neither \",\" nor %q behind a value in a flow collection; is the value to be in quotes?",
				closing)
		}
	}
	s.braces--
	node := &s.nodes[n]
	node.End = int32(len(s.nodes))
	node.Value, node.Whole.End = resource.At(from, i+1), uint32(i+1)
	s.last = i + 1
	return i + 1, nil
}

// flowSpace goes over white space, line ends and comments.
func (s *scanner) flowSpace(i int) (int, error) {
	s.above = resource.Span{}
	for ; i < len(s.src); i++ {
		switch c := s.src[i]; c {
		case ' ', '\t', '\r':
		case '\n':
			s.crossed = i + 1
			if markAt(s.src, i+1) {
				return 0, refuse(i+1, "a document mark inside a flow collection")
			}
		case '#':
			if !isBlank(s.src[i-1]) && s.src[i-1] != '\n' {
				return 0, refuse(i, "a comment without a space before it")
			}
			i, _ = lineEnd(s.src, i)
			i--
		default:
			return i, nil
		}
	}
	return 0, refuse(i, "a flow collection without its closing bracket")
}

// flowEntry reads "name: value", or a name alone, of a flow mapping.
func (s *scanner) flowEntry(n, i int) (int, error) {
	if c := s.src[i]; c == '&' || c == '!' {
		end, err := s.properties(-1, i, &properties{})
		if err != nil {
			return 0, err
		}
		if i = skipBlanks(s.src, end); isBreakAt(s.src, i) {
			return 0, refuse(i, "an anchor or a tag that is not on the line of its name")
		}
		if s.src[i] == ':' {
			return 0, refuse(i, "a name that begins with a colon behind an anchor or a tag; put it in quotes")
		}
	}
	to, err := s.flowScalar(i)
	if err != nil {
		return 0, err
	}
	if strings.IndexByte(s.src[i:to], '\n') >= 0 {
		return 0, refuse(i, "a name over several lines")
	}
	if err := s.name(n, i, to); err != nil {
		return 0, err
	}
	colon, err := s.flowColon(i, to)
	if err != nil {
		return 0, err
	}
	if colon < 0 {
		err = s.leaf(n, resource.Null, emptyFlow, to, to)
	} else {
		to, err = s.flowNamed(n, colon)
	}
	if err == nil && s.src[i:s.nodes[n].Name.End] == "<<" {
		err = s.seal(n)
	}
	return to, err
}

// flowNamed reads the value behind a name's colon.
func (s *scanner) flowNamed(n, colon int) (int, error) {
	i, err := s.flowSpace(colon + 1)
	if err != nil {
		return 0, err
	}
	if c := s.src[i]; c == ',' || c == '}' || c == ']' {
		return colon + 1, s.leaf(n, resource.Null, empty, colon+1, colon+1)
	}
	return s.flowValue(n, i, false)
}

// flowScalar finds the end of the scalar at offset i.
func (s *scanner) flowScalar(i int) (int, error) {
	if c := s.at(i); c == '"' || c == '\'' {
		to, _, err := s.quoted(i)
		return to, err
	}
	if err := s.plainStart(i, true); err != nil {
		return 0, err
	}
	return s.flowPlain(i)
}

// flowPlain finds the end of the plain scalar at offset i. It goes on over lines.
func (s *scanner) flowPlain(i int) (int, error) {
	src, to := s.src, i
	for p := i; p < len(src); p++ {
		switch c := src[p]; c {
		case ',', '[', ']', '{', '}':
			return to, nil
		case ' ', '\t', '\r':
			continue
		case '\n':
			if markAt(src, p+1) {
				return 0, refuse(p+1, "a document mark inside a flow collection")
			}
			if q := skipSpaces(src, p+1); q-p-1 <= s.top().col && s.at(q) == '\t' {
				return 0, refuse(q, "a tab as indentation; YAML takes spaces only")
			}
			continue
		case '#':
			if isBlank(src[p-1]) || src[p-1] == '\n' {
				return to, nil
			}
		case ':':
			if isSpaceAt(src, p+1) {
				return to, nil
			}
			if strings.IndexByte(",[]{}", src[p+1]) >= 0 {
				return 0, refuse(p, "a colon that readers disagree on; put a space behind it, or quotes around the text")
			}
		}
		to = p + 1
	}
	return to, nil
}

// flowColon finds the colon that makes the scalar i..to of a flow collection a name, on its line; -1 when there is
// none.
func (s *scanner) flowColon(i, to int) (int, error) {
	colon := skipBlanks(s.src, to)
	if s.at(colon) != ':' {
		return -1, nil
	}
	quoted := s.src[i] == '"' || s.src[i] == '\''
	if !isSpaceAt(s.src, colon+1) && !(quoted && colon == to) {
		return 0, refuse(colon, "a colon that readers disagree on; put a space behind it")
	}
	if s.crossed >= 0 {
		// Readers want it to the right of the block collection around, in characters. Four bytes are one at most.
		if outer := s.top().col; colon-s.crossed <= 4*outer && utf8.RuneCountInString(s.src[s.crossed:colon]) <= outer {
			return 0, refuse(colon, "not indented more than the mapping around it")
		}
	}
	return colon, nil
}

// flowValue reads the value of node n at offset i; in a sequence that may be a mapping of one pair without braces.
func (s *scanner) flowValue(n, i int, inList bool) (int, error) {
	var p properties
	for s.src[i] == '&' || s.src[i] == '!' {
		end, err := s.properties(n, i, &p)
		if err != nil {
			return 0, err
		}
		if i, err = s.flowSpace(end); err != nil {
			return 0, err
		}
		if c := s.src[i]; c == ',' || c == ']' || c == '}' {
			return end, s.nothing(n, end, p)
		}
	}
	switch s.src[i] {
	case '*':
		if p != (properties{}) {
			return 0, refuse(i, "an alias with an anchor or a tag")
		}
		return s.alias(n, i)
	case '[', '{':
		return s.flowCollection(n, i)
	}
	to, style := 0, uint8(plain)
	var err error
	if c := s.src[i]; c == '"' || c == '\'' {
		to, style, err = s.quoted(i)
	} else if c == ':' && p != (properties{}) {
		err = refuse(i, "a plain text that begins with a colon behind an anchor or a tag; put it in quotes")
	} else {
		to, err = s.flowScalar(i)
	}
	if err != nil {
		return 0, err
	}
	if at := strings.LastIndexByte(s.src[i:to], '\n'); at >= 0 {
		s.crossed = i + at + 1
		if style == plain {
			style = plainFolded
		}
	}
	if inList {
		colon, err := s.flowColon(i, to)
		if err != nil {
			return 0, err
		}
		if colon >= 0 {
			return s.flowPair(n, i, to, colon, p)
		}
	}
	if style == plain || style == plainFolded {
		err = s.plainScalar(n, style, i, to, p)
	} else {
		err = s.scalar(n, resource.Text, style, i, to, p)
	}
	return to, err
}

// flowPair completes node n as a mapping of the one pair that begins at offset i.
func (s *scanner) flowPair(n, i, to, colon int, p properties) (int, error) {
	if p != (properties{}) {
		return 0, refuse(i, "an anchor or a tag before a pair without braces")
	}
	if strings.IndexByte(s.src[i:to], '\n') >= 0 {
		return 0, refuse(i, "a name over several lines")
	}
	if len(s.levels)+s.braces > resource.MaxDepth {
		return 0, refuse(i, "more than %d collections inside one another", resource.MaxDepth)
	}
	m := s.add(int32(n), i)
	if err := s.name(m, i, to); err != nil {
		return 0, err
	}
	end, err := s.flowNamed(m, colon)
	if err != nil {
		return 0, err
	}
	if s.src[i:to] == "<<" {
		if err := s.seal(m); err != nil {
			return 0, err
		}
	}
	node := &s.nodes[n]
	node.Kind, node.Style, node.End = resource.Map, pair, int32(len(s.nodes))
	node.Value, node.Whole.End = resource.At(i, end), uint32(end)
	return end, nil
}
