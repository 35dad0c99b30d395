package stringsfile

import "github.com/locsync/locsync/formats/resource"

// nested passes over an array, a dictionary or data, which hold no texts of ours but must be sound.
func (s *scanner) nested(at int) (int, error) {
	src := s.src
	var open []byte
	for {
		// A value is due.
		var err error
		entered := at < len(src) && (src[at] == '(' || src[at] == '{')
		if entered {
			if open = append(open, src[at]); len(open) >= resource.MaxDepth {
				return 0, fault(at, "more than %d containers inside one another", resource.MaxDepth)
			}
			at++
		} else if at, err = s.scalar(at); err != nil {
			return 0, err
		}
		// Behind a value, or behind an opening sign: go to where the next value is due.
		for {
			if len(open) == 0 {
				return at, nil
			}
			var closed bool
			if at, closed, err = s.member(at, open[len(open)-1], entered); err != nil {
				return 0, err
			}
			if !closed {
				break
			}
			open, entered = open[:len(open)-1], false
		}
	}
}

// scalar passes over a string or data.
func (s *scanner) scalar(at int) (int, error) {
	src := s.src
	if at >= len(src) || src[at] != '<' {
		return s.token(at, "a value")
	}
	digits := 0
	for i := at + 1; i < len(src); i++ {
		switch c := src[i]; {
		case isHex(c):
			digits++
		case c == '>' && digits%2 == 0:
			return i + 1, nil
		case class[c]&(blank|line) == 0:
			return 0, fault(i, "data holds pairs of hexadecimal digits only")
		}
	}
	return 0, fault(at, "data that does not end; close it with >")
}

// member goes, inside an array or a dictionary, behind its opening sign or behind a value, to the next value, or over
// the closing sign.
func (s *scanner) member(at int, in byte, entered bool) (next int, closed bool, err error) {
	src := s.src
	if at, err = skip(src, at); err != nil {
		return 0, false, err
	}
	if !entered {
		want := byte(',')
		if in == '{' {
			want = ';'
		}
		switch {
		case at < len(src) && src[at] == want:
			if at, err = skip(src, at+1); err != nil {
				return 0, false, err
			}
		case in == '(' && at < len(src) && src[at] == ')':
		default:
			return 0, false, fault(at, "missing %c behind a value", want)
		}
	}
	if in == '(' {
		if at < len(src) && src[at] == ')' {
			return at + 1, true, nil
		}
		return at, false, nil
	}
	for {
		if at < len(src) && src[at] == '}' {
			return at + 1, true, nil
		}
		if at, err = s.token(at, "a key"); err == nil {
			at, err = skip(src, at)
		}
		switch {
		case err != nil:
			return 0, false, err
		case at < len(src) && src[at] == '=':
			at, err = skip(src, at+1)
			return at, false, err
		case at >= len(src) || src[at] != ';':
			return 0, false, fault(at, "missing = or ; behind a key")
		}
		if at, err = skip(src, at+1); err != nil {
			return 0, false, err
		}
	}
}
