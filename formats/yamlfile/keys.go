package yamlfile

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile/answers"
)

// entry reads "name: value", or "? name" with ": value" below it.
func (s *scanner) entry() error {
	i := s.pos
	n := s.add(s.top().node, i)
	if s.src[i] == '?' && isSpaceAt(s.src, i+1) {
		return s.explicit(n)
	}
	if c := s.src[i]; c == '&' || c == '!' {
		var err error
		if i, err = s.properties(-1, i, &properties{}); err != nil {
			return err
		}
		i = skipBlanks(s.src, i)
	}
	to, colon, err := s.key(i)
	if err != nil {
		return err
	}
	if colon < 0 {
		return refuse(s.pos, "no \"name: value\", where one is expected")
	}
	return s.named(n, i, to, colon)
}

// key reads the name that starts at offset i and looks for its colon: -1 when there is none, so that it is not a name.
func (s *scanner) key(i int) (to, colon int, err error) {
	switch s.at(i) {
	case '"', '\'':
		if to, _, err = s.quoted(i); err != nil {
			return 0, 0, err
		}
		colon = skipBlanks(s.src, to)
		if s.at(colon) != ':' || !isSpaceAt(s.src, colon+1) {
			return 0, -1, nil
		}
		if strings.IndexByte(s.src[i:to], '\n') >= 0 {
			return 0, 0, refuse(i, "a name over several lines")
		}
		return to, colon, nil
	}
	if err := s.plainStart(i, false); err != nil {
		return 0, 0, err
	}
	to, colon = s.plainKey(i)
	return to, colon, nil
}

// plainKey finds the end and the colon of the plain name that starts at offset i; -1 for the colon where the line has
// none.
func (s *scanner) plainKey(i int) (to, colon int) {
	src := s.src
	for p := i; p < len(src); p++ {
		switch src[p] {
		case ':':
			if isSpaceAt(src, p+1) {
				to = p
				for to > i && isBlank(src[to-1]) {
					to--
				}
				return to, p
			}
		case '#':
			if p > i && isBlank(src[p-1]) {
				return 0, -1
			}
		case '\n':
			return 0, -1
		}
	}
	return 0, -1
}

// named reads the value of node n behind the colon of its name. The value of a merge key is not looked into.
func (s *scanner) named(n, from, to, colon int) error {
	if err := s.name(n, from, to); err != nil {
		return err
	}
	if s.src[from:to] != "<<" {
		return s.behind(n, colon+1, false)
	}
	return s.sealing(n, colon+1, false)
}

// name notes the name of node n.
func (s *scanner) name(n, from, to int) error {
	if to-from > resource.MaxName {
		return refuse(from, "a name of more than %d bytes", resource.MaxName)
	}
	s.nodes[n].Name = resource.At(from, to)
	if word := s.src[from:to]; len(word) <= 5 && isWord(word) {
		by := resource.AllReaders
		if answers.Are(word) {
			by = resource.YAML11
		}
		if !slices.Contains(s.warned, by) {
			s.warned = append(s.warned, by)
			s.warnings = append(s.warnings, resource.Warning{Node: n, By: by, Msg: "YAML 1.1 readers take the name " +
				word + " for a boolean or null; put it, and others like it, in quotes"})
		}
	}
	return nil
}

func isWord(s string) bool {
	switch s[0] {
	case '~', 'n', 'N', 't', 'T', 'y', 'Y', 'f', 'F', 'o', 'O':
		_, ok := words[s]
		return ok
	}
	return false
}

// forgiveRoot takes back a warning about the only outermost name: that is a language, and "no" is one.
func (s *scanner) forgiveRoot() {
	if len(s.nodes) > 1 && s.nodes[1].End == s.nodes[0].End && s.nodes[1].Kind == resource.Map &&
		len(s.warnings) > 0 && s.warnings[0].Node == 1 {
		s.warnings = s.warnings[1:]
	}
}

