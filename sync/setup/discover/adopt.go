package discover

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/languages"
	"github.com/locsync/locsync/sync/setup/migrate"
)

// adopt goes through the files beside the translations that were found whose names are not a common language: rare
// languages, variants, and what a team or a platform made up. Their texts prove what they are: a translation has the
// keys of its source. Each is taken, or named.
func (s *search) adopt(kept []*template) {
	taken := takenBy(kept...)
	proven := make(map[string]string) // by spelling
	// a source file that has no texts to compare with comes last: what others prove is believed there
	unreadable := func(t *template) int { return bit(s.read(t.source).err != nil) }
	last := func(a, b *template) int { return unreadable(a) - unreadable(b) }
	for _, t := range slices.SortedStableFunc(slices.Values(kept), last) {
		if t.catalog() {
			continue
		}
		for _, name := range s.filesLike(t) {
			spelling := t.spellingIn(name)
			if spelling == "" || taken[name] || s.tracks(t) && !s.names[name] {
				continue
			}
			code, why := proven[spelling], ""
			if code == "" || unreadable(t) == 0 {
				code, why = s.judge(name, spelling, t.source)
			}
			if why != "" {
				s.leave(name, why, 1)
			}
			if code != "" {
				taken[name] = true
				proven[spelling] = code
				t.files[spelling] = name
				t.proven[spelling] = code
			}
		}
		s.withoutCrowdin(t)
	}
	s.countries(kept)
}

// filesLike are the files that may differ from a template in its language only.
func (s *search) filesLike(t *template) []string {
	before, _, _ := strings.Cut(t.text, "{")
	return s.beginning(before)
}

// spellingIn is what a path has where the template has a language; "" where the path is another.
func (t *template) spellingIn(name string) string {
	before, rest, _ := strings.Cut(t.text, "{")
	placeholder, after, _ := strings.Cut(rest, "}")
	if !strings.HasSuffix(name, t.text[strings.LastIndex(t.text, "}")+1:]) {
		return ""
	}
	spelling, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(name, before), after), "/")
	if strings.ReplaceAll(t.text, "{"+placeholder+"}", spelling) != name {
		return ""
	}
	return spelling
}

