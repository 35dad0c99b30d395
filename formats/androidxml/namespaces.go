package androidxml

import "strings"

// xliffURI is the namespace of <xliff:g>, which marks what translators must keep.
const xliffURI = "urn:oasis:names:tc:xliff:document:1.2"

// namespaces are the prefixes that are declared at the present place.
type namespaces struct {
	bound   map[string]int // how many elements around declare it
	stack   []boundPrefix
	unbound map[string]bool // warned of already
}

type boundPrefix struct {
	prefix string
	depth  int // of the element that declares it
}

// prefixes enters the declarations of s.tag and checks the prefixes that it uses. An undeclared one is a warning, given
// once: the build tools refuse the file, but translations have been known to come that way.
func (s *scanner) prefixes(at int) error {
	names := &s.names
	depth := len(s.open) + 1
	for _, a := range s.tag.attributes {
		if prefix, ok := strings.CutPrefix(a.name, "xmlns:"); ok {
			if a.start == a.end || prefix == "xmlns" {
				return refuse(a.at, "a namespace declaration that is not allowed")
			}
			if names.bound == nil {
				names.bound = make(map[string]int)
			}
			names.bound[prefix]++
			names.stack = append(names.stack, boundPrefix{prefix, depth})
		}
	}
	if err := s.prefix(s.tag.name, at); err != nil {
		return err
	}
	for _, a := range s.tag.attributes {
		if err := s.prefix(a.name, a.at); err != nil {
			return err
		}
	}
	if s.tag.closed {
		names.leave(depth)
	}
	return nil
}

// prefix checks one name.
func (s *scanner) prefix(name string, at int) error {
	prefix, local, ok := strings.Cut(name, ":")
	switch {
	case !ok:
	case prefix == "" || local == "" || nameLength(local) != len(local) || strings.Contains(local, ":"):
		return refuse(at, "%s is not a name that namespaces allow", name)
	case s.names.bound[prefix] > 0 || prefix == "xml" || prefix == "xmlns" || s.names.unbound[prefix]:
	default:
		if s.names.unbound == nil {
			s.names.unbound = make(map[string]bool)
		}
		s.names.unbound[prefix] = true
		hint := ""
		if prefix == "xliff" {
			hint = `: add xmlns:xliff="` + xliffURI + `" to <resources>`
		}
		s.refuses(s.node, "the prefix %s: is declared nowhere, and the build tools refuse that%s", prefix, hint)
	}
	return nil
}

// leave forgets what the element at a depth declared.
func (n *namespaces) leave(depth int) {
	for k := len(n.stack) - 1; k >= 0 && n.stack[k].depth == depth; k-- {
		n.bound[n.stack[k].prefix]--
		n.stack = n.stack[:k]
	}
}
