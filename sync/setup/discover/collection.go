package discover

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/catalog"
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
	owners := make(map[string]int) // by collection: which of shared has it
	for i, members := range shared {
		for try := 0; ; try++ {
			name := nameOf(members, len(shared) == 1, above, try)
			var names []string
			for _, g := range members {
				names = append(names, g.collections(name)...)
			}
			isTaken := func(name string) bool { owner, taken := owners[name]; return taken && owner != i }
			if slices.ContainsFunc(names, isTaken) {
				continue
			}
			for _, name := range names {
				owners[name] = i
			}
			for _, g := range members {
				g.Collection = name
			}
			break
		}
	}
	byFormat := make(map[string][]*Group)
	for i := range groups {
		byFormat[groups[i].Format] = append(byFormat[groups[i].Format], &groups[i])
	}
	for _, format := range sortedKeys(byFormat) {
		name := byFormat[format][0].noun()
		if slices.ContainsFunc(groups, func(g Group) bool { return g.Format != format && g.Collection == name }) {
			name += "-" + format
		}
		shareCollection(byFormat[format], name)
	}
}

// mostImports is how many imports a first push may take of files of one format: each is two requests, and the default
// budget has less than a thousand in four minutes.
const mostImports = 400

// shareCollection has files of one format share this collection where more would take too many imports: what would be
// the name of a collection is then before the keys. Names of Android's resources and of gettext's texts stay.
func shareCollection(groups []*Group, shared string) {
	imports := make(map[string]int)
	named, members := make(map[string]int), make(map[string]int)
	unprefixed := "" // of the first groups that share one already
	for _, g := range groups {
		for _, name := range g.collections(g.Collection) {
			imports[name] = max(imports[name], len(g.Languages))
		}
		named[strings.ToLower(g.stem())]++
		members[g.Collection]++
		if g.each == "" && members[g.Collection] > 1 {
			unprefixed = cmp.Or(unprefixed, g.Collection)
		}
	}
	all := 0
	for _, n := range imports {
		all += n
	}
	if first := groups[0].row(); all <= mostImports || first.Platform == formats.Android || first.Extracted() != "" {
		return
	}
	for _, g := range groups {
		stem := g.stem()
		switch {
		case g.Collection == unprefixed:
		case len(g.Files) == 1 && stem != "" && named[strings.ToLower(stem)] == 1:
			g.Prefix = stem + "/"
		case len(g.Files) > 1 || members[g.Collection] == 1:
			g.Prefix = g.Collection + "/"
		default:
			g.Prefix = strings.TrimSuffix(g.Files[0], path.Ext(g.Files[0])) + "/"
		}
		g.Collection = shared
	}
}

// stem is the name of the group's translations without language and extension; "" where they have several names.
func (g *Group) stem() string {
	stem := strings.TrimSuffix(path.Base(cmp.Or(g.Output, g.Source)), path.Ext(cmp.Or(g.Output, g.Source)))
	return strings.Trim(notInCollections.ReplaceAllString(placeholders.ReplaceAllString(stem, ""), "-"), "-._")
}

// sharing are the groups that share a collection: the fullest take in every other one of their format that has none of
// their keys.
func sharing(groups []Group) (shared [][]*Group) {
	order := make([]*Group, len(groups))
	for i := range groups {
		order[i] = &groups[i]
		groups[i].each = groups[i].apart()
	}
	slices.SortStableFunc(order, func(a, b *Group) int { return b.Keys - a.Keys })
	var keys []map[string]bool
	for _, g := range order {
		mine, at := keysOf(g.texts...), 0
		for ; at < len(shared); at++ {
			first := shared[at][0]
			if first.each == "" && g.each == "" && first.Format == g.Format && !overlap(keys[at], mine) {
				break
			}
		}
		if at == len(shared) {
			shared, keys = append(shared, nil), append(keys, make(map[string]bool))
		}
		shared[at] = append(shared[at], g)
		maps.Copy(keys[at], mine)
	}
	return shared
}

