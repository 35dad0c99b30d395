package bundle

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config"
)

// Group is the bundles that one export covers: one collection in one format.
type Group struct {
	Collection string
	Format     formats.Format
	Separator  string
	Bundles    []*Bundle
}

// Groups gathers bundles by collection and format, in the order of their first bundle. Where the service decides file
// names, the template belongs to the group as well.
func Groups(bundles []*Bundle) []*Group {
	type key struct{ collection, format, separator, template string }
	var groups []*Group
	index := make(map[key]*Group)
	for _, b := range bundles {
		k := key{b.Collection, b.Format.Name, b.Separator, ""}
		if b.Output.HasLabel() {
			k.template = b.Output.Key()
		}
		g := index[k]
		if g == nil {
			g = &Group{Collection: b.Collection, Format: b.Format, Separator: b.Separator}
			index[k] = g
			groups = append(groups, g)
		}
		g.Bundles = append(g.Bundles, b)
	}
	return groups
}

// ID is the same for a group that was read from the files at another time.
func (g *Group) ID() string {
	return fmt.Sprint(g.Collection, "\x00", g.Format.Name, "\x00", g.Separator, "\x00", g.Template().String())
}

// ExportFormat is the name of the format that the group is exported in.
func (g *Group) ExportFormat() string { return g.Format.Exchanged().Name }

// shared is the template that is sent when several source files share a group: one file per language, taken apart here.
var shared = func() config.Template {
	t, err := config.ParseTemplate("{LANGUAGE}")
	if err != nil {
		panic(err)
	}
	return t
}()

// Template is the path template that the service is sent: the output of a single bundle, or of bundles whose file names
// the service decides; one file per language when several bundles share the group, or a file has all languages.
func (g *Group) Template() config.Template {
	if len(g.Bundles) == 1 && !g.Format.Multilingual() || g.Bundles[0].Output.HasLabel() {
		return g.Bundles[0].Output
	}
	return shared
}

// Target is one file of translations: its path and which sources it translates. There are several where the
// service decides file names; the first is then the one that new files are laid out like.
type Target struct {
	Path     string
	Language config.Language
	Sources  []*Bundle
}

// Fits reports whether a path can be that of a file of the same language, by the same entry of the configuration.
func (t Target) Fits(path string) bool {
	files := t.Sources[0].Files
	_, source := files.SourceFile(path)
	if files.Template().IsZero() || t.Language.Code == t.Sources[0].Source.Code {
		return source
	}
	fits, err := doublestar.Match(files.Template().Glob(t.Language), path)
	return err == nil && fits && !source && !files.Excluded(path)
}

// Targets tells which files an archive entry holds translations for: none for an entry that fits no language and file
// of the configuration, or whose name is unsafe.
func (g *Group) Targets(entry string, languages []config.Language) []Target {
	l, label, ok := g.Template().Match(entry, languages)
	if !ok {
		return nil
	}
	if g.Template().HasLabel() {
		return []Target{{g.Template().Path(l, label), l, g.Bundles}}
	}
	var targets []Target
	for _, b := range g.Bundles {
		targets = append(targets, Target{b.Target(l), l, []*Bundle{b}})
	}
	return targets
}

// Existing lists the targets of the bundles that a tree of files has: those whose paths the configuration gives,
// whether they are there or not, and those of file names that the service decided, as far as they are there.
func Existing(fsys fs.FS, bundles []*Bundle, languages []config.Language) ([]Target, error) {
	targets := Known(bundles, languages)
	for _, g := range Groups(bundles) {
		if !g.Template().HasLabel() {
			continue
		}
		spelled := make([]config.Language, len(languages)) // Match compares with Code; here paths are compared
		back := make(map[string]config.Language, len(languages))
		for i, l := range languages {
			way := g.Template().Spelled(l).Path
			spelled[i] = config.Language{Code: way, Path: way}
			back[way] = l
		}
		for _, l := range languages {
			paths, err := Glob(fsys, g.Template().Glob(l))
			if err != nil {
				return nil, fmt.Errorf("look for translations: %w", err)
			}
			for _, p := range paths {
				found, _, ok := g.Template().Match(p, spelled)
				if ok && back[found.Code] == l {
					targets = append(targets, Target{p, l, g.Bundles})
				}
			}
		}
	}
	return targets, nil
}

// Known lists the targets whose paths the configuration gives, by language and then by source path.
func Known(bundles []*Bundle, languages []config.Language) []Target {
	var targets []Target
	for _, l := range languages {
		for _, b := range bundles {
			if path := b.Target(l); path != "" {
				targets = append(targets, Target{path, l, []*Bundle{b}})
			}
		}
	}
	slices.SortStableFunc(targets, func(a, b Target) int { return cmp.Compare(a.Language.Code, b.Language.Code) })
	return targets
}