// judge says in which language a file is, or why it is left out; neither of what does not look like a translation.
func (s *search) judge(name, spelling, source string) (code, why string) {
	if _, known := s.names[name]; !known || standingOf(name) == stranger {
		return "", ""
	}
	if why := forTests(spelling); why != "" {
		return "", why
	}
	s.spelled[name] = append(s.spelled[name], spelling)
	r := s.read(name)
	code = probably(spelling)
	shared, same := s.compared(source, name)
	_, known := languages.Find(code)
	switch {
	case r.err != nil && code != "":
		return "", "cannot be read: " + r.err.Error()
	case len(r.units) == 0 || r.lists:
		return "", ""
	case shared*2 < len(r.units) && shared < 5:
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

// countries finds the files that are named after a country whose code a rare language has: tw, kr. The files of one
// folder are in one language, also those that have no text yet.
func (s *search) countries(kept []*template) {
	type spelled struct{ folder, spelling string }
	members := make(map[spelled][]*template)
	for _, t := range kept {
		for spelling := range t.files {
			if len(spelling) == 2 && t.proven[spelling] == "" && !slices.Contains(common, spelling) {
				at := spelled{t.above(), spelling}
				members[at] = append(members[at], t)
			}
		}
	}
	for at, templates := range members {
		var text strings.Builder
		for _, t := range templates {
			for _, one := range s.read(t.files[at.spelling]).units {
				text.WriteString(one)
			}
		}
		if code := languages.OfCountry(at.spelling, text.String()); code != "" {
			for _, t := range templates {
				t.proven[at.spelling] = code
			}
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
			s.leave(t.files[spelling], "is Crowdin's pseudo-language for translating in place: its texts are marks for a "+
				"script", 1)
			delete(t.files, spelling)
		}
	}
}

// enterCatalog makes a template of a file with all languages: it is in each of them, and says which is the source's.
func (s *search) enterCatalog(name string) {
	r := s.read(name)
	code := codeOf(r.source)
	switch {
	case standingOf(name) == stranger:
		return
	case r.err != nil:
		s.leave(name, unreadableFile+r.err.Error(), 1)
		return
	case code == "":
		s.leave(name, fmt.Sprintf("says that its source language is %q, and that is not a code", r.source), 1)
		return
	}
	t := newTemplate(name, "")
	for _, spelling := range append(r.languages, r.source) {
		if codeOf(spelling) != "" {
			t.files[spelling] = name
		}
	}
	s.templates[name], s.says[name] = t, code
}

// spelledBy is how paths spell languages as an entry says it, by codes as the service has them.
func spelledBy(e migrate.Entry) map[string]string {
	all := make(map[string]string)
	for name, spelling := range e.Spelled {
		if code := codeOf(name); code != "" {
			all[code] = plainSpelling(spelling)
		}
	}
	return all
}

// given are the groups of what another tool's configuration pairs, one for each entry where one pattern and template
// can say it, else one for each source file. Nothing is weighed but the source language, where no entry tells it.
func (s *search) given(entries []migrate.Entry, source string) (groups []Group) {
	var all []*template
	members := make([][]*template, len(entries))
	for i, e := range entries {
		members[i] = s.templatesOf(e)
		all = append(all, members[i]...)
	}
	if code := sourceIn(all); source == "" && code != "" {
		s.source, s.reason, s.unsure, s.sure = code, "the paths of the source files name it", "", true
	} else {
		s.decide(all, source)
	}
	s.chooseSources(all)
	for i, e := range entries {
		members := slices.DeleteFunc(members[i], func(t *template) bool { return t.source == "" })
		g, whole := together(e, members)
		if whole {
			members, groups = nil, append(groups, g)
		}
		for _, t := range members {
			groups = append(groups, Group{Source: escaped(t.source), Output: t.text, Files: []string{t.source},
				templates: []*template{t}, spelled: spelledBy(e), region: e.Region})
		}
	}
	return groups
}

// sourceIn is the language that most paths of source files name; "" where they name none.
func sourceIn(all []*template) string {
	votes := make(map[string]int)
	for _, t := range all {
		if code := t.codeOf(t.spellingIn(t.base)); code != "" {
			votes[code]++
		}
	}
	return most(votes, "")
}

// templatesOf are the templates of an entry: one for each source file, or, where it names none, for each way to fill in
// the output.
func (s *search) templatesOf(e migrate.Entry) (all []*template) {
	add := func(text, base string) {
		t := newTemplate(text, base)
		t.paired = base != ""
		s.languagesOf(t, e)
		all = append(all, t)
	}
	files := config.Files{Source: e.Source, Exclude: e.Exclude}
	if e.Source != "" {
		for _, name := range s.resources {
			if source, is := files.SourceFile(name); is {
				add(filled(e.Output, name, source), name)
			}
		}
		return all
	}
	like := strings.NewReplacer("{NAME}", "*", "{EXT}", "*", "{DIR}", "**", "{", `\{`, "}", `\}`).Replace(e.Output)
	for _, text := range sortedKeys(s.templates) {
		if strings.Count(text, "{") == strings.Count(like, "{") && (config.Patterns{like}).Match(text) {
			add(text, "")
		}
	}
	return all
}

// filled is the output of an entry for a source file.
func filled(output, name string, source config.Source) string {
	return path.Clean(strings.NewReplacer("{NAME}", source.Name, "{EXT}", source.Ext, "{DIR}", source.Dir,
		"{PATH}", path.Dir(name)).Replace(output))
}

// languagesOf finds the translations of a template.
func (s *search) languagesOf(t *template, e migrate.Entry) {
	if !strings.Contains(t.text, "{L") {
		return
	}
	codes := make(map[string]string)
	for code, spelling := range spelledBy(e) {
		codes[spelling] = code
	}
	for _, name := range s.filesLike(t) {
		spelling := t.spellingIn(name)
		s.spelled[name] = append(s.spelled[name], spelling)
		code := cmp.Or(codes[plainSpelling(spelling)], languageOf(spelling))
		if code == "" || e.Source == "" && config.Patterns(e.Exclude).Match(name) { // else it excludes source files
			continue
		}
		t.files[spelling] = name
		t.proven[spelling] = code
	}
}

// together is an entry as one group, where a configuration can say it so.
func together(e migrate.Entry, members []*template) (g Group, whole bool) {
	if len(members) == 0 {
		return g, false
	}
	g = Group{Source: e.Source, Output: e.Output, templates: members, spelled: spelledBy(e), region: e.Region}
	for _, t := range members {
		g.Files = append(g.Files, t.source)
	}
	slices.Sort(g.Files)
	if e.Source == "" {
		language := escaped(members[0].spellingIn(members[0].source))
		g.Source = strings.NewReplacer("{LANGUAGE}", language, "{LOCALE:ANDROID}", language, "{LOCALE:IOS}", language,
			"{NAME}", "*", "{EXT}", "*", "{DIR}", "**").Replace(e.Output)
	}
	stars := strings.Count(g.Source, "**")
	if before, after, _ := strings.Cut(path.Dir(g.Source), "**"); strings.Contains(g.Output, "{PATH}") {
		folder := path.Dir(g.Source)
		if stars == 1 {
			folder = before + "{DIR}" + after
		}
		if strings.ContainsAny(before+after, "*?[{") {
			return g, false
		}
		g.Output = strings.ReplaceAll(g.Output, "{PATH}", folder)
	}
	g.Output = path.Clean(g.Output)
	config := config.Files{Source: g.Source, Exclude: e.Exclude}
	for _, t := range members {
		source, is := config.SourceFile(t.source)
		if !is || filled(g.Output, t.source, source) != t.text {
			return g, false
		}
		for _, name := range t.files {
			if _, is := config.SourceFile(name); is && name != t.source {
				return g, false // a translation would be a source
			}
		}
	}
	return g, stars == 1 || !strings.Contains(g.Output, "{DIR}")
}
