package discover

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config"
)

// layout is a pattern for source files, and the output for all that it matches.
type layout struct{ source, output string }

// group joins templates that a person would configure together, under the widest pattern that matches their source
// files and no other file: in all folders below one, in one folder, and by their names. Paths in a group spell every
// language alike: a configuration says it once.
func (s *search) group(kept []*template) []Group {
	var groups []Group
	for _, way := range []func(*template) layout{
		func(t *template) layout { return t.below(true) },
		func(t *template) layout { return t.below(false) },
		(*template).beside,
		(*template).listed,
	} {
		members := make(map[layout][]*template)
		for _, t := range kept {
			members[way(t)] = append(members[way(t)], t)
		}
		delete(members, layout{})
		joined := make(map[*template]bool)
		for at, all := range members {
			isElsewhere := func(t *template) bool { return path.Dir(t.source) != path.Dir(all[0].source) }
			if strings.Contains(at.source, "**") && !slices.ContainsFunc(all, isElsewhere) {
				continue
			}
			for _, alike := range spelledAlike(all) {
				if g := at.groupOf(alike); slices.Equal(s.matching(g.Source), g.Files) {
					groups = append(groups, g)
					for _, t := range alike {
						joined[t] = true
					}
				}
			}
		}
		kept = slices.DeleteFunc(slices.Clone(kept), func(t *template) bool { return joined[t] })
	}
	return s.finished(groups)
}

// groupOf is a group of templates; {} in the layout's pattern stands for the names of their source files, and is the
// whole of it where there is one.
func (at layout) groupOf(members []*template) Group {
	g := Group{Source: at.source, Output: at.output, templates: members}
	var stems []string
	for _, t := range members {
		g.Files = append(g.Files, t.source)
		stems = append(stems, escaped(stemOf(t.source)))
	}
	slices.Sort(g.Files)
	switch named := strings.Contains(at.source, "/{}"); {
	case named && len(members) == 1:
		g.Source, g.Output = escaped(members[0].source), members[0].text
		if members[0].catalog() {
			g.Output = "" // the translations are in the source file
		}
	case named:
		g.Source = strings.Replace(at.source, "{}", "{"+strings.Join(stems, ",")+"}", 1)
	}
	return g
}

// below is the layout of files of one name, or of any, in all folders below the one that resource files are kept in:
// config/locales/en.yml and config/locales/models/user/en.yml, locales/en/app.json and locales/en/admin/users.json.
func (t *template) below(any bool) (none layout) {
	folder, base, root := placeOf(t.text), path.Base(t.source), ""
	in, inside := strings.CutPrefix(t.text, folder+"/")
	name := path.Base(t.text)
	if any {
		base, name = "*"+path.Ext(base), "{NAME}"+path.Ext(name)
	}
	switch {
	case folder == "" || !inside || t.paired || t.catalog() || any && t.inName():
		return none
	case strings.HasPrefix(in, "{LANGUAGE}/"):
		language, _, _ := strings.Cut(strings.TrimPrefix(t.source, folder+"/"), "/")
		root = "/" + escaped(language)
		folder += "/{LANGUAGE}"
	case !strings.Contains(name, "{LANGUAGE}"):
		return none
	}
	return layout{escaped(placeOf(t.text)) + root + "/**/" + base, folder + "/{DIR}/" + name}
}

// beside is the layout of files in one folder. A module of Android gets colours and sizes there sooner or later.
func (t *template) beside() (none layout) {
	if t.inName() || t.paired || t.catalog() || t.android() {
		return none
	}
	return layout{path.Join(escaped(path.Dir(t.source)), "*"+path.Ext(t.source)),
		path.Dir(t.text) + "/{NAME}" + path.Ext(t.text)}
}

// listed is the layout of files in one folder by their names.
func (t *template) listed() layout {
	if t.inName() || t.paired || t.catalog() {
		return layout{escaped(t.source) + "/{}", t.text}
	}
	return layout{escaped(path.Dir(t.source)) + "/{}" + path.Ext(t.source),
		path.Dir(t.text) + "/{NAME}" + path.Ext(t.text)}
}

// finished are groups with what their files say, and a collection each.
func (s *search) finished(groups []Group) []Group {
	for i := range groups {
		s.finish(&groups[i])
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(strings.Compare(a.Output, b.Output), strings.Compare(a.Source, b.Source))
	})
	nameCollections(groups)
	for i := range groups {
		groups[i].templates = nil
	}
	return groups
}

