package androidxml

import "strings"

// declaration checks the <?xml ...?> at the beginning of a file, behind a byte order mark, and returns where it ends.
func declaration(src string) (end int, err error) {
	if strings.HasPrefix(src, byteOrderMark) {
		end = len(byteOrderMark)
	}
	const opening = "<?xml"
	if !strings.HasPrefix(src[end:], opening) || !isSpace(next(src, end+len(opening))) {
		return end, nil
	}
	at := end + len(opening)
	n := strings.Index(src[at:], "?>")
	if n < 0 {
		return 0, refuse(end, "the XML declaration does not end")
	}
	rest := src[at : at+n]
	for step, name := range []string{"version", "encoding", "standalone"} {
		trimmed := strings.TrimLeft(rest, spaces)
		if trimmed == "" || !strings.HasPrefix(trimmed, name) || trimmed == rest {
			if step == 0 {
				return 0, refuse(end, "the XML declaration has no version")
			}
			continue
		}
		trimmed = strings.TrimLeft(trimmed[len(name):], spaces)
		if !strings.HasPrefix(trimmed, "=") {
			return 0, refuse(end, "the XML declaration is not well-formed")
		}
		trimmed = strings.TrimLeft(trimmed[1:], spaces)
		if trimmed == "" || trimmed[0] != '"' && trimmed[0] != '\'' {
			return 0, refuse(end, "the XML declaration is not well-formed")
		}
		value, after, closed := strings.Cut(trimmed[1:], trimmed[:1])
		switch {
		case !closed:
			return 0, refuse(end, "the XML declaration is not well-formed")
		case name == "version" && value != "1.0":
			return 0, refuse(end, "XML %s; the build tools read 1.0", value)
		case name == "encoding" && !strings.EqualFold(value, "utf-8"):
			return 0, refuse(end, "the file says that it is %s; save it as UTF-8 and declare that", value)
		case name == "standalone" && value != "yes" && value != "no":
			return 0, refuse(end, "the XML declaration is not well-formed")
		}
		rest = after
	}
	if strings.Trim(rest, spaces) != "" {
		return 0, refuse(end, "the XML declaration is not well-formed")
	}
	return at + n + 2, nil
}

// prolog reads everything before the root element and returns where that begins.
func (s *scanner) prolog() (int, error) {
	at, err := declaration(s.src)
	if err != nil {
		return 0, err
	}
	typed := false
	for {
		for at < len(s.src) && isSpace(s.src[at]) {
			at++
		}
		switch {
		case at == len(s.src):
			return 0, refuse(at, "there is no root element; an Android resource file has <resources>")
		case s.src[at] != '<':
			return 0, refuse(at, "text outside of the root element")
		case strings.HasPrefix(s.src[at:], "<!DOCTYPE"):
			if typed {
				return 0, refuse(at, "a second DOCTYPE")
			}
			typed = true
			start := at
			if at, err = s.doctype(at); err == nil {
				err = s.checked(start, at, seenSuspect)
			}
		case next(s.src, at+1) == '!':
			at, err = s.comment(at)
		case next(s.src, at+1) == '?':
			at, err = s.instruction(at)
		default:
			return at, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// epilog reads what follows the root element.
func (s *scanner) epilog(at int) (err error) {
	for {
		for at < len(s.src) && isSpace(s.src[at]) {
			at++
		}
		switch {
		case at == len(s.src):
			return nil
		case strings.HasPrefix(s.src[at:], "<!"):
			at, err = s.comment(at)
		case strings.HasPrefix(s.src[at:], "<?"):
			at, err = s.instruction(at)
		default:
			err = refuse(at, "something follows the end of <resources>")
		}
		if err != nil {
			return err
		}
	}
}

// entities are the names that the DOCTYPE declares. They are never expanded.
type entities struct {
	names map[string]bool
	open  bool // more may be declared elsewhere: in an external subset or by a parameter entity
}

func (e *entities) declares(name string) bool { return e.open || e.names[name] }

// doctype reads <!DOCTYPE name SYSTEM "..." [ internal subset ]>.
func (s *scanner) doctype(at int) (end int, err error) {
	src := s.src
	i := at + len("<!DOCTYPE")
	if !isSpace(next(src, i)) {
		return 0, refuse(at, "the DOCTYPE is not well-formed")
	}
	for i < len(src) {
		switch c := src[i]; c {
		case '>':
			return i + 1, nil
		case '"', '\'':
			s.entities.open = true
			n := strings.IndexByte(src[i+1:], c)
			if n < 0 {
				return 0, refuse(i, "a literal in the DOCTYPE that does not end")
			}
			i += n + 2
		case '[':
			if i, err = s.subset(i + 1); err != nil {
				return 0, err
			}
		case '<', ']', '&':
			return 0, refuse(i, "the DOCTYPE is not well-formed")
		default:
			i++
		}
	}
	return 0, refuse(at, "the DOCTYPE does not end")
}

// subset reads the declarations between [ and ].
func (s *scanner) subset(at int) (end int, err error) {
	src := s.src
	for i := at; i < len(src); {
		switch {
		case isSpace(src[i]):
			i++
		case src[i] == ']':
			return i + 1, nil
		case src[i] == '%': // a parameter entity may declare anything
			s.entities.open = true
			n := nameLength(src[i+1:])
			if n == 0 || next(src, i+1+n) != ';' {
				return 0, refuse(i, "a %% that begins no parameter entity")
			}
			i += n + 2
		case strings.HasPrefix(src[i:], "<?"):
			i, err = s.instruction(i)
		case strings.HasPrefix(src[i:], "<!--"):
			i, err = s.comment(i)
		case strings.HasPrefix(src[i:], "<!"):
			i, err = s.markupDeclaration(i)
		default:
			err = refuse(i, "the DOCTYPE is not well-formed")
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, refuse(at, "the DOCTYPE does not end")
}

// markupDeclaration reads <!ENTITY ...> and the like, remembering the names of general entities.
func (s *scanner) markupDeclaration(at int) (end int, err error) {
	src := s.src
	if rest, ok := strings.CutPrefix(src[at:], "<!ENTITY"); ok {
		name := strings.TrimLeft(rest, spaces)
		n := nameLength(name)
		if name == rest || n == 0 && !strings.HasPrefix(name, "%") {
			return 0, refuse(at, "an entity declaration that is not well-formed")
		}
		if n > 0 {
			if s.entities.names == nil {
				s.entities.names = make(map[string]bool)
			}
			s.entities.names[name[:n]] = true
		}
	}
	for i := at + 2; i < len(src); i++ {
		switch c := src[i]; c {
		case '>':
			return i + 1, nil
		case '"', '\'':
			n := strings.IndexByte(src[i+1:], c)
			if n < 0 {
				return 0, refuse(i, "a literal in the DOCTYPE that does not end")
			}
			i += n + 1
		case '<':
			return 0, refuse(i, "the DOCTYPE is not well-formed")
		}
	}
	return 0, refuse(at, "the DOCTYPE does not end")
}
