package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/config/glob"
	"github.com/locsync/locsync/sync/config/spell"
)

// Template is an output path with placeholders. {LANGUAGE}, {LOCALE:IOS}, {LOCALE:ANDROID} and
// {LABEL:PREFIX} are the service's own; {NAME}, {EXT} and {DIR} are filled in from a source file before
// the template goes to the service.
//
// A template is a value: every method is a pure function.
type Template struct {
	parts    []part
	spelling map[string]string // of languages in the repository's paths, by code, where it is not the project's
}

// part is a piece of a template: literal text, or a placeholder.
type part struct {
	kind placeholder
	text string // literal: the text; label: the prefix
}

type placeholder int

const (
	literal placeholder = iota
	language
	localeIOS
	localeAndroid
	label
	name
	ext
	dir
)

var placeholders = map[string]placeholder{
	"LANGUAGE":       language,
	"LOCALE:IOS":     localeIOS,
	"LOCALE:ANDROID": localeAndroid,
	"NAME":           name,
	"EXT":            ext,
	"DIR":            dir,
}

// allowedPlaceholders is for messages.
const allowedPlaceholders = "{LANGUAGE}, {LOCALE:IOS}, {LOCALE:ANDROID}, {LABEL:PREFIX}, {NAME}, {EXT}, {DIR}"

// ParseTemplate reads a template. Its error says what is wrong and what is allowed; whether the paths
// that it yields are safe is for Unsafe to say.
func ParseTemplate(text string) (Template, error) {
	var t Template
	for rest := text; rest != ""; {
		open := strings.IndexAny(rest, "{}")
		if open < 0 {
			t.parts = append(t.parts, part{literal, rest})
			break
		}
		if rest[open] == '}' {
			return Template{}, fmt.Errorf("%q has a } without a {; placeholders are %s", text, allowedPlaceholders)
		}
		if open > 0 {
			t.parts = append(t.parts, part{literal, rest[:open]})
		}
		end := strings.IndexAny(rest[open+1:], "{}")
		if end < 0 || rest[open+1+end] == '{' {
			return Template{}, fmt.Errorf("%q has a { without a }; placeholders are %s", text, allowedPlaceholders)
		}
		inner := rest[open+1 : open+1+end]
		p, err := parsePlaceholder(inner)
		if err != nil {
			return Template{}, err
		}
		if p.kind == label && t.has(label) {
			return Template{}, fmt.Errorf("%q has more than one {LABEL:...}; one is allowed, it names the file", text)
		}
		t.parts = append(t.parts, p)
		rest = rest[open+1+end+1:]
	}
	return t, t.checkDir()
}

func parsePlaceholder(inner string) (part, error) {
	if kind, ok := placeholders[inner]; ok {
		return part{kind: kind}, nil
	}
	if prefix, ok := strings.CutPrefix(inner, "LABEL:"); ok {
		if prefix == "" || strings.ContainsAny(prefix, ":,/\\") || strings.IndexFunc(prefix, unicode.IsControl) >= 0 {
			return part{}, fmt.Errorf("{%s} wants the prefix of a label: with labels such as file:main.json, "+
				"write {LABEL:file}", inner)
		}
		return part{label, prefix}, nil
	}
	known := []string{"LANGUAGE", "LOCALE:IOS", "LOCALE:ANDROID", "LABEL:PREFIX", "NAME", "EXT", "DIR"}
	if near := spell.Nearest(inner, known); near != "" {
		return part{}, fmt.Errorf("unknown placeholder {%s}; did you mean {%s}?", inner, near)
	}
	return part{}, fmt.Errorf("unknown placeholder {%s}; allowed are %s", inner, allowedPlaceholders)
}