// apart is the placeholder that gives each of a group's files a collection that has no other file with one of its keys:
// "" where none is needed.
func (g *Group) apart() string {
	for _, each := range []string{"", "{DIR}", "{NAME}", "{DIR}/{NAME}"} {
		known := func(placeholder string) bool {
			return !strings.Contains(each, placeholder) || strings.Contains(g.Output, placeholder)
		}
		clash := !known("{DIR}") || !known("{NAME}")
		taken := make(map[string]map[string]bool)
		for i, name := range g.collections("x" + each) {
			mine := keysOf(g.texts[i])
			clash = clash || overlap(taken[name], mine)
			maps.Copy(mine, taken[name])
			taken[name] = mine
		}
		if !clash {
			return each
		}
	}
	return ""
}

// collections are those that a name yields for the files, in their order.
func (g *Group) collections(name string) []string {
	f := config.Files{Source: g.Source, Collection: name}
	names := make([]string, len(g.Files))
	for i, file := range g.Files {
		source, _ := f.SourceFile(file)
		names[i] = f.CollectionOf(source)
	}
	return names
}

// Divisible reports whether the files of a group are namespaces that share a collection and could have one each.
func (g *Group) Divisible() bool {
	return len(g.Files) > 1 && g.row().Namespaces && strings.Contains(g.Output, "{NAME}") &&
		!strings.Contains(g.Collection+g.Prefix, "{")
}

// Divide gives each file of a divisible group a collection of its own.
func (g *Group) Divide() {
	each := "{NAME}"
	if strings.Contains(g.Output, "{DIR}") {
		each = "{DIR}/{NAME}"
	}
	g.Collection = strings.TrimPrefix(g.Collection+"/"+each, config.DefaultCollection+"/")
}

// keysOf are the keys of files' texts, without their forms.
func keysOf(files ...map[catalog.Name]string) map[string]bool {
	keys := make(map[string]bool)
	for _, texts := range files {
		for name := range texts {
			keys[name.Key] = true
		}
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

var placeholders = re(`\{[A-Z:]+\}`)

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

// alike counts the elements that two lists begin with alike.
func alike[T comparable](a, b []T) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// inCommon counts the folders that all groups lie below and that therefore tell none of them apart; each keeps one.
func inCommon(groups []Group) (n int) {
	if len(groups) < 2 {
		return 0
	}
	n = len(groups[0].folders(true)) - 1
	for _, g := range groups {
		mine := g.folders(true)
		n = min(n, len(mine)-1, alike(mine, groups[0].folders(true)))
	}
	return max(n, 0)
}

// nameOf is what groups that share a collection are called: from the folders that they have in common and that say
// something, with each further try from more of them. above counts the first of them, which tell nothing; with only
// there is nothing to tell them apart from.
func nameOf(members []*Group, only bool, above, try int) string {
	first, each := members[0], ""
	parts := first.folders(try < 2)
	for _, g := range members {
		parts = parts[:alike(parts, g.folders(try < 2))]
	}
	if try < 2 {
		parts = parts[min(above, len(parts)):]
	}
	if only {
		parts = nil
	}
	if len(members) == 1 {
		base := path.Base(first.Output)
		named := strings.Contains(base, "{LANGUAGE}") ||
			first.row().Platform == formats.Apple && !strings.Contains(base, "{NAME}")
		if stem := first.stem(); named && stem != "" && !(only && len(first.Files) == 1) {
			parts = append(parts, stem)
		}
		each = map[string]string{"": "", "{NAME}": "-{NAME}"}[first.each]
		if strings.Contains(first.each, "{DIR}") {
			each = "/" + first.each
		}
	}
	if len(parts) == 0 && !only && (each == "" || try > 0) {
		parts = []string{first.noun()}
	}
	switch {
	case try == 3:
		parts = append(parts, first.noun())
	case try > 3:
		parts = append(parts, strconv.Itoa(try))
	}
	return cmp.Or(strings.TrimLeft(strings.Join(parts, "-")+each, "/-"), config.DefaultCollection)
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
