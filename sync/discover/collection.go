package discover

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config"
)

// generic are folders that say nothing about which part of a product they belong to.
var generic = []string{"src", "main", "res", "resources", "Resources", "assets", "public", "static", "config", "lib",
	"apps", "packages", "libs", "modules", "projects", "java", "kotlin", "wwwroot", "Base.lproj", "."}

// nameCollections gives every source file a collection, as few as can be: the first push of a repository takes an
// import for each of them and language. Files of one format share a collection unless they have a key in common, which
// would be one key with one translation at the service. A group whose own files have one has a collection for each
// folder, name, or file. Names hold no language.
func nameCollections(groups []Group) {
	shared := sharing(groups)
	above := inCommon(groups)
	used := make(map[string]int) // by collection: which of shared has it, counted from 1
	for i, members := range shared {
		first := &groups[members[0]]
		for try := 0; ; try++ {
			name := first.name(len(shared) == 1, above, try)
			if len(members) > 1 {
				name = nameShared(groups, members, len(shared) == 1, above, try)
			}
			if !claim(used, groups, members, name, i+1) {
				continue
			}
			for _, m := range members {
				groups[m].Collection = name
			}
			break
		}
	}
}

// sharing are the groups that share a collection, by index: the fullest take in every other one of their format that
// has none of their keys.
func sharing(groups []Group) [][]int {
	order := make([]int, len(groups))
	for i := range groups {
		order[i] = i
		groups[i].each = groups[i].apart()
	}
	slices.SortStableFunc(order, func(a, b int) int { return groups[b].Keys - groups[a].Keys })
	var shared [][]int
	var keys []map[string]bool
	for _, i := range order {
		g := &groups[i]
		mine := make(map[string]bool)
		for _, file := range g.texts {
			maps.Copy(mine, keysOf(file))
		}
		at := len(shared)
		for j, members := range shared {
			first := groups[members[0]]
			if g.each == "" && first.each == "" && first.Format == g.Format && !overlap(keys[j], mine) {
				at = j
				break
			}
		}
		if at == len(shared) {
			shared, keys = append(shared, nil), append(keys, make(map[string]bool))
		}
		shared[at] = append(shared[at], i)
		maps.Copy(keys[at], mine)
	}
	return shared
}

// apart is the placeholder that gives each of a group's files a collection that has no other file with one of its keys:
// "" where none is needed.
func (g *Group) apart() string {
	f := config.Files{Source: g.Source}
	for _, each := range []string{"", "{DIR}", "{NAME}", "{DIR}/{NAME}"} {
		if strings.Contains(each, "{DIR}") && !strings.Contains(g.Output, "{DIR}") ||
			strings.Contains(each, "{NAME}") && !strings.Contains(g.Output, "{NAME}") {
			continue
		}
		f.Collection = "x" + each
		taken := make(map[string]map[string]bool)
		clash := false
		for i, file := range g.Files {
			source, _ := f.SourceFile(file)
			name, mine := f.CollectionOf(source), keysOf(g.texts[i])
			clash = clash || overlap(taken[name], mine)
			if taken[name] == nil {
				taken[name] = make(map[string]bool)
			}
			maps.Copy(taken[name], mine)
		}
		if !clash {
			return each
		}
	}
	return ""
}

// keysOf are the keys of a file's texts, without their forms.
func keysOf(texts map[string]string) map[string]bool {
	keys := make(map[string]bool, len(texts))
	for entry := range texts {
		key, _, _ := strings.Cut(entry, "\x00")
		keys[key] = true
	}
	return keys
}

func overlap(a, b map[string]bool) bool {
	for key := range b {
		if a[key] {
			return true
		}
	}
	return false
}

// claim takes the collections that a name yields for the files of groups, where no other groups have one of them.
func claim(used map[string]int, groups []Group, members []int, name string, mine int) bool {
	var names []string
	for _, m := range members {
		f := config.Files{Source: groups[m].Source, Collection: name}
		for _, file := range groups[m].Files {
			source, _ := f.SourceFile(file)
			filled := f.CollectionOf(source)
			if owner := used[filled]; owner != 0 && owner != mine {
				return false
			}
			names = append(names, filled)
		}
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
	for part := range strings.SplitSeq(path.Dir(cmp.Or(g.Output, g.Source)), "/") {
		if strings.Contains(part, "{") || telling &&
			(slices.Contains(generic, part) || slices.Contains(resourceFolders, part)) {
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

// name is what the files of a group should be called: from the folders that say something, with each further try from
// more of them; above counts the first of them, which tell nothing. only: there is nothing to tell them apart from.
func (g *Group) name(only bool, above, try int) string {
	parts := g.folders(try < 2)
	if try < 2 {
		parts = parts[above:]
	}
	if only {
		parts = nil
	}
	ownName := ""
	stem := strings.TrimSuffix(path.Base(g.Output), path.Ext(g.Output))
	if strings.Contains(stem, "{LANGUAGE}") || g.row().Platform == formats.Apple && !strings.Contains(stem, "{NAME}") {
		ownName = strings.Trim(notInCollections.ReplaceAllString(strings.ReplaceAll(stem, "{LANGUAGE}", ""), "-"), "-._")
	}
	if ownName != "" && !(only && len(g.Files) == 1) {
		parts = append(parts, ownName)
	}
	each := ""
	switch g.each {
	case "":
	case "{NAME}":
		each = "-{NAME}"
	default:
		each = "/" + g.each
	}
	if len(parts) == 0 && !only && (each == "" || try > 0) {
		parts = []string{g.noun()}
	}
	switch {
	case try == 3:
		parts = append(parts, g.noun())
	case try > 3:
		parts = append(parts, strconv.Itoa(try))
	}
	return cmp.Or(strings.TrimLeft(strings.Join(parts, "-")+each, "/-"), config.DefaultCollection)
}

// nameShared is what groups that share a collection are called: by the folders that they have in common, or else by
// what they are.
func nameShared(groups []Group, members []int, only bool, above, try int) string {
	first := groups[members[0]]
	common := first.folders(true)
	for _, m := range members {
		other := groups[m].folders(true)
		n := 0
		for n < min(len(common), len(other)) && common[n] == other[n] {
			n++
		}
		common = common[:n]
	}
	switch {
	case only:
		return config.DefaultCollection
	case try == 0 && len(common) > above:
		return strings.Join(common[above:], "-")
	case try < 2:
		return first.noun()
	}
	return fmt.Sprintf("%s-%d", first.noun(), try)
}

// noun names what no folder names.
func (g *Group) noun() string {
	switch {
	case g.row().Platform != "":
		return string(g.row().Platform)
	case g.Kind == railsLocales:
		return "rails"
	}
	return config.DefaultCollection
}
