// Package words is what the page for translators says, in its languages: resource files, which locsync itself
// translates, with the English texts as keys.
//
// Its law: a text without a translation is shown in English, and a translation is a text, never markup. Placeholders
// are those of the English text: {0} and so on in pages, the verbs of fmt elsewhere.
package words

import (
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/locsync/locsync/sync/config/languages"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

//go:embed *.json
var files embed.FS

// Language is one in which the page speaks.
type Language struct {
	Code, Name string
	names      *display.Dictionary // of languages; nil: in English
	texts      map[string]string
}

// English is what all texts are written in.
const English = "en"

// All are the languages, English first.
var All = sync.OnceValue(func() []*Language {
	all := []*Language{{Code: English, Name: "English"}, {Code: "de", Name: "Deutsch", names: display.German},
		{Code: "fr", Name: "Français", names: display.French}}
	for _, l := range all {
		text, err := files.ReadFile(l.Code + ".json")
		if err == nil {
			err = json.Unmarshal(text, &l.texts)
		}
		if err != nil {
			panic(fmt.Sprintf("texts of the page in %s: %v", l.Code, err)) // a test reads them all
		}
	}
	return all
})

// matcher finds the language that a browser understands best.
var matcher = sync.OnceValue(func() language.Matcher {
	var tags []language.Tag
	for _, l := range All() {
		tags = append(tags, language.Make(l.Code))
	}
	return language.NewMatcher(tags)
})

// mostAccepted is how long the header of a browser may be.
const mostAccepted = 1000

// Choose is the language that a person has chosen, or else the best that a browser accepts; English where neither says.
func Choose(chosen, accepted string) *Language {
	for _, l := range All() {
		if l.Code == chosen {
			return l
		}
	}
	tags, _, err := language.ParseAcceptLanguage(accepted[:min(len(accepted), mostAccepted)])
	if err != nil {
		return All()[0]
	}
	_, i, confidence := matcher().Match(tags...)
	if confidence == language.No {
		i = 0
	}
	return All()[i]
}

// Text is a text in the language; of one that is not among the texts, itself.
func (l *Language) Text(english string) string {
	if text := l.texts[english]; text != "" {
		return text
	}
	return english
}

// Named is the language of a code, by its name with the code.
func (l *Language) Named(code string) string {
	tag, err := language.Parse(code)
	if l.names == nil || err != nil {
		return languages.Named(code)
	}
	base, script, region := tag.Raw()
	var more []string
	if script != (language.Script{}) {
		more = append(more, l.names.Scripts().Name(script))
	}
	if region != (language.Region{}) {
		more = append(more, l.names.Regions().Name(region))
	}
	name := l.names.Languages().Name(base)
	if len(more) > 0 {
		name += " (" + strings.Join(more, ", ") + ")"
	}
	return name + " (" + code + ")"
}

// Say is a text in the language, with values in place of its verbs.
func (l *Language) Say(english string, values ...any) string {
	if len(values) == 0 {
		return l.Text(english)
	}
	return fmt.Sprintf(l.Text(english), values...)
}

// token is a piece of a page's source: a value, which a text has as a placeholder, with its element where it is alone
// in one; another action; a tag; or text.
var token = regexp.MustCompile(`(<(?:bdi|time|kbd)\b[^>]*>(?:\{\{[^{}]*\}\}|[^<{]*)</(?:bdi|time|kbd)>)|` +
	`(\{\{(?:if|else|end|with|range|define|template|\$\w+ :=)[^{}]*\}\})|(\{\{[^{}]*\}\})|(<[^>]*>)|([^<{]+)`)

// attribute is one that people read, or hear.
var attribute = regexp.MustCompile(`\b(aria-label|title)="([^"]*)"`)

var action = regexp.MustCompile(`\{\{[^{}]*\}\}`)

var placeholder = regexp.MustCompile(`\{(\d+)\}`)

// Page is the source of a page with its texts in the language.
func (l *Language) Page(source string) string { return rewrite(source, l.Text) }

// Texts are those of the source of a page, in order.
func Texts(source string) (all []string) {
	rewrite(source, func(text string) string {
		all = append(all, text)
		return text
	})
	return all
}

// rewrite replaces the texts of a page's source.
func rewrite(source string, replace func(text string) string) string {
	var b, run strings.Builder
	var values []string
	flush := func() {
		b.WriteString(phrase(run.String(), values, replace))
		run.Reset()
		values = nil
	}
	for _, t := range token.FindAllStringSubmatch(source, -1) {
		switch {
		case t[5] != "":
			run.WriteString(t[5])
		case t[1]+t[3] != "":
			run.WriteString("{" + strconv.Itoa(len(values)) + "}")
			values = append(values, t[0])
		default:
			flush()
			b.WriteString(attribute.ReplaceAllStringFunc(t[0], func(pair string) string {
				name, value, _ := strings.Cut(strings.TrimSuffix(pair, `"`), `="`)
				var inside []string
				value = action.ReplaceAllStringFunc(value, func(a string) string {
					inside = append(inside, a)
					return "{" + strconv.Itoa(len(inside)-1) + "}"
				})
				return name + `="` + phrase(value, inside, replace) + `"`
			}))
		}
	}
	flush()
	return b.String()
}

// phrase replaces one text, whose values come back into it. Space around it stays.
func phrase(run string, values []string, replace func(text string) string) string {
	text := strings.TrimSpace(run)
	if strings.ContainsFunc(placeholder.ReplaceAllString(text, ""), unicode.IsLetter) {
		before, after, _ := strings.Cut(run, text)
		run = before + html.EscapeString(replace(text)) + after
	}
	return placeholder.ReplaceAllStringFunc(run, func(p string) string {
		n, _ := strconv.Atoi(p[1 : len(p)-1])
		if n >= len(values) {
			return p
		}
		return values[n]
	})
}
