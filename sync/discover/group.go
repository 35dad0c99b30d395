package discover

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/locsync/locsync/formats"
)

// group joins templates that a person would configure together: the files beside each other in a language's folder,
// those of nested folders, and Android's files of one module. A pattern is only widened as far as it matches no other
// file.
func (s *search) group(kept []*template, more []Group) []Group {
	var groups []Group
	for _, members := range s.besides(kept) {
		groups = append(groups, s.beside(members))
	}
	groups = s.nested(groups)
	for i := range groups {
		s.finish(&groups[i])
	}
	groups = append(groups, more...)
	slices.SortStableFunc(groups, func(a, b Group) int { return strings.Compare(a.Output, b.Output) })
	nameCollections(groups)
	for i := range groups {
		groups[i].templates = nil
	}
	return groups
}

// besides are the templates whose source files lie beside each other, where the language is in a folder, and every
// other one alone.
func (s *search) besides(kept []*template) [][]*template {
	var all [][]*template
	index := make(map[string][]int)
	for _, t := range kept {
		file := t.sourceFile(s.source)
		key := path.Dir(file) + "\x00" + path.Dir(t.text) + "\x00" + path.Ext(file)
		if t.inName() {
			key = t.text
		}
		at := slices.IndexFunc(index[key], func(i int) bool { return spelledAlike(append(all[i], t)) })
		if at < 0 {
			at = len(index[key])
			index[key] = append(index[key], len(all))
			all = append(all, nil)
		}
		all[index[key][at]] = append(all[index[key][at]], t)
	}
	return all
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

// beside makes a group of source files in one folder.
func (s *search) beside(members []*template) Group {
	g := Group{templates: members}
	for _, t := range members {
		g.Files = append(g.Files, t.sourceFile(s.source))
	}
	first := members[0]
	g.folder = placeOf(first.text)
	if first.inName() {
		g.Source, g.Output = escaped(g.Files[0]), first.text
		return g
	}
	dir, ext := path.Dir(g.Files[0]), path.Ext(g.Files[0])
	wide := path.Join(escaped(dir), "*"+ext)
	switch {
	case !first.android() && s.matchesOnly(wide, g.Files): // a module of Android gets colours and sizes sooner or later
		g.Source, g.Output = wide, path.Dir(first.text)+"/{NAME}"+path.Ext(first.text)
	case len(g.Files) == 1:
		g.Source, g.Output = escaped(g.Files[0]), first.text
	default:
		stems := make([]string, len(g.Files))
		for i, file := range g.Files {
			stems[i] = escaped(strings.TrimSuffix(path.Base(file), ext))
		}
		g.Source = escaped(dir) + "/{" + strings.Join(stems, ",") + "}" + ext
		g.Output = path.Dir(first.text) + "/{NAME}" + path.Ext(first.text)
	}
	return g
}

// matchesOnly reports whether a pattern matches these files and no other of the tree.
func (s *search) matchesOnly(pattern string, files []string) bool {
	folder, _ := doublestar.SplitPattern(pattern)
	below := s.resources
	if folder != "." { // those in it stand together
		first, _ := slices.BinarySearch(below, folder+"/")
		after, _ := slices.BinarySearch(below, folder+"0") // the character behind the slash
		below = below[first:after]
	}
	wanted := make(map[string]bool, len(files))
	for _, file := range files {
		wanted[file] = true
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
	return n == len(files)
}

// nested joins groups that differ in the folders below one only: config/locales/en.yml and
// config/locales/models/user/en.yml, locales/en/app.json and locales/en/admin/users.json.
func (s *search) nested(groups []Group) []Group {
	// language: the source's folder; "" where it is in the name
	type shape struct{ folder, language, source, output string }
	shapes := make(map[shape][]int)
	for i, g := range groups {
		below, ok := strings.CutPrefix(g.Output, g.folder+"/")
		if g.folder == "" || !ok || strings.Contains(g.Source, "/{") {
			continue
		}
		key := shape{folder: g.folder, source: path.Base(g.Source), output: path.Base(g.Output)}
		if strings.HasPrefix(below, "{LANGUAGE}/") {
			key.language, _, _ = strings.Cut(strings.TrimPrefix(g.Files[0], g.folder+"/"), "/")
		} else if !strings.Contains(key.output, "{LANGUAGE}") {
			continue
		}
		shapes[key] = append(shapes[key], i)
	}
	joined := make(map[int]bool)
	var more []Group
	byText := func(a, b shape) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	for _, key := range slices.SortedFunc(maps.Keys(shapes), byText) {
		members := shapes[key]
		if len(members) < 2 {
			continue
		}
		g := Group{folder: key.folder}
		for _, i := range members {
			g.Files = append(g.Files, groups[i].Files...)
			g.templates = append(g.templates, groups[i].templates...)
		}
		root := escaped(key.folder)
		g.Output = key.folder + "/{DIR}/" + key.output
		if key.language != "" {
			root += "/" + escaped(key.language)
			g.Output = key.folder + "/{LANGUAGE}/{DIR}/" + key.output
		}
		g.Source = root + "/**/" + key.source
		if !s.matchesOnly(g.Source, g.Files) || !spelledAlike(g.templates) {
			continue
		}
		for _, i := range members {
			joined[i] = true
		}
		more = append(more, g)
	}
	var left []Group
	for i, g := range groups {
		if !joined[i] {
			left = append(left, g)
		}
	}
	return append(left, more...)
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
	g.spelled = make(map[string]string)
	g.Languages = []string{s.source}
	keys, rooted := 0, true
	slices.SortFunc(g.templates, func(a, b *template) int {
		return strings.Compare(a.sourceFile(s.source), b.sourceFile(s.source))
	})
	for _, t := range g.templates {
		file := t.sourceFile(s.source)
		r := s.read(file, t.spellingOf(file))
		if r.err != nil {
			g.Problems = append(g.Problems, file+" cannot be read: "+r.err.Error())
		}
		if g.Format == "" || structured(r.format) {
			g.Format = r.format
		}
		rooted = rooted && r.rooted
		keys += r.keys()
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
			if other := g.spelled[code]; other == "" || plainSpelling(spelling) < other {
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
