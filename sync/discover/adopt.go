package discover

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/languages"
)

// adopt goes through the files beside the translations that were found whose names are not a common language: rare
// languages, variants, and what a team or a platform made up. Their texts prove what they are: a translation has the
// keys of its source. Each is taken, or named.
func (s *search) adopt(kept []*template) {
	taken := make(map[string]bool)
	for _, t := range kept {
		taken[t.base] = true
		for _, name := range t.files {
			taken[name] = true
		}
	}
	proven := make(map[string]string) // by spelling
	for _, again := range []bool{false, true} {
		for _, t := range kept {
			source := t.sourceFile(s.source)
			of := s.read(source, t.spellingOf(source))
			if (of.err != nil) != again { // what has no texts to compare with is believed where others prove it
				continue
			}
			for _, name := range s.filesLike(t) {
				spelling := t.spellingIn(name)
				if spelling == "" || taken[name] || s.tracks(t) && !s.names[name] {
					continue
				}
				code, why := proven[spelling], ""
				if !again || code == "" {
					code, why = s.judge(name, spelling, source, of)
				}
				if why != "" {
					s.leftOut = append(s.leftOut, LeftOut{name, 1, why})
				}
				if code == "" {
					continue
				}
				taken[name] = true
				proven[spelling] = code
				t.files[spelling] = name
				t.prove(spelling, code)
			}
			s.withoutCrowdin(t)
			countries(s, t)
		}
	}
}

// filesLike are the files that may differ from a template in its language only.
func (s *search) filesLike(t *template) []string {
	before, _, _ := strings.Cut(t.text, "{")
	first, _ := slices.BinarySearch(s.resources, before)
	after := first
	for after < len(s.resources) && strings.HasPrefix(s.resources[after], before) {
		after++
	}
	return s.resources[first:after]
}

// spellingIn is what a path has where the template has a language; "" where the path is another.
func (t *template) spellingIn(name string) string {
	before, rest, _ := strings.Cut(t.text, "{")
	placeholder, after, _ := strings.Cut(rest, "}")
	if len(name) <= len(before)+len(after) || !strings.HasPrefix(name, before) {
		return ""
	}
	spelling := strings.TrimSuffix(name[len(before):], after)
	if strings.Contains(after, "{") {
		spelling, _, _ = strings.Cut(name[len(before):], "/")
	}
	if strings.Contains(spelling, "/") || strings.ReplaceAll(t.text, "{"+placeholder+"}", spelling) != name {
		return ""
	}
	return spelling
}

// judge says in which language a file is, or why it is left out; neither of what does not look like a translation.
func (s *search) judge(name, spelling, source string, of *reading) (code, why string) {
	if _, known := s.names[name]; !known || standingOf(name) == stranger {
		return "", ""
	}
	if why := forTests(spelling); why != "" {
		return "", why
	}
	r := s.read(name, spelling)
	code = probably(spelling)
	shared, same := 0, 0
	for entry, text := range r.byEntry {
		if other, ok := of.byEntry[entry]; ok {
			shared++
			if other == text {
				same++
			}
		}
	}
	_, known := languages.Find(code)
	switch {
	case r.err != nil && code != "":
		return "", "cannot be read: " + r.err.Error()
	case len(r.byEntry) == 0 || r.lists:
		return "", ""
	case shared*2 < len(r.byEntry) && shared < 5:
		return "", fmt.Sprintf("is not a translation: it has few of the keys of %s", source)
	case code == "" && strings.HasSuffix(name, ".xml"):
		return "", fmt.Sprintf("is for some devices (%s), not for a language", spelling)
	case code == "":
		return "", fmt.Sprintf("has the keys of %s, and %q is not a language code", source, spelling)
	case !known && same*5 > shared*4 && shared >= 5:
		return "", fmt.Sprintf("is a copy of %s, and %q is not a language that is known", source, spelling)
	}
	return code, ""
}

// prove remembers the code of a spelling that the texts prove.
func (t *template) prove(spelling, code string) {
	if t.proven == nil {
		t.proven = make(map[string]string)
	}
	t.proven[spelling] = code
}

