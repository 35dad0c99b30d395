package discover

import (
	"fmt"
	"path"
	"strings"

	"github.com/locsync/locsync/sync/report"
)

// noGrammar are kinds of resource files that there is no format for, by extension. Other files have most of these
// extensions as well: they count in a folder for translations, in two languages.
var noGrammar = map[string]string{fluent: "Fluent", ".php": "PHP", ".toml": "TOML", ".js": "JavaScript",
	".mjs": "JavaScript", ".ts": "TypeScript or Qt's TS", ".rb": "Ruby", ".csv": "CSV", ".ini": "INI",
	".lang": "a .lang file"}

// fluent is an extension that nothing else has.
const fluent = ".ftl"

const instead = "keep the texts in JSON or YAML, or convert them to one of these before a push"

// unreadable is files of such a kind that are named alike.
type unreadable struct {
	files     int
	bytes     int64
	languages map[string]bool
}

// hasNoGrammar reports whether a file is of such a kind, as far as its path tells.
func hasNoGrammar(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return noGrammar[ext] != "" && (ext == fluent || placeOf(name) != "")
}

// noteUnreadable gathers files of such a kind by the way that they are named.
func (s *search) noteUnreadable(name string, size int64) {
	if standingOf(name) != own {
		return
	}
	found := append(spot(name), spotted{template: name})[0]
	u := s.unreadable[found.template]
	if u == nil {
		u = &unreadable{languages: make(map[string]bool)}
		s.unreadable[found.template] = u
	}
	u.files++
	u.bytes += size
	u.languages[found.spelling] = true
}

// unsupported leaves out the files of such kinds. It says which kind most of the repository's translations are in,
// where they are more than what can be translated with this configuration.
func (s *search) unsupported(supported int64) string {
	bytes, files, largest := make(map[string]int), make(map[string]int), make(map[string]string) // by kind
	total := int64(0)
	for _, pattern := range sortedKeys(s.unreadable) {
		u, kind := s.unreadable[pattern], noGrammar[strings.ToLower(path.Ext(pattern))]
		if kind != noGrammar[fluent] && len(u.languages) < 2 {
			continue
		}
		s.leave(pattern, "is "+kind+", which locsync does not support; "+instead, u.files)
		bytes[kind] += int(u.bytes)
		files[kind] += u.files
		total += u.bytes
		if largest[kind] == "" || u.bytes > s.unreadable[largest[kind]].bytes {
			largest[kind] = pattern
		}
	}
	if total <= supported {
		return ""
	}
	kind := most(bytes, "")
	return fmt.Sprintf("Most of what this repository translates is in a format that locsync does not support: "+
		"%s (%s, such as %s). To translate it, %s", kind, report.Counted(files[kind], "file", "files"), largest[kind],
		instead)
}
