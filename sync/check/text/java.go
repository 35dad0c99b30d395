package text

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// readMessageFormat is java.text.MessageFormat as the JDK reads it: a single apostrophe quotes, braces that only close
// are text.
func readMessageFormat(s string, _ Options) Text {
	m := messageFormat{}
	m.pattern(s, 0)
	if m.fault != "" {
		return Text{Faults: []string{m.fault}}
	}
	return Text{Arguments: m.args}
}

type messageFormat struct {
	args  []Argument
	fault string
}

// pattern reads a pattern: text, and arguments of up to three parts, number, type and style.
func (m *messageFormat) pattern(s string, depth int) {
	quoted, inside, braces, start := false, false, 0, 0
	var parts []string
	from := 0
	for i := 0; i < len(s) && m.fault == ""; i++ {
		c := s[i]
		if !inside {
			switch {
			case c == '\'' && at(s, i+1) == '\'':
				i++
			case c == '\'':
				quoted = !quoted
			case c == '{' && !quoted:
				inside, start, from, parts = true, i, i+1, nil
			}
			continue
		}
		switch {
		case quoted:
			quoted = c != '\''
		case c == '\'':
			quoted = true
		case c == ',' && len(parts) < 2:
			parts, from = append(parts, s[from:i]), i+1
		case c == '{':
			braces++
		case c == '}' && braces > 0:
			braces--
		case c == '}':
			inside = false
			m.argument(append(parts, s[from:i]), s[start:i+1], depth)
		}
	}
	if m.fault == "" && inside && braces == 0 {
		m.fault = fmt.Sprintf("the { of %q is not closed; write '{' for a brace", Excerpt(s[start:]))
	}
}

// argument enters one argument, and reads its style.
func (m *messageFormat) argument(parts []string, spelled string, depth int) {
	number, err := strconv.Atoi(parts[0])
	if err != nil || number < 0 || strings.Contains(parts[0], "_") {
		m.fault = fmt.Sprintf("%q cannot be an argument: a number follows the brace; write '{' for a brace", Excerpt(spelled))
		return
	}
	arg := Argument{Name: strconv.Itoa(number), Spelled: spelled}
	kind, style := "", ""
	if len(parts) > 1 {
		kind = strings.ToLower(strings.TrimFunc(parts[1], func(c rune) bool { return c <= ' ' }))
	}
	if len(parts) > 2 {
		style = parts[2]
	}
	switch kind {
	case "":
	case "number":
		arg.Type = "number"
		if word := strings.ToLower(strings.TrimSpace(style)); word != "" && word != "currency" && word != "percent" &&
			word != "integer" && !isDecimalFormat(style) {
			m.fault = fmt.Sprintf("%q has no format of numbers that Java knows", Excerpt(spelled))
		}
	case "date", "time":
		arg.Type = "date"
		switch word := strings.ToLower(strings.TrimSpace(style)); word {
		case "", "short", "medium", "long", "full":
		default:
			if !isDateFormat(style) {
				m.fault = fmt.Sprintf("%q has no format of dates that Java knows", Excerpt(spelled))
			}
		}
	case "choice":
		arg.Type = "choice"
		m.args = append(m.args, arg)
		m.choice(style, spelled, depth)
		return
	default:
		m.fault = fmt.Sprintf("%q has the type %q; Java knows number, date, time and choice", Excerpt(spelled), kind)
	}
	m.args = append(m.args, arg)
}