// explicit reads "? name" and the ": value" that may follow in the same column. Where the name is a collection, the
// entry is sealed.
func (s *scanner) explicit(n int) error {
	i := skipSpaces(s.src, s.pos+1)
	if isBreakAt(s.src, i) || s.src[i] == '#' || s.src[i] == '\t' {
		return refuse(s.pos, "an explicit key whose name is not on the line of its question mark, behind a space")
	}
	if c := s.src[i]; c == '&' || c == '!' {
		var err error
		if i, err = s.properties(-1, i, &properties{}); err != nil {
			return err
		}
		i = skipBlanks(s.src, i)
	}
	to, hidden, err := s.explicitName(n, i)
	if err != nil {
		return err
	}
	hidden = hidden || s.src[i:to] == "<<"
	if err := s.name(n, i, to); err != nil {
		return err
	}
	if err := s.toNextLine(n, to); err != nil {
		return err
	}
	if s.col > s.top().col {
		return refuse(s.pos, "something more behind an explicit key; put the key in quotes")
	}
	if s.col != s.top().col || s.at(s.pos) != ':' || !isSpaceAt(s.src, s.pos+1) {
		if err := s.leaf(n, resource.Null, emptyExplicit, to, to); err != nil || !hidden {
			return err
		}
		return s.seal(n)
	}
	if s.at(skipSpaces(s.src, s.pos+1)) == '\t' {
		return refuse(s.pos+1, "a tab behind the colon of an explicit key")
	}
	if hidden {
		return s.sealing(n, s.pos+1, true)
	}
	return s.behind(n, s.pos+1, true)
}

// explicitName finds the end of the name at offset i. hidden says that it is a collection.
func (s *scanner) explicitName(n, i int) (to int, hidden bool, err error) {
	switch c := s.at(i); c {
	case '[', '{':
		s.crossed = -1
		m := s.add(int32(n), i)
		if to, err = s.flowCollection(m, i); err != nil {
			return 0, false, err
		}
		if err = s.noAliases(m); err != nil {
			return 0, false, err
		}
		if err = s.seal(m); err != nil {
			return 0, false, err
		}
		s.nodes = s.nodes[:m]
		return to, true, nil
	case '"', '\'':
		to, _, err = s.quoted(i)
		return to, false, err
	}
	if err := s.plainStart(i, false); err != nil {
		return 0, false, err
	}
	to, _, err = s.plainText(i)
	return to, false, err
}

// sealing reads the value of node n behind offset i and seals it.
func (s *scanner) sealing(n, i int, compact bool) error {
	depth := len(s.levels)
	if err := s.behind(n, i, compact); err != nil {
		return err
	}
	if len(s.levels) > depth && int(s.levels[depth].node) == n {
		s.levels[depth].seal = true // once it is read to its end
		return nil
	}
	return s.seal(n)
}

// seal turns node n, which is complete, into a container without entries: what is inside cannot be named by a key, or
// is not this entry's own. Aliases under a merge key stay, as containers without entries themselves. Other aliases,
// and aliases to what is inside, would be lost from sight: such a file is refused.
func (s *scanner) seal(n int) error {
	node := &s.nodes[n]
	if node.Style == alias {
		node.Kind = resource.Map
		return nil
	}
	if node.Kind == resource.List && len(s.nodes) > n+1 && s.onlyAliases(n) {
		for i := n + 1; i < len(s.nodes); i++ {
			s.nodes[i].Kind = resource.Map
		}
		return nil
	}
	if err := s.noAliases(n); err != nil {
		return err
	}
	for name, a := range s.anchors {
		if a.node > n {
			s.anchors[name] = anchor{hidden: true}
		}
	}
	for len(s.warnings) > 0 && s.warnings[len(s.warnings)-1].Node > n {
		s.warnings, s.warned = s.warnings[:len(s.warnings)-1], nil
	}
	for len(s.answers) > 0 && s.answers[len(s.answers)-1] > n {
		s.answers = s.answers[:len(s.answers)-1]
	}
	s.nodes = s.nodes[:n+1]
	node.Kind, node.Style, node.End = resource.Map, sealed, int32(n+1)
	return nil
}

// noAliases refuses aliases inside node n, which are about to be lost from sight.
func (s *scanner) noAliases(n int) error {
	for i := n + 1; i < len(s.nodes); i++ {
		if s.nodes[i].Ref != 0 {
			return refuse(int(s.nodes[i].Value.Start),
				"an alias inside a merge key, or inside or below a key that is a collection")
		}
	}
	return nil
}

func (s *scanner) onlyAliases(n int) bool {
	for i := n + 1; i < len(s.nodes); i++ {
		if s.nodes[i].Style != alias {
			return false
		}
	}
	return true
}
