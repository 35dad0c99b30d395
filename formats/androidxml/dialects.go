package androidxml

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Grammar is the grammar of Android string resources.
var Grammar resource.Grammar = grammar{&android}

// Compose is the grammar of the string resources of Compose Multiplatform.
var Compose resource.Grammar = grammar{&compose}

// Moko is the grammar of the string resources of moko-resources, which spells them anew for Android's compiler.
var Moko resource.Grammar = grammar{&moko}

// android is Android's resource compiler.
var android = dialect{
	decode: decode,
	plain:  collapsed,
	refers: isReference,
	minds:  mindedByAndroid,
	guard:  guarded,
	quotes: true,
	strict: true,
}

// moko takes apostrophes as they are.
var moko = dialect{
	decode: decode,
	plain:  collapsed,
	refers: isReference,
	minds:  func(string, class) []string { return nil },
	guard:  guarded,
	quotes: true,
}

// compose is what Compose Multiplatform's build does to values.
var compose = dialect{
	decode: composed,
	plain:  func(raw string) string { return raw },
	refers: func(string, class) bool { return false },
	minds:  mindedByCompose,
	guard:  func(position, rune, bool) string { return "" },
}

// collapsed is the text of a value in which nothing but blanks needs decoding.
func collapsed(raw string) string {
	raw = strings.Trim(raw, " ")
	if strings.Contains(raw, "  ") {
		return decode(raw)
	}
	return raw
}

// guarded spells what the compiler would not take for itself: quotes, blanks that it would drop, the first character
// of a reference.
func guarded(at position, r rune, end bool) string {
	switch {
	case r == ' ' && !at.inside && (at.spaced || !at.spans && (end || !at.begun)):
		return `\u0020`
	case r == '"', r == '\'' && !at.inside, (r == '@' || r == '?') && !at.begun && !at.inside:
		return `\` + string(r)
	}
	return ""
}

// mindedByAndroid says what the compiler refuses.
func mindedByAndroid(raw string, seen class) (minded []string) {
	if seen&seenBackslash != 0 && hasBrokenEscape(raw) {
		minded = append(minded, `a \u is not followed by four hexadecimal digits, and the build tools refuse the file; `+
			`write \\ for a backslash`)
	}
	if (seen&seenApostrophe != 0 || seen&seenAmp != 0 && hasQuoteReference(raw)) && hasBareApostrophe(raw, seen) {
		minded = append(minded, `an apostrophe is neither escaped nor inside quotes, and the build tools refuse the file; `+
			`write \' for it`)
	}
	return minded
}

// hasBareApostrophe reports whether the compiler would see an apostrophe outside of quotes.
func hasBareApostrophe(raw string, seen class) bool {
	if seen&(seenInner|seenMarkup) == 0 && !(seen&seenAmp != 0 && hasQuoteReference(raw)) {
		quoted := false
		for i := 0; i < len(raw); i++ {
			switch raw[i] {
			case '\\':
				i++
			case '"':
				quoted = !quoted
			case '\'':
				if !quoted {
					return true
				}
			}
		}
		return false
	}
	var d decoder
	d.value(raw)
	return d.bare
}

// hasQuoteReference reports whether a quote, an apostrophe or a backslash may be spelled as a reference.
func hasQuoteReference(raw string) bool {
	return strings.Contains(raw, "&#") || strings.Contains(raw, "&quot;") || strings.Contains(raw, "&apos;")
}

// mindedByCompose names a backslash that only Android needs: it is shown.
func mindedByCompose(raw string, seen class) []string {
	if seen&seenBackslash == 0 {
		return nil
	}
	single := strings.ReplaceAll(raw, `\\`, "")
	for _, c := range []string{"'", `"`, "@", "?"} {
		if strings.Contains(single, `\`+c) {
			return []string{"the backslash before " + c + " is shown: Compose Multiplatform needs none there; take it out"}
		}
	}
	return nil
}