// choice reads 0#none|1#one|1<more, whose texts are patterns where they have a brace.
func (m *messageFormat) choice(style, spelled string, depth int) {
	const deepest = 20
	if depth > deepest {
		m.fault = "its choices are nested too deeply"
		return
	}
	var number, text strings.Builder
	inText, quoted, some, first, limit, last := false, false, false, true, 0.0, 0.0
	finish := func() {
		if pattern := text.String(); inText && strings.Contains(pattern, "{") && m.fault == "" {
			m.pattern(pattern, depth+1)
		}
		text.Reset()
	}
	for i, c := range style {
		part := &number
		if inText {
			part = &text
		}
		switch {
		case c == '\'' && strings.HasPrefix(style[i+1:], "'"), c == '\'' && i > 0 && style[i-1] == '\'' && !quoted:
			part.WriteRune(c)
		case c == '\'':
			quoted = !quoted
		case quoted:
			part.WriteRune(c)
		case c == '<' || c == '#' || c == '≤':
			n, err := strconv.ParseFloat(strings.TrimSpace(number.String()), 64)
			if infinite := strings.TrimPrefix(number.String(), "-"); err != nil && infinite != "∞" {
				m.fault = fmt.Sprintf("%q has a choice without a number", Excerpt(spelled))
				return
			}
			if c == '<' {
				n = math.Nextafter(n, math.Inf(1))
			}
			if !first && n <= last {
				m.fault = fmt.Sprintf("the choices of %q do not ascend", Excerpt(spelled))
				return
			}
			limit, some, inText = n, true, true
			number.Reset()
		case c == '|':
			finish()
			last, first, some, inText = limit, false, true, false
		default:
			part.WriteRune(c)
		}
	}
	finish()
	if !some && m.fault == "" {
		m.fault = fmt.Sprintf("%q has no choices", Excerpt(spelled))
	}
}

// isDateFormat reports whether SimpleDateFormat takes a pattern.
func isDateFormat(s string) bool {
	quoted := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'':
			quoted = !quoted
		case !quoted && isLetter(c) && strings.IndexByte("GyMdkHmsSEDFwWahKzZYuXL", c) < 0:
			return false
		case !quoted && c == 'X' && strings.HasPrefix(s[i:], "XXXX"):
			return false
		}
	}
	return !quoted
}

// isDecimalFormat reports whether DecimalFormat takes a pattern.
func isDecimalFormat(s string) bool {
	for half, more := 0, true; more; half++ {
		rest, ok := decimalHalf(s, half)
		if !ok {
			return false
		}
		more, s = rest != "", rest
	}
	return true
}

// decimalHalf reads a pattern up to its semicolon, as the JDK does: signs of a number may be in several places, and in
// the second half they say nothing.
func decimalHalf(s string, half int) (rest string, ok bool) {
	quoted, number, signs, exponent := false, false, 0, false
	left, zeros, right, point, group := 0, 0, 0, -1, -1
	for i := 0; i < len(s); i++ {
		c := s[i]
		sign := strings.IndexByte("#0,.", c) >= 0
		switch {
		case quoted || c == '\'' && (!number || !sign):
			number = false
			if c == '\'' && at(s, i+1) == '\'' {
				i++
			} else if c == '\'' {
				quoted = !quoted
			}
		case sign && half > 0:
			number = true
		case c == '#' || c == '0':
			number = true
			switch {
			case c == '0' && right > 0:
				return "", false
			case c == '0':
				zeros++
			case zeros > 0:
				right++
			default:
				left++
			}
			if group >= 0 && point < 0 {
				group++
			}
		case c == ',':
			number, group = true, 0
		case c == '.':
			if point >= 0 {
				return "", false
			}
			number, point = true, left+zeros+right
		case c == 'E' && number && half == 0:
			n := span(s, i+1, "0")
			if exponent || left+zeros < 1 || n < 1 {
				return "", false
			}
			number, exponent = false, true
			i += n
		case c == ';':
			if half > 0 || left+zeros+right+max(point+1, group+1, 0) == 0 {
				return "", false
			}
			rest, s = s[i+1:], s[:i]
		case c == '%' || strings.HasPrefix(s[i:], "‰"):
			number = false
			signs++
			if signs > 1 {
				return "", false
			}
		default:
			number = number && half > 0 && c == 'E'
		}
	}
	if zeros == 0 && left > 0 && point >= 0 {
		n := max(point, 1)
		left, zeros = n-1, 1
	}
	return rest, !quoted && group != 0 && (point < 0 && right == 0 || point >= left && point <= left+zeros)
}

// readGettextMessage is MessageFormat as msgfmt judges it: it refuses braces that only close, and blanks before types.
func readGettextMessage(s string, _ Options) Text {
	g := gettextMessage{}
	g.pattern(s)
	if g.fault != "" {
		return Text{Faults: []string{g.fault}}
	}
	for i, a := range g.args {
		for j, o := range g.args {
			if o.Name == a.Name && a.Type == "object" && o.Type != "object" {
				g.args[i].Type = o.Type
			} else if j < i && o.Name == a.Name && o.Type != a.Type && o.Type != "object" {
				return Text{Faults: []string{fmt.Sprintf("%s and %s take one argument for two types", o.Spelled, a.Spelled)}}
			}
		}
	}
	return Text{Arguments: g.args}
}