// countries finds the files that are named after a country whose code a rare language has: tw, kr.
func countries(s *search, t *template) {
	for _, spelling := range sortedKeys(t.files) {
		if len(spelling) != 2 || t.proven[spelling] != "" || slices.Contains(common, spelling) {
			continue
		}
		var text strings.Builder
		for _, one := range s.read(t.files[spelling], spelling).byEntry {
			text.WriteString(one)
		}
		if code := languages.OfCountry(spelling, text.String()); code != "" {
			t.prove(spelling, code)
		}
	}
}

// withoutCrowdin takes out the language that a project of Crowdin uses for translating in context: a rare one, whose
// texts are marks for a script.
func (s *search) withoutCrowdin(t *template) {
	for _, spelling := range sortedKeys(t.files) {
		if slices.Contains(common, strings.ToLower(spelling[:min(2, len(spelling))])) {
			continue
		}
		src, err := s.readFile(t.files[spelling], &s.left)
		if err == nil && bytes.Contains(src, []byte("crwdns")) && bytes.Contains(src, []byte("crwdne")) {
			s.leftOut = append(s.leftOut, LeftOut{t.files[spelling], 1,
				"is Crowdin's pseudo-language for translating in place: its texts are marks for a script"})
			delete(t.files, spelling)
		}
	}
}

// multilingual is the format of a file with all languages.
func multilingual(name string) (formats.Format, bool) {
	format, known := formats.ByExtension(name)
	return format, known && format.Multilingual()
}

// catalogsOf are the files with all languages of one standing, the product's where it has any.
func catalogsOf(s *search, least standing) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		if _, is := multilingual(name); is && standingOf(name) == least && (s.names[name] || !s.anyTracked) {
			names = append(names, name)
		}
	}
	if len(names) == 0 && least == own {
		return catalogsOf(s, aside)
	}
	return names
}

// catalogOf is a file with all languages as a group; ok is false where it is none, which is told where it should be.
func catalogOf(s *search, name string) (g Group, source string, ok bool) {
	format, _ := multilingual(name)
	left := func(why string) (Group, string, bool) {
		s.leftOut = append(s.leftOut, LeftOut{name, 1, why})
		return g, source, false
	}
	src, err := s.readFile(name, &s.left)
	if err != nil {
		return left(unreadableFile + err.Error())
	}
	f, err := format.Parse(resource.Keys{}, src)
	if err != nil {
		return left(unreadableFile + err.Error())
	}
	g = Group{Source: escaped(name), Format: format.Name, Kind: format.Kind, Files: []string{name},
		folder: path.Dir(name), spelled: make(map[string]string)}
	texts := make(map[string]string)
	keys := make(map[string]bool)
	for e := range f.Entries() {
		if e.Kind == resource.Text {
			texts[e.Key+"\x00"+e.Form], keys[e.Key] = e.Text, true
		}
	}
	g.texts, g.Keys = []map[string]string{texts}, len(keys)
	if g.Keys == 0 {
		return left(noTexts)
	}
	in, all := format.Languages(src)
	if source, _ = codeOf(in); source == "" {
		return left(fmt.Sprintf("says that its source language is %q, and that is not a code", in))
	}
	for _, spelling := range all {
		code, is := codeOf(spelling)
		if !is || code == source {
			continue
		}
		if g.spelled[code] == "" {
			g.Languages = append(g.Languages, code)
		}
		g.spelled[code] = spelling
	}
	slices.Sort(g.Languages)
	g.Languages = append([]string{source}, g.Languages...)
	return g, source, true
}

// withCatalogs are the groups of the files with all languages. Where there are no others, these say what the source
// language is; those in another one are left out.
func withCatalogs(s *search, others bool, given string) []Group {
	all := make(map[string][]Group)
	for _, name := range catalogsOf(s, own) {
		if g, source, ok := catalogOf(s, name); ok {
			all[source] = append(all[source], g)
		}
	}
	if !others && given == "" && len(all) > 0 {
		best := slices.MaxFunc(slices.Sorted(maps.Keys(all)), func(a, b string) int { return len(all[a]) - len(all[b]) })
		s.source, s.reason, s.unsure = best, all[best][0].Files[0]+" says so", ""
	}
	for _, source := range slices.Sorted(maps.Keys(all)) {
		for _, g := range all[source] {
			if source != s.source {
				s.leftOut = append(s.leftOut, LeftOut{g.Files[0], 1, fmt.Sprintf("its source language is %s, and that of the "+
					"project %s; give it a [[project]] of its own", source, s.source)})
			}
		}
	}
	return all[s.source]
}
