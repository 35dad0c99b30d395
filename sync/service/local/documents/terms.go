package documents

import (
	"regexp"
	"strings"

	"github.com/locsync/locsync/sync/service/local/terms"
)

// Terms are left alone in tags, placeholders, code and addresses.
var termless = regexp.MustCompile("<[^<>]*>|\\{[^{}]*\\}|`[^`]*`|\\]\\([^()]*\\)")

// The private characters that stand for terms while a text is translated.
const firstMark, lastMark = '\uE000', '\uF8FF'

// withTerms translates a text, in which the terms of the project's glossaries are what the glossaries say.
func withTerms(terms *terms.Terms, text string, translate func(string) string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= firstMark && r <= lastMark }) {
		return translate(text)
	}
	untouched := termless.FindAllStringIndex(text, -1)
	var marked strings.Builder
	var back []string
	at := 0
	for _, t := range terms.In(text) {
		for len(untouched) > 0 && untouched[0][1] <= t.From {
			untouched = untouched[1:]
		}
		mark := firstMark + rune(len(back)/2)
		if len(untouched) > 0 && untouched[0][0] < t.To || mark > lastMark {
			continue
		}
		marked.WriteString(text[at:t.From] + string(mark))
		back = append(back, string(mark), t.Target)
		at = t.To
	}
	marked.WriteString(text[at:])
	return strings.NewReplacer(back...).Replace(translate(marked.String()))
}