// checkDir refuses {DIR} as a part of a name: it may be several folders or none.
func (t Template) checkDir() error {
	for i, p := range t.parts {
		if p.kind != dir {
			continue
		}
		before := i == 0 || t.parts[i-1].kind == literal && strings.HasSuffix(t.parts[i-1].text, "/")
		after := i < len(t.parts)-1 && t.parts[i+1].kind == literal && strings.HasPrefix(t.parts[i+1].text, "/")
		if !before || !after {
			return errors.New("{DIR} stands for whole folders, several or none: it must be between slashes, as in a/{DIR}/b")
		}
	}
	return nil
}

// String is the template as text. For a template that For has filled, it is what the service is sent.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t.parts {
		switch p.kind {
		case literal:
			b.WriteString(p.text)
		case label:
			b.WriteString("{LABEL:" + p.text + "}")
		default:
			for word, kind := range placeholders {
				if kind == p.kind {
					b.WriteString("{" + word + "}")
				}
			}
		}
	}
	return b.String()
}

// IsZero reports whether the template is empty.
func (t Template) IsZero() bool { return len(t.parts) == 0 }

func (t Template) has(kinds ...placeholder) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return slices.Contains(kinds, p.kind) })
}

// HasLanguage reports whether the template yields a path of its own for each language.
func (t Template) HasLanguage() bool { return t.has(language, localeIOS, localeAndroid) }

// HasLabel reports whether the service decides the file names, by labels.
func (t Template) HasLabel() bool { return t.has(label) }

// LabelPrefix is the PREFIX of {LABEL:PREFIX}; "" without one.
func (t Template) LabelPrefix() string {
	for _, p := range t.parts {
		if p.kind == label {
			return p.text
		}
	}
	return ""
}

// HasSource reports whether the template depends on the source file: it has {NAME}, {EXT} or {DIR}.
func (t Template) HasSource() bool { return t.has(name, ext, dir) }

// For fills in {NAME}, {EXT} and {DIR}. What remains are the service's own placeholders.
func (t Template) For(s Source) Template {
	var b strings.Builder
	filled := Template{spelling: t.spelling}
	flush := func() {
		if b.Len() > 0 {
			filled.parts = append(filled.parts, part{literal, b.String()})
			b.Reset()
		}
	}
	for i := 0; i < len(t.parts); i++ {
		p := t.parts[i]
		switch p.kind {
		case literal:
			b.WriteString(p.text)
		case name:
			b.WriteString(s.Name)
		case ext:
			if text := b.String(); s.Ext == "" && strings.HasSuffix(text, ".") {
				b.Reset()
				b.WriteString(strings.TrimSuffix(text, ".")) // no extension: no dot before it
			}
			b.WriteString(s.Ext)
		case dir:
			b.WriteString(s.Dir)
			if s.Dir == "" && i+1 < len(t.parts) {
				// No folder: one of the slashes around it goes too. checkDir made sure that it is there.
				next := t.parts[i+1].text[1:]
				b.WriteString(next)
				i++
			}
		default:
			flush()
			filled.parts = append(filled.parts, p)
		}
	}
	flush()
	return filled
}

// Path is the file of a language in the repository, in the spelling of language_paths. The template is
// one that For has filled; labelText stands for {LABEL:...} and is empty for templates without it.
func (t Template) Path(l Language, labelText string) string {
	return t.expand(t.Spelled(l).Path, labelText)
}

// Key is the same for templates that write the same paths, and for no others: text and spellings of languages.
func (t Template) Key() string { return fmt.Sprint(t.String(), t.spelling) }

// Spelled is a language as the paths of this template write it: as its entry of the configuration says, else as the
// project does.
func (t Template) Spelled(l Language) Language {
	if spelling, ok := t.spelling[l.Code]; ok {
		l.Path = spelling
	}
	return l
}

// Entry is the same file as the service names it in an archive: in the service's own spelling.
func (t Template) Entry(l Language, labelText string) string { return t.expand(l.Code, labelText) }

func (t Template) expand(spelling, labelText string) string {
	var b strings.Builder
	for _, p := range t.parts {
		switch p.kind {
		case literal:
			b.WriteString(p.text)
		case language:
			b.WriteString(spelling)
		case localeIOS:
			b.WriteString(iosLocale(spelling))
		case localeAndroid:
			b.WriteString(androidLocale(spelling))
		case label:
			b.WriteString(labelText)
		}
	}
	return b.String()
}

