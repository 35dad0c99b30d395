package yamlfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// tag is what a tag says about a scalar.
type tag uint8

const (
	tagNone   tag = iota
	tagPlain      // "!": a string, though some readers look at the scalar all the same
	tagString     // "!!str"
	tagOther      // no text
)

// properties are the anchor and the tag in front of a value.
type properties struct {
	anchored bool
	tag      tag
}

// propertiesAndValue reads anchor and tag, which are next, and the value behind them; or the mapping that starts here,
// when they belong to its first name (on the name's line; section 6.9).
func (s *scanner) propertiesAndValue(n, col int, p properties) error {
	if col >= 0 {
		i, err := s.properties(-1, s.pos, &properties{})
		if err != nil {
			return err
		}
		i = skipBlanks(s.src, i)
		if c := s.at(i); c == '"' || c == '\'' || s.plainStart(i, false) == nil {
			if _, colon, err := s.key(i); err != nil {
				return err
			} else if colon >= 0 {
				return s.openMap(n, col)
			}
		}
	}
	if n == 0 {
		return refuse(s.pos, "an anchor or a tag on the whole document")
	}
	i, err := s.properties(n, s.pos, &p)
	if err != nil {
		return err
	}
	q := skipBlanks(s.src, i)
	if isBreakAt(s.src, q) || s.src[q] == '#' {
		return s.below(n, i, p)
	}
	s.pos = q
	return s.value(n, -1, p)
}

// properties reads an anchor and a tag in any order, starting at offset i, for node n, and returns where they end.
// With n = -1 they are those of a name, whose anchor cannot be pointed at.
func (s *scanner) properties(n, i int, p *properties) (int, error) {
	for {
		end := i
		var err error
		switch s.at(i) {
		case '&':
			if p.anchored {
				return 0, refuse(i, "a second anchor")
			}
			p.anchored = true
			if end, err = s.anchorName(i); err != nil {
				return 0, err
			}
			if s.anchors == nil {
				s.anchors = make(map[string]anchor)
			}
			s.anchors[s.src[i+1:end]] = anchor{node: n, hidden: n < 0}
		case '!':
			if p.tag != tagNone {
				return 0, refuse(i, "a second tag")
			}
			if end, p.tag, err = s.tagAt(i); err != nil {
				return 0, err
			}
		}
		next := skipBlanks(s.src, end)
		if c := s.at(next); next == end || c != '&' && c != '!' {
			return end, nil
		}
		i = next
	}
}

// anchorName finds the end of the name behind "&" or "*" at offset i. Only characters that all readers take are let
// through.
func (s *scanner) anchorName(i int) (int, error) {
	end := i + 1
	for end < len(s.src) && s.src[end] > ' ' && s.src[end] < 0x7F && strings.IndexByte(",[]{}:", s.src[end]) < 0 {
		end++
	}
	if end == i+1 || !s.endsToken(end) {
		return 0, refuse(i, "an anchor or alias that is not spelled in plain ASCII letters, digits and signs")
	}
	return end, nil
}

// endsToken reports whether white space or, in a flow collection, its next indicator is at offset i.
func (s *scanner) endsToken(i int) bool {
	return isSpaceAt(s.src, i) || s.braces > 0 && strings.IndexByte(",]}", s.src[i]) >= 0
}

// tagAt reads the tag at offset i.
func (s *scanner) tagAt(i int) (end int, t tag, err error) {
	rest := s.src[i:]
	if strings.HasPrefix(rest, "!<") {
		n := strings.IndexAny(rest, "> \t\n")
		if n < 3 || rest[n] != '>' || !s.endsToken(i+n+1) || strings.Trim(rest[2:n], tagCharacters+",[]{}") != "" {
			return 0, 0, refuse(i, "a tag that is not closed, or holds what tags cannot hold")
		}
		if rest[:n+1] == "!<tag:yaml.org,2002:str>" {
			return i + n + 1, tagString, nil
		}
		return i + n + 1, tagOther, nil
	}
	end = i + 1
	for end < len(s.src) && strings.IndexByte(tagCharacters, s.src[end]) >= 0 {
		end++
	}
	name := s.src[i:end]
	if !s.endsToken(end) || name == "!!" {
		return 0, 0, refuse(i, "a tag that holds what tags cannot hold")
	}
	second := strings.IndexByte(name[1:], '!')
	if second > 0 && strings.Trim(name[1:1+second], letters+"0123456789-_") == "" {
		return 0, 0, refuse(i, "a tag with a named handle")
	}
	switch name {
	case "!":
		return end, tagPlain, nil
	case "!!str":
		return end, tagString, nil
	}
	return end, tagOther, nil
}

const (
	letters       = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	tagCharacters = letters + "0123456789-_;/?:@&=+$.!~*'()" // escapes with % are left out
)

// alias completes node n as the alias at offset i, and returns where it ends.
func (s *scanner) alias(n, i int) (int, error) {
	end, err := s.anchorName(i)
	if err != nil {
		return 0, err
	}
	name := s.src[i+1 : end]
	a, known := s.anchors[name]
	if !known {
		return 0, refuse(i, "an alias of the anchor %q, which is not above it in its document", name)
	}
	if a.hidden {
		return 0, refuse(i, "an alias of the anchor %q, which is on a name or inside what is not looked into", name)
	}
	kind := s.nodes[a.node].Kind
	if kind == resource.List {
		kind = resource.Map
	}
	if err := s.leaf(n, kind, alias, i, end); err != nil {
		return 0, err
	}
	s.nodes[n].Ref = int32(a.node)
	return end, nil
}

// Comment returns where the comment at an offset ends.
func (grammar) Comment(src string, at int) int {
	if src[at] != '#' || at > 0 && !isSpaceAt(src, at-1) && src[:at] != byteOrderMark {
		return at
	}
	end, _ := lineEnd(src, at)
	return end
}