type gettextMessage struct {
	args  []Argument
	fault string
}

func (g *gettextMessage) pattern(s string) {
	quoted := false
	for i := 0; i < len(s) && g.fault == ""; i++ {
		switch c := s[i]; {
		case c == '\'':
			if at(s, i+1) == '\'' {
				i++
			} else {
				quoted = !quoted
			}
		case quoted:
		case c == '}':
			g.fault = "a } has no {; write '}' for a brace"
		case c == '{':
			n := closing(s[i:])
			if n == 0 {
				g.fault = fmt.Sprintf("the { of %q is not closed; write '{' for a brace", Excerpt(s[i:]))
				return
			}
			g.argument(s[i : i+n])
			i += n - 1
		}
	}
}

// closing is the length of {...} with braces inside that pair; 0 where it does not end.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

func (g *gettextMessage) argument(spelled string) {
	inside := spelled[1 : len(spelled)-1]
	n := span(inside, 0, digits)
	number, rest := inside[:n], inside[n:]
	arg := Argument{Name: cmp.Or(strings.TrimLeft(number, "0"), "0"), Type: "object", Spelled: spelled}
	style := ""
	types := map[string]string{",time": "date", ",date": "date", ",number": "number", ",choice": "number"}
	for word, typ := range types {
		if behind, is := strings.CutPrefix(rest, word); is {
			arg.Type, style = typ, behind
			if behind != "" && behind[0] != ',' {
				g.fault = fmt.Sprintf("%q: a comma is missing behind its type", Excerpt(spelled))
			}
			if word == ",choice" && behind != "" {
				g.choice(behind[1:], spelled)
			}
			if number := strings.TrimPrefix(style, ","); word == ",number" && style != "" && number != "currency" &&
				number != "percent" && number != "integer" && !isGettextNumber(number) {
				g.fault = fmt.Sprintf("%q has no format of numbers that Java knows", Excerpt(spelled))
			}
		}
	}
	if number == "" || rest != "" && arg.Type == "object" {
		g.fault = fmt.Sprintf("%q cannot be an argument: a number follows the brace, and a type the comma",
			Excerpt(spelled))
	}
	g.args = append(g.args, arg)
}

func (g *gettextMessage) choice(style, spelled string) {
	plain := unquotable(style)
	for from, to := 0, 0; from <= len(style) && g.fault == ""; from = to + 1 {
		to = from + strings.IndexByte(plain[from:]+"|", '|')
		n := strings.IndexAny(plain[from:to], "<#")
		if n > 0 {
			g.pattern(javaQuotation.ReplaceAllStringFunc(style[from+n+1:to], dissolved))
		} else if n == 0 || to < len(style) { // what is behind the last bar is not looked at
			g.fault = fmt.Sprintf("%q has a choice without a number", Excerpt(spelled))
		}
	}
}

// javaQuotation is what an apostrophe quotes, up to the next one or to the end; two are one.
var javaQuotation = regexp.MustCompile(`''|'(?:[^']|'')*'?`)

// unquotable is a pattern of the same length that has no sign where one is quoted.
func unquotable(s string) string {
	return javaQuotation.ReplaceAllStringFunc(s, func(quoted string) string { return strings.Repeat("x", len(quoted)) })
}

// dissolved is the text of a quotation.
func dissolved(quotation string) string {
	if quotation == "''" {
		return "'"
	}
	return strings.ReplaceAll(strings.TrimSuffix(quotation[1:], "'"), "''", "'")
}

// isGettextNumber reports whether msgfmt takes a pattern of numbers: there is a digit, and behind each semicolon.
func isGettextNumber(s string) bool {
	s = unquotable(s)
	from := strings.IndexAny(s, "#0")
	return from >= 0 && !slices.ContainsFunc(strings.Split(s[from:], ";"), func(half string) bool {
		return !strings.ContainsAny(half, "#0")
	})
}