// Match tells which of the languages an archive entry is for, and the text that it has for
// {LABEL:...}. Entries are compared in the service's spelling. Where an entry fits several languages
// (with a label beside the language: zh-Hans-app.json fits zh and zh-Hans), the longest code is meant.
// An entry whose label would lead to an unsafe path matches nothing.
func (t Template) Match(entry string, languages []Language) (l Language, labelText string, ok bool) {
	for _, candidate := range languages {
		text, fits := t.labelOf(entry, candidate.Code)
		if fits && (!ok || len(candidate.Code) > len(l.Code)) {
			l, labelText, ok = candidate, text, true
		}
	}
	if ok && t.HasLabel() && (UnsafeLabel(labelText) != "" || UnsafePath(t.Path(l, labelText)) != "") {
		return Language{}, "", false
	}
	return l, labelText, ok
}

// labelOf compares an entry with the template in one language; what stands for the label is free.
func (t Template) labelOf(entry, code string) (labelText string, ok bool) {
	at := slices.IndexFunc(t.parts, func(p part) bool { return p.kind == label })
	if at < 0 {
		return "", entry == t.expand(code, "")
	}
	before := Template{parts: t.parts[:at]}.expand(code, "")
	after := Template{parts: t.parts[at+1:]}.expand(code, "")
	if len(entry) <= len(before)+len(after) || !strings.HasPrefix(entry, before) || !strings.HasSuffix(entry, after) {
		return "", false
	}
	return entry[len(before) : len(entry)-len(after)], true
}

// Glob is a pattern that matches every path that the template can yield in the repository for a language,
// for watching.
func (t Template) Glob(l Language) string {
	l = t.Spelled(l)
	var b strings.Builder
	for i, p := range t.parts {
		switch p.kind {
		case literal:
			b.WriteString(glob.Escape(p.text))
		case language:
			b.WriteString(glob.Escape(l.Path))
		case localeIOS:
			b.WriteString(glob.Escape(iosLocale(l.Path)))
		case localeAndroid:
			b.WriteString(glob.Escape(androidLocale(l.Path)))
		case dir:
			b.WriteString("**")
		case ext:
			if text := b.String(); strings.HasSuffix(text, ".") {
				b.Reset()
				b.WriteString(strings.TrimSuffix(text, ".")) // there may be none
			}
			b.WriteString("*")
		case label:
			if i == 0 || strings.HasSuffix(b.String(), "/") {
				b.WriteString("**/") // a label may hold folders
			}
			b.WriteString("*")
		default:
			b.WriteString("*")
		}
	}
	return b.String()
}

// globProblem says what is wrong with a pattern for source files; "" when it can be used.
func globProblem(pattern string) string {
	switch {
	case pattern == "":
		return `must be a pattern for the source files, such as "locales/en/*.json"`
	case !glob.Valid(pattern):
		return fmt.Sprintf("%q is not a valid pattern; allowed are *, ** for folders, ?, [a-z] and {one,other}", pattern)
	case glob.Long(pattern):
		return fmt.Sprintf("%.40q lists more than %d names by its {one,other}; write * or ** for some of them, or "+
			"another entry", pattern, glob.MostAlternatives)
	case strings.HasPrefix(pattern, "./"):
		return fmt.Sprintf("%q: leave ./ out; patterns are relative to the repository", pattern)
	}
	if why := unsafePattern(pattern); why != "" {
		return fmt.Sprintf("%q cannot be used: %s", pattern, why)
	}
	return ""
}

// labelAlone reports whether nothing but a label says where files lie.
func (t Template) labelAlone() bool {
	return t.HasLabel() && !slices.ContainsFunc(t.parts, func(p part) bool {
		return p.kind != label && p.kind != ext && (p.kind != literal || strings.Contains(p.text, "/"))
	})
}
