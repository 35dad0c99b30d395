package resource

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Compose writes a new small file of these entries, in the grammar's plainest layout and without a Rails root: what a
// push sends, and what a service exports. like is the file that the entries come from, for attributes and spelling; nil
// when there is none.
//
// A structured key is taken apart at the separator. Where that cannot be because one key is also the beginning of
// another ("a" and "a/b"), the longer one stays in one piece, which is the same key to every reader. Items that are all
// there make a list; with gaps they are under their index as a name, so that every item keeps its key.
func Compose(g Grammar, keys Keys, like *File, entries []Entry) ([]byte, error) {
	if keys.Separator == "" {
		keys.Separator = "/"
	}
	taken := make(map[string]bool, len(entries))
	for _, e := range entries {
		if !utf8.ValidString(e.Key) || !utf8.ValidString(e.Form) {
			return nil, fmt.Errorf("key %q: not valid UTF-8", e.Key)
		}
		if !utf8.ValidString(e.Text) {
			return nil, fmt.Errorf("key %q: the text is not valid UTF-8", e.Key)
		}
		taken[e.Key] = true
	}
	root := &composed{}
	for _, e := range entries {
		var model *Model
		if like != nil {
			model = &Model{like, e.Node}
		}
		at := root
		path := []string{e.Key}
		if keys.Structured {
			path = pieces(e.Key, keys.Separator, taken)
		}
		if e.Form != "" {
			path = append(path, e.Form)
		}
		for i, name := range path[:len(path)-1] {
			if e.Form != "" && i == len(path)-2 {
				name += formsMark
			}
			at = at.child(name)
		}
		if e.Form != "" {
			at.forms = true
			if model != nil {
				at.model = &Model{like, int(like.nodes[e.Node].Parent)}
			}
		}
		leaf := at.child(path[len(path)-1])
		leaf.leaf, leaf.text, leaf.note, leaf.model = true, e.Text, e.Note, model
		at.items = at.items + b2i(e.Item)
	}
	return g.Compose(root.finish().Children)
}

// pieces splits a key into names, as far as no beginning of it is a key itself and no name is empty.
func pieces(key, separator string, taken map[string]bool) []string {
	names := strings.Split(key, separator)
	for i := 1; i < len(names); i++ {
		if taken[strings.Join(names[:i], separator)] {
			return append(names[:i-1:i-1], strings.Join(names[i-1:], separator))
		}
	}
	return names
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// composed is a New under construction, with its children by name.
type composed struct {
	name, text, note string
	leaf, forms      bool
	items            int
	model            *Model
	children         []*composed
	byName           map[string]*composed
}

func (c *composed) child(name string) *composed {
	if k := c.byName[name]; k != nil {
		return k
	}
	if c.byName == nil {
		c.byName = make(map[string]*composed)
	}
	k := &composed{name: name}
	c.byName[name] = k
	c.children = append(c.children, k)
	return k
}

// isList reports whether the children are items 0 to n-1 in order.
func (c *composed) isList() bool {
	if c.items == 0 || c.items != len(c.children) {
		return false
	}
	for i, k := range c.children {
		if k.name != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

func (c *composed) finish() New {
	n := New{Kind: Map, Name: strings.TrimSuffix(c.name, formsMark), Note: c.note, Like: c.model}
	if c.leaf {
		n.Kind, n.Text = Text, c.text
		return n
	}
	list := c.isList()
	switch {
	case c.forms:
		n.Kind = Forms
	case list:
		n.Kind = List
	}
	for _, k := range c.children {
		child := k.finish()
		if list {
			child.Name = ""
		}
		if c.forms && n.Note == "" {
			n.Note = child.Note
		}
		if c.forms {
			child.Note = ""
		}
		n.Children = append(n.Children, child)
	}
	return n
}
