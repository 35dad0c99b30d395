package discover

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/config"
)

// generic are folders that say nothing about which part of a product they belong to.
var generic = []string{"src", "main", "res", "resources", "Resources", "assets", "public", "static", "config", "lib", "apps", "packages", "libs", "modules", "projects", "java", "kotlin", "wwwroot", "Base.lproj", "."}

// nameCollections gives every source file a collection as a person would name it: main where there is one, the part of the product where there are several, the
// file's own name where files lie beside each other. Names hold no language. Files whose keys are one namespace to the program share a collection unless two
// of them hold different texts for one key.
func nameCollections(groups []Group) {
	shared := sharing(groups)
	above := inCommon(groups)
	places := make(map[string]bool) // of what does not share, each is one
	for i := range groups {
		places[unit(groups, i, shared)] = true
	}
	used := make(map[string]string) // collection -> who has it
	for i := range groups {
		g := &groups[i]
		mine := unit(groups, i, shared)
		for try := 0; ; try++ {
			g.Collection = g.name(len(places) == 1, shared[g.place], above, try)
			if g.claim(used, mine) {
				break
			}
		}
	}
}

// unit tells groups apart that need names of their own.
func unit(groups []Group, i int, shared map[string]bool) string {
	if g := groups[i]; g.shares && shared[g.place] {
		return "place " + g.place
	}
	return "group " + strconv.Itoa(i)
}

// sharing are the places whose files can have one collection.
func sharing(groups []Group) map[string]bool {
	shared := make(map[string]bool)
	texts := make(map[string]map[string]string)
	for _, g := range groups {
		if !g.shares {
			continue
		}
		if texts[g.place] == nil {
			shared[g.place], texts[g.place] = true, make(map[string]string)
		}
		for _, file := range g.texts {
			for entry, text := range file {
				if other, there := texts[g.place][entry]; there && other != text {
					shared[g.place] = false
				}
				texts[g.place][entry] = text
			}
		}
	}
	return shared
}

// claim takes the collections of a group's files, where nobody else has one of them and no two of the files would share one unwittingly.
func (g *Group) claim(used map[string]string, mine string) bool {
	f := config.Files{Source: g.Source, Collection: g.Collection}
	var names []string
	for _, file := range g.Files {
		source, _ := f.SourceFile(file)
		name := f.CollectionOf(source)
		if owner := used[name]; owner != "" && owner != mine {
			return false
		}
		names = append(names, name)
	}
	for _, name := range names {
		used[name] = mine
	}
	return true
}

var notInCollections = regexp.MustCompile(`[^\pL\pN._+{}/-]+`)

// folders are the parts of the group's path that say which part of the product it belongs to, or all of them.
func (g *Group) folders(telling bool) []string {
	var parts []string
	for part := range strings.SplitSeq(path.Dir(g.Output), "/") {
		if strings.Contains(part, "{") || telling && (slices.Contains(generic, part) || slices.Contains(places, part)) {
			continue
		}
		if part = strings.Trim(notInCollections.ReplaceAllString(part, "-"), "-. "); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// inCommon counts the folders that all groups lie below and that therefore tell none of them apart; each keeps one.
func inCommon(groups []Group) int {
	if len(groups) < 2 {
		return 0
	}
	for n := 0; ; n++ {
		for i := range groups {
			mine, first := groups[i].folders(true), groups[0].folders(true)
			if len(mine) <= n+1 || mine[n] != first[n] {
				return n
			}
		}
	}
}

// name is what the files of a group should be called: from the folders that say something, with each further try from more of them; above counts
// the first of them, which tell nothing. only: there is nothing to tell them apart from.
func (g *Group) name(only, shared bool, above, try int) string {
	parts := g.folders(try < 2)
	if try < 2 {
		parts = parts[above:]
	}
	if only {
		parts = nil
	}
	ownName := ""
	stem := strings.TrimSuffix(path.Base(g.Output), path.Ext(g.Output))
	if strings.Contains(stem, "{LANGUAGE}") || g.Format == "ios-strings" && !strings.Contains(stem, "{NAME}") {
		ownName = strings.Trim(notInCollections.ReplaceAllString(strings.ReplaceAll(stem, "{LANGUAGE}", ""), "-"), "-._")
	}
	if ownName != "" && !shared && !(only && len(g.Files) == 1) {
		parts = append(parts, ownName)
	}
	each := ""
	switch {
	case g.shares && shared:
	case strings.Contains(g.Output, "{DIR}") && strings.Contains(g.Output, "{NAME}"):
		each = "/{DIR}/{NAME}"
	case strings.Contains(g.Output, "{DIR}"):
		each = "/{DIR}"
	case strings.Contains(g.Output, "{NAME}"):
		each = "-{NAME}"
	}
	if len(parts) == 0 && !only && (each == "" || try > 0) {
		parts = []string{g.noun()}
	}
	if try > 2 {
		parts = append(parts, strconv.Itoa(try))
	}
	return cmp.Or(strings.TrimLeft(strings.Join(parts, "-")+each, "/-"), config.DefaultCollection)
}

// noun names what no folder names.
func (g *Group) noun() string {
	switch {
	case g.Format == "android-xml":
		return "android"
	case g.Format == "ios-strings":
		return "ios"
	case g.Kind == railsLocales:
		return "rails"
	}
	return config.DefaultCollection
}
