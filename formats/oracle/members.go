package oracle

import (
	"slices"
	"strings"
)

var describing = [...]string{"message", "defaultMessage", "description", "placeholders"}

func isMessageText(name string) bool { return name == "message" || name == "defaultMessage" }

// hideMessages takes the keys from what message objects hold besides their message, where all of a file's outermost
// entries are texts and such objects: browser extensions and VS Code have such files. A message that has nothing but a
// comment besides, as in VS Code's, is a text under its object's name; YAML has none of these. It reports whether the
// file is such.
func hideMessages(leaves []Leaf, comments bool) bool {
	type entry struct{ message, comment, other, strange bool }
	var entries []*entry // an outermost name may be twice
	of := make([]*entry, len(leaves))
	for i := range leaves {
		l := &leaves[i]
		if len(l.Path) == 0 || len(l.lists) > 0 && l.lists[0] == 0 {
			return false
		}
		if i == 0 || len(l.Path) == 1 || len(leaves[i-1].Path) == 1 || leaves[i-1].Path[0] != l.Path[0] {
			entries = append(entries, &entry{})
		}
		e := entries[len(entries)-1]
		of[i] = e
		text := l.Kind == Text || l.Kind == Other && strings.HasPrefix(l.Text, `"`)
		switch {
		case len(l.Path) == 1:
			e.strange = e.strange || !text
			e.message = true
		case isMessageText(l.Path[1]) && len(l.Path) == 2 && (text || l.Kind == Null):
			e.message = true
		case comments && l.Path[1] == "comment" && (len(l.Path) == 2 && (text || l.Text == "[") ||
			len(l.Path) == 3 && text && len(l.lists) == 1):
			e.comment = true
		case l.Path[1] == "description" && len(l.Path) == 2 && text,
			l.Path[1] == "placeholders" && (len(l.Path) > 2 && (len(l.lists) == 0 || l.lists[0] > 2) ||
				l.Kind == Empty && l.Text[0] == '{'):
			e.other = true
		case len(l.Path) == 2 && l.Kind == Other && !text && !slices.Contains(describing[:], l.Path[1]) &&
			(l.Path[1] != "comment" || !comments):
		default:
			e.strange = true
		}
	}
	described := false
	for _, e := range entries {
		if e.strange || !e.message {
			return false
		}
		described = described || e.other || e.comment
	}
	for i := range leaves {
		l := &leaves[i]
		if !described || len(l.Path) < 2 {
			continue
		}
		e := of[i]
		switch {
		case !isMessageText(l.Path[1]) || len(l.Path) > 2:
			l.closed = true
		case e.comment && !e.other:
			l.Path = l.Path[:1]
		}
	}
	return described
}

// hideAbout takes the keys from the descriptions and hashes of messages with plural forms: maps of strings under names
// of forms. A file has such messages where one of them has a hash, or a description and
// several forms, or where all outermost maps are such.
func hideAbout(leaves []Leaf) {
	open := make(map[string]*group) // the last one of each path
	var groups []*group
	for i := range leaves {
		l := &leaves[i]
		if len(l.Path) == 0 || len(l.lists) > 0 && l.lists[0] == 0 {
			return
		}
		for n := 1; n <= len(l.Path) && !l.metadata; n++ {
			at := strings.Join(l.Path[:n], "\xff")
			if open[at] == nil || open[at].to != i {
				open[at] = &group{depth: n, from: i}
				groups = append(groups, open[at])
			}
			open[at].take(l, i)
		}
	}
	sure, all := false, true
	for _, g := range groups {
		sure = sure || g.isMessage() && (g.hash || g.about && g.forms > 1)
		all = all && (g.isMessage() || g.depth > 1 || !g.isMap)
	}
	for _, g := range groups {
		for i := g.from; i < g.to && (sure || all) && g.isMessage(); i++ {
			if l := &leaves[i]; l.Path[g.depth] == "description" || l.Path[g.depth] == "hash" {
				l.closed, l.metadata = true, true
			}
		}
	}
}

// group is what is under one path.
type group struct {
	depth, from, to             int // leaves
	forms                       int
	isMap, strange, about, hash bool
}

func (g *group) isMessage() bool { return g.isMap && !g.strange && g.forms > 0 }

// take adds leaf i.
func (g *group) take(l *Leaf, i int) {
	g.to = i + 1
	if len(l.Path) == g.depth {
		g.isMap, g.strange = l.Kind == Empty && strings.HasPrefix(l.Text, "{"), true
		return
	}
	g.isMap = !slices.Contains(l.lists, g.depth)
	name := l.Path[g.depth]
	text := l.Kind == Text || l.Kind == Other && strings.HasPrefix(l.Text, `"`)
	form := slices.Contains([]string{"zero", "one", "two", "few", "many", "other"}, name)
	switch {
	case len(l.Path) > g.depth+1:
		g.strange = true
	case text && form:
		g.forms++
	case text && name == "hash":
		g.about, g.hash = true, true
	case text && name == "description":
		g.about = true
	default:
		g.strange = true
	}
}

// hideSettings takes the keys from outermost strings that say something about the file: "$schema", and "locale"
// beside a map "translations" that has all else.
func hideSettings(leaves []Leaf) {
	wrapped, names := true, make(map[string]bool)
	for i := range leaves {
		l := &leaves[i]
		if len(l.Path) == 0 || len(l.lists) > 0 && l.lists[0] == 0 {
			return
		}
		if !l.metadata && (len(l.Path) > 1 || l.Kind == Empty) {
			names[l.Path[0]] = true
			wrapped = wrapped && l.Path[0] == "translations" && !slices.Contains(l.lists, 1) &&
				(len(l.Path) > 1 || l.Text == "{")
		}
	}
	wrapped = wrapped && len(names) == 1
	for i := range leaves {
		l := &leaves[i]
		if len(l.Path) != 1 || l.Kind != Text {
			continue
		}
		switch name := l.Path[0]; {
		case name == "$schema", wrapped && name == "locale":
			l.closed, l.metadata = true, true
		}
	}
}

// hideMetadata takes the keys from outermost members that are not entries: all under a name that begins with @@ (in ARB
// with one @), and objects under one that begins with @, unless they are messages: a string "message" is in them.
func hideMetadata(leaves []Leaf, all bool) {
	for i := 0; i < len(leaves); {
		l := &leaves[i]
		from := i
		for i++; i < len(leaves) && len(l.Path) > 1 && len(leaves[i].Path) > 1 && leaves[i].Path[0] == l.Path[0]; i++ {
		}
		if len(l.Path) == 0 || !strings.HasPrefix(l.Path[0], "@") || len(l.lists) > 0 && l.lists[0] == 0 {
			continue
		}
		object := len(l.Path) > 1 && (len(l.lists) == 0 || l.lists[0] > 1) || l.Kind == Empty && l.Text == "{"
		for k := from; k < i; k++ {
			text := leaves[k].Kind == Text || leaves[k].Kind == Other && strings.HasPrefix(leaves[k].Text, `"`)
			object = object && !(len(leaves[k].Path) == 2 && leaves[k].Path[1] == "message" && text)
		}
		for k := from; k < i && (object || all || strings.HasPrefix(l.Path[0], "@@")); k++ {
			leaves[k].closed, leaves[k].metadata = true, true
		}
	}
}
