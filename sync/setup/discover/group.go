package discover

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/locsync/locsync/formats"
)

// group joins templates that a person would configure together, under the widest pattern that matches their source
// files and no other file: in all folders below one, and in one folder.
func (s *search) group(kept []*template, more []Group) []Group {
	var groups []Group
	for _, pattern := range []func(*template) [2]string{
		func(t *template) [2]string { return t.below(true) },
		func(t *template) [2]string { return t.below(false) },
		(*template).beside,
	} {
		members := make(map[[2]string][]*template)
		for _, t := range kept {
			members[pattern(t)] = append(members[pattern(t)], t)
		}
		delete(members, [2]string{})
		joined := make(map[*template]bool)
		for at, all := range members {
			isElsewhere := func(t *template) bool { return path.Dir(t.source) != path.Dir(all[0].source) }
			deep := strings.Contains(at[0], "**")
			if deep && !slices.ContainsFunc(all, isElsewhere) || !spelledAlike(all) || !s.matchesOnly(at[0], all) {
				continue
			}
			groups = append(groups, groupOf(at[0], at[1], all))
			for _, t := range all {
				joined[t] = true
			}
		}
		kept = slices.DeleteFunc(slices.Clone(kept), func(t *template) bool { return joined[t] })
	}
	return s.finished(append(groups, listed(kept)...), more)
}

func groupOf(source, output string, members []*template) Group {
	g := Group{Source: source, Output: output, templates: members}
	for _, t := range members {
		g.Files = append(g.Files, t.source)
	}
	return g
}

// below is the pattern of source files and the output for files of one name, or of any, in all folders below the one
// that resource files are kept in: config/locales/en.yml and config/locales/models/user/en.yml, locales/en/app.json and
// locales/en/admin/users.json.
func (t *template) below(any bool) (none [2]string) {
	folder, base, root := placeOf(t.text), path.Base(t.source), ""
	in, inside := strings.CutPrefix(t.text, folder+"/")
	name := path.Base(t.text)
	if any {
		base, name = "*"+path.Ext(base), "{NAME}"+path.Ext(name)
	}
	switch {
	case folder == "" || !inside || t.paired || any && t.inName():
		return none
	case strings.HasPrefix(in, "{LANGUAGE}/"):
		language, _, _ := strings.Cut(strings.TrimPrefix(t.source, folder+"/"), "/")
		root = "/" + escaped(language)
		folder += "/{LANGUAGE}"
	case !strings.Contains(name, "{LANGUAGE}"):
		return none
	}
	return [2]string{escaped(placeOf(t.text)) + root + "/**/" + base, folder + "/{DIR}/" + name}
}

// beside is the pattern of source files and the output for files in one folder. A module of Android gets colours and
// sizes there sooner or later.
func (t *template) beside() (none [2]string) {
	if t.inName() || t.paired || t.android() {
		return none
	}
	return [2]string{path.Join(escaped(path.Dir(t.source)), "*"+path.Ext(t.source)),
		path.Dir(t.text) + "/{NAME}" + path.Ext(t.text)}
}

// listed are groups of what no pattern joins: files that are in one folder, and spell languages alike, by their names.
func listed(kept []*template) (groups []Group) {
	type folder struct{ source, output, ext string }
	alike := make(map[folder][][]*template)
	for _, t := range kept {
		at := folder{path.Dir(t.source), path.Dir(t.text), path.Ext(t.source)}
		i := slices.IndexFunc(alike[at], func(all []*template) bool { return spelledAlike(append(all, t)) })
		switch {
		case t.inName() || t.paired:
			groups = append(groups, groupOf(escaped(t.source), t.text, []*template{t}))
		case i < 0:
			alike[at] = append(alike[at], []*template{t})
		default:
			alike[at][i] = append(alike[at][i], t)
		}
	}
	for at, lists := range alike {
		for _, all := range lists {
			if len(all) == 1 {
				groups = append(groups, groupOf(escaped(all[0].source), all[0].text, all))
				continue
			}
			var stems []string
			for _, t := range all {
				stems = append(stems, escaped(strings.TrimSuffix(path.Base(t.source), at.ext)))
			}
			groups = append(groups, groupOf(escaped(at.source)+"/{"+strings.Join(stems, ",")+"}"+at.ext,
				at.output+"/{NAME}"+path.Ext(all[0].text), all))
		}
	}
	return groups
}

// finished are groups with what their files say, and a collection each.
func (s *search) finished(groups, more []Group) []Group {
	for i := range groups {
		s.finish(&groups[i])
	}
	groups = append(groups, more...)
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(strings.Compare(a.Output, b.Output), strings.Compare(a.Source, b.Source))
	})
	nameCollections(groups)
	for i := range groups {
		groups[i].templates = nil
	}
	return groups
}

// spelledAlike reports whether no two of the templates spell a language differently: a configuration says it once for
// all of them.
func spelledAlike(templates []*template) bool {
	ways := make(map[string]string)
	for _, t := range templates {
		by, _ := t.spellings()
		for code, spelling := range by {
			if way, other := ways[code]; other && way != plainSpelling(spelling) {
				return false
			}
			ways[code] = plainSpelling(spelling)
		}
	}
	return true
}

// matchesOnly reports whether a pattern matches the source files of these templates and no other file of the tree.
func (s *search) matchesOnly(pattern string, members []*template) bool {
	folder, _ := doublestar.SplitPattern(pattern)
	below := s.resources
	if folder != "." { // those in it stand together
		first, _ := slices.BinarySearch(below, folder+"/")
		after, _ := slices.BinarySearch(below, folder+"0") // the character behind the slash
		below = below[first:after]
	}
	wanted := make(map[string]bool, len(members))
	for _, t := range members {
		wanted[t.source] = true
	}
	n := 0
	for _, name := range below {
		if ok, err := doublestar.Match(pattern, name); err != nil || !ok {
			continue
		}
		if !wanted[name] {
			return false
		}
		n++
	}
	return n == len(wanted)
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
	slices.Sort(g.Files)
	given := g.spelled
	g.spelled = make(map[string]string)
	maps.Copy(g.spelled, given)
	g.Languages = []string{s.source}
	keys, rooted := 0, true
	slices.SortFunc(g.templates, func(a, b *template) int {
		return strings.Compare(a.source, b.source)
	})
	for _, t := range g.templates {
		file := t.source
		r := s.read(file, t.spellingOf(file))
		if r.err != nil {
			g.Problems = append(g.Problems, file+" cannot be read: "+r.err.Error())
		}
		if g.Format == "" || structured(r.format) {
			g.Format = r.format
		}
		rooted = rooted && r.rooted
		keys += r.sent(s.source)
		g.texts = append(g.texts, r.byEntry)
		by, doubled := t.spellings()
		for code, spelling := range by {
			if t.files[spelling] == file {
				code = s.source
			}
			switch {
			case code != s.source:
			case t.files[spelling] != file:
				doubled = append(doubled, spelling)
				continue
			case !structured(r.format):
				continue // only a root in the file would have to be known
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
			s.leftOut = append(s.leftOut, LeftOut{t.files[spelling], 1, fmt.Sprintf("is %s once more; %s", code, used)})
		}
	}
	slices.Sort(g.Languages[1:])
	g.Keys = keys
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
