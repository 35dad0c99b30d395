package gitops

import "strings"

// wildmatch matches a path against a pattern as git does where paths are meant (wildmatch with WM_PATHNAME): * and ? stay
// inside one folder, ** as a whole component crosses folders, [a-z] and [[:alpha:]] are sets, a backslash makes the next
// character plain.
func wildmatch(pattern, text string) bool {
	return wild(pattern, text, true)
}

// wild matches the rest; atStart says that the pattern stands at the beginning of a component, where ** has its meaning.
func wild(p, s string, atStart bool) bool {
	for len(p) > 0 {
		switch p[0] {
		case '*':
			stars := len(p) - len(strings.TrimLeft(p, "*"))
			rest := p[stars:]
			crosses := stars > 1 && atStart && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
			if crosses && rest != "" && wild(rest[1:], s, true) {
				return true // a/**/b is also a/b
			}
			for i := 0; i <= len(s); i++ {
				if wild(rest, s[i:], false) {
					return true
				}
				if i < len(s) && s[i] == '/' && !crosses {
					return false
				}
			}
			return false
		case '?':
			if s == "" || s[0] == '/' {
				return false
			}
			p, s = p[1:], s[1:]
		case '[':
			length, in := wildSet(p, s)
			if length == 0 || !in {
				return false
			}
			p, s = p[length:], s[1:]
		default:
			if p[0] == '\\' && len(p) > 1 {
				p = p[1:]
			}
			if s == "" || p[0] != s[0] {
				return false
			}
			atStart = p[0] == '/'
			p, s = p[1:], s[1:]
			continue
		}
		atStart = false
	}
	return s == ""
}

// wildSet matches the first byte of s against the set that p begins with, and gives the set's length; 0 when it does not
// end.
func wildSet(p, s string) (length int, in bool) {
	i := 1
	not := i < len(p) && (p[i] == '!' || p[i] == '^')
	if not {
		i++
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return 0, false
		}
		if p[i] == ']' && !first {
			break
		}
		if strings.HasPrefix(p[i:], "[:") {
			end := strings.Index(p[i:], ":]")
			if end < 0 {
				return 0, false
			}
			in = in || s != "" && inClass(p[i+2:i+end], s[0])
			i += end + 2
			continue
		}
		lo, n := setByte(p[i:])
		i += n
		hi := lo
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi, n = setByte(p[i+1:])
			i += 1 + n
		}
		in = in || s != "" && s[0] >= lo && s[0] <= hi
	}
	return i + 1, s != "" && s[0] != '/' && in != not
}

func setByte(p string) (byte, int) {
	if p[0] == '\\' && len(p) > 1 {
		return p[1], 2
	}
	return p[0], 1
}

func inClass(name string, c byte) bool {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	case "blank":
		return c == ' ' || c == '\t'
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r'
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit
	case "print":
		return c >= ' ' && c < 0x7f
	case "graph":
		return c > ' ' && c < 0x7f
	case "cntrl":
		return c < ' ' || c == 0x7f
	}
	return false
}
