package keys

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/wire"
)

// template is an output file path template, read: literal pieces and placeholders in turn.
type template []piece

type piece struct {
	literal string
	holder  holder
	prefix  string // of holderLabel
}

type holder int

const (
	holderNone holder = iota
	holderLanguage
	holderIOS
	holderAndroid
	holderLabel
)

const (
	maxTemplate = 1000 // bytes
	maxPrefixes = 4    // every one multiplies the files that a key can be in
)

// readTemplate reads a template and refuses, naming what is wrong, placeholders that there are not and paths that a
// program which unpacks an archive should not follow.
func readTemplate(s string) (template, error) {
	bad := func(format string, args ...any) (template, error) {
		return nil, api.Invalid(wire.QueryOutputTemplate, format, args...)
	}
	if len(s) > maxTemplate {
		return bad("has more than %d bytes", maxTemplate)
	}
	var t template
	for rest := s; rest != ""; {
		at := strings.IndexAny(rest, "{}")
		if at < 0 {
			t = append(t, piece{literal: rest})
			break
		}
		if at > 0 {
			t = append(t, piece{literal: rest[:at]})
		}
		end := strings.IndexByte(rest[at:], '}')
		if rest[at] == '}' || end < 0 {
			return bad("%q has a brace without its other half", s)
		}
		word := rest[at : at+end+1]
		p, ok := placeholder(word)
		if !ok {
			return bad("%s is not a placeholder; there are %s, %sPREFIX}, %s and %s", word,
				wire.PlaceholderLanguage, wire.PlaceholderLabel, wire.PlaceholderLocaleIOS, wire.PlaceholderLocaleAndroid)
		}
		t = append(t, p)
		rest = rest[at+end+1:]
	}
	if len(t.prefixes()) > maxPrefixes {
		return bad("asks for more than %d label prefixes", maxPrefixes)
	}
	if why := api.UnsafePath(t.fill("xx", func(string) string { return "x" })); why != "" {
		return bad("%q %s", s, why)
	}
	return t, nil
}

func placeholder(word string) (piece, bool) {
	switch {
	case word == wire.PlaceholderLanguage:
		return piece{holder: holderLanguage}, true
	case word == wire.PlaceholderLocaleIOS:
		return piece{holder: holderIOS}, true
	case word == wire.PlaceholderLocaleAndroid:
		return piece{holder: holderAndroid}, true
	case strings.HasPrefix(word, wire.PlaceholderLabel):
		prefix := strings.TrimSuffix(strings.TrimPrefix(word, wire.PlaceholderLabel), "}")
		return piece{holder: holderLabel, prefix: prefix}, prefix != ""
	}
	return piece{}, false
}

// hasLanguage reports whether files of different languages have different names.
func (t template) hasLanguage() bool {
	return slices.ContainsFunc(t, func(p piece) bool {
		return p.holder == holderLanguage || p.holder == holderIOS || p.holder == holderAndroid
	})
}

// prefixes are the label prefixes that the template asks for, in order, each once.
func (t template) prefixes() []string {
	var out []string
	for _, p := range t {
		if p.holder == holderLabel {
			out = api.Union(out, []string{p.prefix})
		}
	}
	return out
}

// fill puts a language and the suffixes of labels into the placeholders.
func (t template) fill(language string, suffix func(prefix string) string) string {
	var b strings.Builder
	for _, p := range t {
		switch p.holder {
		case holderLanguage, holderIOS:
			b.WriteString(language)
		case holderAndroid:
			b.WriteString(androidLocale(language))
		case holderLabel:
			b.WriteString(suffix(p.prefix))
		default:
			b.WriteString(p.literal)
		}
	}
	return b.String()
}

// paths are the files that a key with these labels is in: one for each label of the prefix; with several
// prefixes, one for each combination. A key that lacks a label of some prefix is in none.
func (t template) paths(language string, labels []string) []string {
	prefixes := t.prefixes()
	combinations := []map[string]string{{}}
	for _, prefix := range prefixes {
		var more []map[string]string
		for _, l := range labels {
			suffix, ok := strings.CutPrefix(l, prefix+":")
			if !ok {
				continue
			}
			for _, c := range combinations {
				next := map[string]string{prefix: suffix}
				for k, v := range c {
					next[k] = v
				}
				more = append(more, next)
			}
		}
		combinations = more
	}
	var out []string
	for _, c := range combinations {
		out = api.Union(out, []string{t.fill(language, func(prefix string) string { return c[prefix] })})
	}
	return out
}

// androidLocale spells a code as a resource folder's qualifier: pt-BR is pt-rBR.
func androidLocale(code string) string { return strings.ReplaceAll(code, "-", "-r") }
