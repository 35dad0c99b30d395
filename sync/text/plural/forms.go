package plural

import (
	"slices"
	"strings"
)

// Kind is what a plural argument counts.
type Kind string

// The kinds, by the type that a message's argument has: counts, and places in an order (1st, 2nd).
const (
	Cardinal Kind = "plural"
	Ordinal  Kind = "selectordinal"
)

// Form is the text of a plural for one category.
type Form struct {
	Category, Text string
}

// Split takes apart a message that is one plural argument and nothing else, but for white space around it. The forms
// are in CLDR's order, their texts as a program shows them: quotations are dissolved.
//
// number is what the texts are to have where the message has a #, the argument's number: the placeholder that the
// program of the texts fills in, like %d. With "", a message that has a # is not taken apart.
//
// ok is false where the forms could not say what the message says: an argument of another kind, other arguments inside
// of a branch, a branch for a single number (=0), an offset, a branch that is there twice.
func Split(message string, kind Kind, number string) (argument string, forms []Form, ok bool) {
	s := strings.TrimSpace(message)
	if !strings.HasPrefix(s, "{") || !strings.Contains(s, string(kind)) {
		return "", nil, false
	}
	a, err := ParseArgument(s)
	if err != nil || a.To != len(s) || a.Type != string(kind) || strings.Trim(a.Offset, "0") != "" {
		return "", nil, false
	}
	for _, b := range a.Branches {
		twice := slices.ContainsFunc(forms, func(f Form) bool { return f.Category == b.Selector })
		if twice || !IsCategory(b.Selector) || len(b.Arguments) > 0 || b.Number && number == "" {
			return "", nil, false
		}
		text, ok := unquote(s[b.From:b.To], number)
		if !ok {
			return "", nil, false
		}
		forms = append(forms, Form{b.Selector, text})
	}
	Sort(forms)
	return a.Name, forms, true
}

// SplitText is Split for texts of a program that reads no ICU messages. Braces that are in no quotation are text where
// the source's texts have them, too: so translators type the %{count} of Rails and the {{count}} of i18next. With
// others the message is not taken apart.
func SplitText(message string, kind Kind, number, source string) (forms []Form, ok bool) {
	if _, forms, ok = Split(message, kind, number); ok {
		return forms, true
	}
	s, inside := strings.CutPrefix(strings.TrimSpace(message), "{")
	s, closed := strings.CutSuffix(s, "}")
	parts := strings.SplitN(s, ",", 3)
	if !inside || !closed || len(parts) < 3 || strings.TrimSpace(parts[1]) != string(kind) {
		return nil, false
	}
	for r := (reader{s: parts[2]}); r.at < len(r.s); r.space() {
		category := r.word()
		size, ok := Braces(r.s[r.at:])
		twice := slices.ContainsFunc(forms, func(f Form) bool { return f.Category == category })
		if !ok || twice || !IsCategory(category) {
			return nil, false
		}
		f, ok := textOf(r.s[r.at+1:r.at+size-1], number, source)
		if !ok {
			return nil, false
		}
		forms = append(forms, Form{category, f})
		r.at += size
	}
	Sort(forms)
	return forms, slices.ContainsFunc(forms, func(f Form) bool { return f.Category == Other })
}

// textOf is the text of a branch whose braces are the source's.
func textOf(branch, number, source string) (string, bool) {
	if number == "" && hasNumber(branch, 0, nil, string(Cardinal)) {
		return "", false
	}
	for at := 0; at < len(branch); {
		switch branch[at] {
		case '\'':
			at = quotation(branch, at, string(Cardinal))
		case '{':
			size, ok := Braces(branch[at:])
			if !ok || !strings.Contains(source, branch[at:at+size]) {
				return "", false
			}
			at += size
		default:
			at++
		}
	}
	return unquote(branch, number)
}

// Sort puts forms into CLDR's order.
func Sort(forms []Form) {
	slices.SortStableFunc(forms, func(a, b Form) int { return Compare(a.Category, b.Category) })
}

// Join makes a message of forms: one argument of this name and kind, with a branch for each form, in their order. The
// texts come out as they are, whatever signs of ICU's they hold.
func Join(argument string, kind Kind, forms []Form) string {
	var b strings.Builder
	b.WriteString("{" + argument + ", " + string(kind) + ",")
	for _, f := range forms {
		b.WriteString(" " + f.Category + " {")
		quote(&b, f.Text)
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return b.String()
}

// quote writes a text so that a plural's branch means it to the letter: signs are in a quotation, and apostrophes are
// doubled. A quotation goes on over apostrophes, for two that meet would read as one.
func quote(b *strings.Builder, s string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		sign := special(s[i], "plural")
		if sign && !quoted || !sign && quoted && s[i] != '\'' {
			b.WriteByte('\'')
			quoted = sign
		}
		if s[i] == '\'' {
			b.WriteByte('\'')
		}
		b.WriteByte(s[i])
	}
	if quoted {
		b.WriteByte('\'')
	}
}

// unquote reads a branch that has no arguments: quotations are dissolved, and a # outside of them becomes number. It
// refuses a quotation that does not end, which is a slip: ICU has the message end with it.
func unquote(s, number string) (string, bool) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case strings.HasPrefix(s[i:], "''"):
			b.WriteByte('\'')
			i++
		case c == '\'' && quoted:
			quoted = false
		case c == '\'' && i+1 < len(s) && special(s[i+1], "plural"):
			quoted = true
		case c == '#' && !quoted:
			b.WriteString(number)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), !quoted
}
