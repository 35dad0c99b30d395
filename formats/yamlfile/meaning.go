package yamlfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// words are the plain scalars that represent something else than themselves, in YAML 1.1 (https://yaml.org/type/) or
// in the core schema of YAML 1.2 (section 10.3.2).
var words = map[string]resource.Kind{
	"~": resource.Null, "null": resource.Null, "Null": resource.Null, "NULL": resource.Null,
	"true": resource.Other, "True": resource.Other, "TRUE": resource.Other,
	"false": resource.Other, "False": resource.Other, "FALSE": resource.Other,
	"yes": resource.Other, "Yes": resource.Other, "YES": resource.Other,
	"no": resource.Other, "No": resource.Other, "NO": resource.Other,
	"on": resource.Other, "On": resource.Other, "ON": resource.Other,
	"off": resource.Other, "Off": resource.Other, "OFF": resource.Other,
}

// isSymbol covers Ruby's symbols, which Rails files have where the program asks for a name: order: [:day, :month].
// What has more than a name behind the colon is a text to people, whatever Ruby makes of it.
func isSymbol(s string) bool {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '_', c|0x20 >= 'a' && c|0x20 <= 'z', i > 1 && c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return len(s) > 1
}

// meaning is what readers take a plain scalar for: a text only if all of them do.
func meaning(s string) resource.Kind {
	if s == "" {
		return resource.Null
	}
	switch s[0] {
	case '~', 'n', 'N', 't', 'T', 'y', 'Y', 'f', 'F', 'o', 'O':
		if len(s) <= 5 {
			if k, ok := words[s]; ok {
				return k
			}
		}
	case '<', '=': // a merge, and the default value of a mapping
		if s == "<<" || s == "=" {
			return resource.Other
		}
	case ':':
		if isSymbol(s) {
			return resource.Other
		}
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '-', '.':
		if isNumber(s) || isTime(s) {
			return resource.Other
		}
	}
	return resource.Text
}

// isNumber covers the integers and floats of both versions, in the union of what readers accept: with underscores,
// binary, octal, hexadecimal, sexagesimal, infinite and not a number.
func isNumber(s string) bool {
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	least := 3
	if strings.IndexByte(s, '_') > 0 { // readers overlook them, some anywhere
		s, least = strings.ReplaceAll(s, "_", ""), 2
	}
	switch s {
	case ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN":
		return true
	}
	if len(s) >= least && s[0] == '0' && (s[1]|0x20 == 'x' || s[1]|0x20 == 'o' || s[1]|0x20 == 'b') {
		return strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
	}
	whole := digits(s)
	rest := s[whole:]
	seen := whole > 0
	for whole > 0 && rest != "" && rest[0] == ':' { // 12:30, in base 60
		n := digits(rest[1:])
		if n == 0 {
			return false
		}
		rest = rest[1+n:]
	}
	if rest != "" && rest[0] == '.' {
		n := digits(rest[1:])
		seen = seen || n > 0
		rest = rest[1+n:]
	}
	if seen && len(rest) > 1 && rest[0]|0x20 == 'e' {
		rest = rest[1:]
		if rest[0] == '+' || rest[0] == '-' {
			rest = rest[1:]
		}
		return rest != "" && digits(rest) == len(rest)
	}
	return seen && rest == ""
}

func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// isTime covers dates and timestamps: four digits, a dash, and from there digits and what is between them.
func isTime(s string) bool {
	if len(s) < 8 || digits(s) != 4 || s[4] != '-' {
		return false
	}
	month := digits(s[5:])
	if month < 1 || month > 2 || 5+month >= len(s) || s[5+month] != '-' {
		return false
	}
	rest := s[6+month:]
	day := digits(rest)
	if day < 1 || day > 2 {
		return false
	}
	if rest = rest[day:]; rest == "" {
		return true
	}
	if strings.IndexByte("Tt \t", rest[0]) < 0 {
		return false
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	return digits(rest) > 0 && strings.Trim(rest, "0123456789:. \tZz+-") == ""
}

// isPlainly reports whether a text may stand without quotes as far as its meaning goes. It is stricter than meaning:
// it also quotes what only some readers misread (y and n, any case of the words, numbers with commas as Ruby has
// them).
func isPlainly(text string) bool {
	if meaning(text) != resource.Text {
		return false
	}
	switch text {
	case "y", "Y", "n", "N":
		return false
	}
	if len(text) <= 5 && text[0] < 0x80 {
		if _, word := words[strings.ToLower(text)]; word {
			return false
		}
	}
	number := strings.TrimLeft(text, "0123456789,._:+-")
	if number != text && number == "" {
		return false
	}
	exponent, is := strings.CutPrefix(strings.ToLower(number), "e") // e3 is a number to npm's yaml
	return !is || exponent == "" || strings.Trim(exponent, "0123456789+-") != ""
}
