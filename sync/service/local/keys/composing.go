package keys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// compose writes the units as a file of the export's format. lost are keys that the format cannot hold, with why: they
// are left out. An error names a key for which all others cannot be nested.
func compose(x *store.ExportJob, units []unit) (out []byte, lost []error, err error) {
	format, ok := formats.Named(string(x.Format))
	if !ok {
		return nil, nil, fmt.Errorf("no writer for the format %s", x.Format)
	}
	g := format.Grammar
	var top []resource.New
	switch {
	case x.Format == wire.FormatAndroidXML:
		top = androidEntries(units)
	case x.Format.Structured():
		top, err = tree(units, x.Separator)
	default:
		top = make([]resource.New, len(units))
		for i, u := range units {
			top[i] = resource.New{Kind: resource.Text, Name: u.Key, Text: inOneText(u.texts)}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	body, err := g.Compose(top)
	if err != nil {
		top, lost = writable(g, top, "")
		body, err = g.Compose(top)
		if err != nil {
			return nil, nil, err
		}
	}
	out, err = indented(x, g, body)
	return out, lost, err
}

// writable leaves out the keys that a grammar cannot write, and names them.
func writable(g resource.Grammar, top []resource.New, above string) (kept []resource.New, lost []error) {
	for _, n := range top {
		_, err := g.Compose([]resource.New{n})
		switch {
		case err == nil:
		case n.Kind == resource.Map:
			var below []error
			n.Children, below = writable(g, n.Children, above+n.Name+"/")
			lost = append(lost, below...)
			if len(n.Children) == 0 {
				continue
			}
		default:
			lost = append(lost, fmt.Errorf("key %q: %w", above+n.Name, err))
			continue
		}
		kept = append(kept, n)
	}
	return kept, lost
}

// indented gives a file of JSON or YAML the indentation that the caller asked for.
func indented(x *store.ExportJob, g resource.Grammar, body []byte) ([]byte, error) {
	if x.Indent == "  " {
		return body, nil
	}
	switch x.Format {
	case wire.FormatJSON, wire.FormatStructuredJSON:
		var out bytes.Buffer
		if err := json.Indent(&out, body, "", x.Indent); err != nil {
			return nil, err
		}
		return out.Bytes(), nil
	case wire.FormatYAML, wire.FormatStructuredYAML:
		return indentedYAML(x, g, body), nil
	}
	return body, nil
}

// indentedYAML widens the indentation of every line. YAML's indentation has a meaning, so the result is read again,
// and where it does not say the same the file stays as it was: indentation is a matter of taste, texts are not.
func indentedYAML(x *store.ExportJob, g resource.Grammar, body []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(body) {
		rest := bytes.TrimLeft(line, " ")
		n := len(line) - len(rest)
		out.WriteString(strings.Repeat(x.Indent, n/2) + strings.Repeat(" ", n%2))
		out.Write(rest)
	}
	keys := resource.Keys{Structured: true, Separator: x.Separator}
	was, err := resource.Parse(g, keys, body)
	if err != nil {
		return body
	}
	is, err := resource.Parse(g, keys, out.Bytes())
	if err != nil {
		return body
	}
	same := func(a, b resource.Entry) bool { return a.Key == b.Key && a.Kind == b.Kind && a.Text == b.Text }
	if !slices.EqualFunc(slices.Collect(was.Entries()), slices.Collect(is.Entries()), same) {
		return body
	}
	return out.Bytes()
}

// androidEntries are the units as string, plurals and string-array resources. An array that lacks an item is left
// out: its items are told apart by nothing but their position. One that lacks none of the project's keys is whole,
// though positions be free between them, where the imported file had a reference to another resource: the format's
// writer keeps those free (@null), since the service does not know what was there.
func androidEntries(units []unit) []resource.New {
	var top []resource.New
	arrays := make(map[string]int) // position in top, by name
	items := make(map[int]int)     // of an array, by position in top: how many it must have
	for _, u := range units {
		name, index, item := listItem(u)
		switch {
		case item:
			at, begun := arrays[name]
			if !begun {
				at = len(top)
				arrays[name], items[at] = at, u.items
				top = append(top, resource.New{Kind: resource.Forms, Name: name})
			}
			top[at].Children = append(top[at].Children, resource.New{Kind: resource.Text, Name: strconv.Itoa(index),
				Text: inOneText(u.texts)})
		case u.Plural || u.texts[0].Form != "":
			n := resource.New{Kind: resource.Forms, Name: u.Key}
			for _, t := range u.texts {
				n.Children = append(n.Children, resource.New{Kind: resource.Text, Name: t.Form, Text: t.Value})
			}
			top = append(top, n)
		default:
			top = append(top, resource.New{Kind: resource.Text, Name: u.Key, Text: inOneText(u.texts)})
		}
	}
	gone := make(map[int]bool)
	for _, at := range arrays {
		gone[at] = !inOrder(top[at].Children) && len(top[at].Children) != items[at]
	}
	whole := top[:0]
	for i, n := range top {
		if !gone[i] {
			whole = append(whole, n)
		}
	}
	return whole
}

// listItem says of a key that was imported as an item of a list which list that is and which item.
func listItem(u unit) (list string, index int, ok bool) {
	if len(u.Lists) == 0 {
		return "", 0, false
	}
	list = u.Key[:min(u.Lists[len(u.Lists)-1], len(u.Key))]
	digits := strings.LastIndexFunc(u.Key, func(r rune) bool { return r < '0' || r > '9' }) + 1
	index, err := strconv.Atoi(u.Key[digits:])
	return list, index, err == nil && digits > len(list)
}

// inOrder reports whether the children are items 0 to n-1. It sorts them.
func inOrder(children []resource.New) bool {
	slices.SortStableFunc(children, func(a, b resource.New) int {
		if len(a.Name) != len(b.Name) {
			return len(a.Name) - len(b.Name)
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i, c := range children {
		if c.Name != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// branchNode is a node of a nested file under construction.
type branchNode struct {
	name     string
	unit     *unit
	key      string // the key up to here, for errors
	list     bool   // every key below says that this is a list
	children []*branchNode
	byName   map[string]*branchNode
}

func (b *branchNode) child(name, key string) *branchNode {
	if c := b.byName[name]; c != nil {
		return c
	}
	if b.byName == nil {
		b.byName = make(map[string]*branchNode)
	}
	c := &branchNode{name: name, key: key, list: true}
	b.byName[name] = c
	b.children = append(b.children, c)
	return c
}

// tree takes the keys apart at the separator. A key that is also the beginning of another cannot be a text and hold
// texts, so it is an error that names both.
func tree(units []unit, separator string) ([]resource.New, error) {
	root := &branchNode{}
	for i := range units {
		u := &units[i]
		if strings.Count(u.Key, separator) >= resource.MaxDepth {
			return nil, fmt.Errorf("key %q nests deeper than %d levels; export a flat format", api.Clip([]byte(u.Key)),
				resource.MaxDepth)
		}
		at, end := root, 0
		for rest, more := u.Key, true; more; {
			var name string
			name, rest, more = strings.Cut(rest, separator)
			if at.unit != nil {
				return nil, clash(at.key, u.Key)
			}
			if at != root && !slices.Contains(u.Lists, end) {
				at.list = false
			}
			if at != root {
				end += len(separator)
			}
			end += len(name)
			at = at.child(name, u.Key[:end])
		}
		if len(at.children) > 0 {
			return nil, clash(u.Key, at.children[0].key)
		}
		if at.unit != nil {
			return nil, clash(u.Key, u.Key)
		}
		at.unit = u
	}
	return root.finish().Children, nil
}

func clash(short, long string) error {
	return fmt.Errorf("key %q is also the beginning of key %q, so a nested file cannot hold both; "+
		"rename one of them, or export a flat format", short, long)
}

func (b *branchNode) finish() resource.New {
	n := resource.New{Kind: resource.Map, Name: b.name}
	if b.unit != nil {
		n.Kind, n.Text = resource.Text, inOneText(b.unit.texts)
		return n
	}
	for _, c := range b.children {
		n.Children = append(n.Children, c.finish())
	}
	if b.list && inOrder(slices.Clone(n.Children)) {
		inOrder(n.Children)
		n.Kind = resource.List
		for i := range n.Children {
			n.Children[i].Name = ""
		}
	}
	return n
}
