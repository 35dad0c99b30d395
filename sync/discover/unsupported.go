package discover

import (
	"fmt"
	"path"
	"strings"
)

// kind is a kind of resource files that there is no format for.
type kind struct {
	name    string // what a developer calls it
	instead string // what to do
	unsure  bool   // other files have this extension as well: counts in a folder for translations, in two languages
}

const intoJSON = "keep the texts in JSON or YAML, or convert it to one of them before a push"

// noGrammar are such kinds by extension.
var noGrammar = map[string]kind{
	".ftl": {name: "Fluent", instead: intoJSON},
	".php": {name: "PHP", unsure: true,
		instead: "keep the texts in JSON (Laravel: lang/de.json), or convert it before a push"},
	".toml": {name: "TOML", unsure: true,
		instead: "keep the texts in JSON or YAML, which go-i18n and Hugo read as well"},
	".js":   {name: "JavaScript", instead: "keep the texts in JSON, and import that", unsure: true},
	".mjs":  {name: "JavaScript", instead: "keep the texts in JSON, and import that", unsure: true},
	".ts":   {name: "TypeScript or Qt's TS", instead: "keep the texts in JSON", unsure: true},
	".rb":   {name: "Ruby", instead: "keep the texts in YAML, which Rails reads as well", unsure: true},
	".csv":  {name: "CSV", instead: intoJSON, unsure: true},
	".ini":  {name: "INI", instead: intoJSON, unsure: true},
	".lang": {name: "a .lang file", instead: intoJSON, unsure: true},
}

// unreadable is files of such a kind that are named alike.
type unreadable struct {
	LeftOut
	kind      kind
	bytes     int64
	languages map[string]bool
}

// hasNoGrammar reports whether a file is of such a kind, as far as its path tells.
func hasNoGrammar(name string) bool {
	kind, is := noGrammar[strings.ToLower(path.Ext(name))]
	return is && (!kind.unsure || (&template{text: name}).inPlace())
}

// noteUnreadable gathers files of such a kind by the way that they are named.
func (s *search) noteUnreadable(name string, size int64) {
	kind := noGrammar[strings.ToLower(path.Ext(name))]
	if standingOf(name) != own {
		return
	}
	parts := strings.Split(name, "/")
	language := ""
	for i, part := range parts {
		folder, lproj := strings.CutSuffix(part, ".lproj")
		_, is := codeOf(folder)
		switch {
		case i < len(parts)-1 && lproj:
			parts[i], language = "{LANGUAGE}.lproj", folder
		case i < len(parts)-1 && is:
			parts[i], language = "{LANGUAGE}", folder
		case i == len(parts)-1 && language == "":
			ext := path.Ext(part)
			spotInName(strings.TrimSuffix(part, ext), ext, func(placeholder, spelling string) {
				parts[i], language = placeholder, spelling
			})
		}
	}
	pattern := strings.Join(parts, "/")
	if s.unreadable[pattern] == nil {
		reason := fmt.Sprintf("is %s, which locsync does not support; %s", kind.name, kind.instead)
		s.unreadable[pattern] = &unreadable{LeftOut: LeftOut{Path: pattern, Reason: reason}, kind: kind,
			languages: make(map[string]bool)}
	}
	u := s.unreadable[pattern]
	u.Files++
	u.bytes += size
	u.languages[language] = true
}

// unsupported are the files of such kinds. It says which kind most of the repository's translations are in, where they
// are more than what can be translated with this configuration.
func (s *search) unsupported(supported int64) (all []LeftOut, most string) {
	bytes, files := make(map[string]int64), make(map[string]int)
	example := make(map[string]*unreadable)
	total, best := int64(0), ""
	for _, pattern := range sortedKeys(s.unreadable) {
		u := s.unreadable[pattern]
		if u.kind.unsure && len(u.languages) < 2 {
			continue
		}
		all = append(all, u.LeftOut)
		total += u.bytes
		name := u.kind.name
		bytes[name] += u.bytes
		files[name] += u.Files
		if example[name] == nil || u.bytes > example[name].bytes {
			example[name] = u
		}
		if best == "" || bytes[name] > bytes[best] {
			best = name
		}
	}
	if total <= supported || best == "" {
		return all, ""
	}
	count := "1 file"
	if files[best] > 1 {
		count = fmt.Sprintf("%d files", files[best])
	}
	return all, fmt.Sprintf("Most of what this repository translates is in a format that locsync does not support: "+
		"%s (%s, such as %s). To translate it, %s",
		best, count, example[best].Path, example[best].kind.instead)
}