// spelledAlike are templates by how they spell languages: no two of a list spell one differently.
func spelledAlike(templates []*template) (lists [][]*template) {
	var ways []map[string]string
next:
	for _, t := range templates {
		by := t.by()
		for code, spelling := range by {
			by[code] = plainSpelling(spelling)
		}
		for i, way := range ways {
			differs := func(code string) bool { return way[code] != "" && way[code] != by[code] }
			if !slices.ContainsFunc(sortedKeys(by), differs) {
				maps.Copy(way, by)
				lists[i] = append(lists[i], t)
				continue next
			}
		}
		ways, lists = append(ways, by), append(lists, []*template{t})
	}
	return lists
}

// matching are the files of the tree that a pattern matches, sorted.
func (s *search) matching(pattern string) []string {
	isOther := func(name string) bool { return !(config.Patterns{pattern}).Match(name) }
	plain := strings.IndexAny(pattern+"*", "*?[{")
	return slices.DeleteFunc(slices.Clone(s.beginning(pattern[:plain])), isOther)
}

// beginning are the files of the tree whose paths begin so, sorted.
func (s *search) beginning(prefix string) []string {
	first, _ := slices.BinarySearch(s.resources, prefix)
	n, _ := slices.BinarySearchFunc(s.resources[first:], prefix, func(name, prefix string) int {
		if strings.HasPrefix(name, prefix) {
			return -1
		}
		return 1
	})
	return s.resources[first : first+n]
}

// placeOf is the path up to the last folder that resource files are kept under; for Android, the module's.
func placeOf(text string) string {
	parts := strings.Split(path.Dir(text), "/")
	for i, part := range slices.Backward(parts) {
		if slices.Contains(resourceFolders, part) {
			return strings.Join(parts[:i+1], "/")
		}
	}
	return ""
}

// escaped is a path as a pattern that matches it and nothing else.
func escaped(name string) string { return strings.ReplaceAll(name, "[", "[[]") }

// finish reads the source files: the format that fits all of them, how many keys there are, and what to know about it.
func (s *search) finish(g *Group) {
	given := g.spelled
	g.spelled = make(map[string]string)
	maps.Copy(g.spelled, given)
	g.Languages = []string{s.source}
	rooted := true
	slices.SortFunc(g.templates, func(a, b *template) int {
		return strings.Compare(a.source, b.source)
	})
	for _, t := range g.templates {
		file := t.source
		r := s.read(file)
		if r.err != nil {
			g.Problems = append(g.Problems, file+" cannot be read: "+r.err.Error())
		}
		if g.Format == "" || structured(r.format) {
			g.Format = r.format
		}
		rooted = rooted && r.rooted
		g.Keys += r.sent(s.source)
		g.texts = append(g.texts, r.units)
		by, doubled := t.spellings()
		for code, spelling := range by {
			switch isSource := t.files[spelling] == file && (!t.catalog() || code == s.source); {
			case isSource && !structured(r.format):
				continue // only a root in the file would have to be known
			case isSource:
				code = s.source
			case code == s.source:
				doubled = append(doubled, spelling)
				continue
			}
			if !slices.Contains(g.Languages, code) {
				g.Languages = append(g.Languages, code)
			}
			if other := g.spelled[code]; other == "" || given[code] == "" && plainSpelling(spelling) < other {
				g.spelled[code] = plainSpelling(spelling)
			}
		}
		for _, spelling := range doubled {
			code := t.codeOf(spelling)
			used := "the files for " + by[code] + " are used"
			if code == s.source {
				used = file + " is used"
			}
			s.leave(t.files[spelling], fmt.Sprintf("is %s once more; %s", code, used), 1)
		}
	}
	slices.Sort(g.Languages[1:])
	g.kind(rooted)
}

func structured(name string) bool {
	format, _ := formats.Named(name)
	return format.Structured
}

// railsLocales is the kind of files whose outermost key is their language.
const railsLocales = "Rails locales"

// browserExtension is the kind of _locales/en/messages.json: browsers know underscores, and regions where others have
// scripts.
const browserExtension = "Messages of a browser extension"

// kind says what such files are called.
func (g *Group) kind(rooted bool) {
	g.Kind = g.row().Kind
	switch {
	case strings.Contains("/"+g.Output, "/_locales/"):
		g.Kind = browserExtension
	case g.row().Programs.Rails && rooted:
		g.Kind = railsLocales
	case len(g.Files) > 1 && g.row().Namespaces && !strings.Contains(path.Base(g.Output), "{LANGUAGE}"):
		g.Kind += " namespaces"
	}
}

// row is the format of the files.
func (g *Group) row() formats.Format {
	format, _ := formats.Named(g.Format)
	return format
}
